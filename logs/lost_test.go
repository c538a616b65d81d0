package logs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/steady"
)

// ready is a fit that has read its log and is about to look for numbers.
func ready(t *testing.T, ctx context.Context, c recordedLog) *work {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(strings.NewReplacer(c.replace...).Replace(c.spec)))
	if err != nil {
		t.Fatal(c.name, err)
	}
	files := fstest.MapFS{"log.csv": {Data: []byte(c.log)}}
	w := &work{ctx: t.Context(), spec: s, o: c.o, files: files, out: &Inference{Spec: s, files: files}}
	for _, step := range []func() error{w.read, w.compile, w.arrange} {
		if err := step(); err != nil {
			t.Fatal(c.name, err)
		}
	}
	w.ctx = ctx
	return w
}

// Numbers are looked for until the context ends, at whichever of its questions, whatever would ask it later.
func TestEstimatesStopAtEveryQuestion(t *testing.T) {
	for _, c := range []recordedLog{
		{"a bound", bareSpec, nil, swung(-0.12), Options{}},
		{"a prior", bareSpec, []string{`pull: "?"`, `pull: "? ~ normal(2, 1)"`}, swung(0.5), Options{}},
		{"repeats", linearSpec, []string{"EFFECTS", "person"}, linearLog(4, 6, 0.5), Options{Method: Within, Bootstrap: 3}},
	} {
		evidence.Stops(t, c.name, 1<<40, func(ctx context.Context) error { return ready(t, ctx, c).estimate() })
	}
}

// Where traits cannot be found again a little off, draws keep everybody's as it was found, and a note says so.
func TestTraitsThatCannotBeFollowed(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	w := ready(t, ctx, recordedLog{"people", linearSpec, []string{"EFFECTS", "person"}, linearLog(4, 6, 0.5), Options{}})
	f, rows, o := w.asked()
	found, err := fit.Find(ctx, f, rows, w.unknowns, o)
	if err != nil {
		t.Fatal(err)
	}
	w.keep(found)
	before := len(w.out.Notes)
	if w.followSearch(f, rows, found, o); w.out.crowd.ownBy == nil || len(w.out.Notes) != before {
		t.Errorf("traits go by %v, notes %q", w.out.crowd.ownBy, w.out.Notes)
	}
	end()
	if w.followSearch(f, rows, found, o); w.out.crowd.ownBy != nil || !strings.Contains(strings.Join(w.out.Notes, "\n"), "take everybody's trait as it was found") {
		t.Errorf("traits go by %v, notes %q", w.out.crowd.ownBy, w.out.Notes)
	}
}

// Counts that are 0 wherever q is 1 make a mean of 0 there the likeliest, where Poisson's law has none, and only the prior keeps away from it.
func TestPriorsWithoutWhichThereIsNothing(t *testing.T) {
	const spec = `
model: {decision: q, state: p, let: {a: "?", b: "? ~ normal(1, 0.3)"}, next: a - b*q, maximize: p - q^2, subject to: 0 <= q <= 1}
data: {file: log.csv, person: who, time: t, decision: q, states: p, errors: poisson}
`
	log := "who,t,q,p\n"
	for i := range 5 {
		p := 3
		for at := range 8 {
			log += fmt.Sprintf("c%d,%d,%d,%d\n", i, at, at%2, p)
			p = (1 - at%2) * (2 + (i+at)%3)
		}
	}
	e, err := fitted(t, spec, log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(e.Warn, "\n"); !strings.Contains(text, "Without priors there is no estimate") {
		t.Errorf("%+v, warnings:\n%s", e.Found, text)
	}
}

// People of whom two columns have one name cannot be written.
func TestPeopleWithTwoColumnsOfAName(t *testing.T) {
	spec := strings.NewReplacer("state: p", "state: who", "habit*p", "habit*who", "p - q^2", "who - q^2", "person: who", "person: id").Replace(bareSpec)
	e, err := fitted(t, spec+"algorithms: [{name: composite, step: 0.07, batch: 3}]\niterations: 5\n", strings.Replace(swung(0.5), "who,", "id,", 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := e.Files(""); err == nil || !strings.Contains(err.Error(), `two columns have the name "who"`) {
		t.Errorf("%v, %d files", err, len(files))
	}
}

// There is no step by how a value bends that is not there: at a decision, or a little above it. The logarithm has none below 0.
func TestStepsWithoutAValue(t *testing.T) {
	for loss, want := range map[string]bool{"(q - p)^2": true, "(q - p)^2 + log(q)": false, "(q - p)^2 + log(-q)": false} {
		m, err := formula.Compile(formula.Source{Decision: "q", State: "p", Trait: "d", Next: "0.5*p + 0.25*q + d", Minimize: loss})
		if err != nil {
			t.Fatal(err)
		}
		f, err := steady.New(kedge.Model{Dynamics: m.Dynamics(), Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: []float64{1, 2}, Width: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if step := stepBy(f, []float64{-5e-4}, []float64{1}); (step > 0) != want {
			t.Errorf("%s: a step of %v", loss, step)
		}
	}
}

// A model that can be fitted to people who are seen again, but whose slopes in the state are too many for others, is refused.
func TestModelsThatCannotBeRolled(t *testing.T) {
	const entries = 60
	var sines, names, zeros []string
	for i := range entries {
		sines, names, zeros = append(sines, fmt.Sprintf("sin(%d*p*sum(p))", i+1)), append(names, fmt.Sprintf("p%d", i)), append(zeros, "0")
	}
	spec := fmt.Sprintf(`
model: {decision: q, state: "p[%d]", trait: d, let: {a: "?"}, next: "a*(%s) + q + d", maximize: sum(p), subject to: 0 <= q <= 15}
data: {file: log.csv, kind: sections, time: t, decision: q, traits: d, states: [%s]}
`, entries, strings.Join(sines, " + "), strings.Join(names, ", "))
	log := "t,q,d," + strings.Join(names, ",") + "\n"
	for at := range 3 {
		log += fmt.Sprintf("%d,1,2,%s\n", at, strings.Join(zeros, ","))
	}
	if _, err := fitted(t, spec, log, Options{}); err == nil || !strings.Contains(err.Error(), "the derivative of the formula makes more than") {
		t.Error(err)
	}
}

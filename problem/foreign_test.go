package problem

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// bare are dynamics of a kind that says only how states move, or that cannot be built.
type bare struct {
	kind.AffineDynamics
	fails error
}

func (b *bare) Build(dim kedge.Dims) (kedge.Model, error) {
	m, err := b.AffineDynamics.Build(dim)
	m.Settler, m.Sensitivity = nil, nil
	return m, errors.Join(err, b.fails)
}

// Where a kind does not say where people settle or how that answers, both are found by iteration: value and gradient are those of the closed form.
func TestKindsThatSayLittle(t *testing.T) {
	known := build(t, weighted)
	s := mustParse(t, weighted)
	of := &bare{AffineDynamics: *s.Dynamics.Of.(*kind.AffineDynamics)}
	s.Dynamics.Of = of
	p, err := Build("x", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	u, got, want := []float64{0.3, -0.2}, make([]float64, 3), make([]float64, 3)
	for _, c := range []struct {
		of *Problem
		to []float64
	}{{p, got}, {known, want}} {
		f, err := c.of.Steady()
		if err != nil {
			t.Fatal(err)
		}
		if c.to[2], err = f.Gradient(c.to[:2], u); err != nil {
			t.Fatal(err)
		}
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	of.fails = errors.New("no such people")
	if _, err := Build("x", s, nil); err == nil || err.Error() != "x.yaml:3: dynamics: no such people" {
		t.Error(err)
	}
}

// Choices that are coupled stay proportions: one step is (1 − κ) of that alone and κ of the mean.
func TestCoupledChoices(t *testing.T) {
	const spec = "iterations: 1\npopulation: {size: 3, dim: 2, law: dirichlet}\ndynamics: {kind: choice, lambda1: 0.3, lambda2: 0.2, epsilon: 1, coupling: 0.25}\nobjective: {kind: revenue}\nset: {kind: simplex, sum: 1}\nalgorithms: [{name: composite, step: 0.1}]\n"
	p, alone := build(t, spec), build(t, strings.Replace(spec, ", coupling: 0.25", "", 1))
	x, u, d, mean := []float64{0.4, 0.6}, []float64{0.9, 0.1}, []float64{0.7, 0.3}, []float64{0.2, 0.8}
	got, one := make([]float64, 2), make([]float64, 2)
	p.Dynamics.Next(got, x, slices.Concat(u, mean), d)
	alone.Dynamics.Next(one, x, u, d)
	for i := range got {
		if want := 0.75*one[i] + 0.25*mean[i]; math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("a step leads to %v, entry %d should be %v", got, i, want)
		}
	}
}

// What is not there is nil: exact entries of convex sets, a game without players.
func TestWhatIsNotThere(t *testing.T) {
	p := build(t, small)
	if exact := p.ExactEntries(); exact != nil {
		t.Errorf("%v", exact)
	}
	if g, err := p.Game(); g != nil || err != nil {
		t.Errorf("%v, %v", g, err)
	}
	if list, most, err := p.Constraints(); list != nil || most != nil || err != nil {
		t.Errorf("%v, %v, %v", list, most, err)
	}
	listed := build(t, small, Assign("set={kind: finite, points: [[1, 0], [0, 1]]}"))
	if exact := listed.ExactEntries(); !slices.Equal(exact, []bool{true, true}) {
		t.Errorf("%v", exact)
	}
}

// The sets of a problem, each with its first turn.
func TestStages(t *testing.T) {
	p := build(t, small, Assign("changes=[{from: 3, set: {kind: ball, radius: 0.5}}, {from: 7, set: {kind: ball, radius: 0.25}}]"))
	var got []float64
	for _, s := range p.Stages() {
		got = append(got, float64(s.From), s.Set.(set.Ball).Radius)
	}
	if !slices.Equal(got, []float64{0, 1, 3, 0.5, 7, 0.25}) || !p.Changes() || build(t, small).Changes() {
		t.Errorf("%v", got)
	}
}

// Columns of decisions go by their names, and decisions of up to 16 entries are kept without being asked for.
func TestDecisionColumns(t *testing.T) {
	for src, want := range map[string][]string{fruit: {"apples", "pears"}, small: {"u_0", "u_1"}} {
		var got []string
		for _, c := range mustParse(t, src).DecisionColumns() {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	for change, want := range map[string]bool{"population.dim=16": true, "population.dim=17": false, "record.decisions=false": false} {
		if s := mustParse(t, small, Assign(change)); s.KeepsDecisions() != want {
			t.Errorf("%s: kept %v", change, !want)
		}
	}
	if !mustParse(t, small, Assign("population.dim=17"), Assign("record.decisions=true")).KeepsDecisions() {
		t.Error("decisions that were asked for are not kept")
	}
	for decision, want := range map[string][]string{"q[apples, pears] in EUR": {"apples", "pears"}, "q[2] in EUR": nil, "q[2]": nil} {
		s := mustParse(t, strings.NewReplacer("q[apples, pears] in EUR", decision, "[q[apples], q[pears]]", "q").Replace(fruit))
		if got := s.entryNames(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", decision, got, want)
		}
	}
}

// doubtful learns nothing and is trusted as far as it says.
type doubtful struct{ trust float64 }

func (doubtful) Observe(kedge.Observation) error { return nil }
func (d doubtful) Trust() float64                { return d.trust }
func (d doubtful) PullRows(gu, p, u, x, v []float64) error {
	gu[0]++
	return nil
}

// Constraints of a rule that learns heed the answer only once it is trusted.
func TestConstraintsWaitForTrust(t *testing.T) {
	for trust, want := range map[float64]float64{0: 0, 0.5: 1} {
		g := []float64{0}
		if err := (trusted{doubtful{trust}}).PullRows(g, nil, nil, nil, nil); err != nil || g[0] != want {
			t.Errorf("trusted by %v: %v, %v", trust, g, err)
		}
	}
	const learning = "algorithms=[{name: composite, step: 0.1, batch: 10, sensitivity: learned, learn: {dither: 0.1}}]"
	p := build(t, restricted, Assign(learning))
	if trial, err := p.Trial(0, 0, math.NaN()); err != nil || trial.Algorithm == nil {
		t.Error(err)
	}
	s := mustParse(t, restricted, Assign(learning), Assign("live={trust: {otherwise: vanilla}}"))
	const want = "live.trust.otherwise is vanilla, but algorithms.composite cannot fall back on it: "
	if _, err := BuildLive(s, 0, 0, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// What was found out about a file is told with its name.
func TestNotesOfATable(t *testing.T) {
	p, err := buildWith(t, shop, csvOf(customers))
	if err != nil {
		t.Fatal(err)
	}
	p.people.Notes = []string{"two rows are alike", "one is long"}
	if got := p.Warnings(); !slices.Equal(got, []string{"In customers.csv two rows are alike.", "In customers.csv one is long."}) {
		t.Errorf("%q", got)
	}
}

// Sets that turn out to have no point, or more rows than they can keep, are refused at their key.
func TestSetsWithoutAPoint(t *testing.T) {
	const none = "{kind: affine, matrix: [[1, 0], [1, 0]], rhs: [1, 2]}"
	for _, c := range []struct{ change, want string }{
		{"set=" + none, "set: "},
		{"changes=[{from: 3, set: " + none + "}]", "changes.0.set: "},
	} {
		_, err := Build("x", mustParse(t, small, Assign(c.change)), fstest.MapFS{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.change, err)
		}
	}
}

// The price of a constraint on states moves who counts how people answer, and not who takes them for given: the loss ℓ = p of people who settle at 2u has the slope 2 for
// the one and 0 for the other. By hand, the first turn raises the multiplier from 0 to 0.1·(5 − 1), and the next lowers the decision by 0.5 times that times 2.
func TestConstraintsCountTheAnswer(t *testing.T) {
	const spec = "iterations: 5\npopulation: {size: 1, dim: 1, law: values, values: [[0]]}\ndynamics: {kind: affine, a: [[0.5]], b: [[1]], e: [[0]]}\nobjective: {kind: quadratic}\nset: {kind: whole}\nstart: {law: zero}\n" +
		"constraints: [{name: load, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]\nalgorithms:\n  - {name: composite, step: 0.5, dual-step: 0.1}\n  - {name: vanilla, step: 0.5, dual-step: 0.1}\n"
	p := build(t, spec)
	for a, slope := range []float64{2, 0} {
		trial, err := p.Trial(a, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		u := []float64{0}
		for k := range 2 {
			trial.Algorithm.Ask(u)
			if err := trial.Algorithm.Tell(kedge.Observation{Round: k, U: slices.Clone(u), P: []float64{5}, D: []float64{0}}); err != nil {
				t.Fatal(err)
			}
		}
		trial.Algorithm.Ask(u)
		if math.Abs(u[0]+0.5*0.1*4*slope) > 1e-12 {
			t.Errorf("%s goes to %v", p.Spec.Algorithms[a].Name, u)
		}
	}
}

// Players who take turns move one at a time, those who move at once together; a planner moves all.
func TestTurnsOfPlayers(t *testing.T) {
	for play, moves := range map[string][2]bool{
		"simultaneous": {true, true}, "alternating": {true, false}, "best-response": {true, true}, "alternating-response": {true, false}, "planner": {true, true},
	} {
		p := build(t, strings.Replace(sharing, "constraints: [{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]\n", "start: {law: values, values: [2.5, 2.5]}\n", 1), Assign("algorithms.composite.play="+play))
		trial, err := p.Trial(0, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, 2)
		trial.Algorithm.Ask(u)
		if err := trial.Algorithm.Tell(kedge.Observation{U: slices.Clone(u), P: []float64{1}, D: []float64{2}}); err != nil {
			t.Fatal(err)
		}
		if trial.Algorithm.Ask(u); (u[0] != 2.5) != moves[0] || (u[1] != 2.5) != moves[1] {
			t.Errorf("%s: after a turn %v", play, u)
		}
	}
}

// prober is a method that tries decisions beside its own in an order that nobody draws.
type prober struct{ kind.VanillaMethod }

func (*prober) Word() form.Option {
	return form.Choice("prober", "Tries the entries one after the other.", "")
}

func (m *prober) Facts() kind.Facts {
	known := m.VanillaMethod.Facts()
	known.Reach = 0.1
	return known
}

// Whole numbers are deployed by methods that follow gradients, whichever they know; who perturbs, to learn or to try, does not.
func TestMethodsOfWholeNumbers(t *testing.T) {
	for method, refused := range map[string]bool{
		"{name: composite, step: 0.1}": false, "{name: vanilla, step: 0.1}": false, "{name: adam, step: 0.1}": false,
		"{name: one-point, step: 0.1, delta: 0.1}": true, "{name: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.1}}": true, "{name: reinforce, step: 0.1, delta: 0.1}": true,
		"{name: prober, step: 0.1}": true,
	} {
		kinds := kind.Standard()
		kinds.Methods = append(kinds.Methods, &prober{})
		_, err := Parse(kinds, "x.yaml", []byte(wholes), Assign("algorithms=["+method+"]"))
		if refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "which tries decisions beside its own, but decisions are whole numbers") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// A mistake in a column is told where it stands.
func TestColumnsAreToldWhereTheyStand(t *testing.T) {
	src := strings.NewReplacer("{file: customers.csv, traits: [income/10000, age/10], states: [spend], weight: w, group: region, where: age >= 18 and not missing(income)}",
		"\n  file: customers.csv\n  traits: [income/10000, age/10]\n  states: [spnd]\n  where: age >= 18 and not missing(income)").Replace(shop)
	const want = "x.yaml:6: population.states[0]:1:1: customers.csv has no column spnd; did you mean spend?"
	if _, err := buildWith(t, src, csvOf(customers)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Formulas whose answer has no closed form are served by iteration: the slope of where p = tanh(p²/4 + u) settles is that of differences.
func TestFormulasWithoutAClosedAnswer(t *testing.T) {
	const spec = "iterations: 1\nmodel: {decision: \"u[2]\", state: \"p[2]\", trait: \"d[2]\", let: {W: [[0.2, 0.3], [0.1, 0.2]]}, next: \"tanh(W @ tanh(p) + 0.3*[p[1], p[0]]*p + u + 0.1*d)\", minimize: sum(p)}\npopulation: {size: 2, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\n"
	p := build(t, spec)
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	u, g := []float64{0.2, -0.1}, make([]float64, 2)
	if _, err := f.Gradient(g, u); err != nil {
		t.Fatal(err)
	}
	for i := range u {
		at := func(by float64) float64 {
			v := slices.Clone(u)
			v[i] += by
			loss, err := f.Value(v)
			if err != nil {
				t.Fatal(err)
			}
			return loss
		}
		if want := (at(1e-5) - at(-1e-5)) / 2e-5; math.Abs(g[i]-want) > 1e-8 {
			t.Errorf("entry %d of the gradient is %v, differences give %v", i, g[i], want)
		}
	}
	if _, closed := p.Sensitivity.(*sensitivity.Implicit); !closed {
		t.Errorf("%T", p.Sensitivity)
	}
	if _, implicit := build(t, settledAt).Sensitivity.(*sensitivity.Implicit); implicit {
		t.Error("an answer in closed form is iterated for")
	}
}

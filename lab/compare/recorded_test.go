package compare

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// told is all that a comparison says, numbers to ten digits.
func told(t *testing.T, r *Comparison) (lines []string) {
	t.Helper()
	lines = append(lines, "# "+r.Title(), r.Headline(), r.Command())
	lines = append(lines, r.Reasons()...)
	for i := range r.Problems {
		a := &r.Problems[i]
		lines = append(lines, fmt.Sprintf("%s (%s) %s: seed %d, %d turns, settles in %d (%t), maximize %t, optimal %.8g, stable %.8g, value %.9g, separates %t, tolerance %.9g, standing %s, spec %.6x",
			a.Name, a.Target, a.About, a.Seed, a.Turns, a.Settling, a.Settled, a.Maximize, a.Optimal, a.Stable, a.Value, a.Separates, a.Tolerance, a.Answer.Evidence.Standing, sha256.Sum256([]byte(a.Spec))))
		for _, g := range a.Groups() {
			names := make([]string, len(g.Rows))
			for j, m := range g.Rows {
				names[j] = m.Method
			}
			lines = append(lines, g.Name+": "+strings.Join(names, ", "))
		}
		for j := range a.Rows {
			m := &a.Rows[j]
			lines = append(lines, fmt.Sprintf("%s: %s, %s, %s | %s, outside %q, arrived %t, %d trials, %d failed %q, %d deployments, %d samples", m.Method, a.Verdict(m), a.Mark(m), a.Letters(m), m.Settings, m.Outside, m.Arrived, m.Trials, m.Failed, m.Failure, m.Deployments, m.Samples))
			var tried []string
			for _, p := range m.Grid {
				score := "failed"
				if p.Score != nil {
					score = fmt.Sprintf("%.7g", *p.Score)
				}
				tried = append(tried, fmt.Sprintf("%.7g %s", p.Step, score))
			}
			lines = append(lines, fmt.Sprintf("  step %.7g of %v, to optimal %s, stable %s, target %s, value %s, gap %s, curve %s", m.Step, tried, wide(m.ToOptimal), wide(m.ToStable), wide(m.ToTarget), wide(m.Value), wide(m.Gap), m.Curve.sum()))
		}
	}
	var table bytes.Buffer
	tabled := r.Table()
	if err := tabled.WriteCSV(&table); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(table.String(), "\n")
	return append(lines, rows[0], rows[1])
}

func wide(x *Range) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprintf("%.7g (%.7g … %.7g)", x.Mean, x.Min, x.Max)
}

func (c Curve) sum() string {
	var far []string
	for _, x := range c.Far {
		far = append(far, wide(&x))
	}
	return fmt.Sprintf("%d turns %.6x", len(c.Turns), sha256.Sum256([]byte(fmt.Sprint(c.Turns, far))))
}

// Small comparisons end as they did when this was recorded.
func TestComparisonsAreAsRecorded(t *testing.T) {
	for _, c := range []struct {
		file     string
		problems []Subject
		methods  string // "": those of the spec
		terms    Terms
	}{
		{"all", []Subject{problemOf(t, "lq2", "iterations=150", "population.sampling=with-replacement")}, "all,derivative-free:hold=1", Terms{Trials: 2, Points: 3, Changes: []string{"--set iterations=150"}}},
		{"tuned", []Subject{problemOf(t, "scalar-pricing", "iterations=400")}, "vanilla,composite,two-point:hold=3,repeated-risk:step=0.5", Terms{Tuning: 1}},
		{"own", []Subject{problemOf(t, "stateful-toy", "iterations=60")}, "", Terms{Trials: 2, NoTune: true}},
		{"failing", []Subject{problemOf(t, "lq2", "iterations=80", "objective.decision=0", "objective.state=4")}, "repeated-risk,composite,vanilla", Terms{Trials: 2, Points: 2}},
		{"suite", classics(t, "iterations=120", "gaussian-mean", "mixture", "square-root", "mirror", "softmax", "credit"), "vanilla,repeated-gradient,repeated-risk,composite,plug-in,one-point,two-point:hold=1", Terms{Suite: "classics", Trials: 1, Tuning: 1, Points: 2}},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			var entrants []Entrant
			if c.methods != "" {
				entrants = methods(t, c.methods)
			}
			var last, total int64
			c.terms.Workers, c.terms.Progress = 1, func(done, of int64) { last, total = done, of }
			r, err := Run(context.Background(), c.problems, entrants, c.terms)
			if err != nil {
				t.Fatal(err)
			}
			for _, methods := range r.Seconds {
				for name, s := range methods {
					if s < 0 {
						t.Errorf("%s took %g s", name, s)
					}
				}
			}
			lines := append(told(t, r), fmt.Sprintf("%d of %d runs, seconds of %d problems", last, total, len(r.Seconds)))
			f, err := NewFixture(c.problems, entrants, c.terms)
			if err != nil {
				t.Fatal(err)
			}
			for i := range f.Problems {
				lines = append(lines, fmt.Sprintf("%s: %d runs planned, %s", f.Problems[i].Name, f.Runs(i), f.Problems[i].Rows[0].Kind))
			}
			if other := f.Other(r); other != "" {
				t.Errorf("the plan of itself is another: %s", other)
			}
			for _, one := range f.Need() {
				lines = append(lines, fmt.Sprintf("needs %.9g for %s: %s", one.Bytes, one.Key, one.What))
			}
			evidence.AsRecorded(t, "testdata/"+c.file+".txt", lines)
		})
	}
}

// classics are some of the classics with a change.
func classics(t *testing.T, change string, names ...string) (list []Subject) {
	t.Helper()
	for _, one := range ClassicProblems(problem.Assign(change)) {
		if slices.Contains(names, one.Name) {
			list = append(list, one)
		}
	}
	return list
}

// What is wrong is told in the same words as when this was recorded.
func TestRefusalsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, text := range []string{"vanila", "vanilla,vanilla", "vanilla:step", "vanilla:=1", "vanilla:step=", "vanilla:batch=3", "vanilla:name=x", "vanilla:kind=x", "vanilla:trials=2", "vanilla:carry=true", ""} {
		_, err := ParseMethods(kind.Standard(), text)
		lines = append(lines, fmt.Sprintf("%q: %v", text, err))
	}
	for _, o := range []Terms{{Trials: -1}, {Trials: MaxTrials}, {Trials: MaxTrials + 1}, {Tuning: -1}, {Tuning: MaxTrials}, {Tuning: MaxTrials + 1}, {Points: -1}, {Points: MaxPoints}, {Points: MaxPoints + 1}, {}} {
		lines = append(lines, fmt.Sprintf("%d %d %d: %v", o.Trials, o.Tuning, o.Points, o.Check()))
		if _, err := NewFixture([]Subject{problemOf(t, "lq2")}, nil, o); (err == nil) != (o.Check() == nil) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, text := range []string{`{`, `{"problems":[{"name":"a","methods":[{"method":"m","curve":{"turns":[1],"distance":[]}}]}]}`, `{"problems":[]}`} {
		_, err := Decode(kind.Standard(), strings.NewReader(text))
		lines = append(lines, fmt.Sprintf("%s: %v", text, err))
	}
	for _, p := range []Subject{
		problemOf(t, "lq2", "iterations=0"), problemOf(t, "lq2", "objective.decision=-9"), problemOf(t, "polarized", "population.churn=0.01"), example(t, "constraints"), example(t, "duopoly"), example(t, "limits"),
		problemOf(t, "lq2", "generator=numpy", "population.sampling=with-replacement"), problemOf(t, "lq2", "population.size=2000000000000", "population.law=normal", "population.values=null"),
	} {
		_, err := Prepare(context.Background(), []Subject{p}, methods(t, "vanilla"), Terms{})
		_, plan := NewFixture([]Subject{p}, methods(t, "vanilla"), Terms{})
		lines = append(lines, strings.Split(fmt.Sprintf("%s: %v | %v", p.Name, err, plan), "\n")...)
	}
	for _, turns := range []int{1, 2, 3, 10, 100} {
		lines = append(lines, fmt.Sprint(marks(turns)))
	}
	lines = append(lines, fmt.Sprint(Cleaned(1e-9), Cleaned(-2e-8), Cleaned(-3)))
	lines = append(lines, Legend()...)
	evidence.AsRecorded(t, "testdata/refusals.txt", lines)
}

// Plans are told apart from results of others: by their commands, by their specs and by how many problems they have, and a file may have another name.
func TestOthersAreTold(t *testing.T) {
	plan := func(trials int, sets ...string) *Fixture {
		f, err := NewFixture([]Subject{problemOf(t, "lq2", sets...)}, methods(t, "vanilla"), Terms{Trials: trials})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one := plan(1)
	renamed := plan(1)
	renamed.Problems[0].Target = "elsewhere/lq2.yaml"
	short := one.Comparison
	short.Suite, short.Name = true, "none"
	for _, c := range []struct {
		old  *Comparison
		want string
	}{
		{&plan(1).Comparison, ""}, {&renamed.Comparison, ""},
		{&plan(2).Comparison, "it came of kedge compare lq2 --methods vanilla --trials 2 --tuning 2 --points 7"},
		{&plan(1, "iterations=7").Comparison, "the spec of lq2 was another"},
		{&short, "it came of kedge compare --suite none --methods vanilla --trials 1 --tuning 2 --points 7"},
	} {
		if got := one.Other(c.old); got != c.want {
			t.Errorf("it is said to differ: %q, want %q", got, c.want)
		}
	}
	if renamed.Problems[0].Target != "elsewhere/lq2.yaml" {
		t.Error("the old result was changed")
	}
}

// What a search leaves of a zero is none, below a hundred-millionth on either side.
func TestCleaned(t *testing.T) {
	for v, want := range map[float64]float64{0.99e-8: 0, -0.99e-8: 0, 1e-8: 1e-8, -1e-8: -1e-8, 1.5e-8: 1.5e-8, -3: -3, 0: 0} {
		if got := Cleaned(v); got != want {
			t.Errorf("%g becomes %g, want %g", v, got, want)
		}
	}
}

// Methods are sorted by whether they end where they must on every problem that meets their conditions; where one does not, arriving counts and staying away does not.
func TestMethodsAreSorted(t *testing.T) {
	row := func(method, limit, outside string, arrived bool) Row {
		return Row{Method: method, Limit: limit, Outside: outside, Arrived: arrived}
	}
	r := &Comparison{Suite: true, Problems: []Meeting{
		{Name: "a", Rows: []Row{row("sure", "stable", "", true), row("lucky", "stable", "too steep", true), row("out", "stable", "too steep", false), row("half", "stable", "", true), row("other", "optimal", "", true)}},
		{Name: "b", Rows: []Row{row("sure", "stable", "", true), row("lucky", "stable", "too steep", false), row("half", "stable", "", false), row("none", "stable", "", false)}},
		{Name: "c", Rows: []Row{row("half", "stable", "", false)}},
	}}
	for isSuite, want := range map[bool]string{true: "[sure lucky] [half (b, c) none (b)]", false: "[sure lucky] [half none]"} {
		r.Suite = isSuite
		there, away := r.sorted("stable")
		if got := fmt.Sprint(there, " ", away); got != want {
			t.Errorf("a suite: %t, sorted as %s, want %s", isSuite, got, want)
		}
	}
}

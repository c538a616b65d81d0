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

// One problem is about who is nearest to the optimum, a suite about how many pairs end where they must; who is outside of the theory counts where it arrives, and is told apart where it does not.
func TestHeadlines(t *testing.T) {
	there, away, out := Row{Arrived: true}, Row{}, Row{Outside: "too steep"}
	lucky := Row{Arrived: true, Outside: "too steep"}
	ends := func(method string, far float64, failed int) Row {
		return Row{Method: method, ToOptimal: &Range{Mean: far}, Failed: failed}
	}
	for want, rows := range map[string][]Row{
		"In 1 of 2 pairs of a method and a problem the method ends where its theory says.":                                {there, away},
		"In 2 of 3 pairs of a method and a problem the method ends where its theory says; 1 more is outside the theory.":  {there, lucky, out, away},
		"In 0 of 0 pairs of a method and a problem the method ends where its theory says; 2 more are outside the theory.": {out, out},
		"near ends nearest to the optimum, 0.25 away. 0 of 5 methods end where their theory says.":                        {ends("far", 3, 0), ends("near", 0.25, 0), ends("failed", 0.1, 1), {Failed: 2}, {Method: "unknown"}},
		"Every method failed. 0 of 2 methods end where their theory says.":                                                {ends("failed", 0.1, 1), {Failed: 2}},
		"first ends nearest to the optimum, 1.5 away. 1 of 1 methods end where their theory says.":                        {{Method: "first", Arrived: true, ToOptimal: &Range{Mean: 1.5}}, {Method: "second", Outside: "too steep", ToOptimal: &Range{Mean: 1.5}}},
	} {
		r := &Comparison{Suite: strings.HasPrefix(want, "In "), Problems: []Meeting{{Rows: rows[:1]}, {Rows: rows[1:]}}}
		if !r.Suite {
			r.Problems = []Meeting{{Rows: rows}}
		}
		if got := r.Headline(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// By hand: who has arrived is told by where, others by the first that is to be said of them; distances are counted in tolerances, as letters from 1 to 9999.
func TestStandings(t *testing.T) {
	far := func(mean float64) *Range { return &Range{Mean: mean} }
	for _, c := range []struct {
		m    Row
		same bool
		want standing
	}{
		{Row{Arrived: true, Limit: "stable", Outside: "too steep"}, false, standing{"arrived", "✓ stable", "✓S"}}, {Row{Arrived: true, Limit: "optimal"}, true, standing{"arrived", "✓ both", "✓="}}, {Row{Arrived: true}, false, standing{"arrived", "✓ ", "✓"}},
		{Row{Outside: "too steep", Failed: 1}, false, standing{"outside its conditions", "○", "○"}}, {Row{Failed: 1, ToTarget: far(1)}, false, standing{"failed", "failed", "✗"}}, {Row{}, true, standing{"no target known", "–", "–"}},
		{Row{ToTarget: far(0.75)}, false, standing{"not within the tolerance", "3", "3"}}, {Row{ToTarget: far(0.125)}, false, standing{"not within the tolerance", "0.5", "1"}}, {Row{ToTarget: far(25e5)}, false, standing{"not within the tolerance", "1e+07", "9999"}},
	} {
		a := &Meeting{Separates: !c.same, Tolerance: 0.25}
		if got := (standing{a.Verdict(&c.m), a.Mark(&c.m), a.Letters(&c.m)}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
}

// The reasons tell who ends at each of the three points, who does not, and on which problems two points are one.
func TestReasonsAreListed(t *testing.T) {
	row := func(method, limit string, arrived bool) Row {
		return Row{Method: method, Limit: limit, Arrived: arrived}
	}
	one := Meeting{Name: "a", Separates: true, Stable: []float64{1}, Rows: []Row{row("s", "stable", true), row("m", "myopic", false), row("o", "optimal", true)}}
	other := Meeting{Name: "b", Stable: []float64{1}, Rows: []Row{row("o", "optimal", false)}}
	none := Meeting{Name: "c"} // without a stable point there is nothing that could be the same
	r := &Comparison{Suite: true, Problems: []Meeting{one, other, none}}
	want := []string{
		"At the stable point, as they must: s.", "Not within the tolerance of the myopic point: m (a).", "Not within the tolerance of the optimum: o (b).",
		"Stable and optimal are the same point on b, which cannot tell the two kinds of methods apart.",
	}
	if got := r.Reasons(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.Problems = []Meeting{one}
	if got := r.Reasons(); len(got) != 3 || got[2] != "At the optimum, as they must: o." {
		t.Errorf("of one problem: %q", got)
	}
}

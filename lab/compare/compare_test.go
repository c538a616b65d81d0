package compare

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

func problemOf(t *testing.T, name string, sets ...string) Subject {
	t.Helper()
	src, ok := problem.Case(name)
	if !ok {
		t.Fatalf("no case %s", name)
	}
	p := Subject{Name: name, Target: name, Text: src, Files: os.DirFS(".")}
	for _, s := range sets {
		p.Over = append(p.Over, problem.Assign(s))
	}
	return p
}

func methods(t *testing.T, text string) []Entrant {
	t.Helper()
	list, err := ParseMethods(kind.Standard(), text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func mustRun(t *testing.T, p Subject, text string, o Terms) *Comparison {
	t.Helper()
	r, err := Run(context.Background(), []Subject{p}, methods(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func rowOf(t *testing.T, r *Comparison, method string) *Row {
	t.Helper()
	for i, m := range r.Problems[0].Rows {
		if m.Method == method {
			return &r.Problems[0].Rows[i]
		}
	}
	t.Fatalf("no method %s", method)
	return nil
}

// The rational answers of lq2: stable (−4/19, 7/19), optimal (−56/229, 99/229), and where one turn's answer is taken for all of it
// (−62/273, 38/91); two decisions in turn show less still, (−838/3773, 1550/3773).
func TestPointsOfLQ2(t *testing.T) {
	ms := methods(t, "vanilla,composite,derivative-free:hold=1,two-point:hold=1,one-point")
	c, err := Prepare(context.Background(), []Subject{problemOf(t, "lq2", "iterations=2000")}, ms, Terms{})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{-4.0 / 19, 7.0 / 19}, {-56.0 / 229, 99.0 / 229}, {-62.0 / 273, 38.0 / 91}, {-838.0 / 3773, 1550.0 / 3773}, {-56.0 / 229, 99.0 / 229}}
	for i, r := range c.meetings[0].entries {
		if d := distance(r.target, want[i]); !(d < 1e-9) {
			t.Errorf("%s must end at %v, want %v", r.method.Label, r.target, want[i])
		}
	}
}

// Who counts the answer ends at the optimum, who does not at the stable point, who sees one turn of it at the myopic one; all at the
// price that their rhythm has.
// lq2 is a convex quadratic, whose minimum is proven, with a bound that is its value; of polarized there are no formulas to bound, so it
// is searched. What is known is kept in the file.
func TestAnswersHaveTheirStanding(t *testing.T) {
	for name, want := range map[string]folder.Standing{"lq2": folder.Proven, "polarized": folder.Searched} {
		p := problemOf(t, name, "iterations=5")
		r := mustRun(t, p, "vanilla", Terms{Trials: 1, NoTune: true})
		var file bytes.Buffer
		if err := r.Encode(&file); err != nil {
			t.Fatal(err)
		}
		again, err := Decode(kind.Standard(), &file)
		if err != nil {
			t.Fatal(err)
		}
		answer := again.Problems[0].Answer
		if answer == nil || answer.Evidence.Standing != want || answer.Value != r.Problems[0].Value {
			t.Errorf("%s: %+v, want %s", name, answer, want)
		} else if bound := answer.Evidence.Bound; want == folder.Proven && (bound == nil || math.Abs(*bound-answer.Value) > 1e-6*answer.Value) {
			t.Errorf("%s: bound %v of %v", name, bound, answer.Value)
		}
	}
}

func TestMethodsEndWhereTheyMust(t *testing.T) {
	const turns = 6000
	r := mustRun(t, problemOf(t, "lq2", "iterations=6000"), "vanilla,composite,repeated-gradient,lazy,two-point,plug-in", Terms{Trials: 2})
	a := r.Problems[0]
	for i := range a.Rows {
		m := &a.Rows[i]
		if !m.Arrived {
			t.Errorf("%s is %v from its %s point, allowed are %v", m.Method, m.ToTarget, m.Limit, a.Tolerance)
		}
		if len(m.Grid) != 7 {
			t.Errorf("%s has a grid of %d steps", m.Method, len(m.Grid))
		}
	}
	if v := rowOf(t, r, "vanilla"); v.Limit != "stable" || v.Deployments != turns || v.Samples != 4*turns || math.Abs(v.Value.Mean-9661.0/11552) > 1e-9 {
		t.Errorf("vanilla ends at %s after %d deployments and %d people, value %v", v.Limit, v.Deployments, v.Samples, v.Value)
	}
	// A decision that is held for h turns is one of ⌈T/h⌉, and of every one that has ended everybody was seen once.
	h := a.Settling
	if g := rowOf(t, r, "repeated-gradient"); g.Deployments != (turns+h-1)/h || g.Samples != turns/h*4 {
		t.Errorf("repeated-gradient deployed %d and saw %d, settling in %d turns", g.Deployments, g.Samples, h)
	}
	if l := rowOf(t, r, "lazy"); l.Samples != 4*turns || l.Deployments >= turns/10 {
		t.Errorf("lazy deployed %d and saw %d", l.Deployments, l.Samples)
	}
}

// Where there is no time to wait until the crowd has settled, who learns from its answer is myopic.
func TestNoTimeToSettle(t *testing.T) {
	c, err := Prepare(context.Background(), []Subject{problemOf(t, "lq2", "iterations=500")}, methods(t, "two-point,composite,two-point:hold=17"), Terms{})
	if err != nil {
		t.Fatal(err)
	}
	r := c.meetings[0].entries
	if r[0].Limit != "myopic" || r[0].algorithm.Hold != 5 || r[1].Limit != "optimal" {
		t.Errorf("two-point, held for %d turns, ends at the %s point, composite at the %s one", r[0].algorithm.Hold, r[0].Limit, r[1].Limit)
	}
	// Held for h turns it shows the part (I − ½Aʰ)(I − Aʰ) of the answer, so it is near the optimum after many.
	best := []float64{-56.0 / 229, 99.0 / 229}
	if near, far := distance(r[2].target, best), distance(r[0].target, best); !(near < 1e-4 && far > 1e-3) {
		t.Errorf("held for 17 turns it ends %v from the optimum, for 5 turns %v", near, far)
	}
}

// lq2's crowd contracts by ½ a turn, and its matrix is not normal: the way left after h turns is about h·2⁻ʰ.
func TestGeometryOfLQ2(t *testing.T) {
	c, err := Prepare(context.Background(), []Subject{problemOf(t, "lq2")}, methods(t, "composite"), Terms{Points: 3})
	if err != nil {
		t.Fatal(err)
	}
	a := c.meetings[0]
	if a.Settling < 14 || a.Settling > 20 {
		t.Errorf("settles in %d turns", a.Settling)
	}
	// The greatest eigenvalue of [101 34; 34 84]/16 is 7.97165, and the grid begins with twice its inverse.
	if got, want := a.entries[0].steps[0], 2/7.97165; math.Abs(got-want) > 1e-3*want {
		t.Errorf("the grid begins with %v, want %v", got, want)
	}
	if got, want := a.entries[0].steps[2], 0.2/7.97165; math.Abs(got-want) > 5e-3*want {
		t.Errorf("two points on it is %v, want a tenth, %v", got, want)
	}
}

// The same bytes on any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	var bytesOf []string
	for _, workers := range []int{1, 3} {
		p := problemOf(t, "lq2", "iterations=500", "population.sampling=with-replacement")
		var b bytes.Buffer
		r := mustRun(t, p, "vanilla,derivative-free,storm", Terms{Trials: 3, Points: 3, Workers: workers})
		if err := r.Encode(&b); err != nil {
			t.Fatal(err)
		}
		bytesOf = append(bytesOf, b.String())
		again, err := Decode(kind.Standard(), &b)
		if err != nil || again.Headline() != r.Headline() {
			t.Errorf("read again: %v", err)
		}
	}
	if bytesOf[0] != bytesOf[1] {
		t.Error("one worker and three do not agree")
	}
}

// All methods meet the same samples, and those of tuning are others.
func TestSamplesAreShared(t *testing.T) {
	p := problemOf(t, "lq2", "iterations=50", "population.sampling=with-replacement")
	c, err := Prepare(context.Background(), []Subject{p}, methods(t, "vanilla:step=0.1,repeated-risk:step=1,composite"), Terms{Trials: 5})
	if err != nil {
		t.Fatal(err)
	}
	a := c.meetings[0]
	first := func(algorithm, trial int) []float64 {
		x, err := a.problem.Trial(algorithm, trial, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		p, d := make([]float64, 8), make([]float64, 8)
		if _, err := x.Population.Sample(p, d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if rows.Distance(first(0, 0), first(1, 0)) != 0 {
		t.Error("two methods see different people in the same trial")
	}
	told := map[int]bool{}
	for _, r := range a.reported(c.Terms) {
		told[r.trial] = true
	}
	tuning := a.tuning(c.Terms)
	for _, r := range tuning {
		if told[r.trial] {
			t.Fatalf("trial %d both tunes and is reported", r.trial)
		}
	}
	if len(tuning) != 7*2 || len(told) != 5 {
		t.Errorf("%d trials to tune, of the one method with a grid; %d to report", len(tuning), len(told))
	}
}

// A method that dies takes nobody with it: retraining without a curved loss has no answer on the whole space.
func TestFailuresAreTold(t *testing.T) {
	p := problemOf(t, "lq2", "iterations=100", "objective.decision=0", "objective.state=4")
	r := mustRun(t, p, "repeated-risk,composite", Terms{Trials: 1})
	if m := rowOf(t, r, "repeated-risk"); m.Failed != 1 || m.Failure == "" || m.ToOptimal != nil || m.Arrived {
		t.Errorf("repeated-risk: %+v", m)
	}
	if m := rowOf(t, r, "composite"); m.Failed != 0 || m.ToOptimal == nil {
		t.Errorf("composite: %+v", m)
	}
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"vanila":                 "the methods are vanilla",
		"vanilla,vanilla":        "twice",
		"vanilla:step":           "want key=value",
		"vanilla:batch=3":        "the same for all",
		"":                       "there is no method",
		"derivative-free:first=": "want key=value",
	} {
		if _, err := ParseMethods(kind.Standard(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, c := range []struct {
		p            Subject
		method, want string
	}{
		{problemOf(t, "lq2"), "vanilla:delta=1", "--methods vanilla:delta=1"},
		{problemOf(t, "lq2"), "one-point:delta=-1", "delta"},
		{problemOf(t, "lq2", "iterations=0"), "vanilla", "iterations"},
		{problemOf(t, "polarized", "population.churn=0.01"), "vanilla", "people change by themselves"},
		{example(t, "constraints"), "vanilla", "constraints hold the crowd away"},
		{example(t, "duopoly"), "vanilla", "players have an equilibrium"},
		{example(t, "limits"), "vanilla", "the set changes"},
		{problemOf(t, "lq2", "generator=numpy", "population.sampling=with-replacement"), "vanilla", "generator"},
	} {
		if _, err := Prepare(context.Background(), []Subject{c.p}, methods(t, c.method), Terms{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s on %s: %v, want %q", c.method, c.p.Name, err, c.want)
		}
	}
	for _, o := range []Terms{{Trials: -1}, {Tuning: MaxTrials + 1}, {Points: -2}} {
		if o.Check() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// example is one of the examples.
func example(t *testing.T, name string) Subject {
	t.Helper()
	src, err := os.ReadFile("../../examples/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Name: name, Text: src, Files: os.DirFS("../../examples")}
}

// Who sees people twice needs an even sample: of three that are seen by others it sees two.
func TestPanelsAreEven(t *testing.T) {
	p := problemOf(t, "lq2", "iterations=50", "population.sampling=with-replacement", "algorithms=[{name: vanilla, step: 0.1, batch: 3}]")
	r := mustRun(t, p, "vanilla,storm", Terms{Trials: 1, NoTune: true})
	if v, s := rowOf(t, r, "vanilla"), rowOf(t, r, "storm"); v.Samples != 150 || s.Samples != 100 || s.Failed > 0 {
		t.Errorf("vanilla sees %d people, storm %d (%s)", v.Samples, s.Samples, s.Failure)
	}
}

// Among steps that are as good as exact the longest wins: vanilla on lq2 converges at a rate for all of the first four.
func TestEqualsAreDecidedByTheLongestStep(t *testing.T) {
	r := mustRun(t, problemOf(t, "lq2", "iterations=20000"), "vanilla,composite", Terms{Trials: 1, Points: 4})
	for _, m := range r.Problems[0].Rows {
		if m.Step != m.Grid[0].Step || *m.Grid[3].Score != *m.Grid[0].Score {
			t.Errorf("%s took %v of %v", m.Method, m.Step, m.Grid)
		}
	}
}

// A comparison that is stopped has no result.
func TestStop(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	o := Terms{Progress: func(done, _ int64) {
		if done == 3 {
			stop()
		}
	}}
	if r, err := Run(ctx, []Subject{problemOf(t, "lq2")}, methods(t, "all"), o); r != nil || err == nil {
		t.Errorf("got %v, %v", r, err)
	}
}

// Without a list the algorithms of the spec meet, under their own names.
func TestAlgorithmsOfTheSpec(t *testing.T) {
	p := problemOf(t, "lq2", "iterations=200", "algorithms=[{name: slow, kind: composite, step: 0.01, batch: 4}, {name: vanilla, step: 0.1, batch: 4}]")
	r, err := Run(context.Background(), []Subject{p}, nil, Terms{Trials: 1, NoTune: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Command(); got != "kedge compare lq2 --trials 1 --no-tune" {
		t.Errorf("it is repeated by %s", got)
	}
	if m := rowOf(t, r, "slow"); m.Kind != "composite" || m.Step != 0.01 || m.Limit != "optimal" || len(r.Problems[0].Rows) != 2 {
		t.Errorf("%+v", m)
	}
}

// By hand: a list that begins with all methods is told as all of them, one that lacks the last one by one.
func TestCommandsRepeatComparisons(t *testing.T) {
	kinds := kind.Standard()
	all := kinds.MethodNames()
	most := all[:len(all)-1]
	for _, c := range []struct {
		r       Comparison
		methods []string
		want    string
	}{
		{Comparison{Tuning: 1, Points: 5}, all, "lq2 --methods all --tuning 1 --points 5"},
		{Comparison{Trials: 3}, append(slices.Clone(all), "adam:step=1"), "lq2 --methods all,adam:step=1 --trials 3 --no-tune"},
		{Comparison{Suite: true, Name: "classics", Trials: 1}, most, "--suite classics --methods " + strings.Join(most, ",") + " --trials 1 --no-tune"},
		{Comparison{Changes: []string{"seed=4", "hold=2"}, Points: 1}, []string{all[1], all[0]}, "lq2 --methods " + all[1] + "," + all[0] + " seed=4 hold=2 --tuning 0 --points 1"},
		{Comparison{}, append(slices.Clone(all[1:]), all[0]), "lq2 --methods " + strings.Join(all[1:], ",") + "," + all[0] + " --no-tune"},
		{Comparison{Own: true}, all, "lq2 --no-tune"},
	} {
		c.r.kinds, c.r.Problems = kinds, []Meeting{{Target: "lq2"}}
		for _, name := range c.methods {
			c.r.Problems[0].Rows = append(c.r.Problems[0].Rows, Row{Method: name})
		}
		if got := c.r.Command(); got != "kedge compare "+c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// What nobody can settle under has no answers to compare with.
func TestUnsolved(t *testing.T) {
	p := problemOf(t, "lq2", "objective.decision=-9")
	_, err := Prepare(context.Background(), []Subject{p}, methods(t, "vanilla"), Terms{})
	if unsolved := (*UnsolvedError)(nil); !errors.As(err, &unsolved) || unsolved.Problem != "lq2" {
		t.Errorf("got %v", err)
	}
}

func TestNoTune(t *testing.T) {
	r := mustRun(t, problemOf(t, "lq2", "iterations=300"), "vanilla,composite:step=0.07,two-point", Terms{Trials: 1, NoTune: true})
	if v, c, p := rowOf(t, r, "vanilla"), rowOf(t, r, "composite:step=0.07"), rowOf(t, r, "two-point"); v.Step != 0.1 || c.Step != 0.07 || p.Grid != nil || math.Abs(p.Step-2/7.97165*math.Pow(0.1, 1.5)) > 1e-4 {
		t.Errorf("steps %v, %v, %v", v.Step, c.Step, p.Step)
	}
	if r.Points != 0 || !strings.HasSuffix(r.Command(), "--no-tune") {
		t.Errorf("%d points: %s", r.Points, r.Command())
	}
}

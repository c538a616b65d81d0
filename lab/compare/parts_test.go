package compare

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem"
)

// habitual is a crowd whose habit is the decision: it settles below 1 only, at its traits.
const habitual = `
iterations: 60
model: {decision: q, state: p, trait: d, next: q*p + (1-q)*d, minimize: q, subject to: [q >= 0, q <= 3]}
population: {size: 2, dim: 1, law: values, values: [[3], [5]]}
start: {law: values, values: [0.25]}
algorithms: [{name: one, kind: vanilla, step: 0.1, batch: 1}]
`

// met is a meeting on a problem whose answers are given instead of searched.
func met(t *testing.T, optimal ...float64) (*meeting, *problem.Problem) {
	t.Helper()
	s, _, err := Subject{Name: "habit", Text: []byte(habitual)}.read(nil, Terms{}.filled())
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("habit", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	return &meeting{steady: f, marks: []int{0}, problem: p, points: map[string][]float64{}, Meeting: Meeting{Name: "habit", Optimal: optimal, Tolerance: 1}}, p
}

// Who ends where not everybody settles has failed, after who failed on the way, and the others are judged; what is wrong otherwise is an error that names the problem and the method.
func TestWhoEndsWhereNobodySettlesHasFailed(t *testing.T) {
	a, _ := met(t, 0)
	at := func(q float64) outcome { return outcome{decisions: [][]float64{{q}}, deployments: 2, samples: 3} }
	e := &entry{trials: []outcome{at(0.5), at(2), {failure: "it broke"}}, target: []float64{0.25}, Row: Row{Method: "m"}}
	if err := a.judge(e); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(e.Failure, "it ends at a decision under which not everybody settles: ") || e.Failed != 2 || e.Trials != 3 || e.Arrived || e.ToTarget == nil || e.ToTarget.Mean != 0.25 || e.Deployments != 2 || e.Samples != 3 {
		t.Errorf("%+v", e.Row)
	}
	e = &entry{trials: []outcome{{failure: "it broke"}, at(2)}}
	if err := a.judge(e); err != nil || e.Failure != "it broke" || e.Failed != 2 || e.Value != nil {
		t.Errorf("%+v, %v", e.Row, err)
	}
	a.entries = []*entry{{trials: []outcome{at(math.NaN())}, Row: Row{Method: "m"}}}
	c := &Prepared{meetings: []*meeting{a}}
	if r, err := c.result(); r != nil || err == nil || !strings.HasPrefix(err.Error(), "habit: m: ") {
		t.Errorf("%v, %v", r, err)
	}
}

// A loss without curvature, and one at the rim of where people settle, are taken to bend by 1; a decision that is no number is an error.
func TestCurvaturesThatAreNone(t *testing.T) {
	for _, q := range []float64{0.5, 1 - 1e-9, 2} {
		a, _ := met(t, q)
		if got, err := a.curvature(1); got != 1 || err != nil {
			t.Errorf("at %v: %v, %v", q, got, err)
		}
	}
	a, p := met(t, math.NaN())
	if _, err := a.curvature(1); err == nil || kedge.IsUnsettled(err) {
		t.Errorf("at no number: %v", err)
	}
	if err := a.measure(t.Context(), p); err == nil || !strings.HasPrefix(err.Error(), "measure the curvature: ") {
		t.Errorf("at no number: %v", err)
	}
}

// How a crowd settles is not measured once nobody waits for it. Who settles at the traits under any decision, and begins there, has settled after any turn.
func TestSettlingIsNotWaitedFor(t *testing.T) {
	a, p := met(t, 0.75)
	ctx, over := context.WithCancel(t.Context())
	over()
	if err := a.settle(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	a.scales.Turns = 3000
	if err := a.settle(t.Context(), p); err != nil || !a.Settled || a.Settling != 1 {
		t.Errorf("settled %t after %d turns, %v", a.Settled, a.Settling, err)
	}
}

// The score of a step is the mean distance from the target over the marks of the later half and all trials, from the optimum where there is no target; who failed has none.
func TestStepsAreScored(t *testing.T) {
	a, _ := met(t, 1)
	a.marks = []int{0, 29, 30, 59, 60} // of 60 turns
	walk := func(by ...float64) (o outcome) {
		for _, q := range by {
			o.decisions = append(o.decisions, []float64{q})
		}
		return o
	}
	two := []outcome{walk(9, 9, 4, 3, 2), walk(9, 9, 1, 2, 3)}
	for _, c := range []struct {
		target []float64
		runs   []outcome
		want   float64
	}{
		{[]float64{0}, two, 2.5}, {[]float64{1}, two, 1.5}, {nil, two, 1.5}, {[]float64{0}, append(two[:1:1], outcome{failure: "it broke"}), math.Inf(1)}, {[]float64{0}, []outcome{walk(1, 1, 1, 1, math.Inf(1))}, math.Inf(1)},
	} {
		if got := a.score(&entry{target: c.target}, c.runs); got != c.want {
			t.Errorf("to %v: %v, want %v", c.target, got, c.want)
		}
	}
	good, same, far := walk(0, 0, 1e-8, 1e-8, 1e-8), walk(0, 0, 2e-8, 2e-8, 2e-8), walk(0, 0, 3, 3, 3)
	e := &entry{target: []float64{0}, steps: []float64{8, 4, 2, 1}, tuned: [][]outcome{{far}, {same}, {good}, {{failure: "it broke"}}}}
	a.entries = []*entry{e}
	a.choose()
	if e.Step != 4 || len(e.Grid) != 4 || *e.Grid[0].Score != 3 || *e.Grid[1].Score != 1e-6 || *e.Grid[2].Score != 1e-6 || e.Grid[3].Score != nil || e.Grid[3].Step != 1 || e.tuned != nil {
		t.Errorf("the step %v wins of %+v", e.Step, e.Grid)
	}
}

// Draws of the published runs and numbers that are uncertain are refused, in these words, and so are classics that are no cases.
func TestProblemsThatAreNotCompared(t *testing.T) {
	_, p := met(t, 0)
	if err := steadfast(p); err != nil {
		t.Errorf("a crowd that stays: %v", err)
	}
	p.Spec.Generator = "numpy"
	if err := steadfast(p); err == nil || err.Error() != "generator numpy draws what the published runs drew; compare under generator: kedge" {
		t.Errorf("%v", err)
	}
	doubted := Subject{Name: "habit", Text: []byte(habitual + "draws: d.csv\nuncertain: 3\n")}
	if _, _, err := doubted.read(nil, Terms{}.filled()); err == nil || !strings.HasPrefix(err.Error(), "habit: ") || !strings.Contains(err.Error(), oneOptimum) {
		t.Errorf("uncertain numbers: %v", err)
	}
	if _, err := Prepare(t.Context(), []Subject{{Name: "habit", Text: []byte(habitual)}}, nil, Terms{Points: -1}); err == nil || err.Error() != "a grid of -1 steps; want from 1 to 101" {
		t.Errorf("%v", err)
	}
	cause := errors.New("nobody knows")
	if err := error(&UnsolvedError{"habit", cause}); err.Error() != "habit: nobody knows" || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	defer func() {
		if got := recover(); got != "compare: the classic nobody is no case" {
			t.Errorf("%v", got)
		}
	}()
	Classic{Name: "nobody"}.problem(nil)
}

// Who leaves while the trials that are reported run, with nothing to tune, has no result either.
func TestReportedTrialsStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	o := Terms{NoTune: true, Trials: 3, Workers: 1, Progress: func(int64, int64) { stop() }}
	if r, err := Run(ctx, []Subject{problemOf(t, "lq2", "iterations=20", "population.sampling=with-replacement")}, methods(t, "vanilla"), o); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
}

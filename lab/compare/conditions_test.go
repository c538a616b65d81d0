package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Which methods are outside of what is known of them on which classic is as when it was last looked at.
func TestConditionsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, p := range ClassicProblems() {
		lines = append(lines, fmt.Sprintf("%s, %s: %s", p.Name, p.Target, p.Known.About))
		for _, m := range ClassicMethods(kind.Standard()) {
			if why := p.Known.outside(m.Method.Facts().Asks); why != "" {
				lines = append(lines, "  "+m.Label+": "+why)
			}
		}
	}
	evidence.AsRecorded(t, "testdata/conditions.txt", lines)
}

func entered(t *testing.T, p Subject, text string) *meeting {
	t.Helper()
	a, err := enter(context.Background(), p, methods(t, text), Terms{Kinds: kind.Standard(), Trials: 1, Workers: 1}.filled())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Settings are scaled by the way to the optimum (−56/229, 99/229) of lq2, which from 0 is √(56² + 99²)/229 and from the optimum itself 1; by the largest
// sample; and by the greatest curvature, which for lq2 is that of ½uᵀRu + uᵀSp + ½pᵀQp with p = (I − A)⁻¹Bu.
func TestScalesAreThoseOfTheProblem(t *testing.T) {
	from0 := entered(t, problemOf(t, "lq2", "iterations=3000"), "vanilla").scales
	if want := kind.Rounded(math.Hypot(56, 99) / 229); from0.Radius != want || from0.Batch != 4 || from0.Entries != 2 || from0.Turns != 3000 {
		t.Errorf("%+v, want a radius of %v", from0, want)
	}
	// M = (I − A)⁻¹B = [[1.25, 0.5], [0.5, 1]], and the curvature 2I + M + Mᵀ + MᵀM = [[6.3125, 2.125], [2.125, 5.25]].
	half, product := (6.3125+5.25)/2, 6.3125*5.25-2.125*2.125
	if want := kind.Rounded(half + math.Sqrt(half*half-product)); from0.Curvature != want {
		t.Errorf("the curvature is %v, want %v", from0.Curvature, want)
	}
	there := entered(t, problemOf(t, "lq2", "iterations=3000", "start={law: values, values: [-0.2445414847161572, 0.4323144104803494]}", "algorithms=[{name: vanilla, step: 0.1, batch: 3}, {name: composite, step: 0.1, batch: 7}]", "population.sampling=with-replacement"), "vanilla").scales
	if there.Radius != 1 || there.Batch != 7 {
		t.Errorf("%+v from the optimum, want a radius of 1", there)
	}
	near := entered(t, problemOf(t, "lq2", "iterations=3000", "start={law: values, values: [-0.2445414847161572, 0.4323044104803494]}"), "vanilla").scales
	if near.Radius > 1.1e-5 || near.Radius < 0.9e-5 {
		t.Errorf("%+v from 10⁻⁵ away", near)
	}
}

// A crowd that heeds no decision is where it settles after any turn: decisions are held for one, and it is taken to contract to a tenth.
func TestACrowdThatDoesNotAnswerHasSettled(t *testing.T) {
	s, _, err := problemOf(t, "lq2", "dynamics.b=[[0, 0], [0, 0]]").read(methods(t, "vanilla"), Terms{}.filled())
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("lq2", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := new(meeting)
	a.Optimal, a.scales.Turns = []float64{1, 2}, 3000
	if err := a.settle(t.Context(), p); err != nil || !a.Settled || a.Settling != 1 || a.scales.Hold != 1 || a.scales.Contraction != 0.1 {
		t.Errorf("settled %v after %d turns, %+v, %v", a.Settled, a.Settling, a.scales, err)
	}
}

// A method has arrived if no trial failed and they end no further from its target than is allowed, to the last bit; without a target there is nowhere to.
func TestArrivals(t *testing.T) {
	a := entered(t, problemOf(t, "lq2", "iterations=100"), "composite")
	e := a.entries[0]
	at := []float64{0.1, 0.2}
	ended := outcome{decisions: [][]float64{at}, deployments: 3, samples: 5}
	a.marks = []int{0}
	far := distance(at, e.target)
	for _, c := range []struct {
		name      string
		tolerance float64
		trials    []outcome
		target    []float64
		want      bool
	}{
		{"just within reach", far, []outcome{ended}, e.target, true}, {"just out of reach", math.Nextafter(far, 0), []outcome{ended}, e.target, false},
		{"one of two failed", far, []outcome{ended, {failure: "it broke"}}, e.target, false}, {"no target", math.Inf(1), []outcome{ended}, nil, false},
		{"all failed", far, []outcome{{failure: "it broke"}, {failure: "so did this"}}, e.target, false},
	} {
		a.Tolerance = c.tolerance
		one := &entry{trials: c.trials, target: c.target}
		if err := a.judge(one); err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, o := range c.trials {
			if o.failure != "" {
				failed++
			}
		}
		if one.Arrived != c.want || one.Failed != failed || failed > 0 && one.Failure != "it broke" || one.Trials != len(c.trials) || (one.ToOptimal == nil) != (failed == len(c.trials)) {
			t.Errorf("%s: %+v", c.name, one.Row)
		}
	}
}

// A myopic point that is known needs no search; the search for another ends with its context, and a problem that has none leaves the method without a target.
func TestMyopicPointsEndWithTheirContext(t *testing.T) {
	a := entered(t, problemOf(t, "lq2", "iterations=100"), "derivative-free:hold=1")
	if err := a.myopic(context.Background(), "myopic 2 false", 2, false); err != nil || len(a.points["myopic 2 false"]) != 2 {
		t.Errorf("%v, %v", a.points, err)
	}
	ctx, over := context.WithCancel(context.Background())
	over()
	if err := a.myopic(ctx, "myopic 2 false", 2, false); err != nil {
		t.Errorf("known already: %v", err)
	}
	if err := a.myopic(ctx, "myopic 3 false", 3, false); !errors.Is(err, context.Canceled) || a.points["myopic 3 false"] != nil {
		t.Errorf("called off: %v", err)
	}
}

// What only shows when a problem is built is an error of its own, and so are answers that nobody waits for; of a suite that had fewer problems the next is another.
func TestProblemsThatCannotBeEntered(t *testing.T) {
	words := problemOf(t, "lq2", "population={size: 4, dim: 2, law: file, file: testdata/refusals.txt}")
	if _, err := NewFixture([]Subject{words}, methods(t, "vanilla"), Terms{}); err != nil {
		t.Errorf("a plan reads the file: %v", err)
	}
	var unsolved *UnsolvedError
	if _, err := Prepare(context.Background(), []Subject{words}, methods(t, "vanilla"), Terms{}); err == nil || errors.As(err, &unsolved) || !strings.Contains(err.Error(), "refusals.txt") {
		t.Errorf("a file of words: %v", err)
	}
	ctx, over := context.WithCancel(context.Background())
	over()
	if _, err := Prepare(ctx, []Subject{problemOf(t, "lq2")}, methods(t, "vanilla"), Terms{}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	suite, err := NewFixture(classics(t, "iterations=9", "lq2", "mirror"), methods(t, "vanilla"), Terms{Suite: "classics"})
	if err != nil {
		t.Fatal(err)
	}
	fewer := suite.Comparison
	fewer.Problems = fewer.Problems[:1]
	if got := suite.Other(&fewer); !strings.HasSuffix(got, "the spec of mirror was another") {
		t.Errorf("a suite of fewer problems: %q", got)
	}
	if got := suite.Other(&suite.Comparison); got != "" {
		t.Errorf("the same suite: %q", got)
	}
}

// patient is a context that ends when it has been asked so many times.
type patient struct {
	context.Context
	asked, most int64
}

func (p *patient) Err() error {
	if atomic.AddInt64(&p.asked, 1) > p.most {
		return context.Canceled
	}
	return nil
}

// Whenever their context ends, also while it is measured how the crowd settles, answers end with it.
func TestAnswersEndWithTheirContext(t *testing.T) {
	s, _, err := problemOf(t, "lq2", "iterations=100", "optimum.starts=1").read(methods(t, "vanilla"), Terms{}.filled())
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("lq2", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(most int64) (int64, error) {
		ctx := &patient{Context: t.Context(), most: most}
		err := (&meeting{points: map[string][]float64{}}).answers(ctx, p)
		return ctx.asked, err
	}
	all, err := ask(math.MaxInt64)
	if err != nil || all < 2*mostSettled {
		t.Fatalf("asked %d times, %v", all, err)
	}
	for _, most := range []int64{0, 1, all / 2, all - 4*mostSettled, all - 2*mostSettled - 9, all - 10, all - 2, all - 1} {
		if _, err := ask(max(0, most)); !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d of %d questions: %v", most, all, err)
		}
	}
	p.Objective = nil
	if _, err := ask(math.MaxInt64); err == nil || !strings.Contains(err.Error(), "objective") {
		t.Errorf("without an objective: %v", err)
	}
}

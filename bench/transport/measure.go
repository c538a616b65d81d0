package main

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"time"

	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/kedge-opt/kedge/internal/bench/rival"
	"github.com/kedge-opt/kedge/transport"
)

// times are seconds of every instance.
type times struct{ costs, exact, assignment, rivalCosts, rival []float64 }

// measure solves instances of a kind by both sides in turn, and checks that they agree.
func measure(ctx context.Context, k kind, o options, r rival.Library) (times, error) {
	var t times
	for round := range o.rounds {
		in := k.instance(o.n, round)
		value, err := t.own(ctx, in)
		if err != nil {
			return t, err
		}
		a, err := solve(ctx, r, in)
		if err != nil {
			return t, err
		}
		t.rivalCosts, t.rival = append(t.rivalCosts, a.Costs), append(t.rival, a.Solve)
		if math.Abs(a.Value-value) > 1e-9*value {
			return t, fmt.Errorf("instance %d: POT finds %v, kedge %v", round, a.Value, value)
		}
	}
	return t, nil
}

// own solves an instance by kedge.
func (t *times) own(ctx context.Context, in instance) (float64, error) {
	var c transport.Cost
	var p, q transport.Plan
	if err := timed(&t.costs, func() (err error) { c, err = in.costs(); return err }); err != nil {
		return 0, err
	}
	if err := timed(&t.exact, func() (err error) { p, err = transport.Exact(ctx, in.a, in.b, c); return err }); err != nil || in.weighted {
		return p.Value, err
	}
	err := timed(&t.assignment, func() (err error) { q, err = transport.Assignment(ctx, c); return err })
	if err == nil && math.Abs(p.Value-q.Value) > 1e-12*p.Value {
		err = fmt.Errorf("exact %v, assignment %v", p.Value, q.Value)
	}
	return p.Value, err
}

// timed runs f and notes the seconds it took.
func timed(list *[]float64, f func() error) error {
	start := time.Now()
	err := f()
	*list = append(*list, time.Since(start).Seconds())
	return err
}

// line is the row of the table; ratios are medians over instances, so that both sides of one were equally disturbed.
func (t times) line(name string) string {
	var ratio, whole []float64
	for i, own := range t.exact {
		ratio = append(ratio, t.rival[i]/own)
		whole = append(whole, (t.rival[i]+t.rivalCosts[i])/(own+t.costs[i]))
	}
	assignment := "–"
	if len(t.assignment) > 0 {
		assignment = fmt.Sprintf("%.3f", bench.Median(t.assignment))
	}
	return fmt.Sprintf("%-20s %8.3f %8.3f %8s %8.3f %8.3f %8.2f %8.2f", name, bench.Median(t.costs), bench.Median(t.exact), assignment,
		bench.Median(t.rivalCosts), bench.Median(t.rival), bench.Median(ratio), bench.Median(whole))
}

//go:embed transport.py
var script string

// pot is a Python that has POT.
func pot(python string) rival.Library {
	return rival.Library{Python: python, Script: script, Lacks: "POT (Debian's python3-pot, or pip install pot)"}
}

// answer is what POT found, and how long it took in seconds.
type answer struct {
	Name                string // and version of POT
	Costs, Solve, Value float64
}

// solve hands an instance over as binary numbers: how many points are on each side, the entries of states and traits, whether there
// are weights, and all of them.
func solve(ctx context.Context, r rival.Library, in instance) (a answer, err error) {
	head := []int64{int64(len(in.p) / in.states), int64(len(in.q) / in.states), int64(in.states), int64(in.trait), int64(len(in.a))}
	err = r.Ask(ctx, &a, head, in.p, in.q, in.d, in.e, in.a, in.b)
	return a, err
}

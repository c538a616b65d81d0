package compare

import (
	"cmp"
	"context"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/kind"
)

// entry is a method on one problem.
type entry struct {
	Row       // what is told of it
	method    Entrant
	algorithm kind.Algorithm
	exact     bool        // one trial is as good as many
	first     int         // place among the algorithms of that with its first step
	steps     []float64   // to choose from
	tuned     [][]outcome // by step
	winner    int
	target    []float64 // where it must end; nil: there is no such point
	trials    []outcome
}

// outcome is one trial.
type outcome struct {
	decisions            [][]float64 // at the marks of the meeting
	loss                 float64     // of the last, once it is judged
	failure              string
	deployments, samples int
	seconds              float64
}

// last is the decision in the end.
func (o *outcome) last() []float64 { return o.decisions[len(o.decisions)-1] }

// run is one trial to do.
type run struct {
	on        *meeting
	algorithm int
	trial     int
	to        *outcome
}

// tuning lists the trials of the grids, numbered beyond those that are reported. Where there is one step there is nothing to tune.
func (a *meeting) tuning(o Terms) (list []run) {
	for _, e := range a.entries {
		if len(e.steps) == 1 {
			continue
		}
		for i := range e.steps {
			e.tuned = append(e.tuned, make([]outcome, e.count(o.Tuning)))
			for t := range e.tuned[i] {
				list = append(list, run{a, e.first + i, MaxTrials + t, &e.tuned[i][t]})
			}
		}
	}
	return list
}

// reported lists the trials that are reported.
func (a *meeting) reported(o Terms) (list []run) {
	trials := cmp.Or(o.Trials, a.problem.Spec.Trials)
	for _, e := range a.entries {
		e.trials = make([]outcome, e.count(trials))
		for t := range e.trials {
			list = append(list, run{a, e.first + e.winner, t, &e.trials[t]})
		}
	}
	return list
}

func (e *entry) count(trials int) int {
	if e.exact {
		return 1
	}
	return trials
}

// do runs the trial. What a method dies of is told, and the others go on.
func (r run) do(ctx context.Context) error {
	t, err := r.on.problem.Trial(r.algorithm, r.trial, math.NaN())
	if err != nil {
		return err
	}
	l := loop.Loop{
		Population: t.Population, Algorithm: t.Algorithm, Objective: t.Objective,
		Turns: r.on.problem.Spec.Iterations, Batch: t.Batch, Hold: r.on.problem.Spec.Hold,
	}
	look := func() {
		u := make([]float64, len(r.on.problem.Start))
		t.Algorithm.Center(u)
		r.to.decisions = append(r.to.decisions, u)
	}
	look()
	l.After = func(turns int) error {
		if turns == r.on.marks[len(r.to.decisions)] {
			look()
		}
		if turns == l.Turns-1 {
			r.to.deployments = t.Algorithm.Deployments()
		}
		return nil
	}
	err = l.Run(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.to.failure = err.Error()
		return nil
	}
	r.to.deployments++ // the last one was begun
	r.to.samples = max(t.Algorithm.Steps(), t.Algorithm.Deployments()) * t.Batch
	return nil
}

// exactEnough is how many tolerances from the target steps are as good as each other.
const exactEnough = 1e-6

// choose finds the winner of every grid: nearest to its target over the later half of the turns. Equal ones are decided by the
// longer step.
func (a *meeting) choose() {
	for _, e := range a.entries {
		scores := make([]float64, len(e.tuned))
		for i, runs := range e.tuned {
			scores[i] = max(a.score(e, runs), exactEnough*a.Tolerance)
			if scores[i] < scores[e.winner] {
				e.winner = i
			}
			p := Point{Step: e.steps[i]}
			if !math.IsInf(scores[i], 0) && !math.IsNaN(scores[i]) {
				p.Score = &scores[i]
			}
			e.Grid = append(e.Grid, p)
		}
		e.Step, e.tuned = e.steps[e.winner], nil
	}
}

// score is the mean distance from the target over the later half of the turns, +∞ where a trial failed.
func (a *meeting) score(e *entry, runs []outcome) float64 {
	target := e.target
	if target == nil {
		target = a.Optimal
	}
	total, count := 0.0, 0
	for _, one := range runs {
		if one.failure != "" || !rows.Finite(one.last()) {
			return math.Inf(1)
		}
		for i, k := range a.marks {
			if 2*k >= a.problem.Spec.Iterations {
				total += distance(one.decisions[i], target)
				count++
			}
		}
	}
	return total / float64(count)
}

package compare

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// entry is a method on one problem.
type entry struct {
	method     Entrant
	settings   []form.Setting
	own        bool // the spec has an algorithm of the kind, with settings of its own
	algorithm  kind.Algorithm
	exact      bool // one trial is as good as many
	first      int  // place of its first candidate among the algorithms
	candidates []candidate
	winner     int
	limit      string    // the name of the point where it must end
	target     []float64 // nil: there is none
	trials     []outcome
}

// candidate is one point of the grid.
type candidate struct {
	step  float64
	runs  []outcome
	score float64 // mean distance from the target over the later half of the turns; +∞: a trial failed
}

// outcome is one trial.
type outcome struct {
	decisions            [][]float64 // at the marks of the arena
	failure              string
	deployments, samples int
	seconds              float64
}

// last is the decision in the end.
func (o *outcome) last() []float64 { return o.decisions[len(o.decisions)-1] }

// run is one trial to do.
type run struct {
	arena     *arena
	algorithm int
	trial     int
	to        *outcome
}

// steps are the step sizes that are tried: the one that is given, or the grid.
func (r *entry) steps(g geometry, o Terms) []float64 {
	grid := r.method.grid(g, o.Points)
	for _, s := range r.settings {
		if s.Key == "step" {
			return []float64{r.algorithm.Step}
		}
	}
	switch {
	case o.NoTune && r.own:
		return []float64{r.algorithm.Step}
	case o.NoTune:
		return grid[len(grid)/2 : len(grid)/2+1]
	}
	return grid
}

// tuning lists the trials of the grids, numbered beyond those that are reported. Where there is one candidate there is nothing to tune.
func (a *arena) tuning(o Terms) (list []run) {
	for _, r := range a.entries {
		if len(r.candidates) == 1 {
			continue
		}
		for i := range r.candidates {
			runs := make([]outcome, r.count(o.Tuning))
			for t := range runs {
				list = append(list, run{a, r.first + i, MaxTrials + t, &runs[t]})
			}
			r.candidates[i].runs = runs
		}
	}
	return list
}

// reported lists the trials that are reported.
func (a *arena) reported(o Terms) (list []run) {
	trials := o.Trials
	if trials == 0 {
		trials = a.problem.Spec.Trials
	}
	for _, r := range a.entries {
		r.trials = make([]outcome, r.count(trials))
		for t := range r.trials {
			list = append(list, run{a, r.first + r.winner, t, &r.trials[t]})
		}
	}
	return list
}

func (r *entry) count(trials int) int {
	if r.exact {
		return 1
	}
	return trials
}

// do runs the trial. What a method dies of is told, and the others go on.
func (r run) do(ctx context.Context) error {
	t, err := r.arena.problem.Trial(r.algorithm, r.trial, math.NaN())
	if err != nil {
		return err
	}
	l := loop.Loop{
		Population: t.Population, Algorithm: t.Algorithm, Objective: t.Objective,
		Turns: r.arena.problem.Spec.Iterations, Batch: t.Batch, Hold: r.arena.problem.Spec.Hold,
	}
	look := func() {
		u := make([]float64, len(r.arena.problem.Start))
		t.Algorithm.Center(u)
		r.to.decisions = append(r.to.decisions, u)
	}
	look()
	l.After = func(turns int) error {
		if turns == r.arena.marks[len(r.to.decisions)] {
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
func (a *arena) choose() {
	for _, r := range a.entries {
		for i := range r.candidates {
			c := &r.candidates[i]
			c.score = max(a.score(r, c.runs), exactEnough*a.tolerance())
			if c.score < r.candidates[r.winner].score {
				r.winner = i
			}
			c.runs = nil
		}
	}
}

func (a *arena) score(r *entry, runs []outcome) float64 {
	target := r.target
	if target == nil {
		target = a.points["optimal"]
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

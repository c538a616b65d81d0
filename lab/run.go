// Package lab runs problems: every algorithm, every trial, on all cores, into results that package folder keeps.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/transport"
)

// Options tune how a problem is run; but for further instruments they never change what comes out.
type Options struct {
	Workers  int       // goroutines that compute: trials first, spare ones help with large populations; 0 means one a core
	Progress *Progress // watched by someone else, or nil
	Watch    *Watch    // the same in more detail, or nil

	Checkpoint Checkpoint // to go on after a stop

	// Instruments makes instruments for one trial that measure besides what the spec asks for: their columns come last. One that is
	// saved with a checkpoint has AppendBinary and UnmarshalBinary.
	Instruments func() []kedge.Instrument
}

// Progress counts the turns of a run. It may be read at any time.
type Progress struct {
	Done, Total atomic.Int64
}

// Execute runs every algorithm of the problem for all its trials. When the context ends first, the result holds the trials that
// were finished, marked partial. With a checkpoint, a run that was stopped in any way goes on where it was saved last.
func Execute(ctx context.Context, p *problem.Problem, o Options) (*folder.Result, error) {
	r := &run{problem: p, progress: o.Progress, watch: o.Watch, workers: o.Workers, result: newResult(p), shown: p.Some(mostAngles), instruments: o.Instruments}
	if r.progress == nil {
		r.progress = new(Progress)
	}
	if r.workers < 1 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	var err error
	if r.keeper, err = openKeeper(o.Checkpoint, p); err != nil {
		return nil, err
	}
	defer r.keeper.close()
	r.resume()
	if err := r.solve(ctx); err != nil {
		return nil, err
	}
	r.yardsticks()
	jobs := r.jobs()
	r.watch.begin(r.result)
	r.open.Store(int64(len(jobs)))
	err = forEach(ctx, min(r.workers, len(jobs)), jobs, r.do)
	r.result.Partial = ctx.Err() != nil
	if err != nil && !r.result.Partial {
		return nil, err
	}
	r.dropUnfinished()
	r.result.Finished = time.Now()
	r.result.Notes = append(append(r.result.Notes, p.Warnings()...), mistrust(r.result)...)
	if err := r.angles(); err != nil {
		return nil, err
	}
	return r.result, r.describe()
}

// describe adds the sections that the run has something to say in.
func (r *run) describe() error {
	for _, section := range []func() (*folder.Section, error){r.misled, r.compare, r.following, r.keeping, r.outcomes} {
		s, err := section()
		if err != nil {
			return err
		}
		if s != nil {
			r.result.Sections = append(r.result.Sections, *s)
		}
	}
	return nil
}

// note adds what a reader must know.
func (r *run) note(format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf(format, args...))
}

type run struct {
	problem  *problem.Problem
	progress *Progress
	watch    *Watch
	workers  int
	keeper   *keeper
	open     atomic.Int64 // jobs that are not done
	result   *folder.Result
	meter    loop.Meter  // what every trial's own meter starts from
	game     equilibrium // of several players
	bounds   bounds      // constraints on the settled population
	shown    []int       // individuals whose angles are kept

	sticks []yardstick // of every algorithm, when turns are compared with the theory

	instruments func() []kedge.Instrument // of the caller, for one trial; or nil
}

func newResult(p *problem.Problem) *folder.Result {
	s := p.Spec
	r := &folder.Result{
		Case: p.Name, Spec: string(s.YAML()), Seed: s.Seed, Iterations: s.Iterations, Trials: s.Trials,
		Individuals: p.Individuals(), Maximize: p.Maximize, Build: folder.CurrentBuild(),
		Started: time.Now(),
	}
	for i, a := range s.Algorithms {
		one := folder.Run{Name: a.Name, Planned: p.Trials(i), Trials: make([]folder.Trial, p.Trials(i))}
		for t := range one.Trials {
			one.Trials[t].Index = t
		}
		r.Runs = append(r.Runs, one)
	}
	return r
}

// solve finds the optimum, the stable point and the reference, and sets up what trials are measured by.
func (r *run) solve(ctx context.Context) error {
	p := r.problem
	f, err := p.Steady()
	if err != nil {
		return err
	}
	f.Workers = r.workers
	starts := p.Starts()
	best, err := r.best(ctx, f, starts)
	if err != nil {
		return fmt.Errorf("find the optimum: %w", err)
	}
	r.meter = loop.Meter{Steady: f, Maximize: p.Maximize, Optimum: loop.Target{Decision: best.Decision, Loss: best.Loss}, Gradient: p.Spec.Record.Gradient || p.Spec.Record.Theory}
	if p.MeasureItems() {
		r.meter.W1 = transport.W1Both
	}
	r.result.Optimum = r.point(best.Point, len(starts), best.Spread)
	r.result.Optimum.Residual = best.Residue
	if r.game.settled, err = p.Game(); err != nil {
		return err
	}
	if err := errors.Join(r.stable(ctx, starts[0]), r.findNash(ctx, starts[0])); err != nil {
		return err
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	return r.reference(ctx, starts)
}

// find looks for the optimum of a function, unless an earlier process found it.
func (r *run) find(ctx context.Context, what string, f optimum.Function, starts [][]float64) (*optimum.Search, error) {
	s, err := r.keeper.recall(what, func() (*solved, error) {
		s, err := optimum.Find(ctx, f, r.problem.Set, starts, r.problem.Search)
		if err != nil {
			return nil, err
		}
		return &solved{Search: *s}, nil
	})
	if err != nil {
		return nil, err
	}
	return &s.Search, nil
}

// point judges a decision found offline by the settled population.
func (r *run) point(q optimum.Point, starts int, spread float64) folder.Point {
	t := &r.meter.Optimum
	value := q.Loss
	if r.problem.Maximize {
		value = -value
	}
	return folder.Point{
		Decision: q.Decision, Value: value, Gap: t.Gap(q.Loss), Distance: t.Distance(q.Decision),
		Residual: q.Residual, Starts: starts, Spread: spread,
	}
}

// rest looks for where a field comes to rest, unless an earlier process did. Not every field has such a point; then a note says so, and
// there is none.
func (r *run) rest(ctx context.Context, what string, field optimum.Field, start []float64) (*optimum.Point, error) {
	s, err := r.keeper.recall(what, func() (*solved, error) {
		q, err := optimum.Stable(ctx, field, r.problem.Set, start, r.problem.Search)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return &solved{failure: err.Error()}, nil
		}
		return &solved{Search: optimum.Search{Point: *q}}, nil
	})
	if err != nil {
		return nil, err
	}
	if s.failure != "" {
		r.note("No %s was found: %s.", what, s.failure)
		return nil, nil
	}
	return &s.Point, nil
}

// stable finds where retraining comes to rest.
func (r *run) stable(ctx context.Context, start []float64) error {
	r.result.Stable = folder.NoPoint()
	q, err := r.rest(ctx, "stable point", r.field(), start)
	if q != nil {
		r.result.Stable = r.point(*q, 1, 0)
	}
	return err
}

// reference finds the optimum by the roll-out's notion of value, if the problem asks for one.
func (r *run) reference(ctx context.Context, starts [][]float64) error {
	f := r.problem.Rollout()
	if f == nil {
		return nil
	}
	f.Workers = r.workers
	best, err := r.find(ctx, "reference", f, starts)
	if err != nil {
		return fmt.Errorf("find the optimum after %d steps: %w", f.Steps, err)
	}
	loss, err := r.meter.Steady.Value(best.Decision)
	if err != nil {
		return err
	}
	found := r.point(best.Point, len(starts), best.Spread)
	judged := best.Point
	judged.Loss = loss
	r.meter.Reference = &loop.Reference{Rollout: f, Optimum: loop.Target{Decision: best.Decision, Loss: best.Loss}}
	r.result.Reference = &folder.Reference{Steps: f.Steps, Optimum: found, True: r.point(judged, len(starts), best.Spread)}
	return nil
}

// job is one or more trials of one algorithm that must follow each other.
type job struct {
	algorithm     int
	first, beyond int // trials
}

// jobs lists the work. Trials are independent unless an algorithm carries memory from one into the next. First trials come
// first, so that a run that is stopped knows about as much of every algorithm.
func (r *run) jobs() []job {
	var list []job
	for a := range r.result.Runs {
		n := len(r.result.Runs[a].Trials)
		r.progress.Total.Add(int64(n * r.result.Iterations))
		if r.problem.Carries(a) {
			list = append(list, job{a, 0, n})
			continue
		}
		for t := range n {
			list = append(list, job{a, t, t + 1})
		}
	}
	slices.SortStableFunc(list, func(a, b job) int { return cmp.Compare(a.first, b.first) })
	return list
}

func (r *run) do(ctx context.Context, j job) error {
	defer r.open.Add(-1)
	carried := math.NaN()
	for t := j.first; t < j.beyond; t++ {
		at := place{j.algorithm, t}
		slot := r.slot(at)
		if slot.Finished {
			r.watch.method(j.algorithm).resumed(slot, r.result.Iterations)
		} else if err := r.attempt(ctx, at, carried); err != nil {
			return fmt.Errorf("%s, trial %d: %w", r.result.Runs[j.algorithm].Name, t, err)
		}
		carried = slot.Carried
	}
	return nil
}

// dropUnfinished leaves only finished trials in a partial result and adds up the time.
func (r *run) dropUnfinished() {
	for a := range r.result.Runs {
		one := &r.result.Runs[a]
		kept := one.Trials[:0]
		for _, t := range one.Trials {
			if t.Finished {
				kept = append(kept, t)
				one.Seconds += t.Seconds
			}
		}
		one.Trials = kept
	}
}

// forEach calls do for every item from a number of goroutines and returns the first error, upon which the context of the others
// ends and no new item is begun. A panic goes on in the caller's goroutine, where somebody may be waiting to put things in order.
func forEach[T any](ctx context.Context, workers int, items []T, do func(context.Context, T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err := crew.Share(workers, len(items), func(_, i int) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := errors.New("panicked") // unless it comes back
		defer func() {
			if err != nil {
				stop(err)
			}
		}()
		err = do(ctx, items[i])
		return err
	})
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// mostAngles is how many individuals' angles are kept. Of a larger population they are those at equal distances.
const mostAngles = 100_000

// angles compares individuals' states with the decision, where both live in one space.
func (r *run) angles() error {
	p := r.problem
	if !p.SharedSpace() {
		return nil
	}
	if n := len(r.shown); n < p.Individuals() {
		r.note("Angles are those of %d individuals at equal distances in the population.", n)
	}
	states, traits := p.First(r.shown)
	a := &folder.Angles{Initial: degrees(states, p.Start), Final: map[string][]float64{}}
	best := r.meter.Optimum.Decision
	if err := p.Settle(states, best, traits); err != nil {
		return err
	}
	a.Optimal = degrees(states, best)
	for _, one := range r.result.Runs {
		if n := len(one.Trials); n > 0 {
			a.Final[one.Name] = one.Trials[n-1].Angles
		}
	}
	r.result.Angles = a
	return nil
}

// degrees returns the angle between every row of states and u.
func degrees(states, u []float64) []float64 {
	out := make([]float64, kedge.Count(states, len(u)))
	for i := range out {
		p := kedge.Row(states, i, len(u))
		cos := rows.Dot(p, u) / (rows.Norm(p) * rows.Norm(u))
		out[i] = math.Acos(max(-1, min(1, cos))) * 180 / math.Pi
	}
	return out
}

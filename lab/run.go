// Package lab runs problems: every algorithm, every trial, on all cores, into results that package folder keeps.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
)

// Options tune how a problem is run; but for further instruments and other deciders they never change what comes out.
type Options struct {
	Workers  int       // goroutines that compute: trials first, spare ones help with large populations; 0 means one a core
	Progress *Progress // watched by someone else, or nil
	Watch    *Watch    // the same in more detail, or nil

	Checkpoint Checkpoint // to go on after a stop

	Device OnDevice // a GPU that large crowds are kept on

	// Instruments makes instruments for one trial that measure besides what the spec asks for: their columns come last. One that is
	// saved with a checkpoint has AppendBinary and UnmarshalBinary.
	Instruments func() []kedge.Instrument

	// Decide returns who decides in a trial instead of the algorithm that the spec names, so that a rule from elsewhere is tried on simulated people and
	// leaves an ordinary result; nil, or returning nil: the algorithm does. It is made anew for every trial, and several are at work at once.
	// What is measured of algorithms (trust, multipliers) is measured of it where it can tell. One that is to go on after a stop has AppendBinary and
	// UnmarshalBinary; without them a checkpoint is refused.
	Decide func(algorithm, trial int) (kedge.Algorithm, error)
}

// Progress counts the turns of a run, and the draws before. It may be read at any time.
type Progress struct {
	Done, Total  atomic.Int64
	Draws, Drawn atomic.Int64 // of the numbers of the model that are used, and that are done
}

// Execute runs every algorithm of the problem for all its trials. When the context ends first, the result holds the trials that
// were finished, marked partial. With a checkpoint, a run that was stopped in any way goes on where it was saved last.
//
// No run beats its optimum: where a recorded decision that keeps the constraints is better than what the search had found, the search goes
// on from there and everything is measured again.
func Execute(ctx context.Context, p *problem.Problem, o Options) (*folder.Result, error) {
	if err := p.Spec.Fits(Need(p.Spec, o.Workers)); err != nil {
		return nil, err
	}
	var seeds [][]float64
	for {
		r, err := execute(ctx, p, o, seeds)
		if err != nil {
			return nil, err
		}
		if r.passed == nil || len(seeds) == mostSurprises || ctx.Err() != nil {
			return r.result, nil
		}
		seeds = append(seeds, r.passed.Decision)
		o.Checkpoint = Checkpoint{}
	}
}

// mostSurprises is how often a search goes on from a decision that a run passed.
const mostSurprises = 3

// execute runs everything once, with searches that begin at the seeds as well.
func execute(ctx context.Context, p *problem.Problem, o Options, seeds [][]float64) (*run, error) {
	r := &run{Options: o, seeds: seeds, problem: p, result: newResult(p), shown: p.Some(mostAngles), leave: func() {}}
	r.Progress, r.Watch = cmp.Or(r.Progress, new(Progress)), cmp.Or(r.Watch, new(Watch))
	r.Workers = crew.Workers(r.Workers)
	var err error
	if r.keeper, err = openKeeper(o.Checkpoint, p); err != nil {
		return nil, err
	}
	defer r.keeper.close()
	r.resume()
	defer func() { r.leave() }()
	if err := r.solve(ctx); err != nil {
		return nil, err
	}
	r.yardsticks()
	jobs := r.jobs()
	r.Watch.begin(r.result)
	r.open.Store(int64(len(jobs)))
	err = forEach(ctx, min(r.Workers, len(jobs)), jobs, r.do)
	r.result.Partial = ctx.Err() != nil
	if err != nil && !r.result.Partial {
		return nil, err
	}
	r.dropUnfinished()
	r.result.Finished = time.Now()
	r.result.Device = o.Device.used()
	r.result.Notes = slices.Concat(r.result.Notes, p.Warnings(), mistrust(r.result), unsettled(r.result))
	if err := r.angles(); err != nil {
		return nil, err
	}
	r.mention()
	return r, r.describe()
}

// describe adds the sections that the run has something to say in.
func (r *run) describe() error {
	for _, section := range []func() (*folder.Section, error){r.misled, r.compare, r.following, r.keeping, r.outcomes, r.stakes} {
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

// run is a problem at work.
type run struct {
	Options
	problem *problem.Problem
	keeper  *keeper
	open    atomic.Int64 // jobs that are not done
	result  *folder.Result
	meter   loop.Meter        // what every trial's own meter starts from
	game    equilibrium       // of several players
	scale   float64           // by how much losses differ over the set
	proven  problem.Guarantee // what is proven of the optimum
	seeds   [][]float64       // decisions that searches begin at besides the first
	guard   sync.Mutex
	passed  *loop.Target // a recorded decision that is better than the optimum; nil: there is none
	bounds  bounds       // constraints on the settled population
	shown   []int        // individuals whose angles are kept
	sticks  []yardstick  // of every algorithm, when turns are compared with the theory
	leave   func()       // gives what judges on a device back
}

func newResult(p *problem.Problem) *folder.Result {
	s := p.Spec
	r := &folder.Result{
		Case: p.Name, Spec: string(s.YAML()), Seed: s.Seed, Iterations: s.Iterations, Trials: s.Trials,
		Individuals: p.Individuals(), Maximize: p.Maximize, Names: p.Spec.Called(), Identity: folder.CurrentIdentity(p.Inputs()),
		Started: time.Now(), Device: "cpu",
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
		r.Progress.Total.Add(int64(n * r.result.Iterations))
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
			r.Watch.Methods()[j.algorithm].resumed(slot, r.result.Iterations)
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
		one.Trials = slices.DeleteFunc(one.Trials, func(t folder.Trial) bool { return !t.Finished })
		for _, t := range one.Trials {
			one.Seconds += t.Seconds
		}
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

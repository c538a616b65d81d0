package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// Workbench says what is measured.
type Workbench struct {
	Rounds    int
	Turns     int   // turns of a case study in a round; 0: a whole trial
	Sizes     []int // of crowds; nil: the usual ones
	SkipLarge bool  // leave out the crowd of ten million among them
}

// dim is the number of entries of a polarized individual in all workloads.
const dim = 20

// StepBytes is the memory that a step of one individual moves: p and d are read, p is written.
const StepBytes = 24 * dim

// Speeds measures the fixed list of workloads.
func (b *Workbench) Speeds(ctx context.Context) (Printer, error) { return b.figures(ctx) }

func (b *Workbench) figures(ctx context.Context) (Timings, error) {
	var list Timings
	for _, one := range []struct{ name, algorithm string }{
		{"polarized", "vanilla"}, {"polarized", "composite"},
		{"choice", "vanilla"}, {"choice", "composite"}, {"choice", "derivative-free"},
	} {
		f, err := b.turns(ctx, one.name, one.algorithm)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	for _, n := range b.crowds() {
		steps, err := b.steps(ctx, n)
		if err != nil {
			return nil, err
		}
		list = append(list, steps...)
	}
	return list, nil
}

// crowds returns the sizes to step.
func (b *Workbench) crowds() []int {
	if b.Sizes != nil {
		return b.Sizes
	}
	sizes := []int{1000, 1_000_000, 10_000_000}
	if b.SkipLarge {
		sizes = sizes[:2]
	}
	return sizes
}

// measured is how long one round took: for the median, for the best, and the allocations of a call.
type measured struct {
	times       []float64
	allocations float64
}

// repeat times calls of work, each of which does a number of things, in seconds a thing.
func (b *Workbench) repeat(calls int, things float64, work func() error) (measured, error) {
	if err := work(); err != nil { // warm up
		return measured{}, err
	}
	var m measured
	var before, after runtime.MemStats
	for range max(1, b.Rounds) {
		runtime.ReadMemStats(&before)
		begun := time.Now()
		for range calls {
			if err := work(); err != nil {
				return m, err
			}
		}
		m.times = append(m.times, time.Since(begun).Seconds()/float64(calls)/things)
		runtime.ReadMemStats(&after)
		m.allocations = float64(after.Mallocs-before.Mallocs) / float64(calls)
	}
	return m, nil
}

func (m measured) median() float64 { return Median(m.times) }

func (m measured) best() float64 { return slices.Min(m.times) }

// perIndividual is the figure of something done to each of n people.
func (m measured) perIndividual(name string, n int) Timing {
	return Timing{
		name: name + power(n), Speed: Speed{NsPerIndividual: m.median(), Best: m.best()},
		Allocations: m.allocations, Size: Size{Individuals: n},
	}
}

// turns measures turns of a case study with everything measured every turn, on one core and with two trials side by side.
func (b *Workbench) turns(ctx context.Context, name, algorithm string) (Timing, error) {
	p, index := caseStudy(name, algorithm, b.Turns)
	turns := p.Spec.Iterations
	one, err := b.repeat(1, float64(turns), func() error { return Play(ctx, p, index, 0) })
	if err != nil {
		return Timing{}, err
	}
	two, err := b.repeat(1, 2*float64(turns), func() error { return sideBySide(func(t int) error { return Play(ctx, p, index, t) }) })
	if err != nil {
		return Timing{}, err
	}
	// What a trial allocates once is not the turns'.
	return Timing{
		name: name + "-" + algorithm + "-turn", Speed: Speed{SecondsPerTurn: one.median(), Best: one.best(), TwoWorkers: two.median()},
		Allocations: math.Floor(one.allocations / float64(turns)), Size: Size{Turns: turns},
	}, nil
}

// sideBySide does two things at once.
func sideBySide(do func(i int) error) error {
	return crew.Share(2, 2, func(_, i int) error { return do(i) })
}

// caseStudy is a case study with the bound on single prices left out, as the published runs did.
func caseStudy(name, algorithm string, turns int) (*problem.Problem, int) {
	src, _ := problem.Case(name)
	over := []problem.Overlay{problem.Assign("record.every=1")}
	if turns > 0 {
		over = append(over, problem.Assign(fmt.Sprintf("iterations=%d", turns)))
	}
	if name == "choice" {
		over = append(over, problem.Assign("set.upper=.inf"))
	}
	s := must(problem.Parse(kind.Standard(), name, src, over...))
	index := slices.IndexFunc(s.Algorithms, func(a kind.Algorithm) bool { return a.Name == algorithm })
	return must(problem.Build(name, s, os.DirFS("."))), index
}

// must returns what cannot fail: what is measured was written here.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// dropped takes measurements and forgets them.
type dropped struct{}

func (dropped) Record(*kedge.Step) error { return nil }

// Play runs one trial of a problem, measuring every turn against the first decision.
func Play(ctx context.Context, p *problem.Problem, algorithm, trial int) error {
	t := must(p.Trial(algorithm, trial, math.NaN()))
	m := &loop.Meter{Steady: must(p.Steady()), Maximize: p.Maximize, Optimum: loop.Target{Decision: p.Start, Loss: 1}}
	m.Steady.Crowd = t.Population.Foresight(p.Model)
	if p.MeasureItems() {
		m.W1 = transport.W1Both
	}
	l := loop.Loop{
		Population: t.Population, Algorithm: t.Algorithm, Objective: t.Objective,
		Turns: p.Spec.Iterations, Batch: t.Batch, Instruments: []kedge.Instrument{m, loop.Trust{}}, Recorder: dropped{},
	}
	return l.Run(ctx)
}

// steps measures a step of n people, their steady states (of a small crowd) and a triad over the same memory.
func (b *Workbench) steps(ctx context.Context, n int) ([]Timing, error) {
	people, u := peopleOf(n, dim)
	f := dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	p, next := slices.Clone(people), make([]float64, len(people))
	calls := max(1, 2_000_000/n)
	one, err := b.repeat(calls, float64(n)*1e-9, func() error {
		f.NextRows(next, p, u, people)
		p, next = next, p
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	step := one.perIndividual("polarized-step-", n)
	if n == 1000 {
		steady, err := b.steady(f, people, u)
		return []Timing{step, steady}, err
	}
	triad, err := b.triad(next, p, people, n)
	if err != nil {
		return nil, err
	}
	step.TriadShare = StepBytes / step.NsPerIndividual / triad.GBPerSecond
	step.TwoWorkers, err = b.twoWorkers(ctx, f, people, u, step.NsPerIndividual)
	return []Timing{step, triad}, err
}

// peopleOf draws a hemisphere of n people in m dimensions and a decision.
func peopleOf(n, m int) (people, u []float64) {
	people = must(population.Draw(population.Cap{Angle: 90}, min(n, 100_000), m, stream.New(1, "people")))
	for len(people) < n*m { // the time does not depend on who they are
		people = append(people, people[:min(len(people), n*m-len(people))]...)
	}
	return people, slices.Clone(people[:m])
}

func (b *Workbench) steady(f dynamics.Polarized, people, u []float64) (Timing, error) {
	n := len(people) / dim
	pu := make([]float64, n)
	m, err := b.repeat(1000, float64(n)*1e-9, func() error {
		_, err := f.AlignRows(pu, u, people)
		return err
	})
	if err != nil {
		return Timing{}, err
	}
	return m.perIndividual("polarized-steady-", n), nil
}

// triad measures the memory: what one core and what two can move.
func (b *Workbench) triad(dst, x, y []float64, n int) (Timing, error) {
	pass := func(lo, hi int) error {
		dst, x, y := dst[lo:hi], x[lo:hi], y[lo:hi]
		for i := range dst {
			dst[i] = x[i] + 0.5*y[i]
		}
		return nil
	}
	one, err := b.repeat(1, float64(len(dst)), func() error { return pass(0, len(dst)) })
	if err != nil {
		return Timing{}, err
	}
	two, err := b.repeat(1, float64(len(dst)), func() error {
		return sideBySide(func(i int) error { return pass(i*len(dst)/2, (i+1)*len(dst)/2) })
	})
	return Timing{
		name:        "triad-" + power(n),
		Speed:       Speed{GBPerSecond: 24e-9 / one.median(), Best: 24e-9 / one.best(), TwoWorkers: 24e-9 / two.median()},
		Allocations: one.allocations, Size: Size{Individuals: n},
	}, err
}

// power writes 1000 as 1e3.
func power(n int) string {
	s := fmt.Sprint(n)
	return fmt.Sprintf("%c%s%d", s[0], "e", strings.Count(s, "0"))
}

// twoWorkers measures how much faster two workers move a whole crowd than one does, as a time of the single step.
func (b *Workbench) twoWorkers(ctx context.Context, f dynamics.Polarized, people, u []float64, single float64) (float64, error) {
	n := len(people) / dim
	var times [2]float64
	for i := range times {
		crowd := must(population.Gather(population.Config{Dynamics: f, Traits: kedge.Block{Data: people, Width: dim}, Workers: i + 1}))
		m, err := b.repeat(max(1, 2_000_000/n), 1, func() error { return crowd.Respond(ctx, u) })
		if err != nil {
			return 0, err
		}
		times[i] = m.median()
	}
	return single * times[1] / times[0], nil
}

package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Growth is how the cost of something grows with one quantity: cost ∝ quantity^Exponent, by least squares in logarithms.
type Growth struct {
	Of       string    `json:"of"`
	With     string    `json:"with"`
	Sizes    []int     `json:"sizes"`
	Seconds  []float64 `json:"seconds"`
	Exponent float64   `json:"exponent"`
}

func (g *Growth) fit() {
	n := float64(len(g.Sizes))
	var sx, sy, sxx, sxy float64
	for i, size := range g.Sizes {
		x, y := math.Log(float64(size)), math.Log(g.Seconds[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	g.Exponent = (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// Growths are those of several things.
type Growths []Growth

// task is something to do, and how often a round does it.
type task struct {
	calls int
	work  func() error
}

// grow measures one thing at several sizes, which take turns, so that a busy moment of the machine hits all of them.
func (b *Workbench) grow(ctx context.Context, of, with string, sizes []int, prepare func(size int) (task, error)) (Growth, error) {
	g := Growth{Of: of, With: with, Sizes: sizes, Seconds: make([]float64, len(sizes))}
	tasks := make([]task, len(sizes))
	for i, size := range sizes {
		var err error
		if tasks[i], err = prepare(size); err != nil {
			return g, err
		}
		g.Seconds[i] = math.Inf(1)
	}
	once := Workbench{Rounds: 1}
	for range max(1, b.Rounds) {
		for i, t := range tasks {
			if err := ctx.Err(); err != nil {
				return g, err
			}
			m, err := once.repeat(t.calls, 1, t.work)
			if err != nil {
				return g, err
			}
			g.Seconds[i] = min(g.Seconds[i], m.best())
		}
	}
	g.fit()
	return g, nil
}

// Scaling measures how a turn's cost grows with the crowd, the dimension, the batch and the trials.
func (b *Workbench) Scaling(ctx context.Context) (Printer, error) {
	var list Growths
	for _, one := range []func(context.Context) (Growth, error){b.withPeople, b.withDimension, b.withBatch, b.withTrials} {
		g, err := one(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

// stepAndSettle is a step of the crowd and its steady value, in m dimensions.
func stepAndSettle(n, m int) (work func() error, err error) {
	people, u, err := peopleOf(n, m)
	if err != nil {
		return nil, err
	}
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	p, next, pu := append([]float64(nil), people...), make([]float64, n*m), make([]float64, n)
	return func() error {
		f.NextRows(next, p, u, people)
		p, next = next, p
		_, err := f.AlignRows(pu, u, people)
		return err
	}, nil
}

func (b *Workbench) withPeople(ctx context.Context) (Growth, error) {
	sizes := []int{400_000, 1_000_000, 3_000_000, 8_000_000} // all beyond the caches, where an individual costs twice as much
	return b.grow(ctx, "step and steady value, m = 20", "N", sizes, func(n int) (task, error) {
		work, err := stepAndSettle(n, dim)
		return task{max(1, 4_000_000/n), work}, err
	})
}

func (b *Workbench) withDimension(ctx context.Context) (Growth, error) {
	sizes := []int{20, 60, 200, 600, 2000} // of so few people that all of them are within the caches
	return b.grow(ctx, "step and steady value, N = 25", "m", sizes, func(m int) (task, error) {
		work, err := stepAndSettle(25, m)
		return task{800_000 / m, work}, err
	})
}

func (b *Workbench) withBatch(ctx context.Context) (Growth, error) {
	people, u, err := peopleOf(8000, dim)
	if err != nil {
		return Growth{}, err
	}
	dims := kedge.Dims{Decision: dim, State: dim, Trait: dim}
	h := &sensitivity.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	return b.grow(ctx, "composite gradient, m = 20", "batch", []int{50, 200, 800, 3200}, func(n int) (task, error) {
		c := &online.Composite{Objective: objective.Affinity{}, Sensitivity: h, Dims: dims}
		o := kedge.Observation{U: u, P: people[:n*dim], D: people[:n*dim]}
		g := make([]float64, dim)
		return task{200_000 / n, func() error { return c.Estimate(g, o) }}, nil
	})
}

func (b *Workbench) withTrials(ctx context.Context) (Growth, error) {
	study, index, err := caseStudy("polarized", "composite", 200)
	if err != nil {
		return Growth{}, err
	}
	return b.grow(ctx, "200 measured turns, one worker", "trials", []int{2, 4, 8, 16}, func(trials int) (task, error) {
		return task{1, func() error {
			for t := range trials {
				if err := playTrial(ctx, study, index, t); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	})
}

// Print writes one row a thing.
func (list Growths) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "cost of\twith\texponent\tsizes\tmilliseconds")
	for _, g := range list {
		ms := make([]string, len(g.Seconds))
		for i, s := range g.Seconds {
			ms[i] = fmt.Sprintf("%.3g", 1000*s)
		}
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%v\t%v\n", g.Of, g.With, g.Exponent, g.Sizes, ms)
	}
	return t.Flush()
}

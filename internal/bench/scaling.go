package bench

import (
	"context"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/portable"
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
	x, y := make([]float64, len(g.Sizes)), make([]float64, len(g.Sizes))
	for i, size := range g.Sizes {
		x[i], y[i] = portable.Log(float64(size)), portable.Log(g.Seconds[i])
	}
	_, g.Exponent = stat.LinearRegression(x, y, nil, false)
}

// Growths are those of several things.
type Growths []Growth

// trend is a growth to be measured: prepare gets something of one size ready, and says how often a round does it.
type trend struct {
	Growth
	prepare func(size int) (calls int, work func() error)
}

// Scaling measures how a turn's cost grows with the crowd, the dimension, the batch and the trials.
func (b *Workbench) Scaling(ctx context.Context) (Printer, error) {
	var list Growths
	for _, t := range trends(ctx) {
		if err := b.grow(ctx, &t); err != nil {
			return nil, err
		}
		list = append(list, t.Growth)
	}
	return list, nil
}

// grow measures all sizes in turn, so that a busy moment of the machine hits all of them.
func (b *Workbench) grow(ctx context.Context, t *trend) error {
	calls, works := make([]int, len(t.Sizes)), make([]func() error, len(t.Sizes))
	for i, size := range t.Sizes {
		calls[i], works[i] = t.prepare(size)
		t.Seconds = append(t.Seconds, math.Inf(1))
	}
	once := Workbench{Rounds: 1}
	for range max(1, b.Rounds) {
		for i, work := range works {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, err := once.repeat(calls[i], 1, work)
			if err != nil {
				return err
			}
			t.Seconds[i] = min(t.Seconds[i], m.best())
		}
	}
	t.fit()
	return nil
}

func trends(ctx context.Context) []trend {
	crowd := []int{400_000, 1_000_000, 3_000_000, 8_000_000} // all beyond the caches, where an individual costs twice as much
	wide := []int{20, 60, 200, 600, 2000}                    // of so few people that all of them are within the caches
	return []trend{
		{Growth{Of: "step and steady value, m = 20", With: "N", Sizes: crowd}, func(n int) (int, func() error) {
			return max(1, 4_000_000/n), stepAndSettle(n, dim)
		}},
		{Growth{Of: "step and steady value, N = 25", With: "m", Sizes: wide}, func(m int) (int, func() error) {
			return 800_000 / m, stepAndSettle(25, m)
		}},
		{Growth{Of: "composite gradient, m = 20", With: "batch", Sizes: []int{50, 200, 800, 3200}}, func(n int) (int, func() error) {
			return 200_000 / n, estimate(n)
		}},
		{Growth{Of: "200 measured turns, one worker", With: "trials", Sizes: []int{2, 4, 8, 16}}, func(trials int) (int, func() error) {
			return 1, playTrials(ctx, trials)
		}},
	}
}

// stepAndSettle is a step of the crowd and its steady value, in m dimensions.
func stepAndSettle(n, m int) (work func() error) {
	people, u := peopleOf(n, m)
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	p, next, pu := append([]float64(nil), people...), make([]float64, n*m), make([]float64, n)
	return func() error {
		f.NextRows(next, p, u, people)
		p, next = next, p
		_, err := f.AlignRows(pu, u, people)
		return err
	}
}

// estimate is a composite gradient over n people.
func estimate(n int) (work func() error) {
	people, u := peopleOf(n, dim)
	c := &online.Composite{
		Objective: objective.Affinity{}, Sensitivity: &sensitivity.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5},
		Dims: kedge.Dims{Decision: dim, State: dim, Trait: dim},
	}
	o, g := kedge.Observation{U: u, P: people, D: people}, make([]float64, dim)
	return func() error { return c.Estimate(g, o) }
}

// playTrials is a number of trials, one after the other.
func playTrials(ctx context.Context, trials int) (work func() error) {
	study, index := caseStudy("polarized", "composite", 200)
	return func() error {
		for t := range trials {
			if err := Play(ctx, study, index, t); err != nil {
				return err
			}
		}
		return nil
	}
}

// Print writes one row a thing.
func (list Growths) Print(w io.Writer) error {
	return printTable(w, 0, list, "cost of\twith\texponent\tsizes\tmilliseconds", func(g Growth) string {
		ms := lists.Of(g.Seconds, func(s float64) string { return fmt.Sprintf("%.3g", 1000*s) })
		return fmt.Sprintf("%s\t%s\t%.3f\t%v\t%v", g.Of, g.With, g.Exponent, g.Sizes, ms)
	})
}

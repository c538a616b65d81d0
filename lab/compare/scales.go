package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// distance is how far a decision is from a point, NaN if there is no such point.
func distance(u, point []float64) float64 {
	if point == nil {
		return math.NaN()
	}
	return rows.Distance(u, point)
}

// measure finds the scales of a problem whose optimum is known. Decisions are held until the crowd has come 10⁻⁴ of the way near to
// settled, or as long as there is time for.
func (a *meeting) measure(ctx context.Context, p *problem.Problem) (err error) {
	a.scales = kind.Scales{Turns: p.Spec.Iterations, Batch: 1, Entries: len(p.Start), Radius: distance(p.Start, a.Optimal)}
	g := &a.scales
	for _, one := range p.Spec.Algorithms {
		g.Batch = max(g.Batch, one.Batch)
	}
	if g.Radius < 1e-6 {
		g.Radius = max(1, rows.Norm(p.Start))
	}
	g.Radius = kind.Rounded(g.Radius)
	if g.Curvature, err = a.curvature(g.Radius); err != nil {
		return fmt.Errorf("measure the curvature: %w", err)
	}
	if err = a.settle(ctx, p); err != nil {
		return fmt.Errorf("measure how the crowd settles: %w", err)
	}
	return nil
}

// curvature is the greatest curvature of Φ̃ at the optimum, by power iteration on differences of gradients.
func (a *meeting) curvature(radius float64) (float64, error) {
	best := a.Optimal
	n, h := len(best), float64(1e-4*radius)
	v, above, below, at := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = portable.Cos(float64(i + 1)) // in no direction of its own
	}
	bend := 0.0
	for range 20 {
		rows.Scale(v, 1/rows.Norm(v))
		for _, side := range []struct {
			g    []float64
			step float64
		}{{above, h}, {below, -h}} {
			copy(at, best)
			rows.AddScaled(at, side.step, v)
			if _, err := a.steady.Gradient(side.g, at); kedge.IsUnsettled(err) {
				return 1, nil // the rim of where people settle has no curvature
			} else if err != nil {
				return 0, err
			}
		}
		for i := range v {
			v[i] = (above[i] - below[i]) / (2 * h)
		}
		bend = rows.Norm(v)
		if !(bend > 1e-9) {
			return 1, nil
		}
	}
	return kind.Rounded(bend), nil
}

const (
	near        = 1e-4
	mostSettled = 100 // turns that decisions are held at most
)

// settle lets the crowd answer a change of the decision and counts the turns until it has.
func (a *meeting) settle(ctx context.Context, p *problem.Problem) error {
	trial, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		return err
	}
	g := &a.scales
	most, crowd := max(1, min(mostSettled, g.Turns/100)), trial.Population
	respond := func(u []float64, turns int) error {
		for range turns * p.Spec.Hold {
			if err := crowd.Respond(ctx, u); err != nil {
				return err
			}
		}
		return nil
	}
	if err := respond(a.Optimal, 2*mostSettled); err != nil {
		return err
	}
	before := slices.Clone(crowd.States())
	if err := respond(p.Start, 2*mostSettled); err != nil || !rows.Finite(crowd.States()) {
		g.Hold, a.Settling, g.Contraction = most, most, 0.95 // the crowd runs away under the first decision, and never settles
		return ctx.Err()
	}
	after := slices.Clone(crowd.States())
	if err := crowd.Reset(before); err != nil {
		return err
	}
	first := rows.Distance(before, after)
	for g.Hold = 1; g.Hold <= most; g.Hold++ {
		if err := respond(p.Start, 1); err != nil {
			return err
		}
		if left := rows.Distance(crowd.States(), after); !(left > near*first) {
			a.Settled = true
			break
		}
	}
	g.Hold = min(g.Hold, most)
	a.Settling = g.Hold
	g.Contraction = kind.Rounded(min(0.95, max(0.1, portable.Pow(near, 1/float64(g.Hold)))))
	return nil
}

package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// geometry is what usual settings and grids are scaled by. All methods have the same.
type geometry struct {
	kind.Scales      // decisions are held until the crowd has come 10⁻⁴ of the way near to settled, or as long as there is time for
	settled     bool // that is enough
}

// measure finds the scales of a problem whose optimum is known.
func (a *arena) measure(ctx context.Context, p *problem.Problem) (geometry, error) {
	g := geometry{Scales: kind.Scales{Turns: p.Spec.Iterations, Batch: 1, Entries: len(p.Start), Radius: distance(p.Start, a.points["optimal"])}}
	for _, one := range p.Spec.Algorithms {
		g.Batch = max(g.Batch, one.Batch)
	}
	if g.Radius < 1e-6 {
		g.Radius = max(1, rows.Norm(p.Start))
	}
	g.Radius = kind.Rounded(g.Radius)
	var err error
	if g.Curvature, err = a.curvature(g.Radius); err != nil {
		return g, fmt.Errorf("measure the curvature: %w", err)
	}
	if err = a.settle(ctx, p, &g); err != nil {
		return g, fmt.Errorf("measure how the crowd settles: %w", err)
	}
	return g, nil
}

// curvature is the greatest curvature of Φ̃ at the optimum, by power iteration on differences of gradients.
func (a *arena) curvature(radius float64) (float64, error) {
	best := a.points["optimal"]
	n, h := len(best), 1e-4*radius
	v, above, below, at := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = math.Cos(float64(i + 1)) // in no direction of its own
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
			if _, err := a.steady.Gradient(side.g, at); err != nil {
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
func (a *arena) settle(ctx context.Context, p *problem.Problem, g *geometry) error {
	trial, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		return err
	}
	g.Hold, g.Contraction = 1, 0.1
	most, crowd := max(1, min(mostSettled, g.Turns/100)), trial.Population
	respond := func(u []float64, turns int) error {
		for range turns * p.Spec.Hold {
			if err := crowd.Respond(ctx, u); err != nil {
				return err
			}
		}
		return nil
	}
	if err := respond(a.points["optimal"], 2*mostSettled); err != nil {
		return err
	}
	before := slices.Clone(crowd.States())
	if err := respond(p.Start, 2*mostSettled); err != nil {
		return err
	}
	after := slices.Clone(crowd.States())
	if err := crowd.Reset(before); err != nil {
		return err
	}
	first := rows.Distance(before, after)
	for ; g.Hold <= most; g.Hold++ {
		if err := respond(p.Start, 1); err != nil {
			return err
		}
		if left := rows.Distance(crowd.States(), after); !(left > near*first) {
			g.settled = true
			break
		}
	}
	g.Hold = min(g.Hold, most)
	g.Contraction = kind.Rounded(min(0.95, max(0.1, math.Pow(near, 1/float64(g.Hold)))))
	return nil
}

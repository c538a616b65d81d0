package certify

import (
	"math"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/steady"
)

// addTransient puts L_Ψ where the rule takes the sensitivity at sampled states instead of settled ones and that makes a
// difference. The theory asks for settled ones. What its proof needs is that Ψ(p) = ∂Φ/∂u + Ĥ(u, p)∂Φ/∂p is Lipschitz in p,
// so L_Ψ takes the place of L_p.
func (c *Constants) addTransient(p problem, _ *steady.Objective) error {
	if !p.AtState {
		return nil
	}
	switch f := p.Dynamics.(type) {
	case dynamics.Choice, *dynamics.Affine: // the same at every state
		return nil
	case dynamics.Polarized:
		if is[objective.Affinity](p.Objective) {
			most := polarizedRead(f, c.Value(Radius), c.Value(Cone)*math.Pi/180)
			c.put(LPsi, 1+most, Estimate, "1 + the largest slope of Ĥ(u, p)u found in the cone")
			return nil
		}
	}
	return c.samplePsi(p)
}

// samplePsi estimates L_Ψ by secants between where individuals start and where they settle.
func (c *Constants) samplePsi(p problem) error {
	all, err := probes(p)
	if err != nil {
		return err
	}
	most := c.Value(Lp)
	for _, x := range all {
		apart := c.Length(minus(x.p, x.h))
		if apart < 1e-6 {
			continue
		}
		a, err := p.look(x.u, x.p, x.d)
		if err != nil {
			return err
		}
		b, err := p.look(x.u, x.h, x.d)
		if err != nil {
			return err
		}
		most = max(most, rows.Distance(a.mean, b.mean)/apart)
	}
	c.put(LPsi, most, Estimate, "secants between starts and steady states")
	return nil
}

// polarizedRead searches the cone for the largest slope of p ↦ Ĥ(u, p)u, with d along the first axis, p in the plane of the
// first two and u in the first three: a grid, and then ever smaller steps from its best point. At the published settings it
// finds 24.5, 5.06, 6.61 and 2.91, as Nelder–Mead from many starts does; earlier figures of 22.3 to 2.85 were no suprema.
func polarizedRead(f dynamics.Polarized, r, cone float64) float64 {
	f.Dim = 4
	rate := func(x [3]float64) float64 { return readRate(f, r, x[0]*cone, x[1]*math.Pi, x[2]*math.Pi) }
	best, most := [3]float64{}, math.Inf(-1)
	const fine = 12
	for i := range fine + 1 {
		for j := range 2*fine + 1 {
			for k := range fine + 1 {
				x := [3]float64{float64(i) / fine, float64(j) / (2 * fine), float64(k) / fine}
				if y := rate(x); y > most {
					best, most = x, y
				}
			}
		}
	}
	for step := 1.0 / fine; step > 1e-5; {
		if x, y := neighbour(rate, best, step); y > most {
			best, most = x, y
		} else {
			step /= 2
		}
	}
	return most
}

// neighbour returns the best of the points a step away along the axes, within the unit cube.
func neighbour(rate func([3]float64) float64, at [3]float64, step float64) (best [3]float64, most float64) {
	most = math.Inf(-1)
	for i := range at {
		for _, by := range []float64{-step, step} {
			x := at
			x[i] = min(max(0, x[i]+by), 1)
			if y := rate(x); y > most {
				best, most = x, y
			}
		}
	}
	return best, most
}

// readRate returns the norm of the derivative of p ↦ Ĥ(u, p)u on the sphere, at a p an angle away from d.
func readRate(f dynamics.Polarized, length, angle, polar, around float64) float64 {
	sin, cos := portable.Sincos(angle)
	sinP, cosP := portable.Sincos(polar)
	sinA, cosA := portable.Sincos(around)
	d := []float64{1, 0, 0, 0}
	u := []float64{length * cosP, length * sinP * cosA, length * sinP * sinA, 0}
	p := []float64{cos, sin, 0, 0}
	frame := [3][]float64{{-sin, cos, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	return dense.Norm(jacobian(4, 3, func(j int) []float64 {
		return quotient(0x1p-16, func(arc float64) []float64 { return readAt(f, u, d, turned(p, frame[j], arc)) })
	}), 4, 3)
}

// readAt returns Ĥ(u, p)u, NaN where it is refused.
func readAt(f dynamics.Polarized, u, d, p []float64) []float64 {
	g := make([]float64, 4)
	if err := sensitivityOf(f).PullRows(g, p, u, d, u); err != nil {
		g[0] = math.NaN()
	}
	return g
}

package certify

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// addSmooth puts L_Φ̃, the largest curvature of Φ̃ [he2025, smooth objective].
func (c *Constants) addSmooth(p problem, f *steady.Objective) error {
	if h, ok := curvature(p); ok {
		c.put(Smooth, dense.Norm(h, len(p.Start), len(p.Start)), Proof, "‖R + SG + GᵀSᵀ + GᵀQG‖")
		return nil
	}
	most, points, err := bend(p, f)
	if err != nil {
		return err
	}
	if x, ok := p.Dynamics.(dynamics.Polarized); ok && is[objective.Affinity](p.Objective) {
		one := max(polarizedBend(x, c.Value(Radius)), most)
		c.put(Smooth, one, Estimate, fmt.Sprintf("largest found of any one individual; this crowd's is %.3g at %d decisions", most, points))
		return nil
	}
	c.put(Smooth, most, Estimate, fmt.Sprintf("largest curvature of the crowd at %d decisions", points))
	return nil
}

// bend returns the largest curvature of Φ̃ that power iteration finds between the first decision and the optimum and at a few
// others.
func bend(p problem, f *steady.Objective) (most float64, points int, err error) {
	r := stream.New(p.Seed, "certify", "bend")
	var at [][]float64
	for i := range 3 {
		at = append(at, between(p.Start, p.Optimum, float64(i)/2))
	}
	for range 2 {
		u, err := draw(p.Set, len(p.Start), r)
		if err != nil {
			return 0, 0, err
		}
		at = append(at, u)
	}
	for _, u := range at {
		here, err := bendAt(f, u, r)
		if err != nil {
			return 0, 0, err
		}
		most = max(most, here)
	}
	return most, len(at), nil
}

// between returns the point of a segment, or its first end when there is no other.
func between(a, b []float64, share float64) []float64 {
	u := append([]float64(nil), a...)
	if b != nil {
		rows.Scale(u, 1-share)
		rows.AddScaled(u, share, b)
	}
	return u
}

// bendAt is power iteration on the Hessian of Φ̃, whose products are differences of gradients.
func bendAt(f *steady.Objective, u []float64, r *stream.Stream) (float64, error) {
	m := len(u)
	v := make([]float64, m)
	for i := range v {
		v[i] = r.Normal()
	}
	step := 0x1p-14 * max(1, rows.Norm(u)/math.Sqrt(float64(m)))
	size := 0.0
	for range 12 {
		length := rows.Norm(v)
		if length == 0 {
			return 0, nil
		}
		rows.Scale(v, 1/length)
		if err := steady.Bend(f.Gradient, v, u, step); err != nil {
			return 0, err
		}
		size = max(size, rows.Norm(v))
	}
	return size, nil
}

// polarizedBend searches for the largest curvature of one individual's settled affinity, over the length of u and its angle
// with d, in the four dimensions that show all there is.
func polarizedBend(f dynamics.Polarized, r float64) float64 {
	return atWorst(f, affinityBend, 0.01*r, 0.25*r, 0.5*r, 0.75*r, r)
}

// affinityBend returns the norm of the Hessian of u ↦ −uᵀh(u, d) for a d at an angle from u.
func affinityBend(f dynamics.Polarized, length, angle float64) float64 {
	const step = 0x1p-16
	sin, cos := math.Sincos(angle)
	d := []float64{cos, sin, 0, 0}
	return dense.Norm(jacobian(4, 4, func(j int) []float64 {
		return quotient(step, func(t float64) []float64 {
			u := []float64{length, 0, 0, 0}
			u[j] += step
			u[j] += t - step // back from ahead, whose rounding published figures have in them
			return affinitySlope(f, u, d)
		})
	}), 4, 4)
}

// affinitySlope returns the gradient of −uᵀh(u, d), NaN where there is none.
func affinitySlope(f dynamics.Polarized, u, d []float64) []float64 {
	h, v, g := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	_, err := f.Settle(h, u, d)
	rows.AddScaled(v, -1, u)
	rows.AddScaled(g, -1, h)
	if e := sensitivityOf(f).PullRows(g, h, u, d, v); err != nil || e != nil {
		g[0] = math.NaN()
	}
	return g
}

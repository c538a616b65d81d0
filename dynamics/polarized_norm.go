package dynamics

import "github.com/kedge-opt/kedge"

// PolarizedNorm is Polarized with a memory of one number: the state is (p, c) with Dim+1 entries, where
//
//	c⁺ = ‖p̃‖ = ‖λp + (1−λ)d + σ(pᵀu)u‖
//
// is the norm of the step that produced p. An algorithm that estimates the sensitivity from a moving individual can use this
// c instead of the norm at the present p, as the published experiments do [he2025, polarized experiments]; the two agree at
// the steady state. The c of a start is never read by the dynamics; 1 is the norm of an individual at rest under u = 0.
type PolarizedNorm struct{ Polarized }

// Dims returns Dim for the decision and the trait and Dim+1 for the state.
func (f PolarizedNorm) Dims() kedge.Dims {
	return kedge.Dims{Decision: f.Dim, State: f.Dim + 1, Trait: f.Dim}
}

// Next writes (p⁺, ‖p̃‖) to dst.
func (f PolarizedNorm) Next(dst, p, u, d []float64) {
	mustFit(f.Dims(), dst, p, u, d)
	f.step(dst, p, u, d)
}

// NextRows does Next for every row.
func (f PolarizedNorm) NextRows(dst, p, u, d []float64) {
	n := f.Dim
	for i := range mustFitRows(f.Dims(), dst, p, u, d) {
		f.step(kedge.Row(dst, i, n+1), kedge.Row(p, i, n+1), u, kedge.Row(d, i, n))
	}
}

func (f PolarizedNorm) step(dst, p, u, d []float64) {
	n := f.Dim
	dst[n] = f.Polarized.step(dst[:n], p[:n], u, d)
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu. The remembered norm moves nothing, so the last entry of gp stays.
func (f PolarizedNorm) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Dims(), gp, gu, p, u, d, v)
	n := f.Dim
	if gp != nil {
		gp = gp[:n]
	}
	f.pull(gp, gu, p[:n], u, d, v[:n], v[n])
}

// Settle writes (h, ‖h̃‖) to dst for the h of Polarized.
func (f PolarizedNorm) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := checkOne(f.Check(), f.Dims(), dst, u, d); err != nil {
		return kedge.Residual{}, err
	}
	return f.settle(dst, u, d)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (f PolarizedNorm) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return settleRows(f.Check(), f.Dims(), dst, u, d, func(dst, d []float64) (kedge.Residual, error) { return f.settle(dst, u, d) })
}

// settle leaves to the last entry the norm at h itself, which solves c = ‖h̃‖ but for rounding.
func (f PolarizedNorm) settle(dst, u, d []float64) (kedge.Residual, error) {
	h := dst[:f.Dim]
	var room [2 * onStack]float64
	r, err := f.Polarized.settle(h, f.desk(u, room[:]), d)
	if err != nil {
		return r, err
	}
	dst[f.Dim] = f.Stretch(h, u, d)
	r.Norm /= max(1, dst[f.Dim])
	return r, nil
}

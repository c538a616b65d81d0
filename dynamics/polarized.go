package dynamics

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Polarized is biased assimilation on the unit sphere [he2025, polarized dynamics; hazla2024; gaitonde2021]: an individual
// of opinion p and initial opinion d moves towards an ideology u that it likes (pᵀu > 0) and away from one it dislikes,
//
//	p̃ = λp + (1−λ)d + σ(pᵀu)u,  p⁺ = p̃/‖p̃‖.
//
// p, u and d have Dim entries; p and d have unit length. Where p̃ vanishes a direction has no meaning and p⁺ is NaN; from a
// start at d, where every path of interest begins, this cannot happen.
//
// Each step raises (1−λ)dᵀp + (σ/2)(pᵀu)², and the steady state reached from d is the greatest point of this energy.
type Polarized struct {
	Dim           int
	Lambda, Sigma float64
}

// Dims returns Dim for the decision, the state and the trait.
func (f Polarized) Dims() kedge.Dims {
	return kedge.Dims{Decision: f.Dim, State: f.Dim, Trait: f.Dim}
}

// Check returns a *kedge.RangeError for every parameter outside Dim ≥ 1, 0 ≤ λ ≤ 1, 0 ≤ σ < ∞, joined.
func (f Polarized) Check() error {
	return errors.Join(
		kedge.CheckRange("Dim", float64(f.Dim), f.Dim >= 1, "Dim ≥ 1"),
		kedge.CheckRange("Lambda", f.Lambda, f.Lambda >= 0 && f.Lambda <= 1, "0 ≤ λ ≤ 1"),
		kedge.CheckRange("Sigma", f.Sigma, f.Sigma >= 0 && f.Sigma <= math.MaxFloat64, "0 ≤ σ < ∞"),
	)
}

// Contracts tells whether λ + σR² < 1. Then every decision of norm at most R has one attractor, and h is smooth. Beyond it h
// jumps where dᵀu changes sign, a second attractor appears, and sensitivities near dᵀu = 0 mean nothing.
func (f Polarized) Contracts(radius float64) bool {
	return f.Lambda+float64(f.Sigma*float64(radius*radius)) < 1
}

// Next writes f(p, u, d) to dst.
func (f Polarized) Next(dst, p, u, d []float64) {
	mustFit(f.Dims(), dst, p, u, d)
	f.step(dst, p, u, d)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst, the same bits as Next.
func (f Polarized) NextRows(dst, p, u, d []float64) {
	n := f.Dim
	var norm2 [64]float64
	for count, i := mustFitRows(f.Dims(), dst, p, u, d), 0; i < count; i += len(norm2) {
		lo, hi := i, min(i+len(norm2), count)
		f.block(norm2[:hi-lo], dst[lo*n:hi*n], p[lo*n:hi*n], u, d[lo*n:hi*n])
	}
}

// block does a few rows at once, and those again whose ‖p̃‖² over- or underflows.
func (f Polarized) block(norm2, dst, p, u, d []float64) {
	rows.Blend(dst, norm2, p, d, u, f.Lambda, 1-f.Lambda, f.Sigma)
	if sum, least, _ := rows.Extent(norm2); inMiddle(least) && inMiddle(sum) {
		return
	}
	for i, c2 := range norm2 {
		if !inMiddle(c2) {
			f.step(kedge.Row(dst, i, f.Dim), kedge.Row(p, i, f.Dim), u, kedge.Row(d, i, f.Dim))
		}
	}
}

// inMiddle tells whether a sum of squares is far from over- and underflow.
func inMiddle(x float64) bool { return x > 1e-280 && x < 1e280 }

// step writes p⁺ to dst and returns ‖p̃‖. Out of the middle it divides, since an inverse might overflow.
func (f Polarized) step(dst, p, u, d []float64) float64 {
	c := f.raw(dst, p, u, d)
	if inMiddle(float64(c * c)) {
		rows.Scale(dst, 1/c)
		return c
	}
	for i, v := range dst {
		dst[i] = v / c
	}
	return c
}

// raw writes p̃ to dst and returns its norm.
func (f Polarized) raw(dst, p, u, d []float64) float64 {
	stay, home, pull := f.weights(p, u)
	p, u, d = p[:len(dst)], u[:len(dst)], d[:len(dst)]
	for i := range dst {
		dst[i] = blend(stay, p[i], home, d[i], pull, u[i])
	}
	return rows.Norm(dst)
}

// weights returns the factors of p, d and u in p̃.
func (f Polarized) weights(p, u []float64) (stay, home, pull float64) {
	return f.Lambda, 1 - f.Lambda, f.Sigma * rows.Dot(p, u)
}

// blend returns one entry of p̃.
func blend(stay, p, home, d, pull, u float64) float64 {
	return float64(stay*p) + float64(home*d) + float64(pull*u)
}

// Stretch returns ‖p̃‖ = ‖λp + (1−λ)d + σ(pᵀu)u‖, which the sensitivity of a steady state needs. It may differ from the
// norm inside Next by rounding.
func (f Polarized) Stretch(p, u, d []float64) float64 {
	mustFit(f.Dims(), p, p, u, d)
	stay, home, pull := f.weights(p, u)
	largest := 0.0
	for i := range p {
		largest = max(largest, math.Abs(blend(stay, p[i], home, d[i], pull, u[i])))
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return largest
	}
	sum := 0.0
	for i := range p {
		r := blend(stay, p[i], home, d[i], pull, u[i]) / largest
		sum += float64(r * r)
	}
	return largest * math.Sqrt(sum)
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu. With y = p⁺, c = ‖p̃‖ and z = (v − (yᵀv)y)/c these are
// λz + σ(uᵀz)u and σ((uᵀz)p + (pᵀu)z).
func (f Polarized) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Dims(), gp, gu, p, u, d, v)
	f.pull(gp, gu, p, u, d, v, 0)
}

// pull is Pullback with a weight on ‖p̃‖ besides the weights v on p⁺, which adds weight·y to z.
func (f Polarized) pull(gp, gu, p, u, d, v []float64, weight float64) {
	stay, home, pull := f.weights(p, u)
	c := f.Stretch(p, u, d)
	along := 0.0 // yᵀv − c·weight, so that z = (v − along·y)/c
	for i := range p {
		along += float64(blend(stay, p[i], home, d[i], pull, u[i]) * v[i])
	}
	along = along/c - float64(c*weight)
	z := func(i int) float64 {
		return (v[i] - float64(along/c*blend(stay, p[i], home, d[i], pull, u[i]))) / c
	}
	uz := 0.0
	for i := range u {
		uz += float64(u[i] * z(i))
	}
	for i := range gp {
		gp[i] += float64(stay*z(i)) + float64(f.Sigma*uz*u[i])
	}
	for i := range gu {
		gu[i] += float64(f.Sigma*uz*p[i]) + float64(pull*z(i))
	}
}

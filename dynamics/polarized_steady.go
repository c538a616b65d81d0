package dynamics

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

const (
	offSphere        = 1e-9   // how far ‖d‖ may lie from 1
	indifferent      = 1e-290 // (1−λ)|C| below which nothing but under- and overflow is left of the equation
	fromIndifference = 1e-100 // |C| above which roots are found many at a time
)

// Settle writes the steady state reached from p₀ = d to dst.
//
// A steady state satisfies (ρ + λ)h = p̃ with ρ = ‖p̃‖ − λ, so that, split along û = u/‖u‖ with C = dᵀû, S = ‖d − Cû‖,
// k = 1−λ and s = σ‖u‖², it is h = (kC/(ρ−s))û + (k/ρ)(d − Cû), and its unit length asks for the root e = ρ−s > 0 of
//
//	k²[S²/(e+s)² + C²/e²] = 1,
//
// the secular equation of a trust-region problem [more1983], whose right root is the greatest point of the energy. Newton's
// method on 1/√ψ − 1 rises to it from the left without fail, in a handful of steps, also where iterating the dynamics would
// take millions.
//
// An individual that is indifferent (dᵀu = 0, or as good as) stays at d. It stays by a hair when s ≥ k, because any deviation grows by
// λ+s: that is an *kedge.UnstableError of that rate. With λ = 1 this is every indifferent individual, and the others settle at
// û or −û. A trait off the unit sphere by more than 1e-9 is a *kedge.RangeError, and so is an overflow of σ‖u‖².
func (f Polarized) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := checkOne(f.Check(), f.Dims(), dst, u, d); err != nil {
		return kedge.Residual{}, err
	}
	var room [2 * onStack]float64
	return f.settle(dst, f.desk(u, room[:]), d)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (f Polarized) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	var room [2 * onStack]float64
	w := f.desk(u, room[:])
	return settleRows(f.Check(), f.Dims(), dst, u, d, func(dst, d []float64) (kedge.Residual, error) { return f.settle(dst, w, d) })
}

// onStack is how many numbers decisions may have that are settled under without memory of their own.
const onStack = 64

// desk is a decision that individuals are settled under, with what is the same for all of them.
type desk struct {
	u     []float64
	norm  float64
	unit  []float64 // û; u where that has no part in where people settle
	moved []float64 // room for p̃
}

func (f Polarized) desk(u, room []float64) desk {
	n := len(u)
	room = slices.Grow(room[:0], 2*n)[:2*n]
	w := desk{u, rows.Norm(u), room[:n], room[n : 2*n]}
	by := 1.0
	if float64(f.Sigma*w.norm*w.norm) > 0 {
		by = w.norm
	}
	for i, v := range u {
		w.unit[i] = v / by
	}
	return w
}

// settle writes the point along·û + across·(d − Cû) that solves the equation.
func (f Polarized) settle(dst []float64, w desk, d []float64) (kedge.Residual, error) {
	s, err := f.reinforcement(w.norm, rows.Norm(d))
	if err != nil {
		return kedge.Residual{}, err
	}
	k, h, steps := 1-f.Lambda, plane{}, 0
	if s > 0 {
		h = split(w, d)
	}
	switch {
	case k == 0 && h.c != 0:
		h.along, h.across = math.Copysign(1, h.c), 0
	case s > 0 && s >= k && k*math.Abs(h.c) < indifferent:
		return kedge.Residual{}, &kedge.UnstableError{Rate: f.Lambda + s}
	case k*math.Abs(h.c) < indifferent:
		h.along, h.across = h.c, 1
	default:
		var e float64
		if e, steps, err = secular(k, s, math.Abs(h.c), h.s); err != nil {
			return kedge.Residual{}, err
		}
		h.along, h.across = k*h.c/e, k/(e+s)
	}
	h.write(dst, w.unit, d)
	return kedge.Residual{Norm: f.residual(dst, w, d), Steps: steps}, nil
}

// reinforcement returns s = σ‖u‖², or says what of u and d cannot be settled.
func (f Polarized) reinforcement(normU, normD float64) (float64, error) {
	s := float64(f.Sigma * normU * normU)
	return s, errors.Join(
		kedge.CheckRange("‖d‖", normD, math.Abs(normD-1) <= offSphere, "a trait of unit length"),
		kedge.CheckRange("σ‖u‖²", s, s <= math.MaxFloat64, "a finite number"),
	)
}

// residual returns ‖f(p, u, d) − p‖∞; p has no entry above 1.
func (f Polarized) residual(p []float64, w desk, d []float64) float64 {
	stay, home, pull := f.weights(p, w.u)
	rows.Mix(w.moved, stay, p, home, d, pull, w.u)
	c := stretch(w.moved)
	worst := 0.0
	for i, v := range p {
		worst = max(worst, math.Abs(w.moved[i]/c-v))
	}
	return worst
}

// stretch returns the norm of p̃ as Stretch does.
func stretch(moved []float64) float64 {
	largest := rows.MaxAbs(moved)
	if !(largest > 0) || math.IsInf(largest, 0) {
		return largest
	}
	sum := 0.0
	for _, v := range moved {
		r := v / largest
		sum += float64(r * r)
	}
	return largest * math.Sqrt(sum)
}

// plane is a point along·û + across·(d − cû) of the plane through u and d.
type plane struct {
	c, s          float64 // dᵀû and ‖d − cû‖
	along, across float64
}

// split decomposes d along û and across it.
func split(w desk, d []float64) plane {
	h := plane{c: rows.Dot(d, w.u) / w.norm}
	sum := 0.0
	for i := range d {
		r := h.rest(w.unit[i], d[i])
		sum += float64(r * r)
	}
	h.s = math.Sqrt(sum)
	return h
}

// rest returns one entry of d − cû.
func (h plane) rest(unit, d float64) float64 { return d - float64(h.c*unit) }

// write puts the point on dst, at unit length.
func (h plane) write(dst, unit, d []float64) {
	for i := range dst {
		dst[i] = float64(h.along*unit[i]) + float64(h.across*h.rest(unit[i], d[i]))
	}
	c := rows.Norm(dst)
	for i := range dst {
		dst[i] /= c
	}
}

// secular returns the root e > 0 of ψ(e) = k²[S²/(e+s)² + C²/e²] = 1 for kC > 0 and how many Newton steps it took. ψ−1 is
// taken from δ = kS−s, since close to the pitchfork e is far smaller than s and the difference of ψ and 1 would be rounding.
func secular(k, s, c, across float64) (float64, int, error) {
	const tolerance, limit = 1e-12, 100
	delta, over := float64(k*across)-s, 0.0
	e := leftOfRoot(k, s, c, across)
	for steps := 1; steps <= limit; steps++ {
		a, b := k*across/(e+s), k*c/e
		bb := float64(b * b)
		over = float64((delta-e)/(e+s)*(a+1)) + bb
		psi := 1 + over
		step := psi * over / ((math.Sqrt(psi) + 1) * (float64(a*a)/(e+s) + bb/e))
		e += step
		if math.Abs(step) <= tolerance*e {
			return e, steps, nil
		}
	}
	return 0, limit, &kedge.NotConvergedError{
		What: "root of the secular equation", Residual: math.Abs(over), Tolerance: tolerance, Steps: limit,
	}
}

// leftOfRoot returns a point where ψ ≥ 1: the larger of those where one of its two terms alone reaches 1. Close to the
// pitchfork (kS ≈ s, C ≈ 0) both lie many orders of magnitude below the root, and there a third one helps: with
// a = (kS/s)², ψ(e) ≥ a(1 − 2e/s) + (kC/e)², which is at least 1 when (kC/e)² exceeds both 2(1−a) and 4ae/s. The cube root
// that this asks for is taken of the exponent alone, a little low, which has the same bits everywhere.
func leftOfRoot(k, s, c, across float64) float64 {
	e := max(float64(k*across)-s, k*c)
	ratio := k * across / s
	if ratio < 0.5 || ratio > 2 {
		return e
	}
	a := ratio * ratio
	_, i := math.Frexp(k * c)
	_, j := math.Frexp(s / (4 * a))
	third := math.Ldexp(1, (2*i+j)/3-2)
	if below := 2 * (1 - ratio) * (1 + ratio); below > 0 {
		third = min(third, k*c/math.Sqrt(below))
	}
	return max(e, third)
}

// AlignRows writes hᵢᵀu for the steady states hᵢ = h(u, dᵢ) to dst: the component along û = u/‖u‖ of a settled opinion depends
// on the cosine dᵀû alone, by the scalar equation of Settle, so nobody's opinion is worked out. Traits are checked as in
// Settle, and the errors are the same.
func (f Polarized) AlignRows(dst, u, d []float64) (kedge.Residual, error) {
	if err := cmp.Or(f.Check(), kedge.CheckVector("u", u, f.Dim), kedge.CheckLen("d", d, len(dst)*f.Dim)); err != nil {
		return kedge.Residual{}, err
	}
	norm := rows.Norm(u)
	for i := 0; i < len(dst); i += blockRows {
		hi := min(i+blockRows, len(dst))
		if !f.align(dst[i:hi], u, d[i*f.Dim:hi*f.Dim], norm) {
			if err := f.alignOneByOne(dst[:hi], u, d[:hi*f.Dim], i); err != nil {
				return kedge.Residual{}, err
			}
		}
	}
	return kedge.Residual{Norm: rootResidual}, nil
}

// blockRows is how many individuals are aligned at once: few enough that their cosines stay in the fastest cache.
const blockRows = 128

// rootResidual is what an aligned steady state misses its equation by at most: the root is found to a few units in the last
// place, as TestAlignRowsKeepsItsClaim shows.
const rootResidual = 0x1p-48

// align does a block at once. It gives up on anything out of the ordinary: an individual that is indifferent or off the
// sphere, λ = 1, a decision without direction.
func (f Polarized) align(dst, u, d []float64, norm float64) bool {
	k, s, ok := f.force(norm)
	if !ok {
		return false
	}
	off, least := rows.Cosines(dst, d, u, 1/norm)
	if !(off <= offSphere && least >= fromIndifference) || rows.SettleCosines(dst, k, s) != 0 {
		return false
	}
	rows.Scale(dst, norm)
	return true
}

// alignOneByOne works every steady state out from individual first on.
func (f Polarized) alignOneByOne(dst, u, d []float64, first int) error {
	h := make([]float64, f.Dim)
	for i := first; i < len(dst); i++ {
		if _, err := f.Settle(h, u, kedge.Row(d, i, f.Dim)); err != nil {
			return inRow(i, err)
		}
		dst[i] = rows.Dot(h, u)
	}
	return nil
}

package interval

import (
	"math"

	"github.com/kedge-opt/kedge/internal/portable"
)

// far is from where on nothing is said of waves: their arguments take long to reduce there.
const far = 1 << 20

// meets tells whether x may hold a number from + k·step with whole k. Where it is not sure it says so.
func (x Span) meets(from, step float64) bool {
	const unsure = 1e-6
	return math.Floor((x.Hi-from)/step+unsure) >= math.Ceil((x.Lo-from)/step-unsure)
}

// Sin is sin x.
func (x Span) Sin() Span { return x.wave(portable.Sin, math.Pi/2, -math.Pi/2) }

// Cos is cos x.
func (x Span) Cos() Span { return x.wave(portable.Cos, 0, math.Pi) }

// wave is a function that repeats itself after a whole turn, with its only crest, 1, and its only trough, −1, at these places.
func (x Span) wave(of func(float64) float64, crest, trough float64) Span {
	if !(x.Most() < far) {
		return Span{-1, 1}
	}
	a, b := of(x.Lo), of(x.Hi)
	s := loose(min(a, b), max(a, b))
	if x.meets(crest, 2*math.Pi) {
		s.Hi = 1
	}
	if x.meets(trough, 2*math.Pi) {
		s.Lo = -1
	}
	return s.Narrow(Span{-1, 1})
}

// Tan is tan x, which may be anything where it has a pole.
func (x Span) Tan() Span {
	if !(x.Most() < far) || x.meets(math.Pi/2, math.Pi) {
		return Whole()
	}
	return loose(portable.Tan(x.Lo), portable.Tan(x.Hi))
}

// Erf is the error function.
func (x Span) Erf() Span {
	return loose(portable.Erf(x.Lo), portable.Erf(x.Hi)).Narrow(Span{-1, 1})
}

// Sin is sin x.
func (j Jets) Sin(dst, x Jet) {
	s := x[0].Sin()
	j.chain(dst, x, s, x[0].Cos(), s.Neg())
}

// Cos is cos x.
func (j Jets) Cos(dst, x Jet) {
	c := x[0].Cos()
	j.chain(dst, x, c, x[0].Sin().Neg(), c.Neg())
}

// Tan is tan x.
func (j Jets) Tan(dst, x Jet) {
	t := x[0].Tan()
	slope := Span{1, 1}.Add(t.Sqr())
	j.chain(dst, x, t, slope, t.Mul(slope).Scale(2))
}

// Erf is the error function.
func (j Jets) Erf(dst, x Jet) {
	slope := x[0].Sqr().Neg().Exp().Mul(Span{1.1283791670955125, 1.1283791670955128}) // 2/√π
	j.chain(dst, x, x[0].Erf(), slope, x[0].Mul(slope).Scale(-2))
}

// Floor is the largest whole number up to x.
func (j Jets) Floor(dst, x Jet) {
	j.steps(dst, x, Span{math.Floor(x[0].Lo), math.Floor(x[0].Hi)}, math.Floor(x[0].Lo) < x[0].Lo)
}

// Round is the whole number nearest to x, of two the one farther from 0.
func (j Jets) Round(dst, x Jet) {
	v := Span{math.Round(x[0].Lo), math.Round(x[0].Hi)}
	j.steps(dst, x, v, math.Abs(v.Lo-x[0].Lo) < 0.5 && math.Abs(v.Hi-x[0].Hi) < 0.5)
}

// steps is a function that jumps from whole number to whole number. Where a box touches a jump its slopes may be anything.
func (j Jets) steps(dst, x Jet, v Span, isInside bool) {
	flat := j.IsConstant(x[:min(len(x), 1+j.Variables)]) // by the gradient alone, so that all orders agree
	if flat || isInside && v.IsPoint() {
		j.Number(dst, v)
		return
	}
	j.Unknown(dst, v)
}

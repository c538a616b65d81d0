package interval

import "math"

// Sqr is x².
func (j Jets) Sqr(dst, x Jet) { j.Power(dst, x, 2) }

// Power is xⁿ for a whole number n.
func (j Jets) Power(dst, x Jet, n int) {
	v, k := x[0], float64(n)
	value := v.Power(n)
	if n < 0 && v.Has(0) {
		j.chain(dst, x, value, Whole(), Whole())
		return
	}
	j.chain(dst, x, value, v.Power(n-1).Scale(k), v.Power(n-2).Scale(k).Scale(k-1)) // 0 times anything is 0
}

// Div is x/y.
func (j Jets) Div(dst, x, y Jet) {
	var r room
	inverse := r.jet(len(y))
	j.Power(inverse, y, -1)
	j.Mul(dst, x, inverse)
}

// Exp is eˣ.
func (j Jets) Exp(dst, x Jet) {
	e := x[0].Exp()
	j.chain(dst, x, e, e, e)
}

// Log is log x.
func (j Jets) Log(dst, x Jet) {
	v := x[0]
	if v.Lo < leastLog {
		j.chain(dst, x, v.Log(), Whole(), Whole())
		return
	}
	i := v.Inv()
	j.chain(dst, x, v.Log(), i, i.Sqr().Neg())
}

// Sqrt is √x.
func (j Jets) Sqrt(dst, x Jet) {
	if x[0].Lo <= 0 {
		j.chain(dst, x, x[0].Sqrt(), Whole(), Whole())
		return
	}
	root := x[0].Sqrt()
	half := root.Inv().Scale(0.5)
	j.chain(dst, x, root, half, half.Mul(x[0].Inv()).Scale(-0.5))
}

// Tanh is tanh x.
func (j Jets) Tanh(dst, x Jet) {
	t := x[0].Tanh()
	slope := Span{1, 1}.Sub(t.Sqr()).Narrow(Span{0, 1})
	j.chain(dst, x, t, slope, t.Mul(slope).Scale(-2))
}

// Sigmoid is 1/(1 + e⁻ˣ).
func (j Jets) Sigmoid(dst, x Jet) {
	s := x[0].Sigmoid()
	apart := s.Sub(Span{0.5, 0.5})
	slope := Span{0.25, 0.25}.Sub(apart.Sqr()).Narrow(Span{0, 0.25})
	j.chain(dst, x, s, slope, slope.Mul(apart).Scale(-2))
}

// Abs is |x|.
func (j Jets) Abs(dst, x Jet) {
	switch v := x[0]; {
	case v.Lo > 0:
		copy(dst, x)
	case v.Hi < 0:
		j.Neg(dst, x)
	default:
		j.chain(dst, x, v.Abs(), Span{-1, 1}, Span{0, math.Inf(1)})
	}
}

// Pow is x^y. A base below 0 has only powers that are whole numbers.
func (j Jets) Pow(dst, x, y Jet) {
	v, c := x[0], y[0].Lo
	switch isNumber := j.IsConstant(y) && y[0].IsPoint(); {
	case isNumber && c == math.Trunc(c) && math.Abs(c) <= math.MaxInt32:
		j.Power(dst, x, int(c))
	case v.Lo > 0 && isNumber:
		j.chain(dst, x, v.Raise(c), v.Raise(c-1).Scale(c), v.Raise(c-2).Scale(c).Scale(c-1))
	case v.Lo > 0:
		exponent, logarithm := make(Jet, len(x)), make(Jet, len(x))
		j.Log(logarithm, x)
		j.Mul(exponent, y, logarithm)
		j.Exp(dst, exponent)
	case isNumber:
		j.chain(dst, x, v.Raise(c), Whole(), Whole())
	case j.IsConstant(x) && j.IsConstant(y):
		j.Number(dst, v.Pow(y[0]))
	default:
		j.Unknown(dst, v.Pow(y[0]))
	}
}

// LogSumExp is log Σ e^xₖ. It writes the softmax of x to weights.
func (j Jets) LogSumExp(dst Jet, weights []Span, x []Jet) {
	j.Number(dst, softmax(weights, x))
	for k, w := range weights {
		for i, v := range x[k][1:] {
			dst[1+i] = dst[1+i].Add(w.Mul(v))
		}
	}
	if j.Order < 2 {
		return
	}
	apart := make(Jet, 1+j.Variables)
	for k := range x { // Σ wₖ(gₖ−ḡ)(gₖ−ḡ)ᵀ is the sum over pairs of wₖwₗ(gₖ−gₗ)(gₖ−gₗ)ᵀ
		for l := range k {
			j.Sub(apart, x[k][:len(apart)], x[l])
			j.bend(dst, weights[k].Mul(weights[l]), apart)
		}
	}
}

// softmax writes e^xₖ by their sum and returns the sum's logarithm. Both rise or fall in every entry, so ends go with ends.
func softmax(weights []Span, x []Jet) Span {
	logarithm := func(end func(k int) float64) Span {
		top := math.Inf(-1)
		for k := range x {
			top = max(top, end(k))
		}
		if top-top != 0 {
			return Whole()
		}
		var sum Span
		for k := range x {
			sum = sum.Add(Point(max(end(k), -math.MaxFloat64)).Sub(Point(top)).Exp())
		}
		return sum.Log().Add(Point(top))
	}
	for k := range weights {
		end := func(own, rest func(Span) float64) Span {
			all := logarithm(func(l int) float64 {
				if l == k {
					return own(x[l][0])
				}
				return rest(x[l][0])
			})
			return Point(own(x[k][0])).Sub(all).Exp()
		}
		lo, hi := func(s Span) float64 { return s.Lo }, func(s Span) float64 { return s.Hi }
		weights[k] = Span{end(lo, hi).Lo, end(hi, lo).Hi}.Narrow(Span{0, 1})
	}
	least := logarithm(func(k int) float64 { return x[k][0].Lo })
	most := logarithm(func(k int) float64 { return x[k][0].Hi })
	return Span{least.Lo, most.Hi}
}

// Softmax is e^xₖ by their sum, entry by entry.
func (j Jets) Softmax(dst, x []Jet) {
	all, apart := make(Jet, j.Size()), make(Jet, j.Size())
	weights := make([]Span, len(x))
	j.LogSumExp(all, weights, x)
	for k := range x {
		j.Sub(apart, x[k], all)
		j.chain(dst[k], apart, weights[k], weights[k], weights[k])
	}
}

// Norm is the Euclidean norm of x.
func (j Jets) Norm(dst Jet, x []Jet) {
	sum, square, next := make(Jet, len(dst)), make(Jet, len(dst)), make(Jet, len(dst))
	for _, v := range x {
		j.Sqr(square, v)
		j.Add(next, sum, square)
		sum, next = next, sum
	}
	j.Sqrt(dst, sum)
	if sum[0].Lo > 0 {
		return
	}
	for i := 1; i < len(dst); i++ { // a unit vector times the derivatives, and a convex kink
		dst[i] = Span{}
		for _, v := range x {
			dst[i] = dst[i].Add(Span{-1, 1}.Mul(v[i]))
		}
	}
	if j.Order < 2 {
		return
	}
	kink := make(Jet, 1+j.Variables)
	for i := 1; i <= j.Variables; i++ {
		if !dst[i].IsZero() {
			kink[i] = Span{-1, 1}
		}
	}
	j.bend(dst, Span{0, math.Inf(1)}, kink)
}

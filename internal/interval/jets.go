package interval

import "math"

// Jet is what is known of a function over a box: a span of its value, one for every entry of its gradient, and one for every
// entry of its Hessian on and below the diagonal, row by row. Jets of order 0 or 1 end earlier.
//
// At a kink the gradient is that of either side, and the second derivative goes up to +∞ where the kink is convex, down to −∞
// where it is concave: what any smooth function has that bends there instead. At a jump derivatives may be anything.
type Jet []Span

// Jets is the arithmetic of jets in some variables up to some order, 0 to 2. Results go to dst, which must not be an argument.
type Jets struct{ Variables, Order int }

// Size is the length of a jet.
func (j Jets) Size() int {
	n := j.Variables
	return [...]int{1, 1 + n, 1 + n + n*(n+1)/2}[j.Order]
}

// Hessian is where entry (i, k) of the second derivative stands, k ≤ i.
func (j Jets) Hessian(i, k int) int { return 1 + j.Variables + i*(i+1)/2 + k }

// Number makes dst a constant.
func (j Jets) Number(dst Jet, v Span) {
	clear(dst)
	dst[0] = v
}

// Variable makes dst variable i, somewhere in v.
func (j Jets) Variable(dst Jet, v Span, i int) {
	j.Number(dst, v)
	if j.Order > 0 {
		dst[1+i] = Span{1, 1}
	}
}

// Unknown makes dst a function of which only the value is known.
func (j Jets) Unknown(dst Jet, v Span) {
	for i := range dst {
		dst[i] = Whole()
	}
	dst[0] = v
}

// IsConstant tells whether x does not depend on the variables.
func (j Jets) IsConstant(x Jet) bool {
	for _, v := range x[1:] {
		if !v.IsZero() {
			return false
		}
	}
	return true
}

// room holds a jet of four variables, which most have no more than.
type room [15]Span

func (r *room) jet(size int) Jet {
	if size <= len(r) {
		return r[:size]
	}
	return make(Jet, size)
}

// Neg is −x.
func (j Jets) Neg(dst, x Jet) {
	for i, v := range x {
		dst[i] = v.Neg()
	}
}

// Add is x + y.
func (j Jets) Add(dst, x, y Jet) {
	for i, v := range x {
		dst[i] = v.Add(y[i])
	}
}

// Sub is x − y.
func (j Jets) Sub(dst, x, y Jet) {
	for i, v := range x {
		dst[i] = v.Sub(y[i])
	}
}

// Scale is c·x.
func (j Jets) Scale(dst Jet, c Span, x Jet) {
	if c == (Span{1, 1}) {
		copy(dst, x)
		return
	}
	for i, v := range x {
		dst[i] = c.Mul(v)
	}
}

// Mul is x·y.
func (j Jets) Mul(dst, x, y Jet) {
	if j.IsConstant(x) {
		j.Scale(dst, x[0], y)
		return
	}
	n := j.Variables
	for i, v := range x {
		dst[i] = v.Mul(y[0]).Add(x[0].Mul(y[i]))
	}
	dst[0] = x[0].Mul(y[0])
	if j.Order < 2 {
		return
	}
	at := 1 + n
	for i := 1; i <= n; i++ {
		for k := 1; k <= i; k++ {
			dst[at] = dst[at].Add(x[i].Mul(y[k]).Add(x[k].Mul(y[i])))
			at++
		}
	}
}

// chain is f(x) for a function with the given value and derivatives.
func (j Jets) chain(dst, x Jet, value, slope, bend Span) {
	for i, v := range x {
		dst[i] = slope.Mul(v)
	}
	dst[0] = value
	if j.Order == 2 {
		j.bend(dst, bend, x)
	}
}

// bend adds c·(∇g)(∇g)ᵀ to the Hessian of dst.
func (j Jets) bend(dst Jet, c Span, g Jet) {
	at := 1 + j.Variables
	for i := 1; i <= j.Variables; i++ {
		for k := 1; k < i; k++ {
			dst[at] = dst[at].Add(c.Mul(g[i].Mul(g[k])))
			at++
		}
		dst[at] = dst[at].Add(c.Mul(g[i].Sqr()))
		at++
	}
}

// Max is the larger of x and y. A box that touches the kink where they are equal has the slopes of both sides: neighbours that each
// saw one would not notice a least value between them.
func (j Jets) Max(dst, x, y Jet) {
	switch {
	case x[0].Lo > y[0].Hi:
		copy(dst, x)
	case y[0].Lo > x[0].Hi:
		copy(dst, y)
	default:
		for i, v := range x {
			dst[i] = v.Hull(y[i])
		}
		dst[0] = x[0].Max(y[0])
		if j.Order == 2 {
			var r room
			apart := r.jet(1 + j.Variables)
			j.Sub(apart, x[:len(apart)], y)
			j.bend(dst, Span{0, math.Inf(1)}, apart)
		}
	}
}

// Min is the smaller of x and y.
func (j Jets) Min(dst, x, y Jet) {
	var r, more room
	a, b := r.jet(len(x)), more.jet(len(y))
	j.Neg(a, x)
	j.Neg(b, y)
	j.Max(dst, a, b)
	j.Neg(dst, dst)
}

// Where is x where the condition is 1, y where it is 0, and either where it is unknown.
func (j Jets) Where(dst, condition, x, y Jet) {
	switch {
	case condition[0].Lo > 0:
		copy(dst, x)
	case condition[0].Hi == 0:
		copy(dst, y)
	case j.IsConstant(condition): // not known, but one of the two everywhere
		for i, v := range x {
			dst[i] = v.Hull(y[i])
		}
	default:
		j.Unknown(dst, x[0].Hull(y[0]))
	}
}

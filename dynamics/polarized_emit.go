package dynamics

import (
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/ptx"
)

// Shares is how many numbers all individuals share in the lists that EmitNext, EmitAlign and EmitPlane write: u, 1/‖u‖, ‖u‖, σ‖u‖², σ‖u‖²/‖u‖ and uᵀu.
func (f Polarized) Shares() int { return f.Dim + 5 }

// Share writes the numbers that all individuals share under u.
func (f Polarized) Share(dst, u []float64) {
	norm := rows.Norm(u)
	_, s, _ := f.force(norm)
	copy(dst, u)
	dst[f.Dim], dst[f.Dim+1], dst[f.Dim+2] = 1/norm, norm, s
	dst[f.Dim+3], dst[f.Dim+4] = s/norm, rows.Dot(u, u)
}

// Aligns tells whether EmitAlign says what AlignRows does under u, which it does but for what the decision alone makes extraordinary.
func (f Polarized) Aligns(u []float64) bool { return f.Check() == nil && f.AlignsUnder(u) }

// EmitNext writes the list of f(p, u, d). Where ‖p̃‖² over- or underflows it is flagged.
func (f Polarized) EmitNext(c *ptx.OpList) { f.emitStep(c) }

// EmitNext writes the list of (p⁺, ‖p̃‖). What Next divides by a norm that has no inverse is flagged too.
func (f PolarizedNorm) EmitNext(c *ptx.OpList) {
	norm := f.emitStep(c)
	c.Flag(c.Not(c.Within(c.Mul(norm, norm), 1e-280, 1e280)))
	c.Next(f.Dim, norm)
}

// emitStep writes the list of p⁺ and returns ‖p̃‖.
func (f Polarized) emitStep(c *ptx.OpList) (norm ptx.Scalar) {
	p, d, u := emitted(f.Dim, c.State), emitted(f.Dim, c.Trait), emitted(f.Dim, c.Shared)
	stay, home := c.Const(f.Lambda), c.Const(1-f.Lambda)
	along := c.Mul(c.Const(f.Sigma), c.Dot(p, u))
	x := emitted(f.Dim, func(j int) ptx.Scalar {
		return c.Add(c.Add(c.Mul(stay, p[j]), c.Mul(home, d[j])), c.Mul(along, u[j]))
	})
	square := c.Dot(x, x)
	c.Flag(c.Not(c.Within(square, 1e-280, 1e280)))
	norm = c.Sqrt(square)
	by := c.Div(c.Const(1), norm)
	for j := range x {
		c.Next(j, c.Mul(x[j], by))
	}
	return norm
}

// EmitAlign writes the list of hᵀu for the steady state h = h(u, d), as AlignRows has it. What it would work out one by one is flagged.
func (f Polarized) EmitAlign(c *ptx.OpList) ptx.Scalar {
	x, _, _ := f.emitCosine(c, offSphere)
	return c.Mul(x, c.Shared(f.Dim+1))
}

// emitCosine writes the list of the cosine that one settles at, of the one that one has, and of how far ‖d‖² is from 1. What is farther is flagged, and who is indifferent.
func (f Polarized) emitCosine(c *ptx.OpList, farthest float64) (settled, cosine, off ptx.Scalar) {
	d, u := emitted(f.Dim, c.Trait), emitted(f.Dim, c.Shared)
	cosine = c.Mul(c.Dot(d, u), c.Shared(f.Dim))
	off = c.Abs(c.Sub(c.Dot(d, d), c.Const(1)))
	size := c.Abs(cosine)
	c.Flag(c.Not(c.And(c.AtMost(off, c.Const(farthest)), c.AtMost(c.Const(1e-100), size))))
	e := secularList{OpList: c, s: c.Shared(f.Dim + 2)}
	return e.settle(cosine, size, 1-f.Lambda), cosine, off
}

// EmitPlane writes the list of where one settles in the plane of u and d, as SettlePlanes has it. What that gives up on is flagged.
func (f Polarized) EmitPlane(c *ptx.OpList) ptx.PlaneSpot {
	x, cosine, off := f.emitCosine(c, offPlane)
	k := c.Const(1 - f.Lambda)
	inverse := c.Div(c.Const(1), c.Add(c.Div(c.Mul(k, cosine), x), c.Shared(f.Dim+2)))
	return ptx.PlaneSpot{
		PU: c.Mul(x, c.Shared(f.Dim+1)), Along: c.Mul(c.Mul(x, c.Shared(f.Dim+3)), inverse), Across: c.Mul(k, inverse), Off: off,
	}
}

// EmitSquare writes uᵀu.
func (f Polarized) EmitSquare(c *ptx.OpList) ptx.Scalar { return c.Shared(f.Dim + 4) }

// secularList writes the root of the secular equation as rows.SettleCosines finds it.
type secularList struct {
	*ptx.OpList
	a, b, s ptx.Scalar
}

// settle is the cosine that one settles at: a guess in single precision and up to two steps of Halley's method or, where these do not do, Newton's.
func (e *secularList) settle(cosine, size ptx.Scalar, k float64) ptx.Scalar {
	one, by := e.Const(1), e.Const(k)
	e.a = e.Mul(by, size)
	e.b = e.Mul(by, e.Sqrt(e.Max(e.Const(0), e.Mul(e.Sub(one, size), e.Add(one, size)))))
	root, ok := e.leap(e.guess())
	root, ok = e.Keep(root), e.Keep(ok)
	e.If(e.Not(ok))
	again, found := e.leap(root)
	e.Set(root, again)
	e.Set(ok, found)
	e.End()
	e.If(e.Not(ok))
	e.newton(root, ok)
	e.End()
	e.Flag(e.Not(ok))
	return e.CopySign(e.Div(e.a, root), cosine)
}

func (e *secularList) leap(from ptx.Scalar) (root, ok ptx.Scalar) {
	move := e.halley(from, e.s, e.b, e.Mul(e.a, e.a), e.Mul(e.b, e.b))
	root = e.Add(from, move)
	return root, e.AtMost(e.Abs(move), e.Mul(e.Const(0x1p-19), root))
}

// guess starts at a bound from below and takes three steps of Halley's method in single precision.
func (e *secularList) guess() ptx.Scalar {
	a, b, s := e.Single(e.a), e.Single(e.b), e.Single(e.s)
	greater := func(x, y ptx.Scalar) ptx.Scalar { return e.Select(e.Less(y, x), x, y) }
	r := greater(e.Sub(b, s), e.Single(e.Const(0)))
	aa, bb := e.Mul(a, a), e.Mul(b, b)
	root := greater(e.Sqrt(e.Add(aa, e.Mul(r, r))), a)
	for range 3 {
		root = e.Add(root, e.halley(root, s, b, aa, bb))
	}
	return e.Double(root)
}

// halley is the step of Halley's method, in the precision of its arguments.
func (e *secularList) halley(x, s, b, aa, bb ptx.Scalar) ptx.Scalar {
	t := e.Add(x, s)
	xx, tt := e.Mul(x, x), e.Mul(t, t)
	p, q := e.Mul(bb, xx), e.Mul(aa, tt)
	k := e.Add(e.Mul(p, xx), e.Mul(q, tt))
	v := e.Add(e.Mul(xx, e.Mul(e.Sub(e.Sub(b, s), x), e.Add(b, t))), q)
	m := e.Add(e.Mul(p, x), e.Mul(q, t))
	twice := e.Add(m, m)
	top := e.Mul(e.Mul(twice, v), e.Mul(x, t))
	return e.Div(top, e.Sub(e.Mul(twice, twice), e.Mul(k, e.Add(v, e.Add(v, v)))))
}

// newton is Newton's method on 1/√ψ − 1, at most a hundred steps.
func (e *secularList) newton(root, ok ptx.Scalar) {
	one := e.Const(1)
	x := e.Max(e.a, e.hypotenuse(e.Sub(e.b, e.s)))
	e.Set(root, e.Max(x, e.hypotenuse(e.Mul(e.b, e.Div(x, e.Add(x, e.s))))))
	left := e.Keep(e.Const(100))
	e.Loop()
	over, slope := e.overshoot(root)
	past := e.Add(one, over)
	move := e.Div(e.Mul(past, over), e.Mul(slope, e.Add(e.Sqrt(past), one)))
	e.Set(root, e.Add(root, move))
	e.Set(ok, e.Not(e.Less(e.Mul(e.Const(1e-8), root), move)))
	e.Set(left, e.Sub(left, one))
	e.Again(e.And(e.Not(ok), e.Less(e.Const(0), left)))
}

// overshoot returns ψ−1 and −ψ′/2.
func (e *secularList) overshoot(x ptx.Scalar) (over, slope ptx.Scalar) {
	t := e.Add(x, e.s)
	inverse := e.Div(e.Const(1), e.Mul(x, t))
	i1, i2 := e.Mul(x, inverse), e.Mul(t, inverse)
	p, q := e.Mul(e.b, i1), e.Mul(e.a, i2)
	q = e.Mul(q, q)
	over = e.Add(e.Mul(e.Mul(e.Sub(e.Sub(e.b, e.s), x), i1), e.Add(p, e.Const(1))), q)
	return over, e.Add(e.Mul(e.Mul(p, p), i1), e.Mul(q, i2))
}

// hypotenuse is √(a² + max(r, 0)²).
func (e *secularList) hypotenuse(r ptx.Scalar) ptx.Scalar {
	r = e.Max(e.Const(0), r)
	return e.Sqrt(e.Add(e.Mul(e.a, e.a), e.Mul(r, r)))
}

package dynamics

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/ptx"
)

// Shares is how many numbers all individuals share in the list that EmitNext writes: λ₂z.
func (f Choice) Shares() int { return f.Dim }

// Share writes the numbers that all individuals share under u.
func (f Choice) Share(dst, u []float64) {
	f.Probabilities(dst, u)
	rows.Scale(dst, f.Lambda2)
}

// EmitNext writes the list of f(p, u, d).
func (f Choice) EmitNext(c *ptx.OpList) {
	stay, home := c.Const(f.Lambda1), c.Const(f.habit())
	for j := range f.Dim {
		c.Next(j, c.Add(c.Add(c.Mul(stay, c.State(j)), c.Shared(j)), c.Mul(home, c.Trait(j))))
	}
}

// Shares is how many numbers all individuals share in the list that EmitNext writes: Bu.
func (f *Affine) Shares() int { return f.dims.State }

// Share writes the numbers that all individuals share under u.
func (f *Affine) Share(dst, u []float64) { f.push(dst, u) }

// EmitNext writes the list of f(p, u, d).
func (f *Affine) EmitNext(c *ptx.OpList) {
	p, d := emitted(f.dims.State, c.State), emitted(f.dims.Trait, c.Trait)
	row := func(of []float64, i, n int) []ptx.Scalar {
		return emitted(n, func(j int) ptx.Scalar { return c.Const(kedge.Row(of, i, n)[j]) })
	}
	for i := range p {
		moved := c.Add(c.Shared(i), c.Dot(p, row(f.a, i, len(p))))
		c.Next(i, c.Add(moved, c.Dot(d, row(f.e, i, len(d)))))
	}
}

// emitted are n values of a list.
func emitted(n int, of func(j int) ptx.Scalar) []ptx.Scalar {
	list := make([]ptx.Scalar, n)
	for j := range list {
		list[j] = of(j)
	}
	return list
}

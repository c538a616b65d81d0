package formula

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Inequality is c(u) ≤ 0 for a convex function of the decision with two derivatives. It is safe for concurrent use.
type Inequality struct {
	n                  int
	value, slope, bend func() *program
	axes               []float64 // the unit matrix
}

// newCurve makes a function of a value that depends on the decision alone.
//
// In a graph of its own the decision stands where an individual's state does, so that rows are decisions: a row for every axis gives the Hessian at once.
func newCurve(n int, of func(g *graph, u *node) *node) (*Inequality, bool) {
	g := newGraph()
	u := g.input(opState, vector(n))
	root := of(g, u)
	first := g.gradients(root, g.number(1), onState)[opState]
	c := &Inequality{n: n, axes: make([]float64, n*n)}
	for i := range n {
		c.axes[i*n+i] = 1
	}
	c.value = planned(output{toValue, g.apply(opRowSum, scalar(), [4]int{}, root), 0})
	c.slope = planned(output{toGP, first, 0})
	if first != nil && first.deps&onState != 0 {
		along := g.apply(opDot, scalar(), [4]int{}, first, g.input(opCotangent, vector(n)))
		second := g.gradients(along, g.number(1), onState)[opState]
		c.bend = planned(output{toGP, second, 0})
	}
	return c, !g.full
}

// Expand returns the value at u and writes the gradient to g and the Hessian to h, n×n and row-major, unless they are nil.
func (c *Inequality) Expand(g, h, u []float64) float64 {
	mustBe("u", u, c.n)
	if g != nil {
		clear(g)
		c.slope().run(1, frame{p: u, gp: g})
	}
	if h != nil {
		clear(h)
		if c.bend != nil {
			c.bend().run(c.n, frame{p: slices.Repeat(u, c.n), v: c.axes, gp: h})
		}
	}
	return c.value().run(1, frame{p: u})
}

// within copies a value into another graph, in which the decision, flat, is u.
func within(g *graph, n, u *node) *node {
	known := map[*node]*node{}
	for _, old := range reachable([]*node{n}) {
		switch {
		case old.isConst():
			known[old] = g.literal(old.shape, old.data)
		case old.op == opDecision && old.shape == u.shape:
			known[old] = u
		case old.op == opDecision:
			known[old] = g.apply(opSlice, old.shape, [4]int{0, old.shape.cols}, u)
		default:
			args := several(len(old.args), func(i int) *node { return known[old.args[i]] })
			known[old] = g.apply(old.op, old.shape, old.attrs, args...)
		}
	}
	return known[n]
}

// excess is ‖u − Center‖² − Radius².
func (b Ball) excess(g *graph, u *node) *node {
	if b.Center != nil {
		u = g.apply(opSub, u.shape, [4]int{}, u, g.literal(u.shape, b.Center))
	}
	square := g.apply(opDot, scalar(), [4]int{}, u, u)
	return g.apply(opSub, scalar(), [4]int{}, square, g.number(b.Radius*b.Radius))
}

// quadratic is the curvature of a quadratic form, by the signs of the eigenvalues of its Hessian, which may miss 0 by rounding.
func quadratic(n *node) curvature {
	if !n.shape.single() || n.deps != onDecision || n.degU > 2 {
		return curvature{}
	}
	decisions := 0
	for _, part := range reachable([]*node{n}) {
		if part.op == opDecision {
			decisions = part.shape.size()
		}
	}
	c, ok := newCurve(decisions, func(g *graph, u *node) *node { return within(g, n, u) })
	if !ok || decisions > mostQuadratic {
		return curvature{}
	}
	h := make([]float64, decisions*decisions)
	c.Expand(nil, h, make([]float64, decisions))
	return curvature{isConvex: isDefinite(h, decisions, 1), isConcave: isDefinite(h, decisions, -1)}
}

const mostQuadratic = 512 // entries of a decision of which quadratic forms are judged

// isDefinite tells whether no eigenvalue of sign·h is below 0, but for rounding.
func isDefinite(h []float64, n int, sign float64) bool {
	most := rows.MaxAbs(h)
	shifted := slices.Clone(h)
	rows.Scale(shifted, sign)
	for i := range n {
		shifted[i*n+i] += float64(1e-12 * most)
	}
	at, _ := dense.Cholesky(shifted, n, 0)
	return at == n || most == 0
}

package formula

import (
	"math"
	"slices"
	"strconv"
)

// Constraint is a closed convex set that decisions must lie in: a Ball, L1Ball, Box, HalfSpace, Affine, Simplex, CappedSimplex or Convex.
// Package set projects on the sets of the same names.
type Constraint interface{ isConstraint() }

// Ball is {u : ‖u − Center‖ ≤ Radius}; a nil Center is the origin.
type Ball struct {
	Center []float64
	Radius float64
}

// L1Ball is {u : Σ|u − Center| ≤ Radius}; a nil Center is the origin.
type L1Ball struct {
	Center []float64
	Radius float64
}

// Box is {u : Lower ≤ u ≤ Upper}, entry by entry; where there is no bound it is infinite.
type Box struct{ Lower, Upper []float64 }

// HalfSpace is {u : Normalᵀu ≤ Bound}.
type HalfSpace struct {
	Normal []float64
	Bound  float64
}

// Affine is {u : Au = B}, with A row-major.
type Affine struct{ A, B []float64 }

// Simplex is {u ≥ 0 : Σ uᵢ = Sum}.
type Simplex struct{ Sum float64 }

// CappedSimplex is {0 ≤ u ≤ Upper : Σ uᵢ = Sum}.
type CappedSimplex struct{ Sum, Upper float64 }

// Convex is {u : c(u) ≤ 0 for all Curves, Lower ≤ u ≤ Upper} with equations that hold as well: all constraints of a model where at least one of them is curved in a way that
// has no set of its own.
type Convex struct {
	Lower, Upper []float64
	Curves       []*Inequality
	Equal        *Affine // nil: none
}

func (Ball) isConstraint()          {}
func (L1Ball) isConstraint()        {}
func (Box) isConstraint()           {}
func (HalfSpace) isConstraint()     {}
func (Affine) isConstraint()        {}
func (Simplex) isConstraint()       {}
func (CappedSimplex) isConstraint() {}
func (Convex) isConstraint()        {}

// fence collects constraints.
type fence struct {
	*builder
	*forms
	lower, upper []float64
	balls        []Constraint
	planes       []HalfSpace // inequalities
	equal        []HalfSpace // equations
	bent         []bent      // other inequalities
	corners      []bent      // those of the L1 balls
	entries      int         // of all normals
}

// constrain turns the subject-to formulas into sets.
func (c *compiler) constrain(all []string) []Constraint {
	if len(all) == 0 || c.decision == nil {
		return nil
	}
	if len(all) > maxFormulas {
		c.fail(text{field: "model.subject to"}, "%d constraints, at most %d are allowed", len(all), maxFormulas)
		return nil
	}
	f := &fence{forms: newForms(c.dims.Decision)}
	f.lower = slices.Repeat([]float64{math.Inf(-1)}, c.dims.Decision)
	f.upper = slices.Repeat([]float64{math.Inf(1)}, c.dims.Decision)
	for i, body := range all {
		t := text{"model.subject to", body}
		if len(all) > 1 {
			t.field += "[" + strconv.Itoa(i) + "]"
		}
		if e := c.tree(t); e != nil {
			f.builder = c.builder(t)
			f.constraint(e)
		}
	}
	return f.sets()
}

// constraint takes the comparisons of one formula.
func (f *fence) constraint(e *expr) {
	if e.kind != compareExpr {
		f.fail(e, "%s is no comparison, want one such as norm(q) <= 1", f.excerpt(e))
		return
	}
	args, ok := f.values(e.args)
	for i := 0; ok && i < len(e.ops); i++ {
		link := &expr{kind: compareExpr, pos: e.args[i].pos, end: e.args[i+1].end, args: e.args[i : i+2]}
		f.link(link, e.ops[i], args[i], args[i+1])
	}
}

func (f *fence) link(e *expr, sign string, x, y *node) {
	if !x.shape.suits(y.shape) { // told in the order in which it is written
		f.mismatch(e, x, y)
		return
	}
	switch sign {
	case ">=":
		f.atMost(e, y, x)
	case "<=":
		f.atMost(e, x, y)
	case "==":
		f.equals(e, x, y)
	default:
		f.fail(e, "%s: feasible sets are closed; want <=, >= or ==, not %s", f.excerpt(e), sign)
	}
}

// difference returns x − y as affine forms; ok is false when it is none and nothing was reported.
func (f *fence) difference(e *expr, x, y *node) (d []affineForm, ok bool) {
	n := f.pair(e, opSub, x, y)
	switch {
	case n == nil:
		return nil, true
	case n.deps&^onDecision != 0:
		f.fail(e, "%s: a constraint can depend on the decision alone", f.excerpt(e))
		return nil, true
	case n.deps == 0:
		f.fail(e, "%s does not depend on the decision", f.excerpt(e))
		return nil, true
	case n.degU > 1:
		return nil, false
	}
	if d = f.of(n); d == nil {
		f.fail(e, "%s has more than %d coefficients", f.excerpt(e), maxForms)
	}
	return d, true
}

func (f *fence) equals(e *expr, x, y *node) {
	d, ok := f.difference(e, x, y)
	if !ok {
		f.fail(e, "%s: not convex; an equality must be linear in the decision", f.excerpt(e))
		return
	}
	for _, form := range d {
		if f.isPlane(e, form, form.rest == 0) {
			f.equal = append(f.equal, f.plane(e, form))
		}
	}
}

// isPlane tells whether a form depends on the decision; for one that does not it reports unless it holds.
func (f *fence) isPlane(e *expr, form affineForm, holds bool) bool {
	if len(form.terms) == 0 && !holds {
		f.fail(e, "%s: no decision satisfies it", f.excerpt(e))
	}
	return len(form.terms) > 0
}

// plane writes a form as normal and bound.
func (f *fence) plane(e *expr, form affineForm) HalfSpace {
	if f.entries += len(f.lower); f.entries > maxEntries {
		if f.entries-len(f.lower) <= maxEntries {
			f.fail(e, "the constraints have more than %d coefficients", maxEntries)
		}
		return HalfSpace{}
	}
	p := HalfSpace{Normal: make([]float64, len(f.lower)), Bound: -form.rest}
	for _, t := range form.terms {
		p.Normal[t.at] = t.c
	}
	return p
}

// atMost demands x ≤ y. Forms of one entry are bounds.
func (f *fence) atMost(e *expr, x, y *node) {
	d, ok := f.difference(e, x, y)
	if !ok {
		f.curved(e, x, y)
		return
	}
	for _, form := range d {
		switch {
		case !f.isPlane(e, form, form.rest <= 0):
		case len(form.terms) > 1:
			f.planes = append(f.planes, f.plane(e, form))
		default:
			f.bound(e, form.terms[0], form.rest)
		}
	}
}

// bound takes c·uₖ + rest ≤ 0.
func (f *fence) bound(e *expr, t coefficient, rest float64) {
	v := -rest / t.c
	switch {
	case math.IsInf(v, 0):
		f.fail(e, "%s: the bound %v is not finite", f.excerpt(e), v)
	case t.c > 0:
		f.upper[t.at] = min(f.upper[t.at], v)
	default:
		f.lower[t.at] = max(f.lower[t.at], v)
	}
}

// curved takes the inequalities x ≤ y that are not linear but known.
func (f *fence) curved(e *expr, x, y *node) {
	bound, isNumber := y.number()
	switch {
	case isNumber && x.op == opNorm && x.args[0].degU <= 1:
		f.ball(e, x.args[0], bound)
	case isNumber && square(x) != nil:
		f.ball(e, square(x), math.Sqrt(bound))
	case isNumber && absolutes(x) != nil && !(bound >= 0):
		f.fail(e, "%s: no decision satisfies it", f.excerpt(e))
	case isNumber && absolutes(x) != nil:
		if b, ok := f.around(absolutes(x), bound); ok {
			f.balls = append(f.balls, L1Ball(b))
			f.corners = append(f.corners, bent{builder: f.builder, at: e, d: f.pair(e, opSub, x, y), x: x, y: y})
		} else {
			f.bend(e, x, y)
		}
	case x.op == opAbs && y.degU <= 1:
		f.atMost(e, x.args[0], y)
		f.atMost(e, f.emit(e, opNeg, x.shape, x.args[0]), y)
	case x.op == opLargest && y.degU <= 1:
		f.atMost(e, x.args[0], y)
	case y.op == opSmallest && x.degU <= 1:
		f.atMost(e, x, y.args[0])
	case x.degU == 0 && y.degU > 1 && (y.op == opNorm || square(y) != nil || y.op == opAbs || y.op == opLargest):
		f.fail(e, "%s: not convex; %s", f.excerpt(e), gaps)
	default:
		f.bend(e, x, y)
	}
}

// bend takes any other inequality x ≤ y, to see whether it is convex.
func (f *fence) bend(e *expr, x, y *node) {
	if d := f.pair(e, opSub, x, y); d != nil {
		f.bent = append(f.bent, bent{builder: f.builder, at: e, d: d, x: x, y: y})
	}
}

// square returns the affine x of a value that is ‖x‖², written as dot(x, x), norm(x)^2 or sum(x^2), else nil.
func square(n *node) *node {
	x := n.args[0]
	isPower := n.op == opPower && x.op == opNorm || n.op == opSum && x.op == opPower
	switch {
	case n.op == opDot && x == n.args[1] && x.degU <= 1:
		return x
	case isPower && n.attrs[0]+x.attrs[0] == 2 && x.args[0].degU <= 1:
		return x.args[0]
	}
	return nil
}

// absolutes returns the affine x of a value that is Σ|x|, else nil.
func absolutes(n *node) *node {
	if x := n.args[0]; n.op == opSum && x.op == opAbs && x.args[0].degU <= 1 {
		return x.args[0]
	}
	return nil
}

// ball takes ‖x‖ ≤ radius.
func (f *fence) ball(e *expr, x *node, radius float64) {
	if !(radius >= 0) {
		f.fail(e, "%s: no decision satisfies it", f.excerpt(e))
	} else if b, ok := f.around(x, radius); ok {
		f.balls = append(f.balls, b)
	} else {
		f.bend(e, f.emit(e, opDot, scalar(), x, x), f.number(radius*radius)) // which has no kink
	}
}

// around is the ball of a norm of x, where x is the whole decision but for order, sign, a shift and a scale.
func (f *fence) around(x *node, radius float64) (b Ball, ok bool) {
	d := f.of(x)
	center, scale := make([]float64, len(f.lower)), 0.0
	seen := make([]bool, len(center))
	for _, form := range d {
		if len(form.terms) != 1 || seen[form.terms[0].at] || scale != 0 && scale != math.Abs(form.terms[0].c) {
			d = nil
			break
		}
		t := form.terms[0]
		seen[t.at], scale, center[t.at] = true, math.Abs(t.c), 0-form.rest/t.c
	}
	if len(d) != len(center) {
		return b, false
	}
	b = Ball{Center: center, Radius: radius / scale}
	if !slices.ContainsFunc(center, func(c float64) bool { return c != 0 }) {
		b.Center = nil
	}
	return b, true
}

// sets sorts what was collected into sets.
func (f *fence) sets() []Constraint {
	if f.entries > maxEntries {
		return nil
	}
	for i, lo := range f.lower {
		if lo > f.upper[i] {
			f.found.add(f.fault(0, "no decision is feasible: entry %d must be at least %v and at most %v", i, lo, f.upper[i]))
			return nil
		}
	}
	if len(f.bent) > 0 {
		return f.convex()
	}
	out := f.balls
	if s := f.simplex(); s != nil {
		out = append(out, s)
	} else {
		out = append(out, f.linearSets()...)
	}
	for _, p := range f.planes {
		out = append(out, p)
	}
	return out
}

// convex makes one set of everything that was collected, nil where a mistake was reported.
func (f *fence) convex() []Constraint {
	out := Convex{Lower: f.lower, Upper: f.upper, Equal: f.equations()}
	add := func(b *bent, of func(g *graph, u *node) *node) {
		c, ok := newCurve(len(f.lower), of)
		if !ok && b != nil {
			b.fail(b.at, "%s: the derivatives take more operations than a model may have", b.excerpt(b.at))
		}
		out.Curves = append(out.Curves, c)
	}
	before := len(*f.found)
	for _, b := range slices.Concat(f.bent, f.corners) {
		for _, piece := range b.pieces(f.lower, f.upper) {
			add(&b, func(g *graph, u *node) *node { return within(g, piece, u) })
		}
	}
	for _, b := range f.balls {
		if round, ok := b.(Ball); ok {
			add(nil, round.excess)
		}
	}
	for _, p := range f.planes {
		add(nil, func(g *graph, u *node) *node {
			along := g.apply(opDot, scalar(), [4]int{}, g.literal(u.shape, p.Normal), u)
			return g.apply(opSub, scalar(), [4]int{}, along, g.number(p.Bound))
		})
	}
	if len(*f.found) > before {
		return nil
	}
	return []Constraint{out}
}

// linearSets are the bounds and the equations.
func (f *fence) linearSets() (out []Constraint) {
	if slices.Max(f.lower) > math.Inf(-1) || slices.Min(f.upper) < math.Inf(1) {
		out = append(out, Box{f.lower, f.upper})
	}
	if a := f.equations(); a != nil {
		out = append(out, *a)
	}
	return out
}

// equations are those that were collected, nil without any.
func (f *fence) equations() *Affine {
	if len(f.equal) == 0 {
		return nil
	}
	a := &Affine{}
	for _, p := range f.equal {
		a.A, a.B = append(a.A, p.Normal...), append(a.B, p.Bound)
	}
	return a
}

// simplex recognises {0 ≤ u ≤ c : Σu = s} in bounds and one equation, nil if it is none.
func (f *fence) simplex() Constraint {
	if len(f.equal) != 1 || !uniform(f.lower) || !uniform(f.upper) || f.lower[0] != 0 || !uniform(f.equal[0].Normal) {
		return nil
	}
	sum := f.equal[0].Bound / f.equal[0].Normal[0]
	switch top := f.upper[0]; {
	case sum < 0 || sum > top*float64(len(f.upper)):
		f.found.add(f.fault(0, "no decision is feasible: entries between 0 and %v do not add up to %v", top, sum))
		return nil
	case math.IsInf(top, 1):
		return Simplex{sum}
	default:
		return CappedSimplex{sum, top}
	}
}

func uniform(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}

package formula

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/interval"
)

// bent is an inequality that is left until all bounds are known, between which it must be convex.
type bent struct {
	*builder
	at   *expr
	d    *node // that must be at most 0, entry by entry
	x, y *node // whose difference it is
}

// bends finds out how values bend between bounds on the decision.
func bends(lower, upper []float64, roots ...*node) *curver {
	e := newEncloser(interval.Jets{}, roots...)
	box := make([]interval.Span, len(lower))
	for i := range box {
		box[i] = interval.Span{Lo: lower[i], Hi: upper[i]}
	}
	e.runAll(box, nil)
	return &curver{ranges: e, known: map[*node]curvature{}, forms: true}
}

// pieces returns the smooth convex functions that must be at most 0; none where a mistake was reported.
func (b *bent) pieces(lower, upper []float64) (all []*node) {
	if !bends(lower, upper, b.d).of(b.d).isConvex {
		b.fail(b.at, "%s", b.notConvex(lower, upper))
		return nil
	}
	for i := range b.d.shape.size() {
		some := b.peaks(b.entry(b.d, i), 1)
		if some == nil {
			b.fail(b.at, "%s: it is the largest of more than %d smooth functions; want fewer abs, min and max, or bounds on them one by one", b.excerpt(b.at), mostPieces)
			return nil
		}
		all = append(all, some...)
	}
	for _, piece := range all {
		if hasKink(piece) || !bends(lower, upper, piece).of(piece).isConvex {
			b.fail(b.at, "%s: slopes jump inside of another function; want abs, min and max outside of powers, norms and the like, or several inequalities without them", b.excerpt(b.at))
			return nil
		}
	}
	return all
}

// gaps is what is wrong with a set that is not convex.
const gaps = "decisions between two feasible ones might not be feasible"

// notConvex says what is not convex.
func (b *bent) notConvex(lower, upper []float64) string {
	what := b.excerpt(b.at)
	if bends(lower, upper, b.d).of(b.d).isConcave {
		return what + ": not convex; " + gaps
	}
	part, bend := b.culprit(b.at, lower, upper)
	if bend.isConcave || bend.isConvex {
		side, want := "convex", "smaller"
		if bend.isConcave {
			side, want = "concave", "larger"
		}
		return what + ": not shown to be convex: " + b.excerpt(part) + " is " + side + ", and may stand on the " + want + " side alone; " + gaps
	}
	return what + ": not shown to be convex: " + b.excerpt(part) + " may bend both ways; want sums of squares, norms, exp, logsumexp, max and other convex parts, a quadratic form in parentheses of its own, or bounds on the decision between which it bends one way (0 <= q, q >= 0.1)"
}

// culprit returns the smallest part of an expression that is not known to bend one way, or the part of a comparison that bends the wrong way.
func (b *bent) culprit(e *expr, lower, upper []float64) (*expr, curvature) {
	quiet := *b.builder
	quiet.found = &mistakes{}
	var worst *expr
	var bend curvature
	for _, a := range e.args {
		n := quiet.value(a)
		if n == nil || n.deps != onDecision {
			continue
		}
		switch c := bends(lower, upper, n).of(n); {
		case !c.isConvex && !c.isConcave:
			return b.culprit(a, lower, upper)
		case e.kind == compareExpr && (n == b.x || n == b.y && !c.isConcave): // the right side comes last
			worst, bend = a, c
		}
	}
	if worst != nil {
		return worst, bend
	}
	return e, curvature{}
}

// hasKink tells whether slopes of a value jump somewhere. That a norm has a kink, at one point alone, does not count.
func hasKink(n *node) bool {
	seen := map[*node]bool{}
	var look func(n *node) bool
	look = func(n *node) bool {
		if seen[n] || n.deps&onDecision == 0 {
			return false
		}
		seen[n] = true
		args := n.args
		switch n.op {
		case opAbs, opMax, opMin, opLargest, opSmallest:
			return true
		case opLogSumExp: // its largest entry is there for the sake of rounding
			args = args[:1]
		}
		return slices.ContainsFunc(args, look)
	}
	return look(n)
}

const mostPieces = 64 // of one inequality

// peaks returns values of which the largest is by·n, a scalar; nil where they would be too many. They have no kinks where all kinks of n are at places that it
// rises or falls with whatever they are: in sums, multiples and exp.
func (b *bent) peaks(n *node, by float64) []*node {
	if !hasKink(n) || by == 0 {
		return []*node{b.times(n, by)}
	}
	x, y := n.args[0], n.args[len(n.args)-1]
	switch n.op {
	case opAbs:
		if by > 0 {
			return b.union(b.peaks(x, by), b.peaks(x, -by))
		}
	case opMax, opMin:
		if (n.op == opMax) == (by > 0) {
			return b.union(b.peaks(x, by), b.peaks(y, by))
		}
	case opLargest, opSmallest:
		if (n.op == opLargest) == (by > 0) {
			return b.join(x, by, b.union)
		}
	case opExp:
		if by > 0 {
			inner := b.peaks(x, 1)
			for i, one := range inner {
				inner[i] = b.times(b.apply(opExp, scalar(), [4]int{}, one), by)
			}
			return inner
		}
	case opNeg:
		return b.peaks(x, -by)
	case opAdd:
		return b.crossed(b.peaks(x, by), b.peaks(y, by))
	case opSub:
		return b.crossed(b.peaks(x, by), b.peaks(y, -by))
	case opSum:
		return b.join(x, by, b.crossed)
	case opDot:
		return b.join(b.apply(opMul, x.shape, [4]int{}, x, y), by, b.crossed)
	case opMul, opDiv:
		if v, ok := y.number(); ok && n.op == opDiv {
			return b.peaks(x, by/v)
		} else if ok {
			return b.peaks(x, by*v)
		}
		if v, ok := x.number(); ok && n.op == opMul {
			return b.peaks(y, by*v)
		}
	}
	return []*node{b.times(n, by)}
}

func (b *bent) times(n *node, by float64) *node {
	if by == 1 {
		return n
	}
	return b.apply(opMul, n.shape, [4]int{}, b.number(by), n)
}

// join puts the peaks of all entries of a value together.
func (b *bent) join(x *node, by float64, with func(x, y []*node) []*node) (all []*node) {
	for i := range x.shape.size() {
		some := b.peaks(b.entry(x, i), by)
		if i > 0 {
			some = with(all, some)
		}
		if all = some; all == nil {
			return nil
		}
	}
	return all
}

// union is the peaks of the larger of two values.
func (b *bent) union(x, y []*node) []*node {
	if x == nil || y == nil || len(x)+len(y) > mostPieces {
		return nil
	}
	return append(x, y...)
}

// crossed is the peaks of a sum.
func (b *bent) crossed(x, y []*node) (all []*node) {
	if len(x)*len(y) > mostPieces {
		return nil
	}
	for _, one := range x {
		for _, other := range y {
			all = append(all, b.apply(opAdd, scalar(), [4]int{}, one, other))
		}
	}
	return all
}

// entry returns an entry of a value by itself.
func (b *bent) entry(n *node, i int) *node {
	switch {
	case n.shape.single():
		return n
	case n.isConst():
		return b.number(n.data[i])
	case n.op == opSpread || n.op == opConcat:
		arg, entry := n.origin(i)
		return b.entry(n.args[arg], entry)
	case n.op >= opAdd && n.op <= opPower: // entry by entry
		args := several(len(n.args), func(k int) *node { return b.entry(n.args[k], i) })
		return b.apply(n.op, scalar(), n.attrs, args...)
	}
	return b.apply(opSlice, scalar(), [4]int{i, 1}, n)
}

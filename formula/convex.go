package formula

import (
	"math"

	"github.com/kedge-opt/kedge/internal/interval"
)

// curvature is how a value bends as a function of the decision, every entry of it.
type curvature struct{ isConstant, isConvex, isConcave bool }

var (
	isConstant = curvature{true, true, true}
	isAffine   = curvature{false, true, true}
)

func (c curvature) affine() bool { return c.isConvex && c.isConcave }

func (c curvature) flip() curvature { return curvature{c.isConstant, c.isConcave, c.isConvex} }

// and is what holds for both.
func (c curvature) and(d curvature) curvature {
	return curvature{c.isConstant && d.isConstant, c.isConvex && d.isConvex, c.isConcave && d.isConcave}
}

// scaled is that of a constant somewhere in by times a value.
func (c curvature) scaled(by interval.Span) curvature {
	switch {
	case by.Lo >= 0 || c.affine():
		return c
	case by.Hi <= 0:
		return c.flip()
	}
	return curvature{}
}

// profile is how a function of one number goes over a range.
type profile struct{ isConvex, isConcave, rises, falls bool }

// of is the curvature of the function of a value.
func (f profile) of(x curvature) curvature {
	if x.isConstant {
		return isConstant
	}
	return curvature{
		isConvex:  f.isConvex && (x.affine() || f.rises && x.isConvex || f.falls && x.isConcave),
		isConcave: f.isConcave && (x.affine() || f.rises && x.isConcave || f.falls && x.isConvex),
	}
}

// profiles are those of functions entry by entry over a range of their argument.
var profiles = [opCount]func(x interval.Span) profile{
	opExp: bowl, opLargest: bowl, opLogSumExp: bowl,
	opLog: dome, opSqrt: dome, opSmallest: dome,
	opTanh: step, opSigmoid: step, opErf: step,
	opAbs: valley, opNorm: valley,
	opSum: straight, opSlice: straight, opTranspose: straight, opSpread: straight,
	opNeg: func(interval.Span) profile { return profile{isConvex: true, isConcave: true, falls: true} },
}

func bowl(interval.Span) profile { return profile{isConvex: true, rises: true} }

func dome(interval.Span) profile { return profile{isConcave: true, rises: true} }

// step rises from one level to another, most of all at 0.
func step(x interval.Span) profile {
	return profile{isConvex: x.Hi <= 0, isConcave: x.Lo >= 0, rises: true}
}

func valley(x interval.Span) profile {
	return profile{isConvex: true, rises: x.Lo >= 0, falls: x.Hi <= 0}
}

func straight(interval.Span) profile { return profile{isConvex: true, isConcave: true, rises: true} }

// powerProfile is that of x^k over a range. A base below 0 has none unless k is a whole number.
func powerProfile(x interval.Span, k float64) profile {
	isWhole, isEven := k == math.Trunc(k), math.Mod(k, 2) == 0
	switch {
	case k == 0 || k == 1:
		return straight(x)
	case isWhole && isEven && k > 0:
		return valley(x)
	case k > 1 && (x.Lo >= 0 || !isWhole):
		return profile{isConvex: true, rises: x.Lo >= 0}
	case k > 1:
		return profile{isConcave: x.Hi <= 0, rises: true}
	case k > 0:
		return dome(x)
	case x.Lo > 0:
		return profile{isConvex: true, falls: true}
	case x.Hi < 0 && isWhole:
		return profile{isConvex: isEven, isConcave: !isEven, rises: isEven, falls: !isEven}
	}
	return profile{}
}

// curver finds out how values bend by the rules of disciplined convex programming [grant2006].
type curver struct {
	ranges *encloser // of order 0, with what every value can be
	known  map[*node]curvature
	state  curvature
	forms  bool // quadratic forms of the decision are judged by their Hessian
}

// span is what the entries of a value can be.
func (c *curver) span(n *node) interval.Span {
	all := c.ranges.values[n.id]
	s := all[0][0]
	for _, x := range all[1:] {
		s = s.Hull(x[0])
	}
	return s
}

func (c *curver) of(n *node) curvature {
	found, ok := c.known[n]
	if !ok {
		if found = c.look(n); c.forms && found == (curvature{}) {
			found = quadratic(n)
		}
		c.known[n] = found
	}
	return found
}

func (c *curver) look(n *node) curvature {
	switch n.op {
	case opConst, opTrait:
		return isConstant
	case opDecision:
		return isAffine
	case opState:
		return c.state
	}
	first, last := n.args[0], n.args[len(n.args)-1]
	x, y := c.of(first), c.of(last)
	if c.all(n.args).isConstant {
		return isConstant
	}
	if f := profiles[n.op]; f != nil {
		return f(c.span(first)).of(x)
	}
	switch n.op {
	case opAdd:
		return x.and(y)
	case opSub:
		return x.and(y.flip())
	case opMax:
		return bowl(c.span(first)).of(x.and(y))
	case opMin:
		return dome(c.span(first)).of(x.and(y))
	case opPower:
		return powerProfile(c.span(first), float64(n.attrs[0])).of(x)
	case opConcat:
		return c.all(n.args)
	case opWhere:
		if x.isConstant {
			return c.all(n.args[1:])
		}
		return curvature{}
	}
	return c.product(n, first, last, x, y)
}

// all is what holds for all of them.
func (c *curver) all(nodes []*node) curvature {
	found := isConstant
	for _, n := range nodes {
		found = found.and(c.of(n))
	}
	return found
}

// product is look for products, quotients and powers of which one argument is fixed, and for squares.
func (c *curver) product(n, first, last *node, x, y curvature) curvature {
	a, b := c.span(first), c.span(last)
	switch n.op {
	case opMul, opDot, opOuter, opMatVec, opVecMat, opMatMat:
		switch {
		case x.isConstant:
			return y.scaled(a)
		case y.isConstant:
			return x.scaled(b)
		case first == last && (n.op == opMul || n.op == opDot):
			return valley(a).of(x)
		}
	case opDiv:
		switch {
		case y.isConstant && !b.Has(0):
			return x.scaled(b.Inv())
		case x.isConstant:
			return powerProfile(b, -1).of(y).scaled(a)
		}
	case opPow:
		switch {
		case y.isConstant && b.IsPoint():
			return powerProfile(a, b.Lo).of(x)
		case x.isConstant && a.Lo > 0:
			return profile{isConvex: true, rises: a.Lo >= 1, falls: a.Hi <= 1}.of(y)
		}
	}
	return curvature{}
}

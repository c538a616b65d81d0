package formula

import (
	"math"
	"slices"
	"strings"
)

// builder turns trees into values of a graph and reports what has no meaning. A nil value is one whose mistake has been
// reported.
type builder struct {
	*graph
	text
	names  map[string]*node
	labels map[string][]string
	found  *mistakes
	rules  rules // of formulas of columns; nil: those of a model

	decisions int // entries of the decision
}

// rules are what formulas of a table's columns can do and those of a model cannot.
type rules interface {
	// build builds what only they have; own is false for anything else.
	build(b *builder, e *expr) (n *node, own bool)
	// number refuses a value that is no number.
	number(b *builder, e *expr, n *node) *node
	// isCondition tells whether a call is a condition.
	isCondition(e *expr) bool
	// functions are the names of those that only they have.
	functions() []string
}

// fail reports a mistake at an expression.
func (b *builder) fail(e *expr, format string, args ...any) *node {
	b.found.add(b.fault(e.pos, format, args...))
	return nil
}

// emit applies an operation and reports why if that cannot be. Of nil it makes nil.
func (b *builder) emit(e *expr, o op, s shape, args ...*node) *node {
	return b.emitWith(e, o, s, [4]int{}, args...)
}

func (b *builder) emitWith(e *expr, o op, s shape, attrs [4]int, args ...*node) *node {
	if slices.Contains(args, nil) {
		return nil
	}
	n := b.apply(o, s, attrs, args...)
	if b.trouble != "" {
		b.fail(e, "%s %s", b.excerpt(e), b.trouble)
		b.trouble = ""
		return nil
	}
	return n
}

func (b *builder) negate(e *expr, x *node) *node {
	if x.op == opNeg {
		return x.args[0]
	}
	return b.emit(e, opNeg, x.shape, x)
}

// pair applies an operation entry by entry.
func (b *builder) pair(e *expr, o op, x, y *node) *node {
	if x == nil || y == nil {
		return nil
	}
	if !x.shape.suits(y.shape) {
		return b.mismatch(e, x, y)
	}
	if unit := neutral(o, x, y); unit != nil {
		return unit
	}
	return b.emit(e, o, widest(x, y), x, y)
}

// mismatch reports operands that do not go together.
func (b *builder) mismatch(e *expr, x, y *node) *node {
	left, right := b.excerpt(e.args[0]), b.excerpt(e.args[1])
	hint := ""
	if e.kind == binaryExpr && e.name == "*" && (x.shape.rank == 2) != (y.shape.rank == 2) {
		hint = "; the matrix product is written @"
	}
	second := y.shape.String()
	if x.shape.rank == 1 && y.shape.rank == 1 {
		second = strings.TrimSuffix(second, " entries")
	}
	return b.fail(e, "%s: %s %v, %s %s%s", b.excerpt(e), left, x.shape, right, second, hint)
}

// raise takes whole exponents as repeated multiplication and ½ as the square root.
func (b *builder) raise(e *expr, x, y *node) *node {
	v, ok := y.number()
	switch {
	case v == 1:
		return x
	case v == 0.5:
		return b.emit(e, opSqrt, x.shape, x)
	case ok && v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32:
		return b.emitWith(e, opPower, x.shape, [4]int{int(v)}, x)
	}
	return b.pair(e, opPow, x, y)
}

// product is the matrix product.
func (b *builder) product(e *expr, x, y *node) *node {
	r, s := x.shape, y.shape
	switch {
	case r.rank == 0 || s.rank == 0:
		return b.fail(e, "%s: @ is the product of vectors and matrices; a scalar goes with *", b.excerpt(e))
	case r.rank == 1 && s.rank == 1 && r == s:
		return b.emit(e, opDot, scalar(), x, y)
	case r.rank == 2 && s.rank == 1 && r.cols == s.rows:
		return b.emit(e, opMatVec, vector(r.rows), x, y)
	case r.rank == 1 && s.rank == 2 && r.rows == s.rows:
		return b.emit(e, opVecMat, vector(s.cols), x, y)
	case r.rank == 2 && s.rank == 2 && r.cols == s.rows:
		return b.emit(e, opMatMat, matrix(r.rows, s.cols), x, y)
	}
	return b.mismatch(e, x, y)
}

func (b *builder) transpose(e *expr, x *node) *node {
	if x.shape.rank != 2 {
		return b.fail(e, "%s: %s %v, want a matrix; vectors have no direction here, see dot and outer",
			b.excerpt(e), b.excerpt(e.args[0]), x.shape)
	}
	if x.op == opTranspose {
		return x.args[0]
	}
	return b.emit(e, opTranspose, x.shape.flip(), x)
}

// deny is 1 − c, which leaves unknown what is.
func (b *builder) deny(e *expr, c *node) *node {
	if c == nil {
		return nil
	}
	return b.emit(e, opSub, c.shape, b.number(1), c)
}

// both holds where two conditions do. Of columns a condition may be unknown, NaN: with one that does not hold it does not hold.
func (b *builder) both(e *expr, x, y *node) *node {
	all := b.pair(e, opAnd, x, y)
	if b.rules == nil || all == nil {
		return all
	}
	fails := func(c *node) *node { return b.emit(e, opEqual, c.shape, c, b.number(0)) }
	all = b.emit(e, opWhere, all.shape, fails(y), b.number(0), all)
	return b.emit(e, opWhere, all.shape, fails(x), b.number(0), all)
}

// unless makes a value unknown, NaN, where something that it was decided by is. A model has nothing that is unknown.
func (b *builder) unless(e *expr, n *node, by ...*node) *node {
	if b.rules == nil {
		return n
	}
	for _, x := range by {
		n = b.pair(e, opAdd, n, b.pair(e, opMul, x, b.number(0)))
	}
	return n
}

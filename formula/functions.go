package formula

import (
	"fmt"
	"strconv"
)

// function is how a call becomes values.
type function struct {
	least, most int // arguments
	build       func(b *builder, e *expr, args []*node) *node
	yields      bool // a model may have a name of its own that is the same: there are models older than the function
}

var functions = map[string]function{
	"exp":       {1, 1, entrywise(opExp), false},
	"log":       {1, 1, entrywise(opLog), false},
	"sqrt":      {1, 1, entrywise(opSqrt), false},
	"tanh":      {1, 1, entrywise(opTanh), false},
	"sigmoid":   {1, 1, entrywise(opSigmoid), false},
	"abs":       {1, 1, entrywise(opAbs), false},
	"sin":       {1, 1, entrywise(opSin), true},
	"cos":       {1, 1, entrywise(opCos), true},
	"tan":       {1, 1, entrywise(opTan), true},
	"erf":       {1, 1, entrywise(opErf), true},
	"floor":     {1, 1, entrywise(opFloor), true},
	"round":     {1, 1, entrywise(opRound), true},
	"clip":      {3, 3, clip, true},
	"sum":       {1, 1, reduction(opSum), false},
	"norm":      {1, 1, reduction(opNorm), false},
	"mean":      {1, 1, mean, false},
	"min":       {1, 2, extreme(opMin, opSmallest), false},
	"max":       {1, 2, extreme(opMax, opLargest), false},
	"dot":       {2, 2, dot, false},
	"outer":     {2, 2, outerProduct, false},
	"transpose": {1, 1, func(b *builder, e *expr, a []*node) *node { return b.transpose(e, a[0]) }, false},
	"normalize": {1, 1, normalize, false},
	"softmax":   {1, 1, ofVector(func(b *builder, e *expr, x *node) *node { return b.emit(e, opSoftmax, x.shape, x) }), false},
	"logsumexp": {1, 1, ofVector(logSumExp), false},
	"where":     {3, 3, nil, false}, // its first argument is a comparison: see call
	"crowd":     {1, 1, crowd, true},
}

func (f function) count() string {
	if f.least < f.most {
		return fmt.Sprintf("%d or %d", f.least, f.most)
	}
	return strconv.Itoa(f.least)
}

func entrywise(o op) func(*builder, *expr, []*node) *node {
	return func(b *builder, e *expr, a []*node) *node { return b.emit(e, o, a[0].shape, a[0]) }
}

func reduction(o op) func(*builder, *expr, []*node) *node {
	return func(b *builder, e *expr, a []*node) *node { return b.reduce(e, o, a[0]) }
}

func (b *builder) reduce(e *expr, o op, x *node) *node { return b.emit(e, o, scalar(), x) }

func mean(b *builder, e *expr, a []*node) *node {
	return b.emit(e, opDiv, scalar(), b.reduce(e, opSum, a[0]), b.number(float64(a[0].shape.size())))
}

// extreme is the smaller or larger of two values, entry by entry, or the smallest or largest entry of one.
func extreme(two, one op) func(*builder, *expr, []*node) *node {
	return func(b *builder, e *expr, a []*node) *node {
		if len(a) == 1 {
			return b.reduce(e, one, a[0])
		}
		return b.pair(e, two, a[0], a[1])
	}
}

// clip is x, or the nearer of two bounds where it lies outside of them.
func clip(b *builder, e *expr, a []*node) *node {
	lo, okLo := a[1].number()
	if hi, okHi := a[2].number(); okLo && okHi && lo > hi {
		return b.fail(e, "%s: the bounds are %v and %v, want the smaller one first", b.excerpt(e), lo, hi)
	}
	above := &expr{kind: e.kind, pos: e.pos, end: e.end, args: e.args[:2]}
	within := &expr{kind: e.kind, pos: e.pos, end: e.end, args: []*expr{e, e.args[2]}}
	return b.pair(within, opMin, b.pair(above, opMax, a[0], a[1]), a[2])
}

// crowd is the mean state of everybody, which individuals see beside the decision.
func crowd(b *builder, e *expr, a []*node) *node {
	if a[0].op != opState {
		return b.fail(e, "%s: what is seen of the crowd is the mean of everybody's state, want the name of the state between the brackets", b.excerpt(e))
	}
	return b.graph.crowd(a[0].shape, b.decisions)
}

func dot(b *builder, e *expr, a []*node) *node {
	if a[0].shape != a[1].shape {
		return b.mismatch(e, a[0], a[1])
	}
	if a[0].shape.single() {
		return b.pair(e, opMul, a[0], a[1])
	}
	return b.emit(e, opDot, scalar(), a[0], a[1])
}

func outerProduct(b *builder, e *expr, a []*node) *node {
	if a[0].shape.rank != 1 || a[1].shape.rank != 1 {
		return b.mismatch(e, a[0], a[1])
	}
	return b.emit(e, opOuter, matrix(a[0].shape.rows, a[1].shape.rows), a[0], a[1])
}

// ofVector refuses arguments that are no vectors.
func ofVector(build func(*builder, *expr, *node) *node) func(*builder, *expr, []*node) *node {
	return func(b *builder, e *expr, a []*node) *node {
		if a[0].shape.rank != 1 {
			return b.fail(e, "%s: %s %v, want a vector", b.excerpt(e), b.excerpt(e.args[0]), a[0].shape)
		}
		return build(b, e, a[0])
	}
}

func normalize(b *builder, e *expr, a []*node) *node {
	return b.emit(e, opUnit, a[0].shape, a[0], b.reduce(e, opNorm, a[0]))
}

// logSumExp takes the largest entry out, so that nothing overflows.
func logSumExp(b *builder, e *expr, x *node) *node {
	top := b.reduce(e, opLargest, x)
	shifted := b.emit(e, opSub, x.shape, x, top)
	sum := b.reduce(e, opSum, b.emit(e, opExp, x.shape, shifted))
	return b.emit(e, opLogSumExp, scalar(), x, top, sum)
}

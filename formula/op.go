package formula

import (
	"fmt"
	"slices"
)

// op is an operation of the graph.
type op uint8

const (
	opConst op = iota
	opState
	opDecision
	opTrait
	opCotangent
	opCrowd // the mean state of all; attrs: where it stands in the decision
	opNoise

	// Entry by entry; a scalar goes with any shape.
	opAdd
	opSub
	opMul
	opDiv
	opMin
	opMax
	opLess
	opAtMost
	opEqual
	opUnequal
	opAnd
	opPow
	opOver     // x/y, and 0 where y is
	opPowSlope // ∂(xʸ)/∂x
	opPowLog   // ∂(xʸ)/∂y
	opWhere
	opNeg
	opExp
	opLog
	opSqrt
	opTanh
	opSigmoid
	opAbs
	opSign
	opLogSlope
	opTanhSlope
	opSigmoidSlope
	opSin
	opCos
	opTan
	opErf
	opErfSlope
	opFloor
	opRound
	opPower // x to the whole number attrs[0]
	opSpread

	// To a scalar.
	opSum
	opDot
	opNorm
	opLargest
	opSmallest
	opLogSumExp // of x, its largest entry and Σ exp(x − largest)

	// To a vector or a matrix.
	opSoftmax
	opUnit // x/c where c is the norm of x
	opFirstLargest
	opFirstSmallest
	opSlice // attrs: offset, step between rows
	opPad   // the transpose of a slice
	opConcat
	opTranspose
	opOuter
	opMatVec
	opVecMat
	opMatMat

	opRowSum  // the sum over all individuals
	opCombine // Σ cₖxₖ, made when a program is laid out
	opCount
)

// form is how an operation depends on its arguments.
type form uint8

const (
	general     form = iota
	linear           // in all of them together
	bilinear         // in each of two
	firstLinear      // in all but one
)

// nature is what is known of an operation: its form, the argument that must not vary where one must not, and what an entry
// costs.
type nature struct {
	kind   form
	fixed  int
	weight int
}

var natures = [opCount]nature{
	opAdd: {kind: linear, weight: 1}, opSub: {kind: linear, weight: 1}, opNeg: {kind: linear, weight: 1}, opSpread: {kind: linear, weight: 1}, opSum: {kind: linear, weight: 1},
	opSlice: {kind: linear, weight: 1}, opPad: {kind: linear, weight: 1}, opConcat: {kind: linear, weight: 1}, opTranspose: {kind: linear, weight: 1}, opRowSum: {kind: linear, weight: 1},
	opMul: {kind: bilinear, weight: 1}, opDot: {kind: bilinear, weight: 1}, opOuter: {kind: bilinear, weight: 1},
	opMatVec: {kind: bilinear, weight: 1}, opVecMat: {kind: bilinear, weight: 1}, opMatMat: {kind: bilinear, weight: 1},
	opDiv: {kind: firstLinear, fixed: 1, weight: 4}, opOver: {kind: firstLinear, fixed: 1, weight: 4}, opWhere: {kind: firstLinear, weight: 1},
	opMin: {weight: 2}, opMax: {weight: 2}, opLess: {weight: 2}, opAtMost: {weight: 2}, opEqual: {weight: 2},
	opUnequal: {weight: 2}, opAnd: {weight: 1}, opPow: {weight: 40}, opPowSlope: {weight: 40}, opPowLog: {weight: 60},
	opExp: {weight: 8}, opLog: {weight: 8}, opSqrt: {weight: 4}, opTanh: {weight: 20}, opSigmoid: {weight: 20},
	opAbs: {weight: 1}, opSign: {weight: 1}, opLogSlope: {weight: 4}, opTanhSlope: {weight: 20},
	opSigmoidSlope: {weight: 20}, opPower: {weight: 60}, opNorm: {weight: 2}, opLargest: {weight: 1},
	opSmallest: {weight: 1}, opLogSumExp: {weight: 8}, opSoftmax: {weight: 12}, opUnit: {weight: 1},
	opFirstLargest: {weight: 1}, opFirstSmallest: {weight: 1},
	opSin: {weight: 200}, opCos: {weight: 200}, opTan: {weight: 400}, opErf: {weight: 400}, opErfSlope: {weight: 20},
	opFloor: {weight: 2}, opRound: {weight: 2},
}

// shape is that of a scalar (rank 0), a vector (rank 1, one column) or a matrix (rank 2, row-major).
type shape struct{ rank, rows, cols int }

func scalar() shape          { return shape{0, 1, 1} }
func vector(n int) shape     { return shape{1, n, 1} }
func matrix(r, c int) shape  { return shape{2, r, c} }
func (s shape) size() int    { return s.rows * s.cols }
func (s shape) flip() shape  { return matrix(s.cols, s.rows) }
func (s shape) single() bool { return s.rank == 0 }

// suits tells whether operations entry by entry take the two: they are the same, or one is a scalar.
func (s shape) suits(other shape) bool { return s == other || s.single() || other.single() }

// String says the shape in the words of a message: "p has 20 entries".
func (s shape) String() string {
	switch s.rank {
	case 0:
		return "is a scalar"
	case 1:
		return fmt.Sprintf("has %d entries", s.rows)
	}
	return fmt.Sprintf("is a %d×%d matrix", s.rows, s.cols)
}

// shapeOf returns the shape with the given lengths. It is false when they make none that is allowed.
func shapeOf(lengths []int) (shape, bool) {
	if slices.ContainsFunc(lengths, func(n int) bool { return n < 1 || n > maxEntries }) {
		return shape{}, false
	}
	switch len(lengths) {
	case 0:
		return scalar(), true
	case 1:
		return vector(lengths[0]), true
	case 2:
		s := matrix(lengths[0], lengths[1])
		return s, s.size() <= maxEntries
	}
	return shape{}, false
}

// What a formula may ask for. The bounds keep compilation below 100 ms and 64 MB and let no formula hang a program.
const (
	maxText     = 1 << 16 // bytes of one formula
	maxFormulas = 1 << 10 // let bindings, and constraints
	maxDepth    = 200     // parentheses, calls and signs inside each other
	maxParts    = 1 << 12 // operators, names and numbers of all formulas together
	maxBuilt    = 1 << 16 // the same, with everything as often as an index repeats it
	maxNodes    = 1 << 14 // operations of a model and its derivatives
	maxEntries  = 1 << 20 // entries of one value
	maxNumbers  = 1 << 21 // entries of all constants together
	maxRow      = 1 << 22 // entries of all values of one individual together
	maxNoise    = 1 << 12 // numbers of noise of one individual
	maxFolding  = 1 << 22 // operations on constants while compiling
	maxCost     = 1 << 25 // operations for one individual
	maxForms    = 1 << 19 // coefficients of linear constraints
)

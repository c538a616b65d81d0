package formula

import (
	"fmt"
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
	opSlice // attrs: offset, step between rows, step between columns
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
	opAdd: {linear, 0, 1}, opSub: {linear, 0, 1}, opNeg: {linear, 0, 1}, opSpread: {linear, 0, 1}, opSum: {linear, 0, 1},
	opSlice: {linear, 0, 1}, opPad: {linear, 0, 1}, opConcat: {linear, 0, 1}, opTranspose: {linear, 0, 1}, opRowSum: {linear, 0, 1},
	opMul: {bilinear, 0, 1}, opDot: {bilinear, 0, 1}, opOuter: {bilinear, 0, 1},
	opMatVec: {bilinear, 0, 1}, opVecMat: {bilinear, 0, 1}, opMatMat: {bilinear, 0, 1},
	opDiv: {firstLinear, 1, 4}, opOver: {firstLinear, 1, 4}, opWhere: {firstLinear, 0, 1},
	opMin: {general, 0, 2}, opMax: {general, 0, 2}, opLess: {general, 0, 2}, opAtMost: {general, 0, 2}, opEqual: {general, 0, 2},
	opUnequal: {general, 0, 2}, opAnd: {general, 0, 1}, opPow: {general, 0, 40}, opPowSlope: {general, 0, 40}, opPowLog: {general, 0, 60},
	opExp: {general, 0, 8}, opLog: {general, 0, 8}, opSqrt: {general, 0, 4}, opTanh: {general, 0, 20}, opSigmoid: {general, 0, 20},
	opAbs: {general, 0, 1}, opSign: {general, 0, 1}, opLogSlope: {general, 0, 4}, opTanhSlope: {general, 0, 20},
	opSigmoidSlope: {general, 0, 20}, opPower: {general, 0, 60}, opNorm: {general, 0, 2}, opLargest: {general, 0, 1},
	opSmallest: {general, 0, 1}, opLogSumExp: {general, 0, 8}, opSoftmax: {general, 0, 12}, opUnit: {general, 0, 1},
	opFirstLargest: {general, 0, 1}, opFirstSmallest: {general, 0, 1},
	opSin: {general, 0, 200}, opCos: {general, 0, 200}, opTan: {general, 0, 400}, opErf: {general, 0, 400}, opErfSlope: {general, 0, 20},
	opFloor: {general, 0, 2}, opRound: {general, 0, 2},
}

// shape is that of a scalar (rank 0), a vector (rank 1, one column) or a matrix (rank 2, row-major).
type shape struct{ rank, rows, cols int }

func scalar() shape          { return shape{0, 1, 1} }
func vector(n int) shape     { return shape{1, n, 1} }
func matrix(r, c int) shape  { return shape{2, r, c} }
func (s shape) size() int    { return s.rows * s.cols }
func (s shape) flip() shape  { return matrix(s.cols, s.rows) }
func (s shape) single() bool { return s.rank == 0 }

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
	for _, n := range lengths {
		if n < 1 || n > maxEntries {
			return shape{}, false
		}
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

package formula

// op is an operation of the graph.
type op uint8

const (
	opConst op = iota
	opState
	opDecision
	opTrait
	opCotangent

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
}

// Package ptx holds what one individual does as a list of scalar operations on numbered values. A list is printed as PTX, the
// assembly that NVIDIA's driver compiles, and evaluated on the CPU, so that what a GPU is to compute can be tested without one.
//
// Every operation carries its rounding: the driver fuses only products that carry none. So a list has the bits of the Go that
// it was written after, where that rounds float64(a*b) + c, or says math.FMA.
package ptx

// Scalar is the number of a value of a OpList.
type Scalar int32

// op is an operation.
type op uint8

const (
	opConst op = iota
	opState
	opTrait
	opShared

	opAdd
	opSub
	opMul
	opDiv
	opFMA
	opSqrt
	opNeg
	opAbs
	opFloor
	opTrunc

	opLess
	opAtMost
	opEqual
	opUnequal
	opAnd
	opOr
	opNot
	opSelect

	opSingle // to float32
	opDouble // to float64
	opBits   // of a float64
	opNumber // the float64 of bits
	opWhole  // a whole number as a float64
	opBitAdd
	opBitAnd
	opBitOr
	opShiftLeft
	opShiftRight

	opKeep // a value that is set again
	opSet
	opIf
	opEnd
	opLoop
	opAgain

	opFlag
	opNext
	opScore
	opPlane
)

// kind is what a value is.
type kind uint8

const (
	none kind = iota
	double
	single
	bits
	truth
)

// operation makes the value dst of up to three others. Number is of constants and places, and of bits that have no second value but −1.
type operation struct {
	op     op
	kind   kind // of dst, or of what is done where there is none
	dst    Scalar
	a      [3]Scalar
	number uint64
}

// OpList is the list of what is done for one individual: it reads the entries of its state and trait and numbers that all
// individuals share, writes the entries of its next state, may have a score, and raises a flag where the CPU does something
// out of the ordinary, which a list does not.
type OpList struct {
	States, Traits, Shares int // how many entries are read at most

	list   []operation
	kinds  []kind // of values
	inputs map[operation]Scalar
	units  []Scalar // traits of length 1; nil: as they are kept
	unit   Scalar   // what they are multiplied with for that
	nexts  int
	scores bool
	planes bool
	open   []int // where blocks begin that have not ended
}

// New returns an empty list for states and traits of so many entries, and so many shared numbers.
func New(states, traits, shares int) *OpList {
	return &OpList{States: states, Traits: traits, Shares: shares, inputs: map[operation]Scalar{}}
}

// Len is how many operations there are.
func (c *OpList) Len() int { return len(c.list) }

// Scores tells whether individuals have a score.
func (c *OpList) Scores() bool { return c.scores }

// Nexts is how many entries of the next state are written.
func (c *OpList) Nexts() int { return c.nexts }

// add appends an operation and returns its value.
func (c *OpList) add(o op, k kind, number uint64, a ...Scalar) Scalar {
	made := operation{op: o, kind: k, dst: -1, number: number}
	copy(made.a[:], a)
	if k != none {
		made.dst = Scalar(len(c.kinds))
		c.kinds = append(c.kinds, k)
	}
	c.list = append(c.list, made)
	return made.dst
}

// plain appends an operation that takes no number.
func (c *OpList) plain(o op, k kind, a ...Scalar) Scalar { return c.add(o, k, 0, a...) }

// input is an operation without arguments, which is done once. Those within blocks are done where they stand.
func (c *OpList) input(o op, number uint64) Scalar {
	if len(c.open) > 0 {
		return c.add(o, double, number)
	}
	key := operation{op: o, number: number}
	if v, ok := c.inputs[key]; ok {
		return v
	}
	v := c.add(o, double, number)
	c.inputs[key] = v
	return v
}

package ptx

import "math"

// Const is a number.
func (c *OpList) Const(x float64) Scalar { return c.input(opConst, math.Float64bits(x)) }

// State is entry j of the state.
func (c *OpList) State(j int) Scalar { return c.place(opState, j, c.States) }

// Trait is entry j of the trait.
func (c *OpList) Trait(j int) Scalar {
	if c.units != nil {
		return c.units[j]
	}
	return c.place(opTrait, j, c.Traits)
}

// Shared is number j of those that all individuals share.
func (c *OpList) Shared(j int) Scalar { return c.place(opShared, j, c.Shares) }

func (c *OpList) place(o op, j, of int) Scalar {
	if j < 0 || j >= of {
		panic("ptx: an entry that is not there")
	}
	return c.input(o, uint64(j))
}

// Add is x + y.
func (c *OpList) Add(x, y Scalar) Scalar { return c.plain(opAdd, c.kinds[x], x, y) }

// Sub is x − y.
func (c *OpList) Sub(x, y Scalar) Scalar { return c.plain(opSub, c.kinds[x], x, y) }

// Mul is xy.
func (c *OpList) Mul(x, y Scalar) Scalar { return c.plain(opMul, c.kinds[x], x, y) }

// Div is x/y.
func (c *OpList) Div(x, y Scalar) Scalar { return c.plain(opDiv, c.kinds[x], x, y) }

// FMA is xy + z, rounded once.
func (c *OpList) FMA(x, y, z Scalar) Scalar { return c.plain(opFMA, c.kinds[x], x, y, z) }

// Sqrt is √x.
func (c *OpList) Sqrt(x Scalar) Scalar { return c.plain(opSqrt, c.kinds[x], x) }

// Neg is −x.
func (c *OpList) Neg(x Scalar) Scalar { return c.plain(opNeg, c.kinds[x], x) }

// Abs is |x|.
func (c *OpList) Abs(x Scalar) Scalar { return c.plain(opAbs, c.kinds[x], x) }

// Floor is the largest whole number that is not above x.
func (c *OpList) Floor(x Scalar) Scalar { return c.plain(opFloor, double, x) }

// Trunc is x without what is behind the point.
func (c *OpList) Trunc(x Scalar) Scalar { return c.plain(opTrunc, double, x) }

// Less tells whether x < y.
func (c *OpList) Less(x, y Scalar) Scalar { return c.plain(opLess, truth, x, y) }

// AtMost tells whether x ≤ y.
func (c *OpList) AtMost(x, y Scalar) Scalar { return c.plain(opAtMost, truth, x, y) }

// Equal tells whether x = y.
func (c *OpList) Equal(x, y Scalar) Scalar { return c.plain(opEqual, truth, x, y) }

// Unequal tells whether x ≠ y, which a NaN is with everything.
func (c *OpList) Unequal(x, y Scalar) Scalar { return c.plain(opUnequal, truth, x, y) }

// And tells whether both hold.
func (c *OpList) And(x, y Scalar) Scalar { return c.plain(opAnd, truth, x, y) }

// Or tells whether one holds.
func (c *OpList) Or(x, y Scalar) Scalar { return c.plain(opOr, truth, x, y) }

// Not tells whether x does not hold.
func (c *OpList) Not(x Scalar) Scalar { return c.plain(opNot, truth, x) }

// Select is x where the condition holds, else y.
func (c *OpList) Select(condition, x, y Scalar) Scalar {
	return c.plain(opSelect, c.kinds[x], x, y, condition)
}

// Single is x as a float32.
func (c *OpList) Single(x Scalar) Scalar { return c.plain(opSingle, single, x) }

// Double is a float32 as a float64.
func (c *OpList) Double(x Scalar) Scalar { return c.plain(opDouble, double, x) }

// Bits are those of x.
func (c *OpList) Bits(x Scalar) Scalar { return c.plain(opBits, bits, x) }

// Number is the float64 that has the bits.
func (c *OpList) Number(x Scalar) Scalar { return c.plain(opNumber, double, x) }

// Whole is a whole number in bits, with its sign, as a float64.
func (c *OpList) Whole(x Scalar) Scalar { return c.plain(opWhole, double, x) }

// BitAdd adds a number to bits.
func (c *OpList) BitAdd(x Scalar, by uint64) Scalar { return c.add(opBitAdd, bits, by, x, -1) }

// BitMask keeps the bits that are in the mask.
func (c *OpList) BitMask(x Scalar, mask uint64) Scalar { return c.add(opBitAnd, bits, mask, x, -1) }

// BitAnd keeps the bits that are in both.
func (c *OpList) BitAnd(x, y Scalar) Scalar { return c.plain(opBitAnd, bits, x, y) }

// BitOr keeps the bits that are in one of them.
func (c *OpList) BitOr(x, y Scalar) Scalar { return c.plain(opBitOr, bits, x, y) }

// ShiftLeft shifts bits towards the sign.
func (c *OpList) ShiftLeft(x Scalar, by uint64) Scalar { return c.add(opShiftLeft, bits, by, x, -1) }

// ShiftRight shifts bits away from the sign, with zeros behind.
func (c *OpList) ShiftRight(x Scalar, by uint64) Scalar { return c.add(opShiftRight, bits, by, x, -1) }

// Keep returns a value that begins as x and may be set again.
func (c *OpList) Keep(x Scalar) Scalar { return c.plain(opKeep, c.kinds[x], x) }

// Set sets a value that is kept.
func (c *OpList) Set(kept, x Scalar) { c.plain(opSet, none, kept, x) }

// If begins what is only done where the condition holds. Values made in it are gone behind its End, but for those that are set.
func (c *OpList) If(condition Scalar) { c.begin(opIf, condition) }

// Loop begins what is done again and again, until Again says otherwise.
func (c *OpList) Loop() { c.begin(opLoop) }

func (c *OpList) begin(o op, a ...Scalar) {
	c.open = append(c.open, len(c.list))
	c.add(o, none, uint64(len(c.list)), a...)
}

// End ends what If began.
func (c *OpList) End() { c.end(opIf, opEnd) }

// Again ends what Loop began: it is done again while the condition holds.
func (c *OpList) Again(condition Scalar) { c.end(opLoop, opAgain, condition) }

// end closes the last block that is not closed.
func (c *OpList) end(begun, o op, a ...Scalar) {
	last := len(c.open) - 1
	if last < 0 || c.list[c.open[last]].op != begun {
		panic("ptx: a block ends that has not begun")
	}
	at := c.open[last]
	c.open = c.open[:last]
	if begun == opIf {
		c.list[at].number = uint64(len(c.list))
	}
	c.add(o, none, uint64(at), a...)
}

// Flag says that what is computed does not count where the condition holds: the CPU does it.
func (c *OpList) Flag(condition Scalar) { c.plain(opFlag, none, condition) }

// Next writes x to entry j of the next state.
func (c *OpList) Next(j int, x Scalar) {
	c.nexts = max(c.nexts, j+1)
	c.add(opNext, none, uint64(j), x)
}

// Score gives the individual its score.
func (c *OpList) Score(x Scalar) {
	c.scores = true
	c.plain(opScore, none, x)
}

// PlaneSpot is where an individual settles in the plane of the decision u and its trait d: at along·u + across·d, whose product with u is PU. Off is how far ‖d‖² is from 1.
type PlaneSpot struct{ PU, Along, Across, Off Scalar }

// Plane lets a kernel sum along·u + across·d over its tile as rows.AddMulT and rows.Dot do, and note the largest Off. The first shared numbers must be u, which
// is as long as a trait, and individuals must have a score.
func (c *OpList) Plane(h PlaneSpot) {
	c.planes = true
	c.plain(opPlane, none, h.Along, h.Across, h.Off)
}

// Parts is how many numbers a tile is summed to: its loss, and its gradient where planes are summed.
func (c *OpList) Parts() int {
	if c.planes {
		return 1 + c.Traits
	}
	return 1
}

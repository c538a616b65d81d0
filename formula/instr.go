package formula

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// instr computes the value of a node, which is the operand dst, from the operands args. Of a combination, coefs are the
// factors of args; a negative one is 1.
type instr struct {
	node  *node
	op    op
	dst   int
	args  []int
	coefs []int
	minus []bool
}

// reads are the values that an instruction reads.
func (in *instr) reads() []int {
	return slices.DeleteFunc(slices.Concat(in.args, in.coefs), func(k int) bool { return k < 0 })
}

// run computes the value for n individuals.
func (in *instr) run(n int, values []operand) {
	dst := values[in.dst]
	switch in.op {
	case opCombine:
		in.combine(n, dst, values)
	case opRowSum:
		in.rowSum(n, dst, values)
	case opWhere:
		where(n, dst, values[in.args[0]], values[in.args[1]], values[in.args[2]])
	case opConcat:
		in.concat(n, dst, values)
	case opDot:
		dots(n, dst, values[in.args[0]], values[in.args[1]])
	case opNorm:
		norms(n, dst, values[in.args[0]])
	case opUnit:
		units(n, dst, values[in.args[0]], values[in.args[1]])
	case opLogSumExp:
		for i := range n {
			dst.at(i)[0] = logarithm(values[in.args[2]].at(i)[0]) + values[in.args[1]].at(i)[0]
		}
	default:
		in.runPlain(n, dst, values)
	}
}

// runPlain does operations entry by entry, which come first among the operations, and row by row.
func (in *instr) runPlain(n int, dst operand, values []operand) {
	a, b := values[in.args[0]], values[in.args[len(in.args)-1]]
	switch {
	case in.op <= opPowLog:
		in.pair(n, dst, a, b)
	case in.op <= opSpread:
		in.runUnary(n, dst, a)
	case in.op == opSlice && in.node.attrs[1] == 1: // neighbours
		snip(n, dst, a, in.node.attrs[0])
	default:
		for i := range n {
			rowKernels[in.op](in.node, dst.at(i), a.at(i), b.at(i))
		}
	}
}

// pair does operations on the entries of two operands.
func (in *instr) pair(n int, dst, a, b operand) {
	switch {
	case in.op == opMul && a.width == 1 && b.width > 1:
		scale(n, dst, a, b)
	case in.op == opMul && b.width == 1 && a.width > 1:
		scale(n, dst, b, a)
	default:
		loops[in.op].run(n, dst, a, b)
	}
}

// rowKernels compute the value of a node for one individual from the first operand x and the last y.
var rowKernels = [opCount]func(of *node, dst, x, y []float64){
	opSum:           func(_ *node, dst, x, _ []float64) { dst[0] = rows.Sum(x) },
	opLargest:       func(_ *node, dst, x, _ []float64) { dst[0] = x[largest(x)] },
	opSmallest:      func(_ *node, dst, x, _ []float64) { dst[0] = x[smallest(x)] },
	opFirstLargest:  func(_ *node, dst, x, _ []float64) { mark(dst, largest(x)) },
	opFirstSmallest: func(_ *node, dst, x, _ []float64) { mark(dst, smallest(x)) },
	opSoftmax:       func(_ *node, dst, x, _ []float64) { softmax(dst, x) },
	opSlice:         slice,
	opPad:           pad,
	opTranspose:     transpose,
	opOuter:         outer,
	opMatVec:        matVec,
	opVecMat:        vecMat,
	opMatMat:        matMat,
}

// snip copies neighbouring entries of rows.
func snip(n int, dst, a operand, from int) {
	if dst.width == 1 {
		for i := range n {
			dst.x[i] = a.x[i*a.step+from]
		}
		return
	}
	for i := range n {
		x := a.x[i*a.step+from:]
		for j := range dst.width { // few, as a rule
			dst.x[i*dst.width+j] = x[j]
		}
	}
}

// slice copies the entries at offset + row·step + column.
func slice(of *node, dst, x, _ []float64) {
	s, a := of.shape, of.attrs
	for i := range s.rows {
		for j := range s.cols {
			dst[i*s.cols+j] = x[a[0]+i*a[1]+j]
		}
	}
}

// pad puts entries where a slice would take them, and zeros elsewhere.
func pad(of *node, dst, x, _ []float64) {
	clear(dst)
	s, a := of.args[0].shape, of.attrs
	for i := range s.rows {
		for j := range s.cols {
			dst[a[0]+i*a[1]+j] = x[i*s.cols+j]
		}
	}
}

func (in *instr) concat(n int, dst operand, values []operand) {
	for i := range n {
		row := dst.at(i)
		for _, k := range in.args {
			row = row[copy(row, values[k].at(i)):]
		}
	}
}

// rowSum adds up individuals in order.
func (in *instr) rowSum(n int, dst operand, values []operand) {
	x := values[in.args[0]]
	if in.coefs == nil {
		addUp(n, dst, x)
		return
	}
	switch c := values[in.coefs[0]]; {
	case x.step == 1 && c.step == 1:
		dst.x[0] = addProducts(dst.x[0], c.x[:n], x.x[:n])
	case x.step > 0 && c.step == 1:
		rows.AddMulT(dst.x, x.block(n), c.x[:n])
	default:
		for i := range n {
			rows.AddScaled(dst.x, c.at(i)[0], x.at(i))
		}
	}
}

// addUp adds rows, or what all share so many times.
func addUp(n int, dst, x operand) {
	if x.step != 1 {
		for i := range n {
			rows.AddScaled(dst.x, 1, x.at(i))
		}
		return
	}
	sum := dst.x[0]
	for _, v := range x.x[:n] {
		sum += v
	}
	dst.x[0] = sum
}

// addProducts returns sum + c₀x₀ + c₁x₁ + …, added in this order.
func addProducts(sum float64, c, x []float64) float64 {
	for i, v := range x {
		sum += float64(c[i] * v)
	}
	return sum
}

// combine adds two or three terms in one pass and the rest one by one.
func (in *instr) combine(n int, dst operand, values []operand) {
	for k, c := range in.coefs {
		if c >= 0 && in.minus[k] {
			var room [3][mostRows]float64
			in.combineIn(&room, n, dst, values)
			return
		}
	}
	in.combineIn(nil, n, dst, values)
}

// combineIn combines, with room for factors whose sign is turned.
func (in *instr) combineIn(room *[3][mostRows]float64, n int, dst operand, values []operand) {
	out, m := dst.x[:n*dst.width], dst.width
	signs := [2]float64{1, -1}
	c := func(k int) []float64 {
		if in.coefs[k] >= 0 {
			return in.factor(room, n, k, values)
		}
		if in.minus[k] {
			return signs[1:]
		}
		return signs[:1]
	}
	x := func(k int) []float64 { return values[in.args[k]].block(n) }
	k := min(3, len(in.args))
	if k == 2 {
		rows.Combine2(out, c(0), x(0), c(1), x(1), m)
	} else {
		rows.Combine3(out, c(0), x(0), c(1), x(1), c(2), x(2), m)
	}
	for ; k < len(in.args); k++ {
		rows.AddScaledRows(out, c(k), x(k), m)
	}
}

// factor returns the factors of term k, in room if their sign is turned.
func (in *instr) factor(room *[3][mostRows]float64, n, k int, values []operand) []float64 {
	c := values[in.coefs[k]].block(n)
	if !in.minus[k] {
		return c
	}
	turned := room[k%3][:len(c)]
	for i, v := range c {
		turned[i] = -v
	}
	return turned
}

// scale does dst = c·x.
func scale(n int, dst, c, x operand) {
	n, dst, x = joined(n, dst, c, x)
	rows.ScaleRows(dst.x[:n*dst.width], c.block(n), x.block(n), dst.width)
}

// joined makes rows with the same factor one long row.
func joined(n int, dst, c, x operand) (int, operand, operand) {
	if c.step > 0 || x.step == 0 {
		return n, dst, x
	}
	return 1, dst.stretched(n * dst.width), x.stretched(n * dst.width)
}

// dots writes the dot products of rows.
func dots(n int, dst, x, y operand) {
	rows.Dots(dst.x[:n], x.block(n), y.block(n), x.width)
}

// Squares of norms in the middle neither lose digits nor overflow.
const (
	leastMiddle = 1e-280
	mostMiddle  = 1e280
)

// norms writes the norms of rows, those far from 1 with care.
func norms(n int, dst, x operand) {
	dots(n, dst, x, x)
	for i, s := range dst.x[:n] {
		if s > leastMiddle && s < mostMiddle {
			dst.x[i] = math.Sqrt(s)
		} else {
			dst.x[i] = rows.Norm(x.at(i))
		}
	}
}

// units writes x/c. It multiplies by 1/c unless that could overflow.
func units(n int, dst, x, c operand) {
	var room [mostRows]float64
	for i, v := range c.block(n) {
		room[i] = 1 / v
	}
	rows.ScaleRows(dst.x[:n*dst.width], room[:n], x.x[:n*dst.width], dst.width)
	for i := range n {
		if v := c.at(i)[0]; !(v > 1e-140 && v < 1e140) {
			divRight(dst.at(i), x.at(i), v)
		}
	}
}

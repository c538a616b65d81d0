package formula

import (
	"math"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// operand is a value for a block of individuals: width entries for each, step entries from one to the next. What all
// individuals share has step 0.
type operand struct {
	x           []float64
	step, width int
}

func (a operand) at(i int) []float64 { return a.x[i*a.step : i*a.step+a.width] }

// isFlat tells whether a block of rows of w entries can take the operand as one long row.
func (a operand) isFlat(w int) bool {
	return a.step == w && a.width == w || a.step == 0 && a.width == 1
}

// stretched is a flat operand as one row of w entries.
func (a operand) stretched(w int) operand {
	if a.step > 0 {
		a.width = w
	}
	return a
}

// block returns the entries of n rows, or the one row they share.
func (a operand) block(n int) []float64 {
	if a.step == 0 {
		return a.x[:a.width]
	}
	return a.x[:n*a.width]
}

// columns writes the rows lo … hi−1 of n as columns behind at others.
func (a operand) columns(dst []float64, at, n, lo, hi int) {
	for j := range a.width {
		to := dst[(at+j)*n+lo : (at+j)*n+hi]
		switch {
		case a.step == 0:
			for i := range to {
				to[i] = a.x[j]
			}
		case a.width == 1:
			copy(to, a.x)
		default:
			for i := range to {
				to[i] = a.x[i*a.step+j]
			}
		}
	}
}

// pairLoops are the loops of an operation on two operands, either of which may be one number.
type pairLoops struct {
	both  func(dst, x, y []float64)
	right func(dst, x []float64, y float64)
	left  func(dst []float64, x float64, y []float64)
}

var loops = [opCount]pairLoops{
	opAdd:      {addBoth, addRight, func(dst []float64, x float64, y []float64) { addRight(dst, y, x) }},
	opMul:      {mulBoth, mulRight, func(dst []float64, x float64, y []float64) { mulRight(dst, y, x) }},
	opSub:      {subBoth, func(dst, x []float64, y float64) { addRight(dst, x, -y) }, subLeft},
	opDiv:      {divBoth, divRight, divLeft},
	opMin:      lift(func(x, y float64) float64 { return min(x, y) }),
	opMax:      lift(func(x, y float64) float64 { return max(x, y) }),
	opLess:     lift(func(x, y float64) float64 { return truth(x < y) }),
	opAtMost:   lift(func(x, y float64) float64 { return truth(x <= y) }),
	opEqual:    lift(func(x, y float64) float64 { return truth(x == y) }),
	opUnequal:  lift(func(x, y float64) float64 { return truth(x != y) }),
	opAnd:      {mulBoth, mulRight, func(dst []float64, x float64, y []float64) { mulRight(dst, y, x) }},
	opPow:      lift(raise),
	opOver:     lift(over),
	opPowSlope: lift(raiseSlope),
	opPowLog:   lift(raiseLog),
}

// lift makes loops of a function of two numbers.
func lift(f func(x, y float64) float64) pairLoops {
	return pairLoops{
		func(dst, x, y []float64) {
			for i := range dst {
				dst[i] = f(x[i], y[i])
			}
		},
		func(dst, x []float64, y float64) {
			for i := range dst {
				dst[i] = f(x[i], y)
			}
		},
		func(dst []float64, x float64, y []float64) {
			for i := range dst {
				dst[i] = f(x, y[i])
			}
		},
	}
}

func (l pairLoops) run(n int, dst, a, b operand) {
	if w := dst.width; a.isFlat(w) && b.isFlat(w) {
		n, w = 1, n*w
		dst.width, a, b = w, a.stretched(w), b.stretched(w)
	}
	for i := range n {
		d, x, y := dst.at(i), a.at(i), b.at(i)
		switch {
		case len(x) == len(d) && len(y) == len(d):
			l.both(d, x, y)
		case len(x) == len(d):
			l.right(d, x, y[0])
		case len(y) == len(d):
			l.left(d, x[0], y)
		}
	}
}

// longRow is how many entries a call is worth.
const longRow = 16

func addBoth(dst, x, y []float64) {
	if len(dst) >= longRow {
		rows.Add(dst, x, y)
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func addRight(dst, x []float64, y float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y
	}
}

func subBoth(dst, x, y []float64) {
	if len(dst) >= longRow {
		rows.Sub(dst, x, y)
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func subLeft(dst []float64, x float64, y []float64) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x - y[i]
	}
}

func mulBoth(dst, x, y []float64) {
	if len(dst) >= longRow {
		rows.Mul(dst, x, y)
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func mulRight(dst, x []float64, y float64) { scaleTo(dst, y, x) }

// scaleTo does dst = c·x.
func scaleTo(dst []float64, c float64, x []float64) {
	if len(dst) >= longRow {
		var by [1]float64
		by[0] = c
		rows.ScaleRows(dst, by[:], x[:len(dst)], len(dst))
		return
	}
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = c * x[i]
	}
}

func divBoth(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func divRight(dst, x []float64, y float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y
	}
}

func divLeft(dst []float64, x float64, y []float64) {
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x / y[i]
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// where picks the entries of a where c is not 0, and those of b elsewhere.
func where(n int, dst, c, a, b operand) {
	for i := range n {
		d, c, a, b := dst.at(i), c.at(i), a.at(i), b.at(i)
		for j := range d {
			from := b
			if c[min(j, len(c)-1)] != 0 {
				from = a
			}
			d[j] = from[min(j, len(from)-1)]
		}
	}
}

// runUnary does operations on the entries of one operand.
func (in *instr) runUnary(n int, dst, a operand) {
	if a.step == dst.width && in.op != opSpread {
		n, dst, a = 1, dst.stretched(n*dst.width), a.stretched(n*dst.width)
	}
	for i := range n {
		in.entries(dst.at(i), a.at(i))
	}
}

func (in *instr) entries(dst, x []float64) {
	switch in.op {
	case opExp:
		exponentials(dst, x)
	case opLog:
		logarithms(dst, x)
	case opSigmoid:
		sigmoids(dst, x)
	case opSpread:
		for i := range dst {
			dst[i] = x[0]
		}
	case opPower:
		for i, v := range x {
			dst[i] = wholePower(v, in.node.attrs[0])
		}
	case opNeg:
		for i, v := range x {
			dst[i] = -v
		}
	default:
		f := functionsOfOne[in.op]
		for i, v := range x {
			dst[i] = f(v)
		}
	}
}

var functionsOfOne = [opCount]func(float64) float64{
	opSqrt:         math.Sqrt,
	opTanh:         tanh,
	opAbs:          math.Abs,
	opSign:         sign,
	opLogSlope:     logSlope,
	opTanhSlope:    tanhSlope,
	opSigmoidSlope: sigmoidSlope,
	opSin:          portable.Sin,
	opCos:          portable.Cos,
	opTan:          portable.Tan,
	opErf:          portable.Erf,
	opErfSlope:     erfSlope,
	opFloor:        math.Floor,
	opRound:        math.Round,
}

// softmax writes e^(x−largest) by their sum.
func softmax(dst, x []float64) {
	addRight(dst, x, -x[largest(x)])
	rows.Exp(dst)
	rows.Scale(dst, 1/rows.Sum(dst))
}

// largest returns where the largest entry stands, the first of equals, or the first NaN.
func largest(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] || v != v && x[best] == x[best] {
			best = i
		}
	}
	return best
}

// smallest returns where the smallest entry stands, the first of equals, or the first NaN.
func smallest(x []float64) int {
	best := 0
	for i, v := range x {
		if v < x[best] || v != v && x[best] == x[best] {
			best = i
		}
	}
	return best
}

// mark writes a unit vector.
func mark(dst []float64, at int) {
	clear(dst)
	dst[at] = 1
}

func outer(_ *node, dst, x, y []float64) {
	for i, v := range x {
		scaleTo(dst[i*len(y):(i+1)*len(y)], v, y)
	}
}

func transpose(of *node, dst, x, _ []float64) {
	from := of.args[0].shape
	for i := range from.rows {
		for j := range from.cols {
			dst[j*from.rows+i] = x[i*from.cols+j]
		}
	}
}

func matVec(_ *node, dst, a, x []float64) {
	clear(dst)
	rows.AddMul(dst, a, x)
}

func vecMat(_ *node, dst, x, a []float64) {
	clear(dst)
	rows.AddMulT(dst, a, x)
}

// matMat writes A·B; row i of it is row i of A times B.
func matMat(of *node, dst, a, b []float64) {
	clear(dst)
	s := of.args[0].shape
	width := len(dst) / s.rows
	for i := range s.rows {
		rows.AddMulT(dst[i*width:(i+1)*width], b, a[i*s.cols:(i+1)*s.cols])
	}
}

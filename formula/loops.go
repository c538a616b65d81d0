package formula

import "math"

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

func addBoth(dst, x, y []float64) {
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
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func mulRight(dst, x []float64, y float64) { scaleTo(dst, y, x) }

// scaleTo does dst = c·x.
func scaleTo(dst []float64, c float64, x []float64) {
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
	opSigmoid:      sigmoid,
	opAbs:          math.Abs,
	opSign:         sign,
	opLogSlope:     logSlope,
	opTanhSlope:    tanhSlope,
	opSigmoidSlope: sigmoidSlope,
}

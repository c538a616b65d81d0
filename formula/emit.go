package formula

import (
	"github.com/kedge-opt/kedge/ptx"
)

// emission writes what a program does for one individual as a list of operations, entry by entry, in the order of the kernels.
type emission struct {
	*ptx.OpList
	program *program
	values  [][]ptx.Scalar // by slot; nil until they are known
}

// Shares is how many numbers all individuals share in the list that EmitNext writes, negative where there is none.
func (f *dynamics) Shares() int {
	p := f.next()
	for _, in := range p.stages[perRow] {
		if _, ok := emitters[in.op]; !ok {
			return -1
		}
	}
	n := 0
	for _, s := range p.values {
		if s.travels() {
			n += s.width
		}
	}
	return n
}

// travels tells whether a value is shared by all individuals and no constant.
func (s *slot) travels() bool { return s.node.level != perRow && s.node.op != opConst }

// Share writes the numbers that all individuals share under u.
func (f *dynamics) Share(dst, u []float64) {
	p := f.next()
	w := p.borrow()
	p.start(w, u)
	for k := range p.values {
		if p.values[k].travels() {
			dst = dst[copy(dst, w.values[k].x):]
		}
	}
	p.release(w)
}

// EmitNext writes the list of f(p, u, d), where Shares says that there is one.
func (f *dynamics) EmitNext(c *ptx.OpList) {
	p := f.next()
	e := &emission{OpList: c, program: p, values: make([][]ptx.Scalar, len(p.values))}
	at := 0
	for k := range p.values {
		s := &p.values[k]
		if s.travels() {
			e.values[k] = several(s.width, func(j int) ptx.Scalar { return c.Shared(at + j) })
			at += s.width
		}
	}
	for i := range p.stages[perRow] {
		in := &p.stages[perRow][i]
		e.values[in.dst] = emitters[in.op](e, in)
	}
	for _, r := range p.outputs {
		for j, v := range e.value(r.value) {
			c.Next(j, v)
		}
	}
}

// value returns the entries of a slot. Inputs and constants are written when they are first read.
func (e *emission) value(k int) []ptx.Scalar {
	if s := &e.program.values[k]; e.values[k] == nil {
		e.values[k] = several(s.width, func(j int) ptx.Scalar {
			switch s.node.op {
			case opState:
				return e.State(j)
			case opTrait:
				return e.Trait(j)
			}
			return e.Const(s.node.data[j])
		})
	}
	return e.values[k]
}

// arg returns the entries of argument i of an instruction.
func (e *emission) arg(in *instr, i int) []ptx.Scalar { return e.value(in.args[i]) }

// width is how many entries the result has.
func (e *emission) width(in *instr) int { return e.program.values[in.dst].width }

// emitter writes the entries of an instruction's result.
type emitter func(e *emission, in *instr) []ptx.Scalar

// emitters are what can be written, by operation. There are none of sines, cosines, tangents and the error function, whose sums of two
// numbers are far longer, and of what no next formula does.
var emitters = map[op]emitter{
	opCombine: (*emission).combine, opWhere: (*emission).where,
	opDot:  func(e *emission, in *instr) []ptx.Scalar { return e.one(e.Dot(e.arg(in, 0), e.arg(in, 1))) },
	opNorm: func(e *emission, in *instr) []ptx.Scalar { return e.one(e.Norm(e.arg(in, 0))) }, opUnit: (*emission).unit,
	opLogSumExp: func(e *emission, in *instr) []ptx.Scalar {
		return e.one(e.Add(e.logarithm(e.arg(in, 2)[0]), e.arg(in, 1)[0]))
	},
	opAdd: inTwo((*emission).Add), opSub: inTwo((*emission).Sub), opMul: inTwo((*emission).Mul), opAnd: inTwo((*emission).Mul),
	opDiv: inTwo((*emission).Div), opMin: inTwo((*emission).Min), opMax: inTwo((*emission).Max),
	opLess: compared((*emission).Less), opAtMost: compared((*emission).AtMost), opEqual: compared((*emission).Equal),
	opUnequal: compared((*emission).Unequal),
	opPow:     inTwo((*emission).raise),

	opNeg: inOne((*emission).Neg), opAbs: inOne((*emission).Abs), opSqrt: inOne((*emission).Sqrt), opFloor: inOne((*emission).Floor),
	opExp: inOne((*emission).exponential), opLog: inOne((*emission).logarithm), opTanh: inOne((*emission).tanh),
	opSigmoid: inOne((*emission).sigmoid), opRound: inOne((*emission).round), opPower: (*emission).power,

	opSum:      func(e *emission, in *instr) []ptx.Scalar { return e.one(e.Sum(e.arg(in, 0))) },
	opLargest:  func(e *emission, in *instr) []ptx.Scalar { return e.one(e.best(e.arg(in, 0), true)) },
	opSmallest: func(e *emission, in *instr) []ptx.Scalar { return e.one(e.best(e.arg(in, 0), false)) },
	opSoftmax:  (*emission).softmax,
	opSlice:    (*emission).arranged, opConcat: (*emission).arranged, opTranspose: (*emission).arranged,
	opOuter: (*emission).arranged, opMatVec: (*emission).arranged, opVecMat: (*emission).arranged, opMatMat: (*emission).arranged,
}

func (e *emission) one(v ptx.Scalar) []ptx.Scalar { return []ptx.Scalar{v} }

// inOne writes a function of every entry.
func inOne(f func(e *emission, x ptx.Scalar) ptx.Scalar) emitter {
	return func(e *emission, in *instr) []ptx.Scalar {
		x := e.arg(in, 0)
		return several(e.width(in), func(j int) ptx.Scalar { return f(e, pick(x, j)) })
	}
}

// inTwo writes a function of the entries of two values, either of which may be one number.
func inTwo(f func(e *emission, x, y ptx.Scalar) ptx.Scalar) emitter {
	return func(e *emission, in *instr) []ptx.Scalar {
		x, y := e.arg(in, 0), e.arg(in, 1)
		return several(e.width(in), func(j int) ptx.Scalar { return f(e, pick(x, j), pick(y, j)) })
	}
}

func compared(f func(e *emission, x, y ptx.Scalar) ptx.Scalar) emitter {
	return inTwo(func(e *emission, x, y ptx.Scalar) ptx.Scalar { return e.Truth(f(e, x, y)) })
}

// combine adds terms from left to right.
func (e *emission) combine(in *instr) []ptx.Scalar {
	return several(e.width(in), func(j int) (sum ptx.Scalar) {
		for k := range in.args {
			c := e.Const(1)
			if in.coefs[k] >= 0 {
				c = e.value(in.coefs[k])[0]
			}
			if in.minus[k] {
				c = e.Neg(c)
			}
			term := e.Mul(c, pick(e.arg(in, k), j))
			if k > 0 {
				term = e.Add(sum, term)
			}
			sum = term
		}
		return sum
	})
}

func (e *emission) where(in *instr) []ptx.Scalar {
	c, a, b := e.arg(in, 0), e.arg(in, 1), e.arg(in, 2)
	return several(e.width(in), func(j int) ptx.Scalar {
		return e.Select(e.Unequal(pick(c, j), e.Const(0)), pick(a, j), pick(b, j))
	})
}

// arranged writes what moves entries, and products with matrices.
func (e *emission) arranged(in *instr) []ptx.Scalar {
	return arranged(e.OpList, in.node, several(len(in.args), func(i int) []ptx.Scalar { return e.arg(in, i) }))
}

// unit is x/c by the inverse of c; where that could overflow, it is flagged.
func (e *emission) unit(in *instr) []ptx.Scalar {
	x, c := e.arg(in, 0), e.arg(in, 1)[0]
	e.Flag(e.Not(e.Within(c, 1e-140, 1e140)))
	inverse := e.Div(e.Const(1), c)
	return several(len(x), func(j int) ptx.Scalar { return e.Mul(inverse, x[j]) })
}

// best returns the largest or smallest entry, the first of equals, or the first NaN.
func (e *emission) best(x []ptx.Scalar, largest bool) ptx.Scalar {
	best := x[0]
	for _, v := range x[1:] {
		better := e.Less(v, best)
		if largest {
			better = e.Less(best, v)
		}
		best = e.Select(e.Or(better, e.And(e.Unequal(v, v), e.Equal(best, best))), v, best)
	}
	return best
}

func (e *emission) softmax(in *instr) []ptx.Scalar {
	x := e.arg(in, 0)
	less := e.Neg(e.best(x, true))
	y := several(len(x), func(j int) ptx.Scalar { return e.Exp(e.Add(x[j], less)) })
	by := e.Div(e.Const(1), e.Sum(y))
	return several(len(x), func(j int) ptx.Scalar { return e.Mul(y[j], by) })
}

// power writes a whole power by squaring.
func (e *emission) power(in *instr) []ptx.Scalar {
	x, n := e.arg(in, 0), in.node.attrs[0]
	return several(e.width(in), func(j int) ptx.Scalar {
		y, square := e.Const(1), x[j]
		for left := max(n, -n); left > 0; left >>= 1 {
			if left&1 == 1 {
				y = e.Mul(y, square)
			}
			square = e.Mul(square, square)
		}
		if n < 0 {
			return e.Div(e.Const(1), y)
		}
		return y
	})
}

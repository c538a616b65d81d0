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
func (s *slot) travels() bool { return s.level != perRow && s.node.op != opConst }

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
			e.values[k] = entries(s.width, func(j int) ptx.Scalar { return c.Shared(at + j) })
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

// entries are n values.
func entries(n int, of func(j int) ptx.Scalar) []ptx.Scalar {
	list := make([]ptx.Scalar, n)
	for j := range list {
		list[j] = of(j)
	}
	return list
}

// value returns the entries of a slot. Inputs and constants are written when they are first read.
func (e *emission) value(k int) []ptx.Scalar {
	if s := &e.program.values[k]; e.values[k] == nil {
		e.values[k] = entries(s.width, func(j int) ptx.Scalar {
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

// pick is entry j, or the only one.
func pick(x []ptx.Scalar, j int) ptx.Scalar { return x[min(j, len(x)-1)] }

// emitter writes the entries of an instruction's result.
type emitter func(e *emission, in *instr) []ptx.Scalar

// emitters are what can be written, by operation. There are none of sines, cosines, tangents and the error function, whose sums of two
// numbers are far longer, and of what no next formula does.
var emitters = map[op]emitter{
	opCombine: (*emission).combine, opWhere: (*emission).where, opConcat: (*emission).concat,
	opDot:  func(e *emission, in *instr) []ptx.Scalar { return e.one(e.Dot(e.arg(in, 0), e.arg(in, 1))) },
	opNorm: func(e *emission, in *instr) []ptx.Scalar { return e.one(e.Norm(e.arg(in, 0))) }, opUnit: (*emission).unit,
	opLogSumExp: func(e *emission, in *instr) []ptx.Scalar {
		return e.one(e.Add(e.logarithm(e.arg(in, 2)[0]), e.arg(in, 1)[0]))
	},
	opAdd: byTwo((*ptx.OpList).Add), opSub: byTwo((*ptx.OpList).Sub), opMul: byTwo((*ptx.OpList).Mul), opAnd: byTwo((*ptx.OpList).Mul),
	opDiv: byTwo((*ptx.OpList).Div), opMin: byTwo((*ptx.OpList).Min), opMax: byTwo((*ptx.OpList).Max),
	opLess: compared((*ptx.OpList).Less), opAtMost: compared((*ptx.OpList).AtMost), opEqual: compared((*ptx.OpList).Equal),
	opUnequal: compared((*ptx.OpList).Unequal),
	opPow:     inTwo((*emission).raise),

	opNeg: byOne((*ptx.OpList).Neg), opAbs: byOne((*ptx.OpList).Abs), opSqrt: byOne((*ptx.OpList).Sqrt), opFloor: byOne((*ptx.OpList).Floor),
	opExp: inOne((*emission).exponential), opLog: inOne((*emission).logarithm), opTanh: inOne((*emission).tanh),
	opSigmoid: inOne((*emission).sigmoid), opRound: inOne((*emission).round), opPower: (*emission).power,

	opSum:      func(e *emission, in *instr) []ptx.Scalar { return e.one(e.Sum(e.arg(in, 0))) },
	opLargest:  func(e *emission, in *instr) []ptx.Scalar { return e.one(e.best(e.arg(in, 0), true)) },
	opSmallest: func(e *emission, in *instr) []ptx.Scalar { return e.one(e.best(e.arg(in, 0), false)) },
	opSoftmax:  (*emission).softmax,
	opSlice:    (*emission).slice, opTranspose: (*emission).transpose,
	opOuter: (*emission).outer, opMatVec: (*emission).matVec, opVecMat: (*emission).vecMat, opMatMat: (*emission).matMat,
}

func (e *emission) one(v ptx.Scalar) []ptx.Scalar { return []ptx.Scalar{v} }

// inOne writes a function of every entry.
func inOne(f func(e *emission, x ptx.Scalar) ptx.Scalar) emitter {
	return func(e *emission, in *instr) []ptx.Scalar {
		x := e.arg(in, 0)
		return entries(e.width(in), func(j int) ptx.Scalar { return f(e, pick(x, j)) })
	}
}

// inTwo writes a function of the entries of two values, either of which may be one number.
func inTwo(f func(e *emission, x, y ptx.Scalar) ptx.Scalar) emitter {
	return func(e *emission, in *instr) []ptx.Scalar {
		x, y := e.arg(in, 0), e.arg(in, 1)
		return entries(e.width(in), func(j int) ptx.Scalar { return f(e, pick(x, j), pick(y, j)) })
	}
}

func byOne(f func(c *ptx.OpList, x ptx.Scalar) ptx.Scalar) emitter {
	return inOne(func(e *emission, x ptx.Scalar) ptx.Scalar { return f(e.OpList, x) })
}

func byTwo(f func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar) emitter {
	return inTwo(func(e *emission, x, y ptx.Scalar) ptx.Scalar { return f(e.OpList, x, y) })
}

func compared(f func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar) emitter {
	return inTwo(func(e *emission, x, y ptx.Scalar) ptx.Scalar { return e.Truth(f(e.OpList, x, y)) })
}

// combine adds terms from left to right.
func (e *emission) combine(in *instr) []ptx.Scalar {
	return entries(e.width(in), func(j int) (sum ptx.Scalar) {
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
	return entries(e.width(in), func(j int) ptx.Scalar {
		return e.Select(e.Unequal(pick(c, j), e.Const(0)), pick(a, j), pick(b, j))
	})
}

func (e *emission) concat(in *instr) (all []ptx.Scalar) {
	for k := range in.args {
		all = append(all, e.arg(in, k)...)
	}
	return all
}

// unit is x/c by the inverse of c; where that could overflow, it is flagged.
func (e *emission) unit(in *instr) []ptx.Scalar {
	x, c := e.arg(in, 0), e.arg(in, 1)[0]
	e.Flag(e.Not(e.Within(c, 1e-140, 1e140)))
	inverse := e.Div(e.Const(1), c)
	return entries(len(x), func(j int) ptx.Scalar { return e.Mul(inverse, x[j]) })
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
	y := entries(len(x), func(j int) ptx.Scalar { return e.Exp(e.Add(x[j], less)) })
	by := e.Div(e.Const(1), e.Sum(y))
	return entries(len(x), func(j int) ptx.Scalar { return e.Mul(y[j], by) })
}

func (e *emission) slice(in *instr) (list []ptx.Scalar) {
	x, s, a := e.arg(in, 0), in.node.shape, in.node.attrs
	for i := range s.rows {
		for j := range s.cols {
			list = append(list, x[a[0]+i*a[1]+j])
		}
	}
	return list
}

func (e *emission) transpose(in *instr) []ptx.Scalar {
	x, from := e.arg(in, 0), in.node.args[0].shape
	return entries(len(x), func(k int) ptx.Scalar { return x[k%from.rows*from.cols+k/from.rows] })
}

func (e *emission) outer(in *instr) (list []ptx.Scalar) {
	x, y := e.arg(in, 0), e.arg(in, 1)
	for _, v := range x {
		for _, w := range y {
			list = append(list, e.Mul(v, w))
		}
	}
	return list
}

func (e *emission) matVec(in *instr) []ptx.Scalar {
	a, x := e.arg(in, 0), e.arg(in, 1)
	return entries(e.width(in), func(i int) ptx.Scalar {
		return e.Add(e.Const(0), e.Dot(x, a[i*len(x):(i+1)*len(x)]))
	})
}

func (e *emission) vecMat(in *instr) []ptx.Scalar {
	return e.rowTimes(e.arg(in, 0), e.arg(in, 1), e.width(in))
}

// rowTimes is xᵀA for a matrix of so many columns, row by row of it.
func (e *emission) rowTimes(x, a []ptx.Scalar, columns int) []ptx.Scalar {
	return entries(columns, func(j int) ptx.Scalar {
		sum := e.Const(0)
		for i, v := range x {
			sum = e.Add(sum, e.Mul(v, a[i*columns+j]))
		}
		return sum
	})
}

func (e *emission) matMat(in *instr) (list []ptx.Scalar) {
	a, b, s := e.arg(in, 0), e.arg(in, 1), in.node.args[0].shape
	for i := range s.rows {
		list = append(list, e.rowTimes(a[i*s.cols:(i+1)*s.cols], b, e.width(in)/s.rows)...)
	}
	return list
}

// power writes a whole power by squaring.
func (e *emission) power(in *instr) []ptx.Scalar {
	x, n := e.arg(in, 0), in.node.attrs[0]
	return entries(e.width(in), func(j int) ptx.Scalar {
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

package ptx

import "math"

// Evaluator is a OpList at work on the CPU. It is of one goroutine.
type Evaluator struct {
	// Along, Across and Off are those of the plane of the individual that was evaluated last, if the list has one.
	Along, Across, Off float64

	code *OpList
	x    []uint64 // values: bits of numbers, 0 or 1
}

// NewEvaluator returns what evaluates a list.
func NewEvaluator(c *OpList) *Evaluator { return &Evaluator{code: c, x: make([]uint64, len(c.kinds))} }

// Eval does the list for one individual, writes its next state and returns its score, and whether a flag was raised.
func (r *Evaluator) Eval(next, state, trait, shared []float64) (score float64, flagged bool) {
	list := r.code.list
	for at := 0; at < len(list); at++ {
		o := &list[at]
		switch o.op {
		case opState:
			r.x[o.dst] = math.Float64bits(state[o.number])
		case opTrait:
			r.x[o.dst] = math.Float64bits(trait[o.number])
		case opShared:
			r.x[o.dst] = math.Float64bits(shared[o.number])
		case opSet:
			r.x[o.a[0]] = r.x[o.a[1]]
		case opIf:
			if r.x[o.a[0]] == 0 {
				at = int(o.number)
			}
		case opAgain:
			if r.x[o.a[0]] != 0 {
				at = int(o.number)
			}
		case opLoop, opEnd:
		case opFlag:
			flagged = flagged || r.x[o.a[0]] != 0
		case opNext:
			next[o.number] = r.number(o.a[0])
			flagged = flagged || !(math.Abs(next[o.number]) <= math.MaxFloat64)
		case opScore:
			score = r.number(o.a[0])
		case opPlane:
			r.Along, r.Across, r.Off = r.number(o.a[0]), r.number(o.a[1]), r.number(o.a[2])
		default:
			r.x[o.dst] = r.value(o)
		}
	}
	return score, flagged
}

func (r *Evaluator) number(v Scalar) float64 { return math.Float64frombits(r.x[v]) }

func (r *Evaluator) short(v Scalar) float32 { return math.Float32frombits(uint32(r.x[v])) }

// value does an operation that makes a value of others.
func (r *Evaluator) value(o *operation) uint64 {
	switch {
	case o.op == opConst:
		return o.number
	case o.op == opKeep:
		return r.x[o.a[0]]
	case o.op >= opAnd && o.op <= opSelect || o.op >= opBitAdd:
		return r.logic(o)
	case o.op >= opLess && o.op <= opUnequal:
		return r.compare(o)
	case o.op >= opSingle:
		return r.convert(o)
	case o.kind == single:
		return uint64(math.Float32bits(arithmetic(o.op, r.short(o.a[0]), r.short(o.a[1]), r.short(o.a[2]))))
	}
	return math.Float64bits(arithmetic(o.op, r.number(o.a[0]), r.number(o.a[1]), r.number(o.a[2])))
}

// arithmetic does what numbers do.
func arithmetic[F float32 | float64](o op, x, y, z F) F {
	switch o {
	case opAdd:
		return x + y
	case opSub:
		return x - y
	case opMul:
		return F(x * y)
	case opDiv:
		return x / y
	case opFMA:
		return F(math.FMA(float64(x), float64(y), float64(z)))
	case opSqrt:
		return F(math.Sqrt(float64(x)))
	case opNeg:
		return -x
	case opAbs:
		return F(math.Abs(float64(x)))
	case opFloor:
		return F(math.Floor(float64(x)))
	}
	return F(math.Trunc(float64(x)))
}

func (r *Evaluator) compare(o *operation) uint64 {
	x, y := r.wide(o.a[0]), r.wide(o.a[1])
	switch o.op {
	case opLess:
		return bit(x < y)
	case opAtMost:
		return bit(x <= y)
	case opEqual:
		return bit(x == y)
	}
	return bit(x != y)
}

// wide is a number of either length.
func (r *Evaluator) wide(v Scalar) float64 {
	if r.code.kinds[v] == single {
		return float64(r.short(v))
	}
	return r.number(v)
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// logic does what is done with truths and bits.
func (r *Evaluator) logic(o *operation) uint64 {
	x, y := r.x[o.a[0]], o.number
	if o.op < opSingle || o.op == opBitOr || o.op == opBitAnd && o.a[1] >= 0 {
		y = r.x[o.a[1]]
	}
	switch o.op {
	case opAnd, opBitAnd:
		return x & y
	case opOr, opBitOr:
		return x | y
	case opNot:
		return 1 - x
	case opBitAdd:
		return x + y
	case opShiftLeft:
		return x << y
	case opShiftRight:
		return x >> y
	}
	if r.x[o.a[2]] != 0 { // select
		return x
	}
	return y
}

func (r *Evaluator) convert(o *operation) uint64 {
	switch o.op {
	case opSingle:
		return uint64(math.Float32bits(float32(r.number(o.a[0]))))
	case opDouble:
		return math.Float64bits(float64(r.short(o.a[0])))
	case opWhole:
		return math.Float64bits(float64(int64(r.x[o.a[0]])))
	}
	return r.x[o.a[0]] // bits and numbers are the same here
}

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

func short(x uint64) float32 { return math.Float32frombits(uint32(x)) }

// value does an operation that makes a value of others. Where there is no second one, a number takes its place.
func (r *Evaluator) value(o *operation) uint64 {
	x, y, z := r.x[o.a[0]], o.number, r.x[o.a[2]]
	if o.a[1] >= 0 {
		y = r.x[o.a[1]]
	}
	switch o.op {
	case opConst:
		return o.number
	case opKeep, opBits, opNumber: // bits and numbers are the same here
		return x
	case opSelect:
		if z == 0 {
			return y
		}
		return x
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
	case opLess:
		return bit(r.wide(o.a[0]) < r.wide(o.a[1]))
	case opAtMost:
		return bit(r.wide(o.a[0]) <= r.wide(o.a[1]))
	case opEqual:
		return bit(r.wide(o.a[0]) == r.wide(o.a[1]))
	case opUnequal:
		return bit(r.wide(o.a[0]) != r.wide(o.a[1]))
	case opSingle:
		return uint64(math.Float32bits(float32(math.Float64frombits(x))))
	case opDouble:
		return math.Float64bits(float64(short(x)))
	case opWhole:
		return math.Float64bits(float64(int64(x)))
	}
	if o.kind == single {
		return uint64(math.Float32bits(arithmetic(o.op, short(x), short(y), short(z))))
	}
	return math.Float64bits(arithmetic(o.op, math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z)))
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

// wide is a number of either length.
func (r *Evaluator) wide(v Scalar) float64 {
	if r.code.kinds[v] == single {
		return float64(short(r.x[v]))
	}
	return r.number(v)
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

package formula

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/interval"
)

// encloser computes jets of values for one individual: what they can be over a box of decisions.
type encloser struct {
	jets   interval.Jets
	shared []*node          // what all individuals share, and
	own    []*node          // the rest, arguments first
	values [][]interval.Jet // the entries of values, by their number
	inputs map[op][]interval.Jet
	shaky  []bool // values that may be no number somewhere, by their number; of a comparison with one, nothing is known
	term   interval.Jet
	sum    interval.Jet
	square interval.Jet
	work   int // spans computed for an individual, and
	once   int // for all
}

// newEncloser prepares the values that roots need. Inputs are zeros until they are set.
func newEncloser(jets interval.Jets, roots ...*node) *encloser {
	all := reachable(roots)
	e := &encloser{jets: jets, values: make([][]interval.Jet, all[len(all)-1].id+1), inputs: map[op][]interval.Jet{}}
	e.shaky = make([]bool, len(e.values))
	for _, n := range all {
		entries := newJets(n.shape.size(), jets.Size())
		e.values[n.id] = entries
		switch {
		case n.isConst():
			for i, v := range n.data {
				jets.Number(entries[i], interval.Point(v))
			}
		case len(n.args) == 0:
			e.inputs[n.op] = entries
		case n.deps&(onState|onTrait) == 0:
			e.shared = append(e.shared, n)
			e.once += n.size() * jets.Size()
		default:
			e.own = append(e.own, n)
			e.work += n.size() * jets.Size()
		}
	}
	room := newJets(3, jets.Size())
	e.term, e.sum, e.square = room[0], room[1], room[2]
	return e
}

// size is how many entries a value is made of.
func (n *node) size() int { return max(n.cost()/max(natures[n.op].weight, 1), n.shape.size()) }

// entriesOf is how many entries the values have that a root is made of.
func entriesOf(root *node) (sum int) {
	for _, n := range reachable([]*node{root}) {
		sum += n.shape.size()
	}
	return sum
}

// reachable returns the values that roots are made of, arguments first.
func reachable(roots []*node) (found []*node) {
	seen := map[*node]bool{}
	for rest := slices.Clone(roots); len(rest) > 0; {
		n := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if !seen[n] {
			seen[n] = true
			found = append(found, n)
			rest = append(rest, n.args...)
		}
	}
	slices.SortFunc(found, func(a, b *node) int { return a.id - b.id })
	return found
}

// newJets returns n jets behind each other.
func newJets(n, size int) []interval.Jet {
	store, all := make([]interval.Span, n*size), make([]interval.Jet, n)
	for i := range all {
		all[i] = store[i*size : (i+1)*size : (i+1)*size]
	}
	return all
}

// numbers makes the entries of an input constants.
func (e *encloser) numbers(o op, values []interval.Span) {
	for i, x := range e.inputs[o] {
		e.jets.Number(x, values[i])
	}
}

// variables makes the entries of an input the variables.
func (e *encloser) variables(o op, values []interval.Span) {
	for i, x := range e.inputs[o] {
		e.jets.Variable(x, values[i], i)
	}
}

// runAll computes everything for a decision and a trait within boxes.
func (e *encloser) runAll(decision, trait []interval.Span) {
	e.numbers(opDecision, decision)
	e.numbers(opTrait, trait)
	e.run(e.shared)
	e.run(e.own)
}

// run computes values.
func (e *encloser) run(nodes []*node) {
	for _, n := range nodes {
		e.compute(n)
		e.shaky[n.id] = slices.ContainsFunc(n.args, func(a *node) bool { return e.shaky[a.id] }) || e.leaves(n)
	}
}

// leaves tells whether a value may be infinite or its argument outside of where it is defined.
func (e *encloser) leaves(n *node) bool {
	least := math.Inf(1)
	for _, x := range e.values[n.args[len(n.args)-1].id] {
		least = min(least, x[0].Lo)
	}
	switch {
	case n.op == opPow:
		return slices.ContainsFunc(e.values[n.args[0].id], func(x interval.Jet) bool { return x[0].Lo <= 0 })
	case (n.op == opLog || n.op == opSqrt) && least < 0, n.op == opUnit && least <= 0:
		return true
	}
	return slices.ContainsFunc(e.values[n.id], func(x interval.Jet) bool { return !x[0].IsFinite() })
}

// entry returns entry i of a value, or the only one.
func (e *encloser) entry(n *node, i int) interval.Jet {
	if n.shape.single() {
		i = 0
	}
	return e.values[n.id][i]
}

// unaryJets, binaryJets and comparisons compute values entry by entry.
var (
	unaryJets = [opCount]func(j interval.Jets, dst, x interval.Jet){
		opNeg: interval.Jets.Neg, opExp: interval.Jets.Exp, opLog: interval.Jets.Log, opSqrt: interval.Jets.Sqrt,
		opTanh: interval.Jets.Tanh, opSigmoid: interval.Jets.Sigmoid, opAbs: interval.Jets.Abs,
		opSin: interval.Jets.Sin, opCos: interval.Jets.Cos, opTan: interval.Jets.Tan, opErf: interval.Jets.Erf,
		opFloor: interval.Jets.Floor, opRound: interval.Jets.Round,
	}
	binaryJets = [opCount]func(j interval.Jets, dst, x, y interval.Jet){
		opAdd: interval.Jets.Add, opSub: interval.Jets.Sub, opMul: interval.Jets.Mul, opDiv: interval.Jets.Div,
		opMin: interval.Jets.Min, opMax: interval.Jets.Max, opPow: interval.Jets.Pow,
	}
	comparisons = [opCount]func(x, y interval.Span) interval.Span{
		opLess:   func(x, y interval.Span) interval.Span { return verdict(x.Hi < y.Lo, x.Lo >= y.Hi) },
		opAtMost: func(x, y interval.Span) interval.Span { return verdict(x.Hi <= y.Lo, x.Lo > y.Hi) },
		opEqual: func(x, y interval.Span) interval.Span {
			return verdict(x.IsPoint() && x == y, x.Hi < y.Lo || y.Hi < x.Lo)
		},
		opUnequal: func(x, y interval.Span) interval.Span {
			return verdict(x.Hi < y.Lo || y.Hi < x.Lo, x.IsPoint() && x == y)
		},
		opAnd: interval.Span.Mul,
	}
)

// verdict is 1 for what holds, 0 for what does not, and both where neither is known.
func verdict(holds, fails bool) interval.Span {
	switch {
	case holds:
		return interval.Point(1)
	case fails:
		return interval.Point(0)
	}
	return interval.Span{Lo: 0, Hi: 1}
}

// compute computes one value from its arguments.
func (e *encloser) compute(n *node) {
	x, y := n.args[0], n.args[len(n.args)-1]
	for i := range n.shape.size() {
		dst := e.entry(n, i)
		switch {
		case n.op == opPower && x.op == opNorm && n.attrs[0] > 0 && n.attrs[0]%2 == 0: // smooth, though the norm is not
			e.add(e.square, x.args[0].shape.size(), func(k int) { e.product(x.args[0], k, x.args[0], k) })
			e.jets.Power(dst, e.square, n.attrs[0]/2)
		case n.op == opPower:
			e.jets.Power(dst, e.entry(x, i), n.attrs[0])
		case n.op == opMul && x == y:
			e.jets.Sqr(dst, e.entry(x, i))
		case unaryJets[n.op] != nil:
			unaryJets[n.op](e.jets, dst, e.entry(x, i))
		case binaryJets[n.op] != nil:
			binaryJets[n.op](e.jets, dst, e.entry(x, i), e.entry(y, i))
		case comparisons[n.op] != nil:
			e.compare(n, dst, e.entry(x, i), e.entry(y, i))
		case n.op == opWhere:
			e.jets.Where(dst, e.entry(x, i), e.entry(n.args[1], i), e.entry(y, i))
		default:
			e.mix(n, dst, i)
		}
	}
}

// compare writes 1, 0, or both where that depends on the point of the box.
func (e *encloser) compare(n *node, dst, x, y interval.Jet) {
	holds := interval.Span{Lo: 0, Hi: 1}
	if !e.shaky[n.args[0].id] && !e.shaky[n.args[1].id] {
		holds = comparisons[n.op](x[0], y[0])
	}
	if e.jets.Number(dst, holds); !holds.IsPoint() && !(e.jets.IsConstant(x) && e.jets.IsConstant(y)) {
		e.jets.Unknown(dst, holds)
	}
}

// mix computes entry i of a value that mixes entries of its arguments.
func (e *encloser) mix(n *node, dst interval.Jet, i int) {
	x := n.args[0]
	switch n.op {
	case opSum:
		e.add(dst, x.shape.size(), func(k int) { copy(e.term, e.entry(x, k)) })
	case opDot:
		e.add(dst, x.shape.size(), func(k int) { e.product(x, k, n.args[1], k) })
	case opNorm:
		e.jets.Norm(dst, e.values[x.id])
	case opLargest, opSmallest:
		e.extreme(dst, n.op, e.values[x.id])
	case opLogSumExp:
		e.jets.LogSumExp(dst, make([]interval.Span, x.shape.size()), e.values[x.id])
	case opSoftmax:
		if i == 0 {
			e.jets.Softmax(e.values[n.id], e.values[x.id])
		}
	case opUnit:
		e.jets.Div(dst, e.entry(x, i), e.entry(n.args[1], 0))
		dst[0] = dst[0].Narrow(interval.Span{Lo: -1, Hi: 1})
	case opSlice, opConcat, opTranspose:
		arg, entry := n.origin(i)
		copy(dst, e.entry(n.args[arg], entry))
	case opOuter:
		e.jets.Mul(dst, e.entry(x, i/n.shape.cols), e.entry(n.args[1], i%n.shape.cols))
	case opMatVec, opVecMat, opMatMat:
		length, first, second, step := n.factors(i)
		e.add(dst, length, func(k int) { e.product(x, first+k, n.args[1], second+k*step) })
	default:
		e.jets.Unknown(dst, interval.Whole())
	}
}

// add sums n terms, which part leaves in e.term.
func (e *encloser) add(dst interval.Jet, n int, part func(k int)) {
	clear(dst)
	for k := range n {
		part(k)
		copy(e.sum, dst)
		e.jets.Add(dst, e.sum, e.term)
	}
}

// product leaves the product of two entries in e.term.
func (e *encloser) product(x *node, i int, y *node, k int) {
	if x == y && i == k {
		e.jets.Sqr(e.term, e.entry(x, i))
		return
	}
	e.jets.Mul(e.term, e.entry(x, i), e.entry(y, k))
}

func (e *encloser) extreme(dst interval.Jet, o op, x []interval.Jet) {
	choose := interval.Jets.Max
	if o == opSmallest {
		choose = interval.Jets.Min
	}
	copy(dst, x[0])
	for _, v := range x[1:] {
		copy(e.sum, dst)
		choose(e.jets, dst, e.sum, v)
	}
}

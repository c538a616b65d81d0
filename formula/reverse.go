package formula

import "slices"

// reverse builds the derivatives of one value by reverse accumulation [griewank2008]. The slope of a vector whose entries
// all have the same is kept as a scalar.
type reverse struct {
	*graph
	slopes map[*node]*node
	want   deps
	apart  bool    // slopes in what all individuals share stay those of each
	ends   []*node // values whose slopes are wanted, and not those of what they are made of
}

// gradients returns the derivatives of seed·root in the inputs; nil is zero. That in the decision is a sum over individuals.
func (g *graph) gradients(root, seed *node, want deps) map[op]*node {
	return g.accumulate(&reverse{graph: g, slopes: map[*node]*node{}, want: want}, root, seed)
}

func (g *graph) accumulate(r *reverse, root, seed *node) map[op]*node {
	g.strict = false
	first := &node{level: perRow, shape: root.shape}
	r.push(first, root, seed)
	for id := root.id; id >= 0 && !g.full; id-- {
		if n := g.nodes[id]; r.slopes[n] != nil && len(n.args) > 0 && !slices.Contains(r.ends, n) {
			r.visit(n, r.slopes[n])
		}
	}
	return r.found()
}

// found returns the slopes of the inputs.
func (r *reverse) found() map[op]*node {
	found := map[op]*node{}
	for _, n := range r.nodes {
		if slope := r.slopes[n]; slope != nil && inputs[n.op] != 0 {
			found[n.op] = r.full(slope, n.shape)
		}
	}
	return found
}

// push adds to the slope of an argument of n. What all individuals share collects the slopes of all.
func (r *reverse) push(n, to, slope *node) {
	if to.deps&r.want == 0 {
		return
	}
	if n.level == perRow && to.level == once && !r.apart {
		slope = r.apply(opRowSum, to.shape, [4]int{}, r.full(slope, to.shape))
	}
	if old := r.slopes[to]; old != nil {
		slope = r.pair(opAdd, old, slope)
	}
	r.slopes[to] = slope
}

// give pushes a slope of the shape of n to an argument that may be a scalar beside vectors.
func (r *reverse) give(n, to, slope *node) {
	if to.shape.single() && !n.shape.single() {
		slope = r.total(slope, n.shape)
	}
	r.push(n, to, slope)
}

// giveProduct is give for the slope g·f.
func (r *reverse) giveProduct(n, to, g, f *node) {
	switch {
	case !to.shape.single() || n.shape.single():
		r.push(n, to, r.mul(g, f))
	case g.shape.single():
		r.push(n, to, r.mul(g, r.total(f, n.shape)))
	case f.shape.single():
		r.push(n, to, r.mul(r.total(g, n.shape), f))
	default:
		r.push(n, to, r.apply(opDot, scalar(), [4]int{}, g, f))
	}
}

// pair applies an operation entry by entry.
func (r *reverse) pair(o op, x, y *node) *node {
	if other := neutral(o, x, y); other != nil {
		return other
	}
	return r.apply(o, widest(x, y), [4]int{}, x, y)
}

func (r *reverse) mul(x, y *node) *node { return r.pair(opMul, x, y) }

func (r *reverse) of(o op, x *node) *node { return r.apply(o, x.shape, [4]int{}, x) }

func (r *reverse) neg(x *node) *node {
	if x.op == opNeg {
		return x.args[0]
	}
	return r.of(opNeg, x)
}

// total sums the entries of a value that stands for one of shape s.
func (r *reverse) total(x *node, s shape) *node {
	if x.shape.single() {
		return r.mul(x, r.number(float64(s.size())))
	}
	return r.apply(opSum, scalar(), [4]int{}, x)
}

// full returns the value of shape s that x stands for.
func (r *reverse) full(x *node, s shape) *node {
	if x.shape == s {
		return x
	}
	return r.apply(opSpread, s, [4]int{}, x)
}

func (r *reverse) pick(mask, x, y *node) *node {
	return r.apply(opWhere, widest(mask, x, y), [4]int{}, mask, x, y)
}

// widest is the shape of what is no scalar among values that suit each other.
func widest(all ...*node) (s shape) {
	for _, n := range all {
		if s = n.shape; !s.single() {
			break
		}
	}
	return s
}

// slopeOf gives the slope of the first argument x of a value n, which has the slope g, where the rest have none.
var slopeOf = [opCount]func(r *reverse, n, x, g *node) *node{
	opNeg:       func(r *reverse, _, _, g *node) *node { return r.neg(g) },
	opExp:       func(r *reverse, n, _, g *node) *node { return r.mul(g, n) },
	opLog:       func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opLogSlope, x)) },
	opSqrt:      func(r *reverse, n, _, g *node) *node { return r.pair(opOver, r.mul(r.number(0.5), g), n) },
	opTanh:      func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opTanhSlope, x)) },
	opSigmoid:   func(r *reverse, n, x, g *node) *node { return r.mul(g, r.sigmoidSlope(n, x)) },
	opAbs:       func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opSign, x)) },
	opSin:       func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opCos, x)) },
	opCos:       func(r *reverse, _, x, g *node) *node { return r.neg(r.mul(g, r.of(opSin, x))) },
	opTan:       func(r *reverse, n, _, g *node) *node { return r.mul(g, r.pair(opAdd, r.number(1), r.mul(n, n))) },
	opErf:       func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opErfSlope, x)) },
	opPower:     func(r *reverse, n, x, g *node) *node { return r.mul(g, r.powerSlope(x, n.attrs[0])) },
	opSum:       func(_ *reverse, _, _, g *node) *node { return g },
	opSpread:    func(_ *reverse, _, _, g *node) *node { return g },
	opNorm:      func(r *reverse, n, x, g *node) *node { return r.mul(r.pair(opOver, g, n), x) },
	opLargest:   func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opFirstLargest, x)) },
	opSmallest:  func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opFirstSmallest, x)) },
	opLogSumExp: func(r *reverse, _, x, g *node) *node { return r.mul(g, r.of(opSoftmax, x)) },
	opSoftmax:   func(r *reverse, n, _, g *node) *node { return r.mul(n, r.pair(opSub, g, r.along(g, n))) },
	opSlice:     func(r *reverse, n, x, g *node) *node { return r.apply(opPad, x.shape, n.attrs, r.full(g, n.shape)) },
	opTranspose: func(r *reverse, n, _, g *node) *node { return r.flip(r.full(g, n.shape)) },

	// Of slopes themselves, for second derivatives.
	opLogSlope:  func(r *reverse, n, _, g *node) *node { return r.neg(r.mul(g, r.mul(n, n))) },
	opTanhSlope: func(r *reverse, n, x, g *node) *node { return r.mul(g, r.mul(r.number(-2), r.mul(n, r.of(opTanh, x)))) },
	opSigmoidSlope: func(r *reverse, n, x, g *node) *node {
		return r.mul(g, r.mul(n, r.pair(opSub, r.number(1), r.mul(r.number(2), r.of(opSigmoid, x)))))
	},
	opErfSlope: func(r *reverse, n, x, g *node) *node { return r.mul(g, r.mul(r.number(-2), r.mul(n, x))) },
	opPad:      func(r *reverse, n, x, g *node) *node { return r.apply(opSlice, x.shape, n.attrs, r.full(g, n.shape)) },
}

// sigmoidSlope is s(1 − s) where only slopes in parts are wanted, for sums over rows: far out it rounds to 0, and takes no exponential.
func (r *reverse) sigmoidSlope(n, x *node) *node {
	if r.ends == nil {
		return r.of(opSigmoidSlope, x)
	}
	return r.mul(n, r.pair(opSub, r.number(1), n))
}

// visit hands the slope g of n on to its arguments.
func (r *reverse) visit(n, g *node) {
	x, y := n.args[0], n.args[len(n.args)-1]
	if slope := slopeOf[n.op]; slope != nil {
		r.push(n, x, slope(r, n, x, g))
		return
	}
	switch n.op {
	case opFloor, opRound: // flat between jumps, of which derivatives say nothing
	case opAdd:
		r.give(n, x, g)
		r.give(n, y, g)
	case opSub:
		r.give(n, x, g)
		r.give(n, y, r.neg(g))
	case opMul:
		r.giveProduct(n, x, g, y)
		r.giveProduct(n, y, g, x)
	case opDiv, opOver:
		part := r.pair(n.op, g, y)
		r.give(n, x, part)
		r.giveProduct(n, y, r.neg(part), n)
	case opPowSlope: // of x alone: no formula that is differentiated twice raises what varies to what varies
		r.giveProduct(n, x, g, r.mul(y, r.pair(opPowSlope, x, r.pair(opSub, y, r.number(1)))))
	case opPowLog: // of y alone
		r.giveProduct(n, y, g, r.mul(n, r.of(opLog, x)))
	case opMax:
		r.choice(n, g, x, y, r.pair(opAtMost, y, x))
	case opMin:
		r.choice(n, g, x, y, r.pair(opAtMost, x, y))
	case opWhere:
		r.choice(n, g, n.args[1], y, x)
	case opPow:
		r.giveProduct(n, x, g, r.pair(opPowSlope, x, y))
		r.giveProduct(n, y, g, r.pair(opPowLog, x, y))
	case opDot:
		r.push(n, x, r.mul(g, y))
		r.push(n, y, r.mul(g, x))
	case opUnit:
		r.push(n, x, r.pair(opDiv, g, y))
		r.push(n, y, r.neg(r.pair(opDiv, r.along(g, n), y)))
	default:
		r.visitMatrix(n, x, y, r.full(g, n.shape))
	}
}

// choice hands g to x where the mask holds and to y elsewhere.
func (r *reverse) choice(n, g, x, y, mask *node) {
	zero := r.number(0)
	r.give(n, x, r.pick(mask, g, zero))
	r.give(n, y, r.pick(mask, zero, g))
}

// powerSlope returns k·xᵏ⁻¹.
func (r *reverse) powerSlope(x *node, k int) *node {
	factor := r.number(float64(k))
	switch k {
	case 0:
		return factor
	case 2:
		return r.mul(factor, x)
	}
	return r.mul(factor, r.apply(opPower, x.shape, [4]int{k - 1}, x))
}

// along returns gᵀy.
func (r *reverse) along(g, y *node) *node {
	if y.shape.single() {
		return r.mul(g, y)
	}
	if g.shape.single() {
		return r.mul(g, r.total(y, y.shape))
	}
	return r.apply(opDot, scalar(), [4]int{}, g, y)
}

// visitMatrix is visit for joined values and products of matrices, with a slope of full shape.
func (r *reverse) visitMatrix(n, x, y, g *node) {
	switch n.op {
	case opConcat:
		r.split(n, g)
	case opOuter:
		r.push(n, x, r.apply(opMatVec, x.shape, [4]int{}, g, y))
		r.push(n, y, r.apply(opVecMat, y.shape, [4]int{}, x, g))
	case opMatVec:
		r.push(n, x, r.apply(opOuter, x.shape, [4]int{}, g, y))
		r.push(n, y, r.apply(opVecMat, y.shape, [4]int{}, g, x))
	case opVecMat:
		r.push(n, x, r.apply(opMatVec, x.shape, [4]int{}, y, g))
		r.push(n, y, r.apply(opOuter, y.shape, [4]int{}, x, g))
	case opMatMat:
		r.push(n, x, r.apply(opMatMat, x.shape, [4]int{}, g, r.flip(y)))
		r.push(n, y, r.apply(opMatMat, y.shape, [4]int{}, r.flip(x), g))
	}
}

func (r *reverse) flip(x *node) *node { return r.apply(opTranspose, x.shape.flip(), [4]int{}, x) }

// split hands each part of a concatenation its part of the slope.
func (r *reverse) split(n, g *node) {
	offset := 0
	for _, a := range n.args {
		if a.deps&r.want != 0 {
			r.push(n, a, r.apply(opSlice, a.shape, [4]int{offset, a.shape.cols}, g))
		}
		offset += a.shape.size()
	}
}

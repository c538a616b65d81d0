package formula

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/interval"
)

// resting encloses the steady state of one individual over a box of decisions, and its derivatives in them.
type resting struct {
	next     *node
	isAffine bool
	isNever  bool // the individual settled last comes to rest for no decision of the box
	size     int
	slope    *encloser    // next in the variables p, of order 1
	orders   [3]*encloser // next in the decision, of orders 1 and 2
	state    []interval.Span
	system   []interval.Span // I − ∂next/∂p, row-major
	middle   []interval.Span // of the state
	ahead    []interval.Span // next of the middle
	image    []interval.Span // next of the state
}

func newResting(next *node, decisions, orders int) *resting {
	m := next.shape.size()
	r := &resting{next: next, isAffine: next.degP <= 1, size: m, system: make([]interval.Span, m*m)}
	r.state, r.middle, r.ahead, r.image = make([]interval.Span, m), make([]interval.Span, m), make([]interval.Span, m), make([]interval.Span, m)
	r.slope = newEncloser(interval.Jets{Variables: m, Order: 1}, next)
	for order := 1; order <= orders; order++ {
		r.orders[order] = newEncloser(interval.Jets{Variables: decisions, Order: order}, next)
	}
	return r
}

// enter sets the decision and computes what all individuals share.
func (r *resting) enter(box []interval.Span, order int) (work int) {
	r.slope.numbers(opDecision, box)
	r.slope.run(r.slope.shared)
	work = r.slope.once
	for _, e := range r.orders[1 : order+1] {
		e.variables(opDecision, box)
		e.run(e.shared)
		work += e.once
	}
	return work
}

// settle writes the steady state to p, which are jets of the given order, and tells whether it is known. It is the one that the
// individual reaches from its start: in a box that holds the start and that dynamics do not leave. Where that box may hold several,
// between which decisions tip the individual over, or none for some decisions, there are no slopes.
func (r *resting) settle(p []interval.Jet, order int, trait, start []interval.Span) (work int, ok bool) {
	r.slope.numbers(opTrait, trait)
	r.isNever = false
	steps, isUnique := 0, true
	if r.isAffine {
		ok, isUnique = r.solveAffine()
	} else {
		steps, ok, isUnique = r.contract(start)
	}
	work = (1 + 2*steps) * (r.slope.work + r.size*r.size)
	if !ok || isUnique && r.repels() {
		return work, false
	}
	for i, x := range p {
		r.slope.jets.Unknown(x, r.state[i])
		if isUnique {
			clear(x[1:])
		}
	}
	if !isUnique {
		return work, true
	}
	for k := 1; k <= order && ok; k++ {
		e := r.orders[k]
		e.numbers(opTrait, trait)
		work += e.work
		ok = r.derive(e, p, k)
	}
	return work, ok
}

// repels tells whether the slopes are known well enough to see that nobody comes to rest at the steady state.
func (r *resting) repels() bool {
	a := make([]float64, r.size*r.size)
	isNarrow, sum := true, 0.0
	for i, v := range r.system {
		v = identity(i/r.size, i%r.size).Sub(v)
		a[i] = v.Mid()
		isNarrow = isNarrow && v.Radius() < 1e-9
		sum = max(sum, math.Abs(a[i]))
	}
	return isNarrow && sum*float64(r.size) >= 1 && dense.SpectralRadius(a, r.size) >= 1
}

// derive adds the derivatives of order k to jets that have those below: (I − ∂f/∂p) of them is what f gives without them.
func (r *resting) derive(e *encloser, p []interval.Jet, k int) bool {
	for i, x := range e.inputs[opState] {
		copy(x, p[i])
	}
	e.run(e.own)
	n := e.jets.Variables
	first, last := 1, 1+n
	if k == 2 {
		first, last = 1+n, e.jets.Size()
	}
	width := last - first
	right := make([]interval.Span, r.size*width)
	for i := range r.size {
		copy(right[i*width:(i+1)*width], e.entry(r.next, i)[first:last])
	}
	if !solveSpans(r.system, right, r.size) {
		return false
	}
	for i := range r.size {
		copy(p[i][first:last], right[i*width:(i+1)*width])
	}
	return true
}

// slopes computes next where the state is in box, and leaves I − ∂next/∂p in r.system.
func (r *resting) slopes(box []interval.Span) {
	r.slope.variables(opState, box)
	r.slope.run(r.slope.own)
	for i := range r.size {
		for j, v := range r.slope.entry(r.next, i)[1:] {
			r.system[i*r.size+j] = identity(i, j).Sub(v)
		}
	}
}

// solveAffine solves (I − A)p = c, where c is the next state of 0. It tells whether p is known, and whether it is there for all
// decisions of the box.
func (r *resting) solveAffine() (ok, isEverywhere bool) {
	clear(r.state)
	r.slopes(r.state)
	for i := range r.state {
		r.state[i] = r.slope.entry(r.next, i)[0]
	}
	isEverywhere = r.restrict()
	switch {
	case r.isNever:
		return false, false
	case isEverywhere:
		return solveSpans(r.system, r.state, r.size), true
	}
	for i, c := range r.state {
		r.state[i] = c.Mul(r.system[i*(r.size+1)].Inv())
	}
	return true, false
}

// restrict leaves of a diagonal I − A what lets individuals come to rest, which is between 0 and 2, and tells whether that is all. Where
// nothing is left they never do, and no decision of the box is feasible.
func (r *resting) restrict() (isAll bool) {
	for i, v := range r.system {
		if isDiagonal := i%(r.size+1) == 0; isDiagonal && v.Hi == 0 || !isDiagonal && !v.IsZero() {
			return true
		}
	}
	isAll = true
	for i := 0; i < len(r.system); i += r.size + 1 {
		v := r.system[i]
		left, ok := v.Meet(interval.Span{Lo: 0, Hi: 2})
		isAll = isAll && left == v && v.Lo > 0
		r.isNever = r.isNever || !ok
		r.system[i] = left
	}
	return isAll
}

// step computes where next leads from r.state, directly and by the slopes from its middle, whichever is narrower.
func (r *resting) step() {
	for i, x := range r.state {
		r.middle[i] = interval.Point(x.Mid())
	}
	r.slope.variables(opState, r.middle)
	r.slope.run(r.slope.own)
	for i := range r.size {
		r.ahead[i] = r.slope.entry(r.next, i)[0]
	}
	r.slopes(r.state)
	for i := range r.size {
		jet, by := r.slope.entry(r.next, i), r.ahead[i]
		for j, v := range jet[1:] {
			by = by.Add(v.Mul(r.state[j].Sub(r.middle[j])))
		}
		r.image[i] = jet[0].Narrow(by)
	}
}

const mostSteps = 60 // that enclose a steady state

// contract follows the individual from its start until it hardly moves, finds a box around that is not left, and follows the box as it
// shrinks. It tells whether there is such a box, and whether one steady state at most is in it.
func (r *resting) contract(start []interval.Span) (steps int, ok, isUnique bool) {
	copy(r.state, start)
	for steps < mostSteps && r.walk() { // each computes next twice
		steps++
	}
	for k := 0; !r.grow(k); k++ {
		if steps += 1 + r.size*pieces/2; k == mostSteps || math.IsInf(r.width(), 1) {
			return steps, false, false
		}
	}
	for range mostSteps {
		steps++
		before := r.width()
		r.step()
		for i := range r.state {
			r.state[i] = r.state[i].Narrow(r.image[i])
		}
		if !(r.width() < math.Inf(1)) { // nothing leads out of it, but perhaps to no rest either
			return steps, false, false
		}
		isUnique = r.newton() || isUnique
		if after := r.width(); !(after < 0.99*before) {
			break
		}
	}
	if isUnique {
		r.slopes(r.state)
	}
	return steps, true, isUnique
}

const pieces = 8 // into which a side of a box is cut

// refine narrows the image of r.state by cutting it along every side in turn: the image is within those of the pieces.
func (r *resting) refine() {
	box := slices.Clone(r.state)
	for j, side := range r.state {
		hull := make([]interval.Span, r.size)
		for k := range pieces {
			part := (side.Hi - side.Lo) / pieces
			box[j] = interval.Between(side.Lo+float64(part*float64(k)), min(side.Lo+float64(part*float64(k+1)), side.Hi))
			if k == pieces-1 {
				box[j].Hi = side.Hi
			}
			r.slope.variables(opState, box)
			r.slope.run(r.slope.own)
			for i := range hull {
				if v := r.slope.entry(r.next, i)[0]; k == 0 {
					hull[i] = v
				} else {
					hull[i] = hull[i].Hull(v)
				}
			}
		}
		box[j] = side
		for i, v := range hull {
			r.image[i] = r.image[i].Narrow(v)
		}
	}
}

// walk moves the box to where next leads, and tells whether it still moves by more than it is wide.
func (r *resting) walk() bool {
	before := r.width()
	r.step()
	moved := 0.0
	for i, x := range r.image {
		moved += math.Abs(x.Mid() - r.state[i].Mid())
	}
	copy(r.state, r.image)
	return moved > 0.1*before && r.width() < math.Inf(1)
}

// grow extends the box to where next leads, beyond it the later the farther; it tells whether nothing leads out any more.
func (r *resting) grow(steps int) (isClosed bool) {
	if r.step(); r.isClosed() {
		return true
	}
	if r.refine(); r.isClosed() {
		return true
	}
	far := 1 + float64(steps)/2
	for i, x := range r.state {
		y := r.image[i]
		r.state[i] = interval.Between(x.Lo-float64(far*max(x.Lo-y.Lo, 0)), x.Hi+float64(far*max(y.Hi-x.Hi, 0)))
	}
	return false
}

// isClosed tells whether next does not lead out of r.state.
func (r *resting) isClosed() bool {
	for i, x := range r.image {
		if !x.Inside(r.state[i]) {
			return false
		}
	}
	return true
}

// newton narrows the box to where p = next(p) can hold, m + (I − ∂f/∂p)⁻¹(f(m) − m) for its middle m, and tells whether one
// point at most solves that. It follows step.
func (r *resting) newton() bool {
	for i, m := range r.middle {
		r.ahead[i] = r.ahead[i].Sub(m)
	}
	if !solveSpans(r.system, r.ahead, r.size) {
		return false
	}
	for i, m := range r.middle {
		r.state[i] = r.state[i].Narrow(m.Add(r.ahead[i]))
	}
	return true
}

// width is the sum of the widths of the box.
func (r *resting) width() (sum float64) {
	for _, x := range r.state {
		sum += x.Hi - x.Lo
	}
	return sum
}

// identity is an entry of the identity matrix.
func identity(i, j int) interval.Span {
	if i == j {
		return interval.Point(1)
	}
	return interval.Span{}
}

// solveSpans solves the m×m system a·x = b for all columns of b by elimination, in place of b, and tells whether all matrices
// within a are regular.
func solveSpans(a, b []interval.Span, m int) bool {
	width := len(b) / m
	rows := newJets(m, m+width) // of a, and behind them those of b
	for i, row := range rows {
		copy(row, a[i*m:(i+1)*m])
		copy(row[m:], b[i*width:(i+1)*width])
	}
	for k := range m {
		pivot := k
		for i := k + 1; i < m; i++ {
			if rows[i][k].Least() > rows[pivot][k].Least() {
				pivot = i
			}
		}
		if rows[pivot][k].Has(0) {
			return false
		}
		rows[pivot], rows[k] = rows[k], rows[pivot]
		inverse := rows[k][k].Inv()
		for j, v := range rows[k] {
			rows[k][j] = v.Mul(inverse)
		}
		for i, row := range rows {
			if factor := row[k]; i != k && !factor.IsZero() {
				for j, v := range rows[k] {
					row[j] = row[j].Sub(factor.Mul(v))
				}
			}
		}
	}
	for i, row := range rows {
		copy(b[i*width:], row[m:])
	}
	return true
}

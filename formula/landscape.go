package formula

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
)

// Landscape is the mean loss of a settled crowd as a function of the decision, of which it knows bounds over whole boxes of
// decisions: package proof asks for them. It is not safe for concurrent use.
type Landscape struct {
	model  *Model
	people []person
	count  float64
	orders int // of derivatives that are had
	loss   [3]*encloser
	rest   *resting // nil where the loss does not depend on the state
}

// person is an individual, or as many as are alike.
type person struct {
	trait, start []interval.Span
	count        float64
}

// Landscape returns the mean loss of people with the given traits who settle from the given states; without them, from their
// traits. Only steady states that are not reached in closed form depend on where people start.
func (m *Model) Landscape(traits, starts kedge.Rows) (*Landscape, error) {
	return m.WeightedLandscape(traits, starts, nil)
}

// WeightedLandscape is Landscape of people who count by weights of the mean 1, as a kedge.Model has them; nil: all alike.
func (m *Model) WeightedLandscape(traits, starts kedge.Rows, weights []float64) (*Landscape, error) {
	if m.loss == nil {
		return nil, errors.New("the model has no objective")
	}
	l := &Landscape{model: m}
	needsState := m.loss.deps&onState != 0
	if needsState && m.next == nil {
		return nil, errors.New("the model has no next state")
	}
	for l.orders < 2 && m.fits(l.orders+1) {
		l.orders++
	}
	if l.orders == 0 {
		return nil, errors.New("the model is too large for bounds over boxes of decisions")
	}
	if needsState {
		l.rest = newResting(m.next, m.dims.Decision, l.orders)
	}
	for order := range l.orders + 1 {
		jets := interval.Jets{Variables: m.dims.Decision, Order: order}
		l.loss[order] = newEncloser(jets, m.loss)
	}
	if weights != nil {
		if err := (kedge.Model{Traits: traits, Weights: weights}).CheckWeights(); err != nil {
			return nil, err
		}
	}
	return l, l.gather(traits, starts, weights)
}

const mostSpans = 1 << 21 // that are kept of all values together

// fits tells whether jets of an order are kept within the limit.
func (m *Model) fits(order int) bool {
	inDecision := interval.Jets{Variables: m.dims.Decision, Order: order}
	spans := entriesOf(m.loss) * inDecision.Size()
	if m.loss.deps&onState != 0 {
		inState := interval.Jets{Variables: m.dims.State, Order: 1}
		spans += entriesOf(m.next) * (inDecision.Size() + inState.Size())
	}
	return spans <= mostSpans
}

// gather reads the people, those who are alike once unless they have weights, whose sums would be rounded.
func (l *Landscape) gather(traits, starts kedge.Rows, weights []float64) error {
	if traits == nil && l.model.dims.Trait == 0 && starts == nil {
		l.people, l.count = []person{{count: 1}}, 1
		return nil
	}
	if starts == nil {
		starts = traits
	}
	if err := kedge.CheckRows("traits", traits, l.model.dims.Trait); err != nil {
		return err
	}
	n, width := traits.Size()
	all, long := starts.Size()
	if all != n {
		return &kedge.DimError{Arg: "starts", Got: all, Want: n}
	}
	needsStart := l.rest != nil && !l.rest.isAffine
	if needsStart && long != l.model.dims.State {
		return &kedge.DimError{Arg: "starts", Got: long, Want: l.model.dims.State}
	}
	known, key := map[string]int{}, []byte(nil)
	room, more := make([]float64, width), make([]float64, long)
	for i := range n {
		p := person{trait: interval.Points(traits.View(room, i, i+1)), count: 1}
		if needsStart {
			p.start = interval.Points(starts.View(more, i, i+1))
		}
		if weights != nil {
			if p.count = weights[i]; p.count > 0 {
				l.people = append(l.people, p)
			}
			continue
		}
		key = spell(spell(key[:0], p.trait), p.start)
		if k, ok := known[string(key)]; ok {
			l.people[k].count++
			continue
		}
		known[string(key)] = len(l.people)
		l.people = append(l.people, p)
	}
	l.count = float64(n)
	return nil
}

// spell appends numbers as bytes.
func spell(key []byte, x []interval.Span) []byte {
	for _, v := range x {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v.Lo))
	}
	return key
}

// Decisions is how many entries a decision has.
func (l *Landscape) Decisions() int { return l.model.dims.Decision }

// Enclose writes what value, gradient and Hessian can be over a box of decisions, up to the order for which dst has room, and
// returns how many spans it computed. Where a steady state is not known for sure, nothing is; decisions for which somebody never comes
// to rest have no value.
func (l *Landscape) Enclose(dst interval.Jet, box []interval.Span) (work int) {
	order := 0
	for order < l.orders && l.loss[order].jets.Size() < len(dst) {
		order++
	}
	e := l.loss[order]
	e.jets.Unknown(dst, interval.Whole())
	dst = dst[:e.jets.Size()]
	e.variables(opDecision, box)
	e.run(e.shared)
	work = e.once
	if l.rest != nil {
		work += l.rest.enter(box, order)
	}
	room, sum := make(interval.Jet, len(dst)), make(interval.Jet, len(dst))
	for _, p := range l.people {
		spent, ok := l.judge(e, order, p)
		if work += spent; !ok {
			e.jets.Unknown(dst, l.unknown())
			return work
		}
		e.jets.Scale(room, interval.Point(p.count), e.entry(l.model.loss, 0))
		e.jets.Add(dst, sum, room)
		copy(sum, dst)
	}
	if copy(dst, sum); l.count > 1 {
		e.jets.Scale(dst, interval.Point(l.count).Inv(), sum)
	}
	return work
}

// unknown is the value where the individual judged last is not known to rest: above all others where it never does.
func (l *Landscape) unknown() interval.Span {
	if l.rest.isNever {
		return interval.Span{Lo: math.MaxFloat64, Hi: math.Inf(1)}
	}
	return interval.Whole()
}

// judge computes the loss of one individual.
func (l *Landscape) judge(e *encloser, order int, p person) (work int, ok bool) {
	e.numbers(opTrait, p.trait)
	if l.rest != nil {
		if work, ok = l.rest.settle(e.inputs[opState], order, p.trait, p.start); !ok {
			return work, false
		}
	}
	e.run(e.own)
	return work + e.work, true
}

// Convex tells whether the function is convex on a box, which may be infinite, by the rules that sums, compositions and the like
// of convex functions obey, for every individual.
func (l *Landscape) Convex(box []interval.Span) bool {
	everybody := person{count: 1}
	for _, p := range l.people {
		everybody.trait = hulls(everybody.trait, p.trait)
		everybody.start = hulls(everybody.start, p.start)
	}
	if l.convexFor(box, everybody) {
		return true
	}
	if len(l.people) == 1 || len(l.people) > mostJudged {
		return false
	}
	return !slices.ContainsFunc(l.people, func(p person) bool { return !l.convexFor(box, p) })
}

// mostJudged is how many individuals are looked at one by one.
const mostJudged = 1 << 12

func hulls(x, y []interval.Span) []interval.Span {
	if x == nil {
		return append(x, y...)
	}
	for i, v := range y {
		x[i] = x[i].Hull(v)
	}
	return x
}

func (l *Landscape) convexFor(box []interval.Span, p person) bool {
	e := l.loss[0]
	c := &curver{ranges: e, known: map[*node]curvature{}}
	if l.rest != nil {
		c.state = l.curvatureAtRest(box, p)
		l.rest.enter(box, 0)
		if _, ok := l.rest.settle(e.inputs[opState], 0, p.trait, p.start); !ok {
			e.numbers(opState, l.anything())
		}
	}
	e.runAll(box, p.trait)
	return c.of(l.model.loss).isConvex
}

// anything is what a state may be of which nothing is known.
func (l *Landscape) anything() []interval.Span {
	return slices.Repeat([]interval.Span{interval.Whole()}, l.model.dims.State)
}

// curvatureAtRest is that of the steady state. Where next is convex whenever the state is, so are all states on the way to rest
// from one that does not depend on the decision, and the state at rest.
func (l *Landscape) curvatureAtRest(box []interval.Span, p person) curvature {
	e := newEncloser(interval.Jets{}, l.model.next)
	e.numbers(opState, l.anything())
	e.runAll(box, p.trait)
	for _, guess := range []curvature{isConstant, isAffine, {isConvex: true}, {isConcave: true}} {
		c := &curver{ranges: e, known: map[*node]curvature{}, state: guess}
		if got := c.of(l.model.next); got.and(guess) == guess {
			return guess
		}
	}
	return curvature{}
}

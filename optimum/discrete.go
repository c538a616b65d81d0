package optimum

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/set"
)

const (
	mostListed = 4096  // points of a set with gaps of which all are looked at
	mostSlices = 64    // slices of one with gaps in some entries alone, in each of which a search goes on
	mostPaired = 32    // whole entries of which two are changed at once
	still      = 1e-9  // of the greatest excess met, which counts as none: whole numbers often meet a bound exactly
	mostInner  = 8     // starts in a slice
	aloneWork  = 1_000 // points that one start may look at
)

// ErrGaps says that a set has gaps, where what is sought is defined by small moves.
var ErrGaps = errors.New("decisions are whole numbers or the points of a list, so that none has others nearby")

// valued is a Function that needs no gradient for its value.
type valued interface {
	Value(u []float64) (float64, error)
}

// gaps is a search over a set with gaps: points are looked at one by one. Of a lattice that is whole in some entries alone, a point
// stands for its slice, in which the other entries are searched.
type gaps struct {
	Effort
	ctx         context.Context
	f           Function
	constraints []Function
	of          set.Discrete
	lattice     set.Lattice // of the whole entries, where there is one
	whole, free []int       // entries of a lattice
	from        []float64   // where free entries begin
	known       map[string]*spot
	seen        []*spot
	units       []float64 // of constraints: the greatest excess or room met
	refused     error
}

// spot is a point that was looked at.
type spot struct {
	u        []float64
	loss     float64 // +∞ where there is none
	over     []float64
	residual float64
	missed   float64 // of the search of its slice
	steps    int
}

func hasGaps(s kedge.Set) bool {
	_, ok := s.(set.Discrete)
	return ok
}

// betweenGaps searches a set without gaps, under constraints if there are any.
func betweenGaps(ctx context.Context, f Function, constraints []Function, set kedge.Set, starts [][]float64, o Effort) (*Constrained, error) {
	if len(constraints) > 0 {
		return constrainSmoothly(ctx, f, constraints, set, starts, o)
	}
	s, err := smoothly(ctx, f, set, starts, o)
	if err != nil {
		return nil, err
	}
	return &Constrained{Search: *s}, nil
}

// overGaps searches a set that has gaps.
func overGaps(ctx context.Context, f Function, constraints []Function, s kedge.Set, starts [][]float64, o Effort) (*Constrained, error) {
	g := &gaps{
		Effort: o.filled(len(starts)), ctx: ctx, f: f, constraints: constraints, of: s.(set.Discrete), known: map[string]*spot{},
		units: make([]float64, len(constraints)), from: append([]float64(nil), starts[0]...),
	}
	if err := s.Project(g.from); err != nil {
		return nil, fmt.Errorf("project the start: %w", err)
	}
	if l, ok := s.(set.Lattice); ok {
		g.lattice = l
		for i := range g.from {
			if l.IsWhole(i) {
				g.whole = append(g.whole, i)
			} else {
				g.free = append(g.free, i)
			}
		}
	}
	return g.find(starts)
}

// find looks at all points, or from several starts at those around them.
func (g *gaps) find(starts [][]float64) (*Constrained, error) {
	ends, all := []*spot(nil), 0
	switch points, ok := g.listed(); {
	case ok:
		for _, u := range points {
			g.look(u)
		}
		if all = len(points); len(g.free) > 0 {
			all, ends = 0, g.seen
		}
	default:
		ends = lists.Of(g.beginnings(starts), g.descend)
	}
	if err := g.ctx.Err(); err != nil {
		return nil, err
	}
	best := g.best()
	switch {
	case math.IsInf(best.loss, 1):
		return nil, g.refused
	case g.excess(best) > still:
		return nil, &kedge.NotConvergedError{What: "a decision that keeps the constraints", Residual: g.excess(best), Tolerance: still, Steps: len(g.seen)}
	}
	if ends == nil {
		ends = []*spot{best}
	}
	return g.report(best, ends, all), nil
}

// listed lists the points, the slices of a lattice with free entries by one of each, unless they are too many.
func (g *gaps) listed() (points [][]float64, ok bool) {
	if f, ok := g.of.(set.Finite); ok {
		return f.Points, true
	}
	count, most := 1.0, float64(mostListed)
	if len(g.free) > 0 {
		most = mostSlices
	}
	at := append([]float64(nil), g.from...)
	for _, i := range g.whole {
		lower, upper := g.lattice.Bounds(i)
		count *= upper - lower + 1
		at[i] = lower
	}
	if !(count <= most) {
		return nil, false
	}
	for range int(count) {
		points = append(points, append([]float64(nil), at...))
		for k := len(g.whole) - 1; k >= 0; k-- {
			i := g.whole[k]
			lower, upper := g.lattice.Bounds(i)
			if at[i]++; at[i] <= upper {
				break
			}
			at[i] = lower
		}
	}
	return points, true
}

// look judges a point, once.
func (g *gaps) look(u []float64) *spot {
	key := fmt.Sprint(g.held(u))
	if s, ok := g.known[key]; ok {
		return s
	}
	s := g.judge(u)
	g.known[key], g.seen = s, append(g.seen, s)
	for j, v := range s.over {
		g.units[j] = max(g.units[j], math.Abs(v))
	}
	return s
}

// held are the entries of a point that are whole, all of a list's.
func (g *gaps) held(u []float64) []float64 {
	if len(g.free) == 0 {
		return u
	}
	return lists.Of(g.whole, func(i int) float64 { return u[i] })
}

func (g *gaps) judge(u []float64) *spot {
	s := &spot{u: append([]float64(nil), u...), loss: math.Inf(1), over: make([]float64, len(g.constraints)), steps: 1}
	err := g.ctx.Err()
	if err == nil && len(g.free) > 0 {
		err = g.settle(s)
	}
	if err == nil {
		err = g.measure(s)
	}
	if err != nil {
		s.loss = math.Inf(1)
		if g.refused == nil {
			g.refused = err
		}
	}
	return s
}

// measure finds the value of a point, and by how much it exceeds the constraints as they truly are.
func (g *gaps) measure(s *spot) (err error) {
	slope := make([]float64, len(s.u))
	if f, ok := g.f.(valued); ok {
		s.loss, err = f.Value(s.u)
	} else {
		s.loss, err = g.f.Gradient(slope, s.u)
	}
	for j, c := range g.constraints {
		if err != nil {
			return err
		}
		of := c.Gradient
		if t := smoothed(c); t != nil {
			of = t.Sharp
		}
		s.over[j], err = of(slope, s.u)
	}
	if err == nil && math.IsNaN(s.loss) {
		err = errors.New("optimum: the loss is not a number")
	}
	return err
}

// settle searches the free entries of a point, with its whole ones held.
func (g *gaps) settle(s *spot) error {
	box, start := set.Box{}, []float64(nil)
	for _, i := range g.free {
		lower, upper := g.lattice.Bounds(i)
		box.Lower, box.Upper, start = append(box.Lower, lower), append(box.Upper, upper), append(start, s.u[i])
	}
	slice := func(f Function) Function { return sliceOf(f, g.free, s.u) }
	o := g.Effort
	o.Screen, o.Starts = o.Screen/mostSlices, min(o.Starts, mostInner)
	best, err := betweenGaps(g.ctx, slice(g.f), lists.Of(g.constraints, slice), box, [][]float64{start}, o)
	if err != nil {
		return err
	}
	for k, i := range g.free {
		s.u[i] = best.Decision[k]
	}
	s.residual, s.steps, s.missed = best.Residue, best.Steps, best.Missed
	return nil
}

// sliced is a function of some entries, with the others held.
type sliced struct {
	of    Function
	free  []int
	u, gu []float64
}

func (s *sliced) Gradient(g, u []float64) (float64, error) { return s.by(s.of.Gradient, g, u) }

func (s *sliced) by(of func(g, u []float64) (float64, error), g, u []float64) (float64, error) {
	for k, i := range s.free {
		s.u[i] = u[k]
	}
	v, err := of(s.gu, s.u)
	for k, i := range s.free {
		g[k] = s.gu[i]
	}
	return v, err
}

// slicedSmooth is sliced of a constraint whose gradients are those of something near it.
type slicedSmooth struct {
	*sliced
	truth SmoothedConstraint
}

func (s slicedSmooth) Smoothed() bool                        { return s.truth.Smoothed() }
func (s slicedSmooth) Even(g, u []float64) (float64, error)  { return s.by(s.truth.Even, g, u) }
func (s slicedSmooth) Sharp(g, u []float64) (float64, error) { return s.by(s.truth.Sharp, g, u) }

// sliceOf is a function of the free entries of a point.
func sliceOf(f Function, free []int, u []float64) Function {
	s := &sliced{f, free, slices.Clone(u), make([]float64, len(u))}
	if t, ok := f.(SmoothedConstraint); ok {
		return slicedSmooth{s, t}
	}
	return s
}

// beginnings are the points nearest to the given decisions, to the best decision between the points, and to some that are spread over the set.
func (g *gaps) beginnings(starts [][]float64) (list [][]float64) {
	add := func(u []float64) {
		if v := append([]float64(nil), u...); g.of.Project(v) == nil {
			list = append(list, v)
		}
	}
	for _, u := range starts {
		add(u)
	}
	o := g.Effort
	o.Starts = min(o.Starts, 5)
	if between, err := betweenGaps(g.ctx, g.f, g.constraints, g.of.Relaxed(), starts, o); err == nil {
		add(between.Decision)
	}
	for k := range max(4, g.Starts-len(list)) {
		u := append([]float64(nil), g.from...)
		for i, share := range even(len(u), k) {
			lower, upper := g.reach(i)
			u[i] = lower + float64(share*(upper-lower))
		}
		add(u)
	}
	return list
}

// reach is between what numbers of an entry starts are spread, and steps begin.
func (g *gaps) reach(i int) (lower, upper float64) {
	lower, upper = g.lattice.Bounds(i)
	wide := float64(64 * max(1, math.Abs(g.from[i])))
	return max(lower, g.from[i]-wide), min(upper, g.from[i]+wide)
}

// descend goes from a point to better ones until none is found: by long steps of single entries, shorter and shorter, and at last by ones, also of two
// entries at once.
func (g *gaps) descend(u []float64) *spot {
	at, begin, step := g.look(u), len(g.seen), 1.0
	for _, i := range g.whole {
		lower, upper := g.reach(i)
		step = max(step, power((upper-lower)/4))
	}
	for ; step >= 1; step /= 2 {
		for moved := true; moved; {
			if g.ctx.Err() != nil || len(g.seen)-begin > aloneWork {
				return at
			}
			next := g.around(at, step)
			moved = next != at
			at = next
		}
	}
	return at
}

// around is the best of a point and those a step away.
func (g *gaps) around(at *spot, step float64) *spot {
	best := at
	try := func(move func(u []float64)) {
		u := append([]float64(nil), at.u...)
		if move(u); g.within(u) {
			if s := g.look(u); g.better(s, best) {
				best = s
			}
		}
	}
	for k, i := range g.whole {
		for _, sign := range []float64{-step, step} {
			try(func(u []float64) { u[i] += sign })
			if step > 1 || len(g.whole) > mostPaired {
				continue
			}
			for _, j := range g.whole[:k] {
				try(func(u []float64) { u[i], u[j] = u[i]+sign, u[j]+1 })
				try(func(u []float64) { u[i], u[j] = u[i]+sign, u[j]-1 })
			}
		}
	}
	return best
}

func (g *gaps) within(u []float64) bool {
	return !slices.ContainsFunc(g.whole, func(i int) bool {
		lower, upper := g.lattice.Bounds(i)
		return u[i] < lower || u[i] > upper
	})
}

// excess is by how much a point exceeds constraints at most, each in its unit.
func (g *gaps) excess(s *spot) (most float64) {
	for j, v := range s.over {
		if v > 0 {
			most = max(most, v/g.units[j])
		}
	}
	return most
}

// better tells whether a is better than b: it keeps the constraints, or comes nearer to that, or has the lower loss.
func (g *gaps) better(a, b *spot) bool {
	if math.IsInf(a.loss, 1) || math.IsInf(b.loss, 1) {
		return a.loss < b.loss
	}
	if x, y := g.excess(a), g.excess(b); max(x, y) > still {
		return x < y
	}
	return a.loss < b.loss
}

// best is the first of the best that were seen.
func (g *gaps) best() *spot {
	best := g.seen[0]
	for _, s := range g.seen[1:] {
		if g.better(s, best) {
			best = s
		}
	}
	return best
}

func (g *gaps) report(best *spot, ends []*spot, all int) *Constrained {
	point := func(s *spot) Point {
		return Point{Decision: append([]float64(nil), s.u...), Loss: s.loss, Residual: s.residual, Steps: s.steps}
	}
	out := &Constrained{Search: Search{Point: point(best), All: all, Residue: best.residual}, Excess: append([]float64(nil), best.over...)}
	places, high := map[*spot]bool{}, best.loss
	for _, s := range ends {
		if math.IsInf(s.loss, 1) {
			out.Walls++
			continue
		}
		out.Found = append(out.Found, point(s))
		places[s] = true
		if s == best {
			out.Here++
		}
	}
	for _, s := range g.seen {
		if !math.IsInf(s.loss, 1) {
			high = max(high, s.loss)
		}
	}
	out.Steps, out.Basins, out.Range, out.Missed = len(g.seen), len(places), high-best.loss, missed(len(places), len(out.Found))
	if len(ends) == len(g.seen) { // every slice was searched, and what can be missed is in one of them
		out.Missed = best.missed
	}
	return out
}

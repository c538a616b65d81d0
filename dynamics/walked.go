package dynamics

import (
	"math"
	"slices"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Walked finds the steady states of dynamics that come to rest soon: individuals walk from their own start, a block of them at
// a time, until a step moves them by less than 10⁻¹³. Who still moves after five hundred steps, or will for twice as long by the pace of the first, leaps by Newton's method
// where slopes are known, and is left to an Iterated where that leads nowhere. A state does not depend on who else is in the block, and a Walked may be used by many goroutines at once, if the dynamics may.
type Walked struct {
	kedge.RowDynamics
	slow Iterated
	idle sync.Pool // of *party
}

var _ kedge.StartedSettler = (*Walked)(nil)

const (
	restful  = 1e-13 // the residual that counts as rest
	longWalk = 500   // steps
	glance   = 128   // steps after which the pace is looked at
)

// NewWalked returns the steady states of f.
func NewWalked(f kedge.RowDynamics) *Walked { return &Walked{RowDynamics: f, slow: Iterated{Of: f}} }

// Settle writes the steady state that the individual d reaches from its start to dst.
func (s *Walked) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := checkOne(nil, s.Dims(), dst, u, d); err != nil {
		return kedge.Residual{}, err
	}
	h := make([]float64, len(dst))
	s.slow.begin(h, d)
	r, err := s.settle(h, u, d, 1)
	if row, ok := err.(*kedge.RowError); ok {
		err = row.Err
	}
	if err == nil {
		copy(dst, h)
	}
	return r, err
}

// SettleRows settles every row. An error names the row.
func (s *Walked) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	count, err := checkBlock(nil, s.Dims(), dst, u, d)
	if err != nil {
		return kedge.Residual{}, err
	}
	n := s.Dims()
	for i := range count {
		s.slow.begin(kedge.Row(dst, i, n.State), kedge.Row(d, i, n.Trait))
	}
	return s.settle(dst, u, d, count)
}

// SettleFrom settles every row from where it is. An error names the row.
func (s *Walked) SettleFrom(p, u, d []float64) (kedge.Residual, error) {
	count, err := checkBlock(nil, s.Dims(), p, u, d)
	if err != nil {
		return kedge.Residual{}, err
	}
	return s.settle(p, u, d, count)
}

// settle settles the rows of dst from where they are.
func (s *Walked) settle(dst, u, d []float64, count int) (kedge.Residual, error) {
	w, ok := s.idle.Get().(*party)
	if !ok {
		w = &party{dims: s.Dims()}
	}
	defer s.idle.Put(w)
	w.gather(dst, d, count)
	for w.steps = 0; w.steps < longWalk && len(w.who) > 0; w.steps++ {
		w.moved = slices.Grow(w.moved[:0], len(w.p))[:len(w.p)]
		s.NextRows(w.moved, w.p, u, w.d)
		w.rest(dst)
		if w.steps+1 == glance {
			s.leap(w, dst, u, w.isSlow)
		}
	}
	s.leap(w, dst, u, func(int) bool { return true })
	slices.Sort(w.who) // so that an error is that of the first
	for _, i := range w.who {
		n := w.dims
		h := kedge.Row(dst, i, n.State) // where it began
		r, err := s.slow.settle(h, h, u, kedge.Row(d, i, n.Trait))
		if err != nil {
			return w.worst, inRow(i, err)
		}
		w.worst = w.worst.Worst(r)
	}
	return w.worst, nil
}

// leap lets some of those who still walk leap, where slopes are known and that can be relied on.
func (s *Walked) leap(w *party, dst, u []float64, may func(i int) bool) {
	f, ok := s.RowDynamics.(kedge.Smooth)
	if n := w.dims; ok && n.State <= mostLeaping && rows.Finite(w.p) {
		at := s.slow.borrow(u, nil)
		defer s.slow.release(at)
		for i := len(w.who) - 1; i >= 0; i-- {
			if !may(i) {
				continue
			}
			copy(at.p, kedge.Row(w.p, i, n.State))
			at.d = kedge.Row(w.d, i, n.Trait)
			if r, ok := at.leap(f); ok {
				r.Steps += w.steps
				w.worst = w.worst.Worst(r)
				copy(kedge.Row(dst, w.who[i], n.State), at.h)
				w.leave(i)
			}
		}
	}
}

// party are the individuals of a block that still walk.
type party struct {
	dims        kedge.Dims
	who         []int // their rows
	p, d, moved []float64
	pace, first []float64 // how far the step before a glance led, and one some steps earlier, for their size
	steps       int
	worst       kedge.Residual // of those at rest
}

// gather makes everybody stand at the start.
func (w *party) gather(starts, d []float64, count int) {
	w.who, w.worst = w.who[:0], kedge.Residual{}
	w.d = append(w.d[:0], d...)
	w.p = append(w.p[:0], starts...)
	for i := range count {
		w.who = append(w.who, i)
	}
	for _, notes := range []*[]float64{&w.pace, &w.first} {
		*notes = slices.Grow((*notes)[:0], count)[:count]
	}
}

// rest writes the states of those whom the step has hardly moved and lets the others go on.
func (w *party) rest(dst []float64) {
	w.p, w.moved = w.moved, w.p
	w.note()
	enough := 1.001 * restful * max(1, rows.MaxAbs(w.moved)) // who moves by more is not at rest, whoever it is
	if !(enough <= math.MaxFloat64) {                        // somebody ran away, and says nothing of others
		enough = math.Inf(1)
	}
	n := w.dims.State
	for i := len(w.who) - 1; i >= 0; i-- {
		if w.moves(i, enough) {
			continue
		}
		if norm := w.norm(i); norm <= restful {
			w.worst = w.worst.Worst(kedge.Residual{Norm: norm, Steps: w.steps + 1})
			copy(kedge.Row(dst, w.who[i], n), kedge.Row(w.moved, i, n))
			w.leave(i)
		}
	}
}

// moves tells of nearly all who move, by the first entry that does, that the step has led them farther than that.
func (w *party) moves(i int, enough float64) bool {
	n := w.dims.State
	p, next := w.moved[i*n:(i+1)*n], w.p[i*n:(i+1)*n]
	for j, v := range p {
		if !(math.Abs(v-next[j]) <= enough) {
			return true
		}
	}
	return false
}

// norm returns how far an individual has moved, for its size.
func (w *party) norm(i int) float64 {
	p, next := kedge.Row(w.moved, i, w.dims.State), kedge.Row(w.p, i, w.dims.State)
	return rows.Farthest(p, next) / max(1, rows.MaxAbs(p))
}

// note keeps how far people went by the step before a glance, and by one half as early.
func (w *party) note() {
	notes := w.pace
	switch w.steps + 1 {
	default:
		return
	case glance / 2:
		notes = w.first
	case glance:
	}
	for i := range w.who {
		notes[i] = w.norm(i)
	}
}

// leave lets the last take the place of who goes, so that nobody else has to move. Whoever goes through all begins with the last.
func (w *party) leave(i int) {
	n, last := w.dims, len(w.who)-1
	if i < last {
		copy(kedge.Row(w.p, i, n.State), kedge.Row(w.p, last, n.State))
		copy(kedge.Row(w.d, i, n.Trait), kedge.Row(w.d, last, n.Trait))
		w.who[i], w.pace[i], w.first[i] = w.who[last], w.pace[last], w.first[last]
	}
	w.who, w.p, w.d = w.who[:last], w.p[:last*n.State], w.d[:last*n.Trait]
}

// isSlow tells of an individual, at a glance, whether it will walk for far longer than it may: steps that shrink as they did lead to rest after so many more.
func (w *party) isSlow(i int) bool {
	shrinks := portable.Log(w.first[i]/w.pace[i]) / (glance / 2)
	return shrinks > 0 && portable.Log(w.pace[i]/restful) > 2*longWalk*shrinks
}

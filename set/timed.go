package set

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Stage is a set that holds from a turn on.
type Stage struct {
	From int
	Set  kedge.Set
}

// Changing is a set that changes with the turns: the stages in order, the first from turn 0. Its projection is that of the stage.
type Changing []Stage

var _ kedge.TimedSet = Changing{}

// Check says whether the stages follow each other, and joins their checks.
func (c Changing) Check(n int) error {
	if len(c) == 0 || c[0].From != 0 {
		return errors.New("set: the first stage of a set that changes begins with turn 0")
	}
	var err error
	for i, s := range c {
		if i > 0 && s.From <= c[i-1].From {
			err = errors.Join(err, fmt.Errorf("set: stage %d begins with turn %d, not after the one before", i, s.From))
		}
		err = errors.Join(err, Check(s.Set, n))
	}
	return err
}

// At returns the set of a turn.
func (c Changing) At(turn int) kedge.Set {
	now := c[0].Set
	for _, s := range c[1:] {
		if s.From <= turn {
			now = s.Set
		}
	}
	return now
}

// Project moves u to the nearest point of the first stage. On an error u is unchanged.
func (c Changing) Project(u []float64) error { return c.At(0).Project(u) }

// ProjectAt moves u to the nearest point of the set of the turn. On an error u is unchanged.
func (c Changing) ProjectAt(u []float64, turn int, last []float64) error {
	return projectAt(c.At(turn), u, turn, last)
}

// projectAt tells a set the time if it wants to know it.
func projectAt(s kedge.Set, u []float64, turn int, last []float64) error {
	if t, ok := s.(kedge.TimedSet); ok {
		return t.ProjectAt(u, turn, last)
	}
	return s.Project(u)
}

// RateLimit is the part of a set that is within reach of the last decision, ‖u − last‖ ≤ Most: who deploys decisions one after the
// other never changes them by more. The first decision is not limited.
//
// The nearest such point is found exactly, up to rounding: it is Π(u + s(last − u)) for the least share s that brings it within
// reach, and its distance from last falls as s grows. Where the set has moved out of reach, the nearest point is the one on the way
// to it that is just within.
type RateLimit struct {
	Of   kedge.Set
	Most float64
}

var _ kedge.TimedSet = RateLimit{}

// Check says whether the limit is a positive number, and joins the check of the set.
func (r RateLimit) Check(n int) error { return errors.Join(r.check(), Check(r.Of, n)) }

func (r RateLimit) check() error {
	if r.Of == nil {
		return errors.New("set: a rate limit needs a set")
	}
	return kedge.CheckRange("Most", r.Most, r.Most > 0 && !math.IsInf(r.Most, 0), "a positive number")
}

// Project moves u to the nearest point of the set, as the first decision. On an error u is unchanged.
func (r RateLimit) Project(u []float64) error {
	if err := r.check(); err != nil {
		return err
	}
	return r.Of.Project(u)
}

// ProjectAt moves u to the nearest point of the set of the turn within reach of the last decision. On an error u is unchanged.
func (r RateLimit) ProjectAt(u []float64, turn int, last []float64) error {
	if err := errors.Join(r.check(), kedge.CheckFinite("u", u), kedge.CheckVector("last", last, len(u))); err != nil {
		return err
	}
	n := len(u)
	var stack [onStack]float64
	room := slices.Grow(stack[:0], 2*n)[:2*n]
	w := reach{r, turn, last, room[:n], room[n:], 1}
	copy(w.from, u)
	err := w.project(u)
	if err != nil {
		copy(u, w.from)
	}
	return err
}

// reach is one projection. The point v is passed beside it, because the set sees v and nothing else: the rest stays on the stack.
type reach struct {
	RateLimit
	turn       int
	last       []float64
	from, best []float64 // what is projected, and the best point so far
	part       float64   // of the way from the last decision to what is projected
}

func (r *reach) project(v []float64) error {
	if err := r.toward(v, 0); err != nil || r.far(v) <= r.Most {
		return err
	}
	if err := r.toward(v, 1); err != nil {
		return err
	}
	copy(r.best, v)
	if far := r.far(v); far > r.Most {
		copy(v, r.last)
		rows.AddScaled(v, r.Most/far, r.best)
		rows.AddScaled(v, -r.Most/far, r.last)
		return nil
	}
	if err := r.shorten(v); err != nil {
		return err
	}
	if err := r.bisect(v); err != nil {
		return err
	}
	copy(v, r.best)
	return nil
}

// shorten takes what is projected nearer to the last decision if it is so far that shares of the way could not tell points within reach apart. All points
// of that way that are out of reach have the same nearest one.
func (r *reach) shorten(v []float64) error {
	if !(r.far(r.from) > 0x1p20*r.Most) {
		return nil
	}
	for r.part > 0 {
		if err := r.toward(v, 0); err != nil {
			return err
		}
		if r.far(v) <= r.Most {
			break
		}
		r.part /= 16
	}
	r.part *= 16
	return nil
}

// bisect finds the best point: that of the least share that brings it within reach.
func (r *reach) bisect(v []float64) error {
	for far, near := 0.0, 1.0; ; {
		s := far + (near-far)/2
		if s <= far || s >= near {
			return nil
		}
		if err := r.toward(v, s); err != nil {
			return err
		}
		if r.far(v) > r.Most {
			far = s
			continue
		}
		near = s
		copy(r.best, v)
	}
}

// toward sets v = Π(u + s(last − u)), u being as far on the way as is looked at.
func (r *reach) toward(v []float64, s float64) error {
	moves, stay := 1-s, s
	if r.part != 1 {
		moves = float64(r.part * (1 - s))
		stay = 1 - moves
	}
	for i := range v {
		v[i] = float64(moves*r.from[i]) + float64(stay*r.last[i])
	}
	return projectAt(r.Of, v, r.turn, r.last)
}

// far returns how far v is from the last decision.
func (r *reach) far(v []float64) float64 { return rows.Distance(v, r.last) }

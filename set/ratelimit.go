package set

import (
	"errors"
	"math"
	"sync"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// RateLimit is the part of a set that is within reach of the last decision, ‖u − last‖ ≤ Most: who deploys decisions one after the
// other never changes them by more. Rules of package online tell it the last decision.
//
// The nearest such point is found exactly, up to rounding: it is Π(u + s(last − u)) for the least share s that brings it within
// reach, and its distance from last falls as s grows. Where the set has moved out of reach, the nearest point is the one on the way
// to it that is just within.
type RateLimit struct {
	Of   kedge.Set
	Most float64

	last  []float64
	rooms sync.Pool // of *reach, so that Project may be called in parallel
}

// reach is the room of one projection: a point of the set, and the best so far.
type reach struct {
	*RateLimit
	v, best []float64
}

var _ kedge.Set = (*RateLimit)(nil)

// NewRateLimit returns the limit around a first decision, which is copied.
func NewRateLimit(of kedge.Set, most float64, last []float64) (*RateLimit, error) {
	if of == nil {
		return nil, errors.New("set: a rate limit needs a set")
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return nil, &kedge.RangeError{Arg: "Most", Got: most, Want: "a positive number"}
	}
	r := &RateLimit{Of: of, Most: most, last: append([]float64(nil), last...)}
	r.rooms.New = func() any {
		return &reach{r, make([]float64, len(last)), make([]float64, len(last))}
	}
	return r, kedge.CheckFinite("last", last)
}

// Around makes u the last decision.
func (r *RateLimit) Around(u []float64) { copy(r.last, u) }

// At tells a set that changes what turn it is.
func (r *RateLimit) At(turn int) {
	if s, ok := r.Of.(interface{ At(turn int) }); ok {
		s.At(turn)
	}
}

// Check is that of the set.
func (r *RateLimit) Check(n int) error {
	return errors.Join(kedge.CheckLen("last", r.last, n), Check(r.Of, n))
}

// Project moves u to the nearest point of the set within reach. On an error u is unchanged.
func (r *RateLimit) Project(u []float64) error {
	if err := kedge.CheckVector("u", u, len(r.last)); err != nil {
		return err
	}
	room := r.rooms.Get().(*reach)
	defer r.rooms.Put(room)
	return room.project(u)
}

func (r *reach) project(u []float64) error {
	if err := r.toward(u, 0); err != nil {
		return err
	}
	if r.far() <= r.Most {
		copy(u, r.v)
		return nil
	}
	if err := r.toward(u, 1); err != nil {
		return err
	}
	if far := r.far(); far > r.Most {
		copy(u, r.last)
		rows.AddScaled(u, r.Most/far, r.v)
		rows.AddScaled(u, -r.Most/far, r.last)
		return nil
	}
	if err := r.bisect(u); err != nil {
		return err
	}
	copy(u, r.best)
	return nil
}

// bisect finds the least share that brings the point within reach, and the point.
func (r *reach) bisect(u []float64) error {
	copy(r.best, r.v)
	for far, near := 0.0, 1.0; ; {
		s := far + (near-far)/2
		if s <= far || s >= near {
			return nil
		}
		if err := r.toward(u, s); err != nil {
			return err
		}
		if r.far() > r.Most {
			far = s
			continue
		}
		near = s
		copy(r.best, r.v)
	}
}

// toward sets v = Π(u + s(last − u)).
func (r *reach) toward(u []float64, s float64) error {
	for i := range r.v {
		r.v[i] = float64((1-s)*u[i]) + float64(s*r.last[i])
	}
	return r.Of.Project(r.v)
}

// far returns how far v is from the last decision.
func (r *reach) far() float64 { return rows.Distance(r.v, r.last) }

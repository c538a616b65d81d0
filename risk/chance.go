package risk

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/portable"
)

// True returns by how much the population settled under u exceeds the bound itself: of a chance constraint the share of people beyond
// the limit, not the smoothed one that has gradients. Of others it is the excess.
func (s *SettledConstraint) True(u []float64) (float64, error) {
	excess, err := s.Excess(u)
	chance, smoothed := s.gauge.Measure.(Chance)
	if err != nil || !smoothed || len(s.gauge.losses) == 0 {
		return excess, err
	}
	over := s.beyond(chance.Limit) - s.gauge.Bound
	if over <= rounded {
		return min(over, 0), nil // 8 of 40 are no more than 1 − 0.8, whatever rounding says
	}
	return over, nil
}

// rounded is a part of all people that is nobody.
const rounded = 1e-9

// beyond is the share of people whose losses are above a limit.
func (s *SettledConstraint) beyond(limit float64) float64 {
	beyond, shares := 0.0, s.parts()
	for j, l := range s.gauge.losses {
		if l > limit {
			beyond += shares[j]
		}
	}
	return beyond
}

// parts returns what part of those who count each of them is.
func (s *SettledConstraint) parts() []float64 {
	if s.gauge.given != nil {
		return s.gauge.shares
	}
	s.shares = s.shares[:0]
	for range s.gauge.losses {
		s.shares = append(s.shares, 1/float64(len(s.gauge.losses)))
	}
	return s.shares
}

// Smoothed tells whether True differs from Excess.
func (s *SettledConstraint) Smoothed() bool { _, ok := s.gauge.Measure.(Chance); return ok }

// Sharp returns the truth of a chance constraint in the unit of losses and writes its gradient to g: by how much the largest loss, without those that
// may be beyond the limit, exceeds it. It is at most 0 exactly where True is, and has kinks where people change places. Others are themselves.
func (s *SettledConstraint) Sharp(g, u []float64) (float64, error) {
	chance, smoothed := s.gauge.Measure.(Chance)
	if !smoothed {
		return s.Gradient(g, u)
	}
	return s.level(g, u, chance, func() float64 {
		losses, shares, left := s.gauge.losses, s.parts(), s.gauge.Bound+rounded
		for _, i := range worstFirst(losses) {
			if left -= shares[i]; left < 0 {
				s.gauge.weights[i] = 1
				return losses[i]
			}
		}
		return chance.Limit - 1 // everybody may be beyond
	})
}

// Even returns the smoothed form of a chance constraint in the unit of losses and writes its gradient to g: by how much the limit
// would have to be moved for the smoothed share to be what is allowed. It is at most 0 exactly where the smoothed share is, and is nowhere flat because
// everybody is far beyond the limit. Others are themselves.
func (s *SettledConstraint) Even(g, u []float64) (float64, error) {
	chance, smoothed := s.gauge.Measure.(Chance)
	if !smoothed || s.gauge.Bound <= 0 || s.gauge.Bound >= 1 {
		return s.Gradient(g, u)
	}
	return s.level(g, u, chance, func() float64 { return chance.level(s.gauge.weights, s.gauge.losses, s.parts(), s.gauge.Bound) })
}

// level returns a level of the losses less the limit, with its gradient; find finds it and sets the weights, which are all 0 before.
func (s *SettledConstraint) level(g, u []float64, c Chance, find func() float64) (float64, error) {
	if _, err := s.Excess(u); err != nil {
		return 0, err
	}
	clear(g)
	if len(s.gauge.losses) == 0 {
		return 0, nil
	}
	clear(s.gauge.weights)
	t := find()
	return t - c.Limit, s.gauge.pullBack(g, s.states, u, s.traits)
}

// level returns the limit at which the smoothed share is the given one, and writes what it changes by with every loss to w.
func (c Chance) level(w, losses, shares []float64, share float64) float64 {
	far := float64(c.Width * (math.Abs(portable.Log(share/(1-share))) + 1))
	low, high := slices.Min(losses)-far, slices.Max(losses)+far
	t := float64(low/2) + float64(high/2)
	for range 200 {
		over, slope := -share, 0.0
		for i, l := range losses {
			s := 1 / (1 + portable.Exp(-(l-t)/c.Width))
			over += float64(shares[i] * s)
			slope += shares[i] * s * (1 - s) / c.Width
		}
		if over > 0 {
			low = t
		} else {
			high = t
		}
		next := t + over/slope
		if !(next > low && next < high) {
			next = float64(low/2) + float64(high/2)
		}
		if math.Abs(next-t) <= 1e-15*max(math.Abs(t), c.Width) {
			break
		}
		t = next
	}
	nearest, sum := math.Inf(1), 0.0
	for _, l := range losses {
		nearest = min(nearest, math.Abs(l-t)/c.Width)
	}
	for i, l := range losses { // s(1 − s), as parts of the largest: they may all be below what numbers can hold
		x := math.Abs(l-t) / c.Width
		e := 1 + portable.Exp(-x)
		w[i] = shares[i] * portable.Exp(nearest-x) / (e * e)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return t
}

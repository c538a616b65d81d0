package fit

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// kept is what each person adds to the slope of the loss at the last place that was looked at, gathered on the way: a search of a long log that ends
// need not go through it once more.
type kept struct {
	pieces []int // between which everybody has all of his rows
	scores *mat.Dense
	spread []float64
	at     *Foothold
	begun  bool // a first look is not the last
}

// isOn tells whether this look is one that may be the last.
func (s *kept) isOn() bool { return s != nil && s.begun }

// clear forgets the people of rows.
func (s *kept) clear(group []int, lo, hi int) {
	if !s.isOn() {
		return
	}
	for who := group[lo]; who <= group[hi-1]; who++ {
		clear(s.scores.RawRowView(who))
	}
}

// turn says at which place it is now.
func (s *kept) turn(at *Foothold, spread []float64) {
	if s.isOn() {
		s.at, s.spread = at, slices.Clone(spread)
	}
	if s != nil {
		s.begun = true
	}
}

// of is what was kept at a place, in the units of other errors; false: it is of another place.
func (s *kept) of(here *Foothold, spread []float64) (*mat.Dense, bool) {
	switch {
	case s == nil || s.at != here:
		return nil, false
	case len(spread) == 1:
		by := s.spread[0] / spread[0]
		s.scores.Scale(float64(by*by), s.scores)
		s.spread = slices.Clone(spread)
	}
	return s.scores, slices.Equal(s.spread, spread)
}

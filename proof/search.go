package proof

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// search is a branch and bound [hansen2004]: boxes that may hold something better, the most promising first.
type search struct {
	ctx        context.Context
	f          Function
	set        kedge.Set
	isBox      bool // the set is one
	isCurved   bool // the set has curves
	isConvex   bool // the function is, on the domain
	isFeasible bool // the decision found is, up to rounding
	n          int
	budget     Budget

	domain    []interval.Span // holds what is to be searched of the set
	first     interval.Jet    // of order 1, at the decision found, moved into the set
	best      []float64
	atBest    interval.Jet // of order 1
	upper     float64      // the value of best is not above
	tolerance float64      // a gap that counts as none
	target    float64      // a gap at which boxes are put away
	open      []*region    // the most promising last
	closed    float64      // least bound of boxes that were put away
	boxes     int
	work      int
	failure   string
}

// region is a box that may hold something better.
type region struct {
	box    []interval.Span
	slopes []interval.Span
	lower  float64
	number int
}

// begin judges the decision found and looks around.
func (s *search) begin(found []float64) (err error) {
	s.best = slices.Clone(found)
	if err = s.project(s.best); err != nil {
		return err
	}
	if s.domain, err = s.bounds(s.best); err != nil {
		return err
	}
	size := rows.MaxAbs(s.best)
	for _, d := range s.domain {
		if d.IsFinite() {
			size = max(size, d.Hi-d.Lo)
		}
	}
	s.isFeasible = rows.Farthest(s.best, found) <= 1e-9*size
	s.first = s.at(s.best, 1)
	s.atBest, s.upper = s.first, s.first[0].Hi
	if s.work > s.budget.Work/2 {
		s.failure = spent
	}
	if !s.first[0].IsFinite() || s.failure != "" {
		return nil
	}
	spread, err := s.spread()
	s.tolerance = float64(1e-6*spread) + float64(1e-13*math.Abs(s.upper))
	s.target = s.tolerance / 1e3
	if !s.isBox { // projections are not that good
		s.target = s.tolerance / 20
	}
	return err
}

const (
	samples    = 32 // that show how values differ
	fewSamples = 4  // where they are dear
)

// spread is the median of how values on the set differ from that of the decision found. It does not depend on what is added to
// all values, and scales as they do.
func (s *search) spread() (float64, error) {
	around := s.neighbourhood()
	var apart []float64
	for k := range samples {
		u := make([]float64, s.n)
		for i, d := range s.domain {
			if !d.IsFinite() {
				d = around[i]
			}
			u[i] = d.Lo + float64((d.Hi-d.Lo)*scattered(k+1, i))
		}
		if err := s.project(u); err != nil {
			return 0, err
		}
		if k >= fewSamples && s.work > s.budget.Work/8 {
			break
		}
		if v := s.at(u, 0)[0]; v.IsFinite() {
			apart = append(apart, math.Abs(v.Mid()-s.first[0].Mid()))
		}
	}
	if len(apart) == 0 {
		return 0, nil
	}
	slices.Sort(apart)
	return apart[len(apart)/2], nil
}

// scattered is number k of a sequence that fills the unit interval evenly, for axis i, by the golden ratio's relatives
// [roberts2018].
func scattered(k, i int) float64 {
	_, part := math.Modf(float64(float64(k) * portable.Pow(0.7548776662466927, float64(1+i%8))))
	return part
}

// explore bounds the values on the set within the domain from below. It stops when nothing can be better by more than the gap.
func (s *search) explore(gap float64) (lower float64, err error) {
	s.closed, s.open, s.failure = math.Inf(1), nil, ""
	if err := s.examine(&region{box: slices.Clone(s.domain)}, gap); err != nil {
		return 0, err
	}
	for len(s.open) > 0 {
		if err := s.ctx.Err(); err != nil {
			return 0, err
		}
		r := s.open[len(s.open)-1]
		if r.lower >= s.upper-gap || s.isSpent(r) {
			return min(s.closed, r.lower, s.upper), nil
		}
		s.open = s.open[:len(s.open)-1]
		for _, half := range s.split(r) {
			if err := s.examine(&region{box: half}, gap); err != nil {
				return 0, err
			}
		}
	}
	return min(s.closed, s.upper), nil
}

const spent = "the budget is spent"

// isSpent tells whether to give up: the budget is spent, or bounds do not come to hold.
func (s *search) isSpent(r *region) bool {
	switch {
	case s.n > MostDecisions:
		s.failure = "there are too many decisions for bounds"
	case s.boxes >= s.budget.Boxes || s.work >= s.budget.Work:
		s.failure = spent
	case math.IsInf(r.lower, -1) && slices.ContainsFunc(r.box, s.isRemote):
		s.failure = "there is no bound far out"
	}
	return s.failure != ""
}

// isRemote tells whether a side is infinite and far out all of it.
func (s *search) isRemote(x interval.Span) bool { return !x.IsFinite() && x.Least() > far*s.size() }

// split cuts a box in two across the side along which the function varies most, as far as that is known.
func (s *search) split(r *region) [2][]interval.Span {
	side, most := 0, -1.0
	isKnown := !slices.ContainsFunc(r.slopes, func(g interval.Span) bool { return !g.IsFinite() })
	for i, x := range r.box {
		width := x.Hi - x.Lo
		score := width / (s.domain[i].Hi - s.domain[i].Lo)
		if isKnown {
			score = width * r.slopes[i].Most()
		}
		if math.IsInf(width, 1) {
			score = math.Inf(1)
		}
		if width > 0 && score > most {
			side, most = i, score
		}
	}
	low, high := slices.Clone(r.box), slices.Clone(r.box)
	at := s.middle(r.box[side], side)
	low[side].Hi, high[side].Lo = at, at
	return [2][]interval.Span{low, high}
}

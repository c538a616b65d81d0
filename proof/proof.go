// Package proof shows that no decision is better than the one that a search has found: because the function is convex, or
// because a bound on every other part of the feasible set is above its value. Bounds come from interval arithmetic on the
// function's own formula, so they hold for all decisions, whatever the rounding. Where neither succeeds within a budget, what is
// known is said: how much better another decision could be at most.
package proof

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Budget bounds what a proof may take and how far it looks. It counts work and not time, so that the same is proven on every machine.
type Budget struct {
	Boxes int // looked at; 0 means 20,000
	Work  int // spans computed; 0 means 30,000,000, about a second
	// Size is that of the decisions that matter where the set has no bounds, such as those of starts and runs; at least that of the
	// decision found, and 1 where both are 0.
	Size float64
}

func (b Budget) filled() Budget {
	b.Boxes, b.Work = cmp.Or(b.Boxes, 20_000), cmp.Or(b.Work, 30_000_000)
	return b
}

// Grounds say why nothing better exists.
type Grounds int

// The grounds of a proof.
const (
	Unproven    Grounds = iota // nothing is shown but the gap
	ByConvexity                // the function is convex, and the decision is stationary
	ByBounds                   // bounds on all other decisions are above the value
)

// String says the grounds in words.
func (g Grounds) String() string {
	return [...]string{"not proven", "proven by convexity", "proven by bounds"}[g]
}

// Proof is what is known of the least value.
type Proof struct {
	Grounds  Grounds
	Reason   string    // what shows convexity, or why nothing is proven
	Decision []float64 // the one found, or one that is better by more than the tolerance
	IsBetter bool      // the decision is not the one found: the search should go on from it
	Lower    float64   // no feasible decision has a value below
	Upper    float64   // the value of the decision is not above
	// Tolerance is 1e-6 of how values differ over the set: within that, values count as equal.
	Tolerance float64
	Boxes     int // looked at
	Work      int // spans computed
}

// Gap is how much better another decision could be at most. Of a convex function on an unbounded set that holds as far as ten times
// the Size of the Budget away.
func (p *Proof) Gap() float64 { return max(p.Upper-p.Lower, 0) }

// MostDecisions is how many entries decisions may have for a proof by bounds; convexity is shown for any number.
const MostDecisions = 4

// Prove looks for a proof that no decision of the set has a value below that of the one found, whose value is said to be loss.
// Without a set all decisions are feasible. Errors are those of the arguments, the set and the context.
func Prove(ctx context.Context, f Function, set kedge.Set, found []float64, loss float64, b Budget) (*Proof, error) {
	if err := kedge.CheckVector("found", found, f.Decisions()); err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, f: f, set: set, isBox: isBox(set), isCurved: curved(set), n: len(found), budget: b.filled(), closed: math.Inf(1)}
	if err := s.begin(found); err != nil {
		return nil, err
	}
	p := &Proof{Decision: slices.Clone(found), Lower: math.Inf(-1), Upper: s.upper, Tolerance: s.tolerance}
	switch value := s.first[0]; {
	case s.failure != "":
		p.Reason = s.failure
	case !s.isFeasible:
		p.Reason = "the decision is not in the set"
	case !value.IsFinite():
		p.Reason = "the value of the decision is not known for sure"
	case !(math.Abs(loss-value.Mid()) <= value.Radius()+s.tolerance+float64(1e-6*math.Abs(loss))):
		p.Reason = fmt.Sprintf("the decision has the value %.6g by its formula, and not %.6g", value.Mid(), loss)
	default:
		if err := s.prove(p); err != nil {
			return nil, err
		}
	}
	p.Boxes, p.Work = s.boxes, s.work
	return p, nil
}

// prove tries convexity, then bounds.
func (s *search) prove(p *Proof) error {
	if p.Reason = s.convexity(); p.Reason != "" {
		if isProven, err := s.proveConvex(p); err != nil || isProven {
			return err
		}
	}
	if s.n > MostDecisions {
		p.Reason = fmt.Sprintf("the function is not known to be convex, and %d decisions are too many for bounds", s.n)
		if s.isConvex {
			p.Reason = "the function is convex, but its slopes at the decision do not show that it is the best"
		}
		return nil
	}
	if err := s.improve(s.best); err != nil {
		return err
	}
	lower, err := s.explore(s.target)
	if err == nil && !s.judge(p, lower, ByBounds) {
		p.Reason = s.failure
	}
	return err
}

// proveConvex bounds the values around the best decision, again around a better one that this finds.
func (s *search) proveConvex(p *Proof) (bool, error) {
	s.isConvex = true
	whole := s.domain
	defer func() { s.domain = whole }()
	for range 3 {
		if err := s.improve(s.best); err != nil {
			return false, err
		}
		value := s.upper
		s.domain = whole
		s.domain = s.neighbourhood()
		lower, err := s.explore(s.target / stretch)
		if err != nil {
			return false, err
		}
		if s.judge(p, value-float64(stretch*(value-lower)), ByConvexity) {
			return true, nil
		}
		if s.upper >= value-s.target {
			break
		}
	}
	return false, nil
}

// judge writes down what is known and tells whether it is a proof.
func (s *search) judge(p *Proof, lower float64, grounds Grounds) bool {
	p.Lower, p.Upper = lower, s.first[0].Hi
	if s.upper < s.first[0].Lo-s.tolerance { // for sure, and not by rounding
		p.Decision, p.IsBetter, p.Upper = slices.Clone(s.best), true, s.upper
	}
	if p.Gap() > s.tolerance {
		return false
	}
	p.Grounds = grounds
	return true
}

package proof

import "github.com/kedge-opt/kedge/internal/interval"

// Function is an objective of the decision of which bounds over boxes are known, as a formula.Landscape is.
type Function interface {
	// Decisions is how many entries a decision has.
	Decisions() int
	// Enclose writes what value, gradient and Hessian can be over a box, up to the order for which dst has room, and returns how
	// many spans that took.
	Enclose(dst interval.Jet, box []interval.Span) (work int)
	// Convex tells whether the rules for sums and compositions of convex functions show that the function is convex on a box,
	// which may be infinite.
	Convex(box []interval.Span) bool
}

// enclose returns what is known over a box.
func (s *search) enclose(box []interval.Span, order int) interval.Jet {
	jet := make(interval.Jet, interval.Jets{Variables: s.n, Order: order}.Size())
	s.work += s.f.Enclose(jet, box)
	return jet
}

// at returns what is known at a decision.
func (s *search) at(u []float64, order int) interval.Jet {
	return s.enclose(interval.Points(u), order)
}

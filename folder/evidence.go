package folder

import "github.com/kedge-opt/kedge/optimum"

// EvidenceOf is what a search over the set knows of the best that it found.
func EvidenceOf(s *optimum.Search) *Evidence {
	e := &Evidence{Standing: Searched, Here: s.Here, Places: s.Basins, Missed: s.Missed, Kink: s.Kink, Jump: s.Jump}
	if len(s.Found) < 2 {
		e.Standing = Stationary
	}
	return e
}

// Credit adds what is proven: why nothing is better, "" if that is not known, and a value that is out of reach, nil if there is none.
func (e *Evidence) Credit(why string, bound *float64) {
	e.Bound = bound
	if why != "" {
		e.Standing, e.Why, e.Missed = Proven, why, 0
	}
}

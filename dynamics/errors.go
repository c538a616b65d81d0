package dynamics

import "fmt"

// ElsewhereError says that the equation h = f(h, u, d) has an attracting solution that is not the one this individual
// reaches from its own start.
type ElsewhereError struct {
	Distance float64 // ‖p − h‖ between the individual and the solution after many steps
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the steady state found is not the one reached from the start: the individual stays %.3g away from it", e.Distance)
}

// MissingError says that a field which has no useful zero was left out.
type MissingError struct {
	Arg  string
	Want string // what belongs there
}

func (e *MissingError) Error() string { return e.Arg + " is missing, want " + e.Want }

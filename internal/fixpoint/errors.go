package fixpoint

import "fmt"

// Stop says why a search ended without a solution.
type Stop int

const (
	OutOfSteps Stop = iota + 1 // MaxSteps evaluations were spent
	Stagnated                  // nothing got better any more, often because the tolerance is below g's own rounding
	NotFinite                  // the plain iteration met a NaN or an infinity
)

func (s Stop) String() string {
	return [...]string{"solved", "out of steps", "stagnated", "not finite"}[s]
}

// StoppedError says that no point within the tolerance was found. The residual is that of the best point.
type StoppedError struct {
	Residual  float64
	Tolerance float64
	Steps     int
	Why       Stop
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("fixed point not found (%v): residual %.3g after %d steps, want %.3g",
		e.Why, e.Residual, e.Steps, e.Tolerance)
}

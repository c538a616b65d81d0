package online

import "math"

// Constant is the step size η at every turn.
type Constant float64

// Step returns η.
func (c Constant) Step(int) float64 { return float64(c) }

// InverseSqrt is the step size η/√(k+1).
type InverseSqrt float64

// Step returns η/√(k+1).
func (s InverseSqrt) Step(k int) float64 { return float64(s) / math.Sqrt(float64(k+1)) }

// Horizon is the constant step size η/√T of a run whose length T is known beforehand [he2025, step bound].
type Horizon struct {
	Eta   float64
	Turns int
}

// Step returns η/√T.
func (h Horizon) Step(int) float64 { return h.Eta / math.Sqrt(float64(h.Turns)) }

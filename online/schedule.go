package online

import "math"

// Constant is the step size η at every step.
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

// Diminishing is the step size η/(1 + k/Delay)^Power with ½ < Power ≤ 1 [robbins1951]. The rate 1/(ak + b) of greedy and lazy
// deployment [mendlerdunner2020] is Eta: 1/b, Delay: b/a, Power: 1.
type Diminishing struct{ Eta, Delay, Power float64 }

// Step returns η/(1 + k/Delay)^Power.
func (s Diminishing) Step(k int) float64 { return s.Eta / math.Pow(1+float64(k)/s.Delay, s.Power) }

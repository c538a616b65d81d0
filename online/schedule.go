package online

import (
	"math"

	"github.com/kedge-opt/kedge/internal/portable"
)

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
func (s Diminishing) Step(k int) float64 { return s.Eta / portable.Pow(1+float64(k)/s.Delay, s.Power) }

// longest is where rhythms that grow stop to, so that lengths stay whole numbers.
const longest = math.MaxInt32

// Hold is the same length for every deployment.
type Hold int

// Turns returns the length.
func (h Hold) Turns(int) int { return int(h) }

// Settling lengthens deployments by as much as a population that contracts by L < 1 a turn needs for an error that falls like
// 1/(j+1): ⌈ln(j+2)/ln(1/L)⌉ + 1 turns [ray2022].
type Settling struct{ Contraction float64 }

// Turns returns ⌈ln(j+2)/ln(1/L)⌉ + 1.
func (s Settling) Turns(j int) int {
	return whole(portable.Log(float64(j+2))/-portable.Log(s.Contraction)) + 1
}

// Polynomial lengthens deployments as ⌈First·(j+1)^Power⌉, the schedule of lazy deployment [mendlerdunner2020].
type Polynomial struct{ First, Power float64 }

// Turns returns ⌈First·(j+1)^Power⌉.
func (p Polynomial) Turns(j int) int { return whole(p.First * portable.Pow(float64(j+1), p.Power)) }

// whole rounds up to a whole number that can be counted to.
func whole(x float64) int {
	if !(x < longest) {
		return longest
	}
	return int(math.Ceil(x))
}

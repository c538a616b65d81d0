package online

import "math"

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
	return whole(math.Log(float64(j+2))/-math.Log(s.Contraction)) + 1
}

// Polynomial lengthens deployments as ⌈First·(j+1)^Power⌉, the schedule of lazy deployment [mendlerdunner2020].
type Polynomial struct{ First, Power float64 }

// Turns returns ⌈First·(j+1)^Power⌉.
func (p Polynomial) Turns(j int) int { return whole(p.First * math.Pow(float64(j+1), p.Power)) }

// whole rounds up to a whole number that can be counted to.
func whole(x float64) int {
	if !(x < longest) {
		return longest
	}
	return int(math.Ceil(x))
}

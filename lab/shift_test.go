package lab

import (
	"math"
	"testing"
)

// Theorem 3 along a run, by hand: V halves from 8 while the decision moves by ρ₂‖Δu‖² = 6 and then 0, with ρ₁ = 1/2. A turn that is
// left out ends it.
func TestShiftsAddUp(t *testing.T) {
	recursion := []float64{math.NaN(), math.Sqrt(0.5*64 + 6), math.Sqrt(0.5 * 16), 1}
	sums, bounds := shifts([]int{0, 1, 2, 4}, []float64{8, 4, 2, 1}, recursion, 0.5)
	for i, want := range [][2]float64{{64, 128}, {80, 140}, {84, 140}, {85, math.NaN()}} {
		known := math.Abs(bounds[i]-want[1]) < 1e-12
		if math.Abs(sums[i]-want[0]) > 1e-12 || !known && !(math.IsNaN(want[1]) && math.IsNaN(bounds[i])) {
			t.Errorf("after turn %d: %v and %v, want %v", i, sums[i], bounds[i], want)
		}
	}
}

package lab

import (
	"math"
	"slices"
	"testing"
)

// Somebody who counts three times is as far from where people settle as three people are.
func TestWeightsCountInDistances(t *testing.T) {
	states, own, optimal := []float64{0.5, 0.3, 0.2, 0.1, 0.1, 0.8}, []float64{0.2, 0.3, 0.5, 0.6, 0.2, 0.2}, []float64{0, 1, 0, 0.3, 0.3, 0.4}
	threefold := func(x []float64) []float64 { return slices.Concat(x[:3], x[:3], x[:3], x[3:]) }
	toOwn, toOptimal, err := itemsApart(3, []float64{1.5, 0.5})(states, own, optimal)
	if err != nil {
		t.Fatal(err)
	}
	wantOwn, wantOptimal, err := itemsApart(3, nil)(threefold(states), threefold(own), threefold(optimal))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(toOwn-wantOwn) > 1e-15 || math.Abs(toOptimal-wantOptimal) > 1e-15 {
		t.Errorf("distances %v and %v, of three people instead of one %v and %v", toOwn, toOptimal, wantOwn, wantOptimal)
	}
	// By hand: what lies left of every gap between items, |0.3| + |0.3| = 0.6 for the first person, |−0.5| + |−0.6| = 1.1 for the second.
	if want := (3*0.6 + 1.1) / 4; math.Abs(toOwn-want) > 1e-15 {
		t.Errorf("distance %v, by hand %v", toOwn, want)
	}
}

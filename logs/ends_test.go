package logs

import (
	"math"
	"testing"
)

// Of 0, 1, … 40 the 2.5 and 97.5 hundredths are 1 and 39. Draws without an answer may be anywhere, so that ends move out on both sides, and are unknown where such draws decide.
func TestDrawsWithoutAnAnswerMayBeAnywhere(t *testing.T) {
	draws := func(without int) (list []float64) {
		for i := range 41 {
			if i < 41-without {
				list = append(list, float64(40-i))
			} else {
				list = append(list, math.NaN())
			}
		}
		return list
	}
	if low, high := Ends(draws(0)); low != 1 || high != 39 {
		t.Errorf("from %v to %v, want 1 to 39", low, high)
	}
	if low, high := Ends(draws(1)); low != 1 || high != 40 { // 1 … 40, and one that is below 1 and above 40
		t.Errorf("one without an answer: from %v to %v, want 1 to 40", low, high)
	}
	if low, high := Ends(draws(2)); low.Known() || high.Known() {
		t.Errorf("two without an answer: from %v to %v", low, high)
	}
	if low, high := Ends(draws(41)); low.Known() || high.Known() {
		t.Errorf("none with an answer: from %v to %v", low, high)
	}
	never := []float64{math.Inf(1), 2, math.Inf(1)}
	if low, high := Ends(never); !math.IsNaN(float64(low)) && low < 2 || high.Known() {
		t.Errorf("half-lives without an end: from %v to %v", low, high)
	}
}

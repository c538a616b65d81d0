package dynamics

import (
	"math"
	"testing"
)

// By hand: after 20 250 310 the generator 48 271·s mod 2³¹ − 1 says 397 654 625, 977 566 489 and 1 453 814 988. The nudge is those parts of 2³¹ − 1, less ½, at length 1.
func TestNudgesHaveALengthOfOne(t *testing.T) {
	a, b, c := 397_654_625./(1<<31-1)-0.5, 977_566_489./(1<<31-1)-0.5, 1_453_814_988./(1<<31-1)-0.5
	for _, want := range [][]float64{{-1}, {a / math.Hypot(a, b), b / math.Hypot(a, b)}, {a / math.Hypot(math.Hypot(a, b), c), b / math.Hypot(math.Hypot(a, b), c), c / math.Hypot(math.Hypot(a, b), c)}} {
		got := make([]float64, len(want))
		generic(got)
		for i, v := range got {
			if !(math.Abs(v-want[i]) <= 1e-15) {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
}

package set

import (
	"math"
	"testing"
)

// What is projected is somewhere on a way from the last decision, and only the direction of that way counts once it is out of reach: however far it goes, the
// nearest point is the same. On an interval it is the end of what is within reach, by hand.
func TestRateLimitOfWhatIsFar(t *testing.T) {
	r := RateLimit{Of: Interval{0, 1.2}, Most: 0.1}
	for _, last := range []float64{-0.05, 0, 0.3} {
		for far := 1.0; far < 1e300; far *= 1e10 {
			u := []float64{far}
			if err := r.ProjectAt(u, 0, []float64{last}); err != nil || !(math.Abs(u[0]-(last+0.1)) <= 1e-9) {
				t.Errorf("%g from %v: %v, %v, want %v", far, last, u[0], err, last+0.1)
			}
		}
	}
	ball := RateLimit{Of: Ball{Radius: 1}, Most: 0.5}
	last := []float64{0.9, 0}
	near := []float64{0.9 + 3, 4}
	if err := ball.ProjectAt(near, 0, last); err != nil {
		t.Fatal(err)
	}
	for _, far := range []float64{1e3, 2e5, 3e6, 1e9, 1e100, 1e300} {
		u := []float64{0.9 + 3*far, 4 * far}
		if err := ball.ProjectAt(u, 0, last); err != nil || math.Hypot(u[0]-near[0], u[1]-near[1]) > 1e-9 {
			t.Errorf("%g: %v, %v, want %v", far, u, err, near)
		}
	}
}

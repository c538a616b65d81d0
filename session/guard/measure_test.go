package guard

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Numbers that count alike are sorted by a shorter way, which says the same as weights of 1.
func TestNumbersThatCountAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 40; n++ {
		x, ones := make([]float64, n), slices.Repeat([]float64{1}, n)
		for i := range x {
			x[i] = float64(r.IntN(12)) / 4
		}
		alike, weighted := sort(x, nil), sort(x, ones)
		if !slices.Equal(alike.x, weighted.x) || !slices.Equal(alike.upTo, weighted.upTo) {
			t.Fatalf("%v: %v, by weights %v", x, alike, weighted)
		}
		middle, off := spreadOf(x, nil)
		m, o := spreadOf(x, ones)
		if middle != m || off != o {
			t.Errorf("%v: %g ± %g, by weights %g ± %g", x, middle, off, m, o)
		}
	}
}

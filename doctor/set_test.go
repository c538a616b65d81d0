package doctor

import (
	"math"
	"testing"
)

// A set is sound as long as points that are projected again move by no more than 1e-9, and lie no more than 1e-6 farther apart than they did.
func TestSetsAreJudged(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		moved, spread float64
		want          Verdict
	}{
		{0, 0, Pass}, {1e-9, 1, Pass}, {1.1e-9, 1, Fail}, {nan, 1, Fail}, {0, 1 + 0.9e-6, Pass}, {0, 1 + 1.1e-6, Fail}, {0, nan, Fail},
	} {
		if got := judgeSet(c.moved, c.spread).Verdict; got != c.want {
			t.Errorf("moved by %v and spread by %v: %v, want %v", c.moved, c.spread, got, c.want)
		}
	}
}

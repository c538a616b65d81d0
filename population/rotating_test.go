package population_test

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// Whoever is in the second half of a sample is in the first half of the next, and nowhere else but by chance.
func TestRotatingSeesEverybodyTwice(t *testing.T) {
	p := &population.Rotating{Of: &population.WithoutReplacement{Source: stream.New(5)}}
	var before []int
	for k := range 50 {
		now := picks(t, p, 8, 1_000_000)
		if before != nil && !slices.Equal(now[:4], before[4:]) {
			t.Fatalf("sample %d begins with %v, the one before ended with %v", k, now[:4], before[4:])
		}
		if before != nil && slices.Equal(now[4:], before[4:]) {
			t.Fatalf("sample %d has nobody new", k)
		}
		before = now
	}
}

func TestRotatingRefusesOtherSizes(t *testing.T) {
	p := &population.Rotating{Of: population.WithReplacement{Source: stream.New(5)}}
	if p.Pick(make([]int, 3), 10) == nil {
		t.Error("an odd sample was accepted")
	}
	picks(t, p, 4, 10)
	for _, size := range []int{2, 6} {
		if p.Pick(make([]int, size), 10) == nil {
			t.Errorf("a sample of %d after one of 4 was accepted", size)
		}
	}
	if p.Pick(make([]int, 4), 1) == nil {
		t.Error("a panel of a larger crowd was accepted")
	}
}

package population_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// People are picked as often as their weights say: of N picks individual i has N·wᵢ/Σw but for √(N·q(1−q)). Nobody of weight 0 is picked.
func TestByWeight(t *testing.T) {
	const n = 400_000
	weights := []float64{0, 2, 0, 0.5, 7.5, 1e-3, 0, 0}
	pick, err := population.NewByWeight(stream.New(4, "picks"), weights)
	if err != nil {
		t.Fatal(err)
	}
	sample, counts := make([]int, n), make([]float64, len(weights))
	if err := pick.Pick(sample, len(weights)); err != nil {
		t.Fatal(err)
	}
	for _, i := range sample {
		counts[i]++
	}
	for i, w := range weights {
		q := w / 10.001
		if w == 0 && counts[i] > 0 {
			t.Errorf("individual %d has the weight 0 and was picked %v times", i, counts[i])
		}
		if z := (counts[i] - n*q) / math.Sqrt(n*q*(1-q)); w > 0 && math.Abs(z) > 4 {
			t.Errorf("individual %d was picked %v times, want %v: %.1f deviations off", i, counts[i], n*q, z)
		}
	}
}

// last draws the largest number below 1.
type last struct{}

func (last) Float64() float64 { return 1 - 0x1p-53 }

func TestByWeightRoundsToSomebody(t *testing.T) {
	for _, weights := range [][]float64{{1, 0}, {3, 0.7, 0, 0}, {1e300, 1e300, 0}, {5e-324, 0}, {0.1, 0.2, 0.3, 0}} {
		pick, err := population.NewByWeight(last{}, weights)
		if err != nil {
			t.Fatal(err)
		}
		who := []int{-1}
		if err := pick.Pick(who, len(weights)); err != nil || weights[who[0]] == 0 {
			t.Errorf("of %v individual %d is picked, %v", weights, who[0], err)
		}
	}
}

func TestOddWeightsAreRefused(t *testing.T) {
	source := stream.New(1)
	for _, weights := range [][]float64{nil, {}, {0, 0}, {1, -1}, {math.NaN()}, {1, math.Inf(1)}} {
		if _, err := population.NewByWeight(source, weights); err == nil {
			t.Errorf("weights %v were accepted", weights)
		}
	}
	if _, err := population.NewByWeight(nil, []float64{1}); err == nil {
		t.Error("a picker without a source was accepted")
	}
	pick, err := population.NewByWeight(source, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := pick.Pick([]int{0}, 3); err == nil {
		t.Error("two weights were accepted for three individuals")
	}
}

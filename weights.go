package kedge

import (
	"errors"
	"math"
)

// ScaleWeights returns weights of n individuals in the same proportions with the mean 1, as a Model has them; nil stays nil. It refuses
// weights that are negative, not finite, all 0, or of another number of individuals.
func ScaleWeights(w []float64, n int) ([]float64, error) {
	if w == nil {
		return nil, nil
	}
	if err := checkWeights(w, n); err != nil {
		return nil, err
	}
	most, sum := 0.0, 0.0
	for _, x := range w {
		most = max(most, x)
	}
	scaled := make([]float64, n)
	for i, x := range w {
		scaled[i] = x / most // so that no sum overflows
		sum += scaled[i]
	}
	for i := range scaled {
		scaled[i] = scaled[i] * float64(n) / sum
	}
	return scaled, nil
}

func checkWeights(w []float64, n int) error {
	if err := CheckVector("weights", w, n); err != nil {
		return err
	}
	counts := false
	for i, x := range w {
		if x < 0 {
			return &RowError{Row: i, Err: &RangeError{Arg: "the weight", Got: x, Want: "at least 0"}}
		}
		counts = counts || x > 0
	}
	return CheckRange("the largest weight", 0, counts, "above 0, so that somebody counts")
}

// CheckWeights returns an error unless the model's weights are those of its individuals and have the mean 1, or there are none.
func (m Model) CheckWeights() error {
	if m.Weights == nil {
		return nil
	}
	if m.Traits == nil {
		return errors.New("weights are of individuals with traits, and there are none")
	}
	n, _ := m.Traits.Size()
	if err := checkWeights(m.Weights, n); err != nil {
		return err
	}
	mean := 0.0
	for _, w := range m.Weights {
		mean += w / float64(n)
	}
	return CheckRange("the mean of the weights", mean, math.Abs(mean-1) <= 1e-9, "1; ScaleWeights brings it there")
}

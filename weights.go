package kedge

import (
	"errors"
	"math"
	"slices"
)

// ScaleWeights returns weights of n individuals in the same proportions with the mean 1, as a Model has them; nil stays nil. It refuses
// weights that are negative, not finite, all 0, or of another number of individuals.
func ScaleWeights(w []float64, n int) ([]float64, error) {
	if w == nil {
		return nil, nil
	}
	if err := checkWeights("weights", w, n); err != nil {
		return nil, err
	}
	most, sum := slices.Max(w), 0.0
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

func checkWeights(arg string, w []float64, n int) error {
	if err := CheckVector(arg, w, n); err != nil {
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
	if err := checkWeights("weights", m.Weights, n); err != nil {
		return err
	}
	mean := 0.0
	for _, w := range m.Weights {
		mean += w / float64(n)
	}
	return CheckRange("the mean of the weights", mean, math.Abs(mean-1) <= 1e-9, "1; ScaleWeights brings it there")
}

// EffectiveSize is how many people who count alike say as much as n with weights [kish1965].
func EffectiveSize(weights []float64, n int) float64 {
	if weights == nil {
		return float64(n)
	}
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		sum, squares = sum+w, squares+float64(w*w)
	}
	return sum * sum / squares
}

// EvalWeighted is the block form of an objective over individuals who count by weights, none of them negative: it returns Σ wᵢΦᵢ, adds Σ wᵢ∂Φᵢ/∂u
// to gu and overwrites gp with the rows wᵢ∂Φᵢ/∂p. A nil destination is skipped; room has as many entries as gu. Without weights all are 1, and no
// room is needed.
func EvalWeighted(o RowObjective, gp, gu, p, u, d, w, room []float64) float64 {
	clear(gp)
	if w == nil {
		return o.EvalRows(gp, gu, p, u, d)
	}
	sum, state, trait := 0.0, len(p)/len(w), len(d)/len(w)
	var pull, one []float64
	if gu != nil {
		one = room[:len(gu)]
	}
	for i, weight := range w {
		if gp != nil {
			pull = Row(gp, i, state)
		}
		clear(one)
		sum += float64(weight * o.EvalRows(pull, one, Row(p, i, state), u, Row(d, i, trait)))
		for j, x := range one {
			gu[j] += float64(weight * x)
		}
		for j := range pull {
			pull[j] *= weight
		}
	}
	return sum
}

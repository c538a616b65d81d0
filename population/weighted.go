package population

import (
	"sort"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Uniforms draws uniform numbers in [0, 1). A *stream.Stream does.
type Uniforms interface{ Float64() float64 }

// ByWeight picks every individual of a sample anew, with a probability proportional to its weight: the mean over a sample is an unbiased
// estimate of the weighted mean over everybody. Who has the weight 0 is never picked. NewByWeight makes one.
type ByWeight struct {
	source Uniforms
	upTo   []float64 // the weights of everybody up to an individual, that one included
}

// NewByWeight returns the picker for individuals of weights that are not negative and not all 0.
func NewByWeight(source Uniforms, weights []float64) (*ByWeight, error) {
	if source == nil {
		return nil, errNoSource
	}
	if err := checkSize("the number of weights", len(weights)); err != nil {
		return nil, err
	}
	scaled, err := kedge.ScaleWeights(weights, len(weights))
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for i, w := range scaled {
		sum += w
		scaled[i] = sum
	}
	return &ByWeight{source, scaled}, nil
}

// Pick writes independent indices.
func (w *ByWeight) Pick(dst []int, n int) error {
	if err := kedge.CheckDim("weights", len(w.upTo), n); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = w.at(w.source.Float64())
	}
	return nil
}

// at returns the first individual up to whom everybody weighs more than a share of all. A weight of 0 adds nothing, so it is nobody's who
// has that; where rounding makes the share all of it, it is the last who has more.
func (w *ByWeight) at(share float64) int {
	n := len(w.upTo)
	all := w.upTo[n-1]
	if i := sort.Search(n, func(i int) bool { return w.upTo[i] > share*all }); i < n {
		return i
	}
	return sort.SearchFloat64s(w.upTo, all)
}

// Describe gives the source's state.
func (w *ByWeight) Describe(f *wire.Fields) { f.Part("source of random numbers", w.source) }

package batch

import (
	"slices"

	"github.com/kedge-opt/kedge"
)

// Together puts batches together in their order, without who has no trait: without is how many those are. People have weights if any of them have,
// and are known if all are.
func Together(all []*Batch, dim kedge.Dims) (seen kedge.Observation, without int) {
	people, weighted, known := 0, false, true
	for _, b := range all {
		people += len(b.P) / dim.State
		weighted, known = weighted || b.W != nil, known && b.Who != nil
	}
	seen.P, seen.D = make([]float64, 0, people*dim.State), make([]float64, 0, people*dim.Trait)
	for _, b := range all {
		for i := range len(b.P) / dim.State {
			if _, missing := slices.BinarySearch(b.Missing, i); missing || b.D == nil && dim.Trait > 0 {
				without++
				continue
			}
			seen.P = append(seen.P, b.P[i*dim.State:(i+1)*dim.State]...)
			seen.D = append(seen.D, b.D[i*dim.Trait:(i+1)*dim.Trait]...)
			if weighted {
				w := 1.0
				if b.W != nil {
					w = b.W[i]
				}
				seen.W = append(seen.W, w)
			}
			if known {
				seen.Who = append(seen.Who, b.Who[i])
			}
		}
	}
	return seen, without
}

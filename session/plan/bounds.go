package plan

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/session/view"
)

// mostBounded is how many entries a decision has whose bounds are looked for, and far how far out.
const (
	mostBounded = 64
	far         = 1e7
)

// Bounds is how far every entry of a decision goes, NaN without an end: the nearest decision to one that is far out along an entry is at its end. It is nil of
// long decisions.
func (p *Brief) Bounds() (lower, upper *view.Sparse) {
	if len(p.Start) > mostBounded {
		return nil, nil
	}
	low, high := make(view.Sparse, len(p.Start)), make(view.Sparse, len(p.Start))
	end := func(i int, to float64) float64 {
		u := slices.Clone(p.Start)
		u[i] = to
		if err := p.Set.Project(u); err != nil || math.Abs(u[i]) > far/10 {
			return math.NaN()
		}
		return u[i]
	}
	for i := range p.Start {
		low[i], high[i] = end(i, -far), end(i, far)
	}
	return &low, &high
}

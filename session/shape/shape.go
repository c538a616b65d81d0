// Package shape says how numbers are distributed: their shares in bins, beside those of others, and how far apart the two are.
package shape

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/transport"
)

// Shares are the shares of numbers in bins of equal width.
type Shares struct {
	Edges   []float64 `json:"edges"`             // of the bins, one more than there are
	Now     []float64 `json:"now"`               // shares of people
	Settled []float64 `json:"settled,omitempty"` // none if the model does not say where people settle
	W1      *float64  `json:"w1,omitempty"`      // how far the one is from the other
	Ranks   []float64 `json:"quantiles"`         // of people now: 5, 25, 50, 75 and 95 in 100 are below
}

// Of compares some numbers, at least one, with those they settle at, nil if nobody knows.
func Of(now, settled []float64, bins int) (s Shares, err error) {
	low, high := slices.Min(now), slices.Max(now)
	if settled != nil {
		low, high = min(low, slices.Min(settled)), max(high, slices.Max(settled))
		w, err := transport.Line(now, nil, settled, nil)
		if err != nil {
			return s, err
		}
		s.W1 = &w
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	for i := range bins + 1 {
		s.Edges = append(s.Edges, low+float64((high-low)*float64(i))/float64(bins))
	}
	s.Now, s.Ranks = histogram(now, low, high, bins), ranks(now)
	if settled != nil {
		s.Settled = histogram(settled, low, high, bins)
	}
	return s, nil
}

// histogram is the share of numbers in each of some bins of equal width.
func histogram(x []float64, low, high float64, bins int) []float64 {
	list := make([]float64, bins)
	for _, v := range x {
		at := int(float64(bins) * ((v - low) / (high - low)))
		list[max(0, min(bins-1, at))] += 1 / float64(len(x))
	}
	return list
}

// ranks are the quantiles of some numbers, between neighbours in proportion.
func ranks(x []float64) []float64 {
	x = slices.Sorted(slices.Values(x))
	return lists.Of([]float64{0.05, 0.25, 0.5, 0.75, 0.95}, func(share float64) float64 { return rows.Quantile(x, share) })
}

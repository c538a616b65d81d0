package shape

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// By hand: three numbers and where they settle, 1 apart each.
func TestShares(t *testing.T) {
	w := 1.0
	for _, c := range []struct {
		now, settled []float64
		want         Shares
	}{
		{[]float64{2, 1, 0, 1}, []float64{1, 3, 2, 2}, Shares{[]float64{0, 1, 2, 3}, []float64{0.25, 0.5, 0.25}, []float64{0, 0.25, 0.75}, &w, []float64{0.15, 0.75, 1, 1.25, 1.85}}},
		{[]float64{5}, nil, Shares{[]float64{4.5, 5.5 - 2.0/3, 5.5 - 1.0/3, 5.5}, []float64{0, 1, 0}, nil, nil, []float64{5, 5, 5, 5, 5}}},
	} {
		got, err := Of(c.now, c.settled, 3)
		if err != nil || !reflect.DeepEqual(got.Now, c.want.Now) || !reflect.DeepEqual(got.Settled, c.want.Settled) || len(got.Edges) != 4 || got.Edges[0] != c.want.Edges[0] || got.Edges[3] != c.want.Edges[3] {
			t.Errorf("%v beside %v: %+v, %v, want %+v", c.now, c.settled, got, err, c.want)
		}
		if !slices.EqualFunc(got.Ranks, c.want.Ranks, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }) {
			t.Errorf("%v has the quantiles %v, want %v", c.now, got.Ranks, c.want.Ranks)
		}
		if (got.W1 == nil) != (c.want.W1 == nil) || got.W1 != nil && *got.W1 != *c.want.W1 {
			t.Errorf("%v beside %v are %v apart", c.now, c.settled, got.W1)
		}
	}
	for _, c := range [][2][]float64{{{1, math.NaN()}, {1, 2}}, {{1, 2}, {math.NaN()}}} {
		if got, err := Of(c[0], c[1], 3); err == nil {
			t.Errorf("%v beside %v: %+v, though one is no number", c[0], c[1], got)
		}
	}
}

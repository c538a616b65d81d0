package draw

import (
	"cmp"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/plot/vg"
)

// Labels beside a panel keep their order and distance, and stay between the limits when they fit.
func TestStackedLabelsDoNotTouch(t *testing.T) {
	s := stream.New(6)
	for range 500 {
		n := 1 + s.Intn(6)
		heights, want := make([]vg.Length, n), make([]vg.Length, n)
		for i := range want {
			heights[i], want[i] = 12, vg.Length(200*s.Float64())
		}
		slices.SortFunc(want, func(a, b vg.Length) int { return cmp.Compare(b, a) })
		got := stack(want, heights, 210, -10)
		for i := range got {
			if i > 0 && got[i-1]-got[i] < 12-1e-9 || got[i] > 210 || got[i]-12 < -10-1e-9 {
				t.Fatalf("%v are put at %v", want, got)
			}
		}
	}
}

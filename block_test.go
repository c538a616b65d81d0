package kedge_test

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
)

func TestPickOfLeadingEntries(t *testing.T) {
	all := kedge.Block{Data: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Width: 3}
	some := kedge.Some(5, 2)
	for entries, want := range map[int][]float64{2: {1, 2, 7, 8}, 3: {1, 2, 3, 7, 8, 9}, 4: {1, 2, 3, 7, 8, 9}} {
		got := kedge.Pick(kedge.Leading{Of: all, Entries: entries}, some)
		if got.Width != min(3, entries) || !slices.Equal(got.Data, want) {
			t.Errorf("%d entries of rows %v: %v, want %v", entries, some, got, want)
		}
	}
	if everybody := kedge.Some(3, 9); !slices.Equal(everybody, []int{0, 1, 2}) {
		t.Errorf("some of 3: %v", everybody)
	}
}

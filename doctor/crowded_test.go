package doctor

import (
	"testing"

	"github.com/kedge-opt/kedge"
)

// By hand: 10⁸ over the entries of the derivatives of one, m(m+n), but at least 3 and at most 1000 individuals.
func TestHowManyAreBent(t *testing.T) {
	for dim, want := range map[kedge.Dims]int{
		{}: 1000, {State: 1, Decision: 1}: 1000, {State: 1, Decision: 99_898}: 1000, {State: 1, Decision: 99_999}: 1000, {State: 1, Decision: 100_000}: 999,
		{State: 100, Decision: 9_900}: 100, {State: 1000, Decision: 24_000}: 4, {State: 10_000}: 3,
	} {
		if got := crowded(dim); got != want {
			t.Errorf("%+v: %d, want %d", dim, got, want)
		}
	}
}

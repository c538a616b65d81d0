package batch_test

import (
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
)

// Batches are put together in their order, without who has no trait; weights are 1 where there are none, and people are known if all are. By hand.
func TestBatchesTogether(t *testing.T) {
	dim := kedge.Dims{Decision: 1, State: 2, Trait: 1}
	whole := &batch.Batch{P: []float64{1, 2, 3, 4}, D: []float64{5, 6}, Who: []uint64{7, 8}}
	missing := &batch.Batch{P: []float64{9, 10, 11, 12, 13, 14}, D: []float64{15, 0, 17}, Missing: []int{1}, W: []float64{2, 3, 4}, Who: []uint64{18, 19, 20}}
	bare := &batch.Batch{P: []float64{21, 22}}
	unknown := &batch.Batch{P: []float64{23, 24}, D: []float64{25}}
	for _, c := range []struct {
		all  []*batch.Batch
		want string
	}{
		{[]*batch.Batch{whole}, "[1 2 3 4] [5 6] [] [7 8] 0"},
		{[]*batch.Batch{whole, missing}, "[1 2 3 4 9 10 13 14] [5 6 15 17] [1 1 2 4] [7 8 18 20] 1"},
		{[]*batch.Batch{missing, whole}, "[9 10 13 14 1 2 3 4] [15 17 5 6] [2 4 1 1] [18 20 7 8] 1"},
		{[]*batch.Batch{whole, bare}, "[1 2 3 4] [5 6] [] [] 1"},
		{[]*batch.Batch{unknown, missing}, "[23 24 9 10 13 14] [25 15 17] [1 2 4] [] 1"},
		{nil, "[] [] [] [] 0"},
	} {
		seen, without := batch.Together(c.all, dim)
		if got := fmt.Sprint(seen.P, seen.D, seen.W, seen.Who, without); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if seen, without := batch.Together([]*batch.Batch{bare}, kedge.Dims{Decision: 1, State: 2}); without != 0 || len(seen.P) != 2 {
		t.Errorf("people without traits are left out of a problem without: %v, %d", seen, without)
	}
}

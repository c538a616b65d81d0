package transport_test

import (
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// After every pivot no flow is negative and links without flow lead up from sources: the tree is strongly feasible
// [cunningham1976]. Masses of one make most pivots move nothing.
func TestTreesStayStronglyFeasible(t *testing.T) {
	s := stream.New(1, "trees")
	still := 0
	for range 50 {
		n := 2 + s.Intn(30)
		ones := make([]int64, n)
		for i := range ones {
			ones[i] = 1
		}
		costs := entries(euclidean(t, cloud(s, n, 2), cloud(s, n, 2), 2))
		still += transport.Pivots(costs, ones, ones, func(flow []int64) {
			for v, f := range flow {
				if f < 0 || f == 0 && v >= n {
					t.Fatalf("flow %d between node %d of %d and its parent", f, v, n)
				}
			}
		})
	}
	if still == 0 {
		t.Error("no pivots")
	}
}

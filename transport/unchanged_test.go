package transport_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// No method writes to weights, costs or points, tiny costs that it scales included.
func TestArgumentsAreLeft(t *testing.T) {
	const n = 12
	s := stream.New(1, "unchanged")
	a, b, costs, x := weights(s, n, 2), weights(s, n, 2), cloud(s, n, n), cloud(s, n, 2)
	for i := range costs {
		costs[i] *= 1e-200
	}
	p := []float64{2, 1, 1, 2}
	lists := [][]float64{a, b, costs, x, p}
	var kept [][]float64
	for _, list := range lists {
		kept = append(kept, slices.Clone(list))
	}
	c, err1 := transport.Table(costs, n)
	_, err2 := transport.Exact(context.Background(), a, b, c)
	_, err3 := transport.Assignment(context.Background(), c)
	_, err4 := transport.Weighted(p, x, x, 2)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for k, list := range lists {
		if !slices.Equal(list, kept[k]) {
			t.Errorf("argument %d changed", k)
		}
	}
}

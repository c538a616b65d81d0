package transport

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// newSimplex returns the method at its first tree.
func newSimplex(cost []float64, supply, demand []int64) *simplex {
	n, m := len(supply), len(demand)
	s := &simplex{n: int32(n), m: int32(m), cost: cost, flow: make([]int64, n+m+1), price: make([]float64, n+m+1), pi: make([]float64, n+m+1)}
	for _, links := range []*[]int32{&s.parent, &s.first, &s.next, &s.prev, &s.depth} {
		*links = slices.Repeat([]int32{-1}, n+m+1)
	}
	s.tolerance = 32 * unit * rows.MaxAbs(cost)
	s.start(supply, demand)
	s.settle(int32(n + m))
	return s
}

// start makes the first tree: every source in turn sends what it has to the sinks with room that are cheapest for it, measured
// by the reduced costs of the potentials vⱼ = minᵢ cᵢⱼ, uᵢ = minⱼ (cᵢⱼ − vⱼ). Each amount fills a sink or empties a source, so
// the links are a forest. Its trees hang on the root by links without flow, priced such that those potentials hold.
func (s *simplex) start(supply, demand []int64) {
	room := slices.Clone(demand)
	v := columnMinima(s.cost, int(s.m))
	for i, left := range supply {
		row := s.cost[i*int(s.m) : (i+1)*int(s.m)]
		low, _ := lowestReduced(row, v)
		s.link(int32(i), s.n+s.m, 0, low)
		for left > 0 {
			j := cheapest(row, v, room)
			amount := min(left, room[j])
			left, room[j] = left-amount, room[j]-amount
			s.adopt(s.n+int32(j), int32(i), amount, row[j])
		}
	}
}

// adopt hangs the sink and all that it is linked to on a source.
func (s *simplex) adopt(sink, source int32, flow int64, price float64) {
	top := sink
	for s.parent[top] >= 0 && s.parent[top] != s.n+s.m {
		top = s.parent[top]
	}
	s.hang(sink, source, top, flow, price)
}

// columnMinima returns the least entry of every column.
func columnMinima(cost []float64, m int) []float64 {
	v := slices.Clone(cost[:m])
	for row := range slices.Chunk(cost, m) {
		for j, c := range row {
			v[j] = min(v[j], c)
		}
	}
	return v
}

// cheapest is the j with room where cⱼ − vⱼ is least.
func cheapest(c, v []float64, room []int64) (at int) {
	low := math.Inf(1)
	for j, left := range room {
		if r := c[j] - v[j]; left > 0 && r < low {
			low, at = r, j
		}
	}
	return at
}

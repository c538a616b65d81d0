package transport

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Assignment returns the optimal plan between uniform samples of one size: a permutation, Flow[i].To being where i goes, each
// with mass 1/n. It takes shortest augmenting paths after the reductions of [jonker1987]. Value, potentials and gap are those of
// Exact; costs and context are subject to the same conditions.
func Assignment(ctx context.Context, c Cost) (Plan, error) {
	n, m := c.Size()
	if n < 1 || n != m {
		return Plan{}, &kedge.DimError{Arg: "the right side of the costs", Got: m, Want: max(n, 1)}
	}
	costs, scale, err := costTable(ctx, c)
	if err != nil {
		return Plan{}, err
	}
	s := newPairing(costs, n)
	for _, i := range s.reduce(s.reduce(s.columns())) {
		if err := context.Cause(ctx); err != nil {
			return Plan{}, err
		}
		s.augment(i)
	}
	out := Plan{Flow: make([]Flow, n)}
	for i, j := range s.colOf {
		out.Flow[i] = Flow{i, int(j), 1 / float64(n)}
	}
	program{costs: costs, m: n}.certify(&out, s.v)
	out.rescale(1 / scale)
	return out, nil
}

// pairing is a partial assignment in which every assigned row has the column where c − v is least for it.
type pairing struct {
	n            int
	costs, v     []float64
	rowOf, colOf []int32 // –1 for none; the column of a row that has lost it is an old one
	// for augment: how far every column is, from which row, and the columns in the order in which their distances are settled
	dist  []float64
	from  []int32
	order []int32
}

func newPairing(costs []float64, n int) *pairing {
	s := &pairing{n: n, costs: costs, v: make([]float64, n), dist: make([]float64, n), from: make([]int32, n), order: make([]int32, n)}
	s.rowOf, s.colOf = slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n)
	return s
}

func (s *pairing) row(i int32) []float64 { return s.costs[int(i)*s.n : (int(i)+1)*s.n] }

func (s *pairing) match(i, j int32) { s.rowOf[j], s.colOf[i] = i, j }

// columns gives every column to its cheapest row if that is free, and returns the rows that are left.
func (s *pairing) columns() (free []int32) {
	s.v = columnMinima(s.costs, s.n)
	for i := range int32(s.n) {
		for j, c := range s.row(i) {
			if c == s.v[j] && s.rowOf[j] < 0 {
				s.match(i, int32(j))
				break
			}
		}
		if s.colOf[i] < 0 {
			free = append(free, i)
		}
	}
	return free
}

// reduce lets free rows take their best columns, each at a price that makes it as good as the row's second best, from rows that
// then are free themselves. It returns who is free when nobody has anything to gain, or after 2n steps.
func (s *pairing) reduce(free []int32) (left []int32) {
	slices.Reverse(free)
	for steps := 2 * s.n; len(free) > 0 && steps > 0; steps-- {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		j, gain := s.best(i)
		old := s.rowOf[j]
		if old >= 0 && s.v[j]-gain == s.v[j] {
			left = append(left, i)
			continue
		}
		s.v[j] -= gain
		s.match(i, j)
		if old >= 0 {
			free = append(free, old)
		}
	}
	return append(left, free...)
}

// best returns the column where c − v is least, a free one if there are several, and how much better it is than all others, of which there are some:
// one row alone is never free.
func (s *pairing) best(i int32) (at int32, gain float64) {
	low, second, next := math.Inf(1), math.Inf(1), int32(0)
	for j, c := range s.row(i) {
		switch r := c - s.v[j]; {
		case r < low:
			second, next = low, at
			low, at = r, int32(j)
		case r < second:
			second, next = r, int32(j)
		}
	}
	if second == low && s.rowOf[at] >= 0 {
		return next, 0
	}
	return at, second - low
}

// augment assigns a free row by a shortest path of reduced costs to a free column [jonker1987].
func (s *pairing) augment(free int32) {
	for j, c := range s.row(free) {
		s.dist[j], s.from[j], s.order[j] = c-s.v[j], free, int32(j)
	}
	at := s.nearest(0)
	settled := 0
	for ; s.rowOf[s.order[at]] >= 0; settled++ {
		s.order[settled], s.order[at] = s.order[at], s.order[settled]
		s.relax(s.order[settled], settled+1)
		at = s.nearest(settled + 1)
	}
	end := s.order[at]
	for _, j := range s.order[:settled] {
		s.v[j] += s.dist[j] - s.dist[end]
	}
	s.turn(end, free)
}

// nearest is where in the order the nearest column that is not settled stands.
func (s *pairing) nearest(settled int) (at int) {
	low := math.Inf(1)
	for k, j := range s.order[settled:] {
		if d := s.dist[j]; d < low {
			low, at = d, settled+k
		}
	}
	return at
}

// relax lowers the distances of the columns that are not settled, by way of column j and its row.
func (s *pairing) relax(j int32, settled int) {
	i := s.rowOf[j]
	row := s.row(i)
	ahead := row[j] - s.v[j] - s.dist[j]
	for _, k := range s.order[settled:] {
		if d := row[k] - s.v[k] - ahead; d < s.dist[k] {
			s.dist[k], s.from[k] = d, i
		}
	}
}

// turn assigns the columns along the path from the free row to the one at its end.
func (s *pairing) turn(end, free int32) {
	for j, i := end, int32(-1); i != free; {
		i = s.from[j]
		s.rowOf[j] = i
		j, s.colOf[i] = s.colOf[i], j
	}
}

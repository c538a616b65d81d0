package transport

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// simplex is the network simplex method on sources 0 … n−1, sinks n … n+m−1 and a root n+m [cunningham1976]. Its tree is
// strongly feasible: a link without flow leads up from a source, so that the method ends even where most pivots move nothing.
// Flows are whole numbers and therefore exact. The root is linked to sources only and by flows that stay zero; it holds
// together what would otherwise be several trees.
type simplex struct {
	n, m      int32
	cost      []float64 // n rows of m
	parent    []int32   // –1 for none
	depth     []int32
	first     []int32 // child, –1 for none, and then by next and prev
	next      []int32
	prev      []int32
	flow      []int64   // between a node and its parent
	price     []float64 // of that link
	pi        []float64 // potentials: c + pi[i] − pi[n+j] is 0 on links and not negative at the end
	tolerance float64
	row       int // where the search for an entering link goes on
}

// solve pivots until no link could make the plan cheaper by more than the tolerance for a unit of mass. Rounded potentials could
// in principle go round in circles; the tolerance grows when there have been far too many pivots.
func (s *simplex) solve(ctx context.Context) error {
	patience := 100 * (int(s.n) + int(s.m) + 100)
	for pivots := 1; ; pivots++ {
		i, j, ok := s.entering()
		if !ok {
			return nil
		}
		s.pivot(i, s.n+j)
		if pivots%patience == 0 {
			s.tolerance *= 2
		}
		if pivots%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// entering finds the link of most negative reduced cost among the next √(nm) entries or more, in whole rows, and goes on to
// further rows until there is one.
func (s *simplex) entering() (source, sink int32, ok bool) {
	n, m := int(s.n), int(s.m)
	block := int(math.Sqrt(float64(n) * float64(m)))
	sinks, best := s.pi[n:n+m], -s.tolerance
	for seen := m; seen <= n*m; seen += m {
		i := s.row
		if s.row++; s.row == n {
			s.row = 0
		}
		if low, j := lowestReduced(s.cost[i*m:(i+1)*m], sinks); low+s.pi[i] < best {
			best, source, sink, ok = low+s.pi[i], int32(i), int32(j), true
		}
		if ok && seen >= block {
			break
		}
	}
	return source, sink, ok
}

// lowestReduced returns the least cⱼ − vⱼ, and its j.
func lowestReduced(c, v []float64) (low float64, at int) {
	low = math.Inf(1)
	v = v[:len(c)]
	for j, cj := range c {
		if r := cj - v[j]; r < low {
			low, at = r, j
		}
	}
	return low, at
}

// pivot sends what it can from source i over the new link to sink j and back through the tree, and drops the link that lets
// no more pass: of several the last on the way from where the paths from i and j meet, over i and j, back there, which keeps
// the tree strongly feasible [cunningham1976].
func (s *simplex) pivot(i, j int32) {
	join := s.join(i, j)
	amount, leaving, onLeft := int64(math.MaxInt64), int32(-1), true
	for v := i; v != join; v = s.parent[v] {
		if v < s.n && s.flow[v] < amount {
			amount, leaving = s.flow[v], v
		}
	}
	for v := j; v != join; v = s.parent[v] {
		if v >= s.n && s.flow[v] <= amount {
			amount, leaving, onLeft = s.flow[v], v, false
		}
	}
	s.send(i, j, join, amount)
	price := s.cost[int(i)*int(s.m)+int(j-s.n)]
	if onLeft {
		s.hang(i, j, leaving, amount, price)
		s.settle(i)
	} else {
		s.hang(j, i, leaving, amount, price)
		s.settle(j)
	}
}

// join is the first node above both.
func (s *simplex) join(u, v int32) int32 {
	for u != v {
		if s.depth[u] >= s.depth[v] {
			u = s.parent[u]
		} else {
			v = s.parent[v]
		}
	}
	return u
}

// send moves an amount round the cycle of the link from i to j.
func (s *simplex) send(i, j, join int32, amount int64) {
	if amount == 0 {
		return
	}
	for v := i; v != join; v = s.parent[v] {
		s.flow[v] += s.upward(v, -amount)
	}
	for v := j; v != join; v = s.parent[v] {
		s.flow[v] += s.upward(v, amount)
	}
}

// upward is the amount for a source, whose link leads up, and its opposite for a sink.
func (s *simplex) upward(v int32, amount int64) int64 {
	if v < s.n {
		return amount
	}
	return -amount
}

// hang cuts top from its parent and hangs its subtree by node v, which is in it, on another.
func (s *simplex) hang(v, on, top int32, flow int64, price float64) {
	for {
		above, f, p := s.parent[v], s.flow[v], s.price[v]
		s.cut(v)
		s.link(v, on, flow, price)
		if v == top {
			return
		}
		v, on, flow, price = above, v, f, p
	}
}

func (s *simplex) cut(v int32) {
	if s.parent[v] < 0 {
		return
	}
	if s.prev[v] >= 0 {
		s.next[s.prev[v]] = s.next[v]
	} else {
		s.first[s.parent[v]] = s.next[v]
	}
	if s.next[v] >= 0 {
		s.prev[s.next[v]] = s.prev[v]
	}
}

func (s *simplex) link(v, on int32, flow int64, price float64) {
	s.parent[v], s.flow[v], s.price[v] = on, flow, price
	s.prev[v], s.next[v] = -1, s.first[on]
	if s.first[on] >= 0 {
		s.prev[s.first[on]] = v
	}
	s.first[on] = v
}

// settle computes depths and potentials from v down, anew from the costs, so that no errors gather.
func (s *simplex) settle(top int32) {
	for v := top; v >= 0; v = s.after(v, top) {
		up := s.parent[v]
		if up < 0 {
			continue // the root, which stays at 0
		}
		s.depth[v], s.pi[v] = s.depth[up]+1, s.pi[up]+s.price[v]
		if v < s.n {
			s.pi[v] = s.pi[up] - s.price[v]
		}
	}
}

// after is the node after v when one walks the subtree of top from above, –1 at the end.
func (s *simplex) after(v, top int32) int32 {
	if s.first[v] >= 0 {
		return s.first[v]
	}
	for v != top {
		if s.next[v] >= 0 {
			return s.next[v]
		}
		v = s.parent[v]
	}
	return -1
}

// newSimplex returns the method at its first tree.
func newSimplex(cost []float64, supply, demand []int64) *simplex {
	n, m := len(supply), len(demand)
	s := &simplex{n: int32(n), m: int32(m), cost: cost, depth: make([]int32, n+m+1), flow: make([]int64, n+m+1), price: make([]float64, n+m+1), pi: make([]float64, n+m+1)}
	for _, links := range []*[]int32{&s.parent, &s.first, &s.next, &s.prev} {
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

package transport

// OnePass and Careful are the two ways of W1, for tests that compare them.
func OnePass(a, b []float64) (float64, bool) {
	w, _, ok, _ := onePass(a, b, b)
	return w, ok
}
func Careful(a, b []float64) (float64, error) { return careful(a, b, "b") }

// Pivots solves a problem of whole masses, calls visit after each pivot with the flow between every node and its parent, and
// returns how many there were. The first n nodes are sources.
func Pivots(costs []float64, supply, demand []int64, visit func(flow []int64)) (pivots int) {
	s := newSimplex(costs, supply, demand)
	for visit(s.flow[:s.n+s.m]); ; pivots++ {
		i, j, ok := s.entering()
		if !ok {
			return pivots
		}
		s.pivot(i, s.n+j)
		visit(s.flow[:s.n+s.m])
	}
}

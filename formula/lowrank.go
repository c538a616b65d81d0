package formula

import "slices"

// lowRank is a matrix as D + Σ xₖzₖᵀ, in values of the graph: a vector v goes to D∘v + Σ xₖ(zₖᵀv). D is a vector, or a scalar
// that stands for one.
type lowRank struct {
	diagonal *node
	x, z     []*node
}

// maxRank bounds how many rank-one terms are looked for.
const maxRank = 4

// splitter reads the matrix of values that are linear in the cotangent v off the graph. It fails by returning ok = false
// where the matrix is anything else, as behind a product with a full matrix.
type splitter struct {
	reverse
	vectors map[*node]lowRank // a nil diagonal stands for failure
	scalars map[*node]*node   // and so does nil
	size    shape             // of v
}

// split returns the matrix M of slope = M·v.
func (g *graph) split(slope, v *node) (lowRank, bool) {
	s := &splitter{reverse: reverse{graph: g}, vectors: map[*node]lowRank{}, scalars: map[*node]*node{}, size: v.shape}
	if slope == nil {
		return lowRank{diagonal: g.number(0)}, true
	}
	if s.size.single() {
		z := s.scalar(slope)
		return lowRank{diagonal: z}, z != nil
	}
	return s.vector(slope)
}

func (s *splitter) varies(n *node) bool { return n.deps&onCotangent != 0 }

// scaled returns D and the xₖ each through f; of nothing it makes nothing.
func (m lowRank) scaled(f func(*node) *node) lowRank {
	if m.diagonal == nil {
		return m
	}
	return lowRank{diagonal: f(m.diagonal), x: several(len(m.x), func(k int) *node { return f(m.x[k]) }), z: m.z}
}

// vector splits a value with as many entries as v, each value once.
func (s *splitter) vector(n *node) (m lowRank, ok bool) {
	m, known := s.vectors[n]
	if !known {
		if m, ok = s.newVector(n); !ok || len(m.x) > maxRank {
			m = lowRank{}
		}
		s.vectors[n] = m
	}
	return m, m.diagonal != nil
}

func (s *splitter) newVector(n *node) (m lowRank, ok bool) {
	switch {
	case n.op == opCotangent:
		return lowRank{diagonal: s.number(1)}, true
	case n.shape != s.size && !n.shape.single():
		return m, false
	case n.shape.single() || n.op == opSpread:
		return s.spread(n)
	case n.op == opNeg:
		m, ok = s.vector(n.args[0])
		return m.scaled(s.neg), ok
	case n.op == opAdd || n.op == opSub:
		return s.sum(n)
	case (n.op == opDiv || n.op == opOver) && !s.varies(n.args[1]):
		m, ok = s.vector(n.args[0])
		return m.scaled(func(x *node) *node { return s.pair(n.op, x, n.args[1]) }), ok
	case n.op == opMul:
		return s.product(n)
	case n.op == opWhere:
		return s.choice(n)
	}
	return m, false
}

// spread splits a scalar that stands for a vector of equal entries.
func (s *splitter) spread(n *node) (m lowRank, ok bool) {
	if n.op == opSpread {
		n = n.args[0]
	}
	return s.rankOne(s.full(s.number(1), s.size), n)
}

// rankOne is a vector times a value zᵀv.
func (s *splitter) rankOne(x, by *node) (m lowRank, ok bool) {
	z := s.scalar(by)
	return lowRank{diagonal: s.number(0), x: []*node{x}, z: []*node{z}}, z != nil
}

func (s *splitter) sum(n *node) (m lowRank, ok bool) {
	x, okX := s.vector(n.args[0])
	y, okY := s.vector(n.args[1])
	if !okX || !okY {
		return m, false
	}
	if n.op == opSub {
		y = y.scaled(s.neg)
	}
	return s.plus(x, y), true
}

// plus adds two matrices. Terms with the same x become one.
func (s *splitter) plus(a, b lowRank) lowRank {
	out := lowRank{s.pair(opAdd, a.diagonal, b.diagonal), slices.Clone(a.x), slices.Clone(a.z)}
	for k, x := range b.x {
		if i := slices.Index(out.x, x); i >= 0 {
			out.z[i] = s.pair(opAdd, out.z[i], b.z[k])
		} else {
			out.x, out.z = append(out.x, x), append(out.z, b.z[k])
		}
	}
	return out
}

func (s *splitter) product(n *node) (m lowRank, ok bool) {
	f, c := n.args[0], n.args[1]
	if s.varies(c) {
		f, c = c, f
	}
	if s.varies(c) {
		return m, false
	}
	if f.shape.single() { // a product with v times a vector
		return s.rankOne(c, f)
	}
	m, ok = s.vector(f)
	return m.scaled(func(x *node) *node { return s.mul(x, c) }), ok
}

// choice splits where(c, x, y), a branch of which may be zero.
func (s *splitter) choice(n *node) (m lowRank, ok bool) {
	m = lowRank{diagonal: s.number(0)}
	for i, branch := range n.args[1:] {
		if branch.is(0) {
			continue
		}
		if !s.varies(branch) {
			return m, false
		}
		part, ok := s.vector(branch)
		if !ok {
			return m, false
		}
		zero := s.number(0)
		m = s.plus(m, part.scaled(func(x *node) *node {
			if i == 0 {
				return s.pick(n.args[0], x, zero)
			}
			return s.pick(n.args[0], zero, x)
		}))
	}
	return m, !s.varies(n.args[0])
}

// scalar returns the z of a value zᵀv, each value once; nil where it is none.
func (s *splitter) scalar(n *node) *node {
	z, known := s.scalars[n]
	if !known {
		z = s.newScalar(n)
		s.scalars[n] = z
	}
	return z
}

func (s *splitter) newScalar(n *node) *node {
	switch {
	case !s.varies(n):
		return nil
	case n.op == opCotangent && n.shape.single():
		return s.number(1)
	case n.op == opDot || n.op == opSum:
		return s.reduced(n)
	case n.op == opAdd || n.op == opSub:
		x, y := s.scalar(n.args[0]), s.scalar(n.args[1])
		if x == nil || y == nil {
			return nil
		}
		return s.pair(n.op, x, y)
	case n.op == opNeg || n.op == opMul || n.op == opDiv || n.op == opOver:
		return s.scaledScalar(n)
	}
	return nil
}

// scaledScalar is scalar for −x, c·x, x·c and x/c.
func (s *splitter) scaledScalar(n *node) *node {
	at := 0
	if n.op == opMul && s.varies(n.args[1]) {
		at = 1
	}
	if len(n.args) == 2 && s.varies(n.args[1-at]) {
		return nil
	}
	z := s.scalar(n.args[at])
	switch {
	case z == nil:
		return nil
	case n.op == opNeg:
		return s.neg(z)
	}
	return s.pair(n.op, z, n.args[1-at])
}

// reduced is scalar for cᵀx and sums of x.
func (s *splitter) reduced(n *node) *node {
	x, c := n.args[0], s.number(1)
	if n.op == opDot {
		c = n.args[1]
		if s.varies(c) {
			x, c = c, x
		}
	}
	if s.varies(c) || x.shape != s.size {
		return nil
	}
	m, ok := s.vector(x)
	if !ok {
		return nil
	}
	z := s.full(s.mul(m.diagonal, c), s.size)
	for k, x := range m.x {
		z = s.pair(opAdd, z, s.mul(s.inner(c, x), m.z[k]))
	}
	return z
}

// inner returns cᵀx, where c may stand for a vector of equal entries and so may x.
func (s *splitter) inner(c, x *node) *node { return s.along(c, s.full(x, s.size)) }

package formula

import "slices"

// scatter takes values apart into their entries, each a value of its own. Where there are few of them, a program that goes column by column over many
// rows has no short rows to walk through.
type scatter struct {
	*graph
	parts map[*node][]*node
}

// mostScattered is how many entries values may have, all together, that are taken apart, and columnRows how many rows a program takes at a time whose
// values are single entries.
const (
	mostScattered = 1 << 10
	columnRows    = 256
)

// scattered are columns with all values taken apart; false: one of them cannot be, or they have too many entries. They have the bits of the values.
func scattered(columns []output) (apart []output, ok bool) {
	entries := 0
	for _, n := range newLayout(columns).needed {
		entries += n.shape.size()
	}
	if entries > mostScattered {
		return nil, false
	}
	s := scatter{newGraph(), map[*node][]*node{}}
	for _, o := range columns {
		for i, n := range s.of(o.node) {
			apart = append(apart, output{o.to, n, o.at + i})
		}
		if s.parts[o.node] == nil || len(s.nodes) > mostScattered || s.full {
			return nil, false
		}
	}
	return apart, true
}

// of are the entries of a value, nil where it cannot be taken apart.
func (s scatter) of(n *node) []*node {
	if have, ok := s.parts[n]; ok {
		return have
	}
	args := make([][]*node, len(n.args))
	for i, a := range n.args {
		if args[i] = s.of(a); args[i] == nil {
			return nil
		}
	}
	s.parts[n] = s.entries(n, args)
	return s.parts[n]
}

func (s scatter) entries(n *node, args [][]*node) []*node {
	switch size := n.shape.size(); {
	case n.op == opConst:
		return several(size, func(i int) *node { return s.Const(n.data[i]) })
	case len(n.args) == 0 && n.op != opCrowd:
		whole := s.input(n.op, n.shape)
		if n.shape.single() {
			return []*node{whole}
		}
		return several(size, func(i int) *node { return s.apply(opSlice, scalar(), [4]int{i, 1}, whole) })
	case n.op >= opAdd && n.op <= opPower:
		return several(size, func(i int) *node {
			of := several(len(args), func(k int) *node { return pick(args[k], i) })
			return s.one(n.op, n.attrs, of...)
		})
	case n.op == opSum:
		return []*node{s.sum(args[0])}
	case n.op == opDot:
		return []*node{s.Dot(args[0], args[1])}
	case n.op == opPad:
		out := slices.Repeat([]*node{s.Const(0)}, size)
		for i, v := range args[0] {
			out[sliced(n.args[0].shape, n.attrs, i)] = v
		}
		return out
	}
	return arranged(s, n, args)
}

// one applies an operation to single entries. What is added to 0 stays.
func (s scatter) one(o op, attrs [4]int, x ...*node) *node {
	switch {
	case o == opAdd && x[0].is(0):
		return x[1]
	case o == opAdd && x[1].is(0):
		return x[0]
	}
	return s.apply(o, scalar(), attrs, x...)
}

// Const, Add, Mul and Dot make it an arithmetic.
func (s scatter) Const(v float64) *node { return s.number(v) }

// Add is x + y.
func (s scatter) Add(x, y *node) *node { return s.one(opAdd, [4]int{}, x, y) }

// Mul is xy.
func (s scatter) Mul(x, y *node) *node { return s.one(opMul, [4]int{}, x, y) }

// Dot adds up in the order of rows.Dot.
func (s scatter) Dot(x, y []*node) *node {
	zero := s.Const(0)
	lanes := [4]*node{zero, zero, zero, zero}
	for i, v := range x {
		lanes[i%4] = s.Add(lanes[i%4], s.Mul(v, y[i]))
	}
	return s.Add(s.Add(lanes[0], lanes[2]), s.Add(lanes[1], lanes[3]))
}

// sum adds up in the order of rows.Sum.
func (s scatter) sum(x []*node) *node {
	if n := len(x); n > 8 {
		return s.Add(s.sum(x[:n/2]), s.sum(x[n/2:]))
	}
	out := x[0]
	for _, v := range x[1:] {
		out = s.Add(out, v)
	}
	return out
}

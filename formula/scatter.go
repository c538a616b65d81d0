package formula

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
	l, entries := newLayout(columns), 0
	for _, o := range columns {
		l.need(o.node)
	}
	for _, n := range l.needed {
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
		return several(size, func(i int) *node { return s.number(n.data[i]) })
	case len(n.args) == 0 && n.op != opCrowd:
		whole := s.input(n.op, n.shape)
		if n.shape.single() {
			return []*node{whole}
		}
		return several(size, func(i int) *node { return s.apply(opSlice, scalar(), [4]int{i, 1}, whole) })
	case n.op >= opAdd && n.op <= opPower:
		return several(size, func(i int) *node {
			of := make([]*node, len(args))
			for k, a := range args {
				of[k] = a[min(i, len(a)-1)]
			}
			return s.one(n.op, n.attrs, of...)
		})
	case n.op == opSpread:
		return several(size, func(int) *node { return args[0][0] })
	case n.op == opSum:
		return []*node{s.sum(args[0])}
	case n.op == opDot:
		return []*node{s.dot(args[0], args[1])}
	}
	return s.arranged(n, args)
}

// arranged are the entries of what moves entries to other places, and of products of matrices.
func (s scatter) arranged(n *node, args [][]*node) []*node {
	x, y, size := args[0], args[len(args)-1], n.shape.size()
	from := n.args[0].shape
	switch n.op {
	case opConcat:
		var all []*node
		for _, a := range args {
			all = append(all, a...)
		}
		return all
	case opSlice:
		return several(size, func(i int) *node { return x[sliced(n.shape, n.attrs, i)] })
	case opPad:
		zero := s.number(0)
		out := several(size, func(int) *node { return zero })
		for i, v := range x {
			out[sliced(from, n.attrs, i)] = v
		}
		return out
	case opTranspose:
		return several(size, func(i int) *node { return x[i%from.rows*from.cols+i/from.rows] })
	case opOuter:
		return several(size, func(i int) *node { return s.one(opMul, [4]int{}, x[i/len(y)], y[i%len(y)]) })
	case opMatVec:
		return several(size, func(i int) *node { return s.dot(y, x[i*len(y):(i+1)*len(y)]) })
	case opVecMat:
		return s.weighed(x, y, size)
	case opMatMat:
		var all []*node
		for i := range from.rows {
			all = append(all, s.weighed(x[i*from.cols:(i+1)*from.cols], y, size/from.rows)...)
		}
		return all
	}
	return nil
}

// sliced is where entry i of a slice stands.
func sliced(s shape, attrs [4]int, i int) int {
	return attrs[0] + i/s.cols*attrs[1] + i%s.cols
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

func (s scatter) plus(x, y *node) *node { return s.one(opAdd, [4]int{}, x, y) }

// sum adds up in the order of rows.Sum.
func (s scatter) sum(x []*node) *node {
	if n := len(x); n > 8 {
		return s.plus(s.sum(x[:n/2]), s.sum(x[n/2:]))
	}
	out := x[0]
	for _, v := range x[1:] {
		out = s.plus(out, v)
	}
	return out
}

// dot adds up in the order of rows.Dot.
func (s scatter) dot(x, y []*node) *node {
	zero := s.number(0)
	lanes := [4]*node{zero, zero, zero, zero}
	for i, v := range x {
		lanes[i%4] = s.plus(lanes[i%4], s.one(opMul, [4]int{}, v, y[i]))
	}
	return s.plus(s.plus(lanes[0], lanes[2]), s.plus(lanes[1], lanes[3]))
}

// weighed adds up rows of a matrix, each times an entry of x, in the order of rows.AddMulT.
func (s scatter) weighed(x, matrix []*node, size int) []*node {
	return several(size, func(j int) *node {
		out := s.number(0)
		for i, v := range x {
			out = s.plus(out, s.one(opMul, [4]int{}, v, matrix[i*size+j]))
		}
		return out
	})
}

func several(n int, one func(i int) *node) []*node {
	out := make([]*node, n)
	for i := range out {
		out[i] = one(i)
	}
	return out
}

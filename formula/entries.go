package formula

// origin is where entry i of a value comes from that only moves entries: which argument, and which entry of that.
func (n *node) origin(i int) (arg, entry int) {
	switch n.op {
	case opSlice:
		return 0, sliced(n.shape, n.attrs, i)
	case opTranspose:
		return 0, i%n.shape.cols*n.shape.rows + i/n.shape.cols
	case opConcat:
		for arg, a := range n.args {
			if i < a.shape.size() {
				return arg, i
			}
			i -= a.shape.size()
		}
	case opSpread: // of a scalar
		return 0, 0
	}
	panic("formula: an operation that does not move entries, or has no such entry") // a wrong entry would be a wrong set without a word
}

// sliced is where entry i of a slice stands.
func sliced(s shape, attrs [4]int, i int) int {
	return attrs[0] + i/s.cols*attrs[1] + i%s.cols
}

// factors says of which products entry i of a product with a matrix is the sum: so many entries of the first argument from x on, and entries of the
// second from y on that are step apart.
func (n *node) factors(i int) (length, x, y, step int) {
	s := n.args[1].shape
	return s.rows, i / s.cols * s.rows, i % s.cols, s.cols
}

// arithmetic is how single entries are added and multiplied.
type arithmetic[T any] interface {
	Const(v float64) T
	Add(x, y T) T
	Mul(x, y T) T
	Dot(x, y []T) T // in the order of rows.Dot
}

// arranged are the entries of a value that moves entries to other places or is a product with a matrix, in the order of the kernels; nil for any other.
func arranged[T any](c arithmetic[T], n *node, args [][]T) []T {
	size, x, y := n.shape.size(), args[0], args[len(args)-1]
	switch n.op {
	case opSlice, opTranspose, opConcat, opSpread:
		return several(size, func(i int) T {
			arg, entry := n.origin(i)
			return args[arg][entry]
		})
	case opOuter:
		return several(size, func(i int) T { return c.Mul(x[i/len(y)], y[i%len(y)]) })
	case opMatVec:
		return several(size, func(i int) T { return c.Add(c.Const(0), c.Dot(y, x[i*len(y):(i+1)*len(y)])) })
	case opVecMat, opMatMat:
		return several(size, func(i int) T {
			length, first, second, step := n.factors(i)
			sum := c.Const(0)
			for k, v := range x[first : first+length] {
				sum = c.Add(sum, c.Mul(v, y[second+k*step]))
			}
			return sum
		})
	}
	return nil
}

// several are n values.
func several[T any](n int, one func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = one(i)
	}
	return out
}

// pick is entry i, or that of a scalar. Of shapes that disagree it panics.
func pick[T any](x []T, i int) T {
	if len(x) == 1 {
		return x[0]
	}
	return x[i]
}

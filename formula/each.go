package formula

// repeated builds a body for every index of a range, nil if one has no meaning.
func (b *builder) repeated(e *expr) (all []*node) {
	from, ok := b.index(e.args[1])
	to, okTo := b.index(e.args[2])
	if !ok || !okTo {
		return nil
	}
	if to <= from {
		b.fail(e.args[1], "%s: the range from %d to below %d is empty", b.excerpt(e), from, to)
		return nil
	}
	if b.isTaken(e.name) {
		b.fail(e, "%s is there already; take another name for the index", e.name)
		return nil
	}
	defer delete(b.names, e.name)
	for i := from; i < to; i++ {
		b.names[e.name] = b.number(float64(i))
		n := b.value(e.args[0])
		if n == nil {
			return nil
		}
		if all = append(all, n); n.shape != all[0].shape {
			b.fail(e.args[0], "%s %v for %s = %d, and %v for %s = %d", b.excerpt(e.args[0]), n.shape, e.name, i, all[0].shape, e.name, from)
			return nil
		}
	}
	return all
}

// isTaken tells whether a name means something already.
func (b *builder) isTaken(name string) bool {
	_, isFunction := functions[name]
	_, isConstant := constants[name]
	_, isKnown := b.names[name]
	return isFunction || isConstant || isKnown
}

// series makes numbers a vector and vectors the rows of a matrix.
func (b *builder) series(e *expr) *node {
	all := b.repeated(e)
	switch {
	case all == nil:
		return nil
	case all[0].shape.rank == 2:
		return b.fail(e.args[0], "%s is a matrix, want numbers or vectors for every %s", b.excerpt(e.args[0]), e.name)
	case all[0].shape.rank == 1:
		return b.join(e, matrix(len(all), all[0].shape.rows), all)
	}
	return b.join(e, vector(len(all)), all)
}

// total adds up a body over its index: numbers, or vectors and matrices entry by entry.
func (b *builder) total(e, each *expr) *node {
	all := b.repeated(each)
	if all == nil {
		return nil
	}
	if all[0].shape.single() {
		return b.reduce(e, opSum, b.join(each, vector(len(all)), all))
	}
	sum := all[0]
	for _, n := range all[1:] {
		sum = b.emit(e, opAdd, n.shape, sum, n)
	}
	return sum
}

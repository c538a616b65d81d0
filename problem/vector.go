package problem

import "slices"

// Vector is a list of numbers, or one number that stands for every entry: in YAML "5" or "[1, 2, 3]".
type Vector struct {
	All  float64   // the value of every entry, when Each is nil
	Each []float64 // one value an entry
}

// Expand returns the n entries of v. It panics when v lists another number of entries.
func (v Vector) Expand(n int) []float64 {
	if v.Each == nil {
		return slices.Repeat([]float64{v.All}, n)
	}
	if len(v.Each) != n {
		panic("form: a vector expanded to a length it does not have")
	}
	return slices.Clone(v.Each)
}

// entry returns entry i.
func (v Vector) entry(i int) float64 {
	if v.Each == nil {
		return v.All
	}
	return v.Each[i]
}

// Rows is a matrix as a list of rows of one length.
type Rows [][]float64

// Columns returns the length of the rows, 0 when there are none.
func (r Rows) Columns() int {
	if len(r) == 0 {
		return 0
	}
	return len(r[0])
}

// Flat returns the entries row by row.
func (r Rows) Flat() []float64 { return slices.Concat(r...) }

// Matrix is a list of rows, or one number that stands for that multiple of the identity.
type Matrix struct {
	Scale float64 // the matrix is Scale·I, when Rows is nil
	Rows  Rows
}

// Dense returns the entries of m row by row. It panics when m lists another number of rows or columns.
func (m Matrix) Dense(rows, columns int) []float64 {
	if m.Rows != nil {
		if len(m.Rows) != rows || m.Rows.Columns() != columns {
			panic("form: a matrix made dense with a shape it does not have")
		}
		return m.Rows.Flat()
	}
	dense := make([]float64, rows*columns)
	for i := range min(rows, columns) {
		dense[i*columns+i] = m.Scale
	}
	return dense
}

// vector is one number or a list of them.
func vector(each codec[float64]) codec[Vector] {
	several := numbers(each)
	return either(each.want+", or a list of those", each, several,
		func(x float64) Vector { return Vector{All: x} },
		func(xs []float64) Vector { return Vector{Each: xs} },
		func(v Vector) *node {
			if v.Each == nil {
				return each.write(v.All)
			}
			return several.write(v.Each)
		})
}

// numbers is a list of at least one number.
func numbers(each codec[float64]) codec[[]float64] { return listOf(each, "a list of numbers") }

// matrixRows is a list of at least one row, all of one length.
func matrixRows() codec[Rows] {
	c := listOf(numbers(finite()), "a list of rows of numbers")
	return codec[Rows]{
		want: c.want, schema: c.schema,
		read: func(m *mistakes, n *node) (Rows, bool) {
			rows, ok := c.read(m, n)
			for i, row := range rows {
				if ok && len(row) != len(rows[0]) {
					m.unread(n.path)
					m.report(n.items[i].at, n.items[i].path, "%s has %s, the first row has %d", n.items[i].path, entries(len(row)), len(rows[0]))
					return nil, false
				}
			}
			return rows, ok
		},
		write: func(r Rows) *node { return c.write(r) },
	}
}

// matrix is a multiple of the identity or a list of rows.
func matrix() codec[Matrix] {
	scale, rows := finite(), matrixRows()
	return either("a list of rows, or a number for that multiple of the identity", scale, rows,
		func(x float64) Matrix { return Matrix{Scale: x} },
		func(r Rows) Matrix { return Matrix{Rows: r} },
		func(m Matrix) *node {
			if m.Rows == nil {
				return scale.write(m.Scale)
			}
			return rows.write(m.Rows)
		})
}

// either is a number or a list.
func either[One, Many, T any](want string, one codec[One], many codec[Many],
	fromOne func(One) T, fromMany func(Many) T, write func(T) *node) codec[T] {
	read := func(m *mistakes, n *node) (x T, ok bool) {
		switch {
		case n.kind == scalar && !n.quoted && isNumber(n.text):
			v, ok := one.read(m, n)
			return fromOne(v), ok
		case n.kind == list:
			v, ok := many.read(m, n)
			return fromMany(v), ok
		}
		m.wrong(n, want)
		return x, false
	}
	return codec[T]{want: want, schema: schema{AnyOf: []schema{one.schema, many.schema}}, read: read, write: write}
}

// listOf is a list of at least one entry. The first entry that cannot be read is the one reported.
func listOf[T any](each codec[T], want string) codec[[]T] {
	return codec[[]T]{
		want:   want,
		schema: schema{Type: words{"array"}, MinItems: 1, Items: &each.schema},
		read: func(m *mistakes, n *node) ([]T, bool) {
			if n.kind != list || len(n.items) == 0 {
				m.wrong(n, want)
				return nil, false
			}
			xs := make([]T, len(n.items))
			for i, item := range n.items {
				x, ok := each.read(m, item)
				if !ok {
					return nil, false
				}
				xs[i] = x
			}
			return xs, true
		},
		write: func(xs []T) *node {
			n := &node{kind: list}
			for _, x := range xs {
				n.items = append(n.items, each.write(x))
			}
			return n
		},
	}
}

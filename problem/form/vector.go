package form

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
)

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

// Padded returns the n entries of v and zeros up to a length; nil when all are 0.
func (v Vector) Padded(n, length int) []float64 {
	x := v.Expand(n)
	if !slices.ContainsFunc(x, func(y float64) bool { return y != 0 }) {
		return nil
	}
	return append(x, make([]float64, length-n)...)
}

// Entry returns entry i.
func (v Vector) Entry(i int) float64 {
	if v.Each == nil {
		return v.All
	}
	return v.Each[i]
}

// RowList is a matrix as a list of rows of one length.
type RowList [][]float64

// Columns returns the length of the rows, 0 when there are none.
func (r RowList) Columns() int {
	if len(r) == 0 {
		return 0
	}
	return len(r[0])
}

// Flat returns the entries row by row.
func (r RowList) Flat() []float64 { return slices.Concat(r...) }

// Matrix is a list of rows, or one number that stands for that multiple of the identity.
type Matrix struct {
	Scale float64 // the matrix is Scale·I, when Rows is nil
	Rows  RowList
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

// VectorOf is one number or a list of them.
func VectorOf(each Codec[float64]) Codec[Vector] {
	several := Numbers(each)
	return either(each.Want+", or a list of those", each, several, isNumber,
		func(x float64) Vector { return Vector{All: x} },
		func(xs []float64) Vector { return Vector{Each: xs} },
		func(v Vector) (float64, []float64, bool) { return v.All, v.Each, v.Each == nil })
}

// Numbers is a list of at least one number.
func Numbers(each Codec[float64]) Codec[[]float64] { return ListOf(each, "a list of numbers") }

// Rows is a list of at least one row, all of one length.
func Rows() Codec[RowList] {
	c := ListOf(Numbers(Finite()), "a list of rows of numbers")
	return Codec[RowList]{
		Want: c.Want, Schema: c.Schema,
		Read: func(m *Mistakes, n *Node) (RowList, bool) {
			rows, ok := c.Read(m, n)
			for i, row := range rows {
				if ok && len(row) != len(rows[0]) {
					m.Unread(n.Path)
					m.Report(n.Items[i].At, n.Items[i].Path, "%s has %s, the first row has %d", n.Items[i].Path, Entries(len(row)), len(rows[0]))
					return nil, false
				}
			}
			return rows, ok
		},
		Write: func(r RowList) *Node { return c.Write(r) },
	}
}

// MatrixOf is a multiple of the identity or a list of rows.
func MatrixOf() Codec[Matrix] {
	scale, rows := Finite(), Rows()
	return either("a list of rows, or a number for that multiple of the identity", scale, rows, isNumber,
		func(x float64) Matrix { return Matrix{Scale: x} },
		func(r RowList) Matrix { return Matrix{Rows: r} },
		func(m Matrix) (float64, RowList, bool) { return m.Scale, m.Rows, m.Rows == nil })
}

func isNumber(n *Node) bool { return n.Shape == Scalar && !n.Quoted && IsNumber(n.Text) }

// either is a list, or one value for it: isOne knows that by how it is written, and split by what it is.
func either[One, Many, T any](want string, one Codec[One], many Codec[Many], isOne func(*Node) bool,
	fromOne func(One) T, fromMany func(Many) T, split func(T) (v One, all Many, isOne bool)) Codec[T] {
	read := func(m *Mistakes, n *Node) (x T, ok bool) {
		switch {
		case n.Shape == List:
			v, ok := many.Read(m, n)
			return fromMany(v), ok
		case isOne(n):
			v, ok := one.Read(m, n)
			return fromOne(v), ok
		}
		m.Wrong(n, want)
		return x, false
	}
	write := func(x T) *Node {
		v, all, isOne := split(x)
		if isOne {
			return one.Write(v)
		}
		return many.Write(all)
	}
	return Codec[T]{Want: want, Schema: Schema{AnyOf: []Schema{one.Schema, many.Schema}}, Read: read, Write: write}
}

// ListOf is a list of at least one entry. The first entry that cannot be read is the one reported.
func ListOf[T any](each Codec[T], want string) Codec[[]T] {
	return Codec[[]T]{
		Want:   want,
		Schema: Schema{Type: Types{"array"}, MinItems: 1, Items: &each.Schema},
		Read: func(m *Mistakes, n *Node) ([]T, bool) {
			if n.Shape != List || len(n.Items) == 0 {
				m.Wrong(n, want)
				return nil, false
			}
			xs := make([]T, len(n.Items))
			for i, item := range n.Items {
				x, ok := each.Read(m, item)
				if !ok {
					return nil, false
				}
				xs[i] = x
			}
			return xs, true
		},
		Write: func(xs []T) *Node { return &Node{Shape: List, Items: lists.Of(xs, each.Write)} },
	}
}

// NamedOf is a mapping whose keys are names of the author's own, in the author's order. A name without a value is as if it were not there.
func NamedOf[T any](each Schema, want string, read func(m *Mistakes, name string, n *Node) (T, bool), write func(T) (name string, n *Node)) Codec[[]T] {
	return Codec[[]T]{
		Want: want, Schema: Schema{Type: Types{"object"}, Additional: each.OrNull()},
		Read: func(m *Mistakes, n *Node) (all []T, ok bool) {
			if n.Shape != Mapping {
				m.Wrong(n, want)
				return nil, false
			}
			ok = true
			for i, name := range n.Keys {
				if n.Items[i].Shape != Null {
					one, isRead := read(m, name, n.Items[i])
					all, ok = append(all, one), ok && isRead
				}
			}
			return all, ok
		},
		Write: func(all []T) *Node {
			out := &Node{Shape: Mapping}
			for _, one := range all {
				out.Put(write(one))
			}
			return out
		},
	}
}

// Formulas is one formula or a list of them.
func Formulas(want string) Codec[[]string] {
	return OneOrMore(FormulaText(want), want)
}

// OneOrMore is a text, or a list of texts.
func OneOrMore(one Codec[string], want string) Codec[[]string] {
	several := ListOf(one, want)
	return either(want, one, several, func(*Node) bool { return true },
		func(text string) []string { return []string{text} },
		func(all []string) []string { return all },
		func(all []string) (string, []string, bool) { return strings.Join(all, ""), all, len(all) == 1 })
}

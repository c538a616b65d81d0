package batch

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

// unread is what a reader of files says, as a flaw.
func unread(err error) *Flaw {
	if errors.Is(err, intake.ErrTooLarge) {
		return flaw(TooLarge, "", "%v", err)
	}
	return flaw(Malformed, "", "%v", err)
}

// parquet reads flat columns p.0 … d.0 … w id.
func (b *builder) parquet(r *bytes.Reader, lim intake.Limits) {
	t, err := columns.ReadParquet(r, r.Size(), lim)
	if err != nil {
		panic(unread(err))
	}
	b.table(t)
}

// block finds the columns of a list of numbers: name.0, name.1 … A list of one number may be called by its name alone.
func block(t columns.Table, name string, width int) (list []*columns.Column) {
	for i := range width {
		c := t.Column(name + "." + strconv.Itoa(i))
		if c == nil && width == 1 {
			c = t.Column(name)
		}
		if c == nil {
			break
		}
		if c.Numbers == nil && c.Text != nil {
			panic(flaw(Malformed, "/"+name, "column %s holds texts, want numbers", c.Name))
		}
		list = append(list, c)
	}
	return list
}

// table takes people out of columns.
func (b *builder) table(t columns.Table) {
	p, d := block(t, "p", b.dim.State), block(t, "d", b.dim.Trait)
	if len(p) != b.dim.State {
		panic(flaw(DimensionMismatch, "/p", "column p.%d is missing; the state has %d numbers", len(p), b.dim.State))
	}
	if len(d) != 0 && len(d) != b.dim.Trait {
		panic(flaw(DimensionMismatch, "/d", "column d.%d is missing; the trait has %d numbers", len(d), b.dim.Trait))
	}
	w, id := block(t, "w", 1), t.Column("id")
	for i := range t.Columns {
		if c := &t.Columns[i]; c != id && !slices.Contains(p, c) && !slices.Contains(d, c) && !slices.Contains(w, c) {
			panic(flaw(DimensionMismatch, "", "column %q is none of p.0 … p.%d, d.0 … d.%d, w and id", c.Name, b.dim.State-1, b.dim.Trait-1))
		}
	}
	n := t.Rows()
	b.row("/p", n-1)
	b.n = n
	b.b.P = fill(n, p)
	if len(d) > 0 {
		b.masked(fill(n, d))
	}
	if len(w) > 0 {
		b.b.W = w[0].Numbers
	}
	if id != nil {
		b.ids(n, func(i int) (string, bool) {
			if id.Text != nil {
				return id.Text[i], true
			}
			return whole(id.Numbers[i])
		})
	}
}

// fill puts columns together row by row.
func fill(n int, list []*columns.Column) []float64 {
	out := make([]float64, n*len(list))
	for j, c := range list {
		for i, v := range c.Numbers {
			out[i*len(list)+j] = v
		}
	}
	return out
}

// masked takes traits of which a row of nothing but NaN is none.
func (b *builder) masked(d []float64) {
	width := b.dim.Trait
	for i := 0; i+width <= len(d); i += width {
		none := !slices.ContainsFunc(d[i:i+width], func(v float64) bool { return !math.IsNaN(v) })
		if none {
			clear(d[i : i+width])
		}
		b.traits = append(b.traits, !none)
	}
	b.b.D = d
}

// ids takes who people are.
func (b *builder) ids(n int, at func(i int) (string, bool)) {
	for i := range n {
		text, ok := at(i)
		if !ok {
			panic(flaw(Malformed, fmt.Sprintf("/id/%d", i), "/id/%d is no text and no whole number", i))
		}
		b.person(text)
	}
}

// whole is a number as the text of its digits.
func whole(v float64) (string, bool) {
	return strconv.FormatFloat(v, 'f', -1, 64), v == math.Trunc(v) && math.Abs(v) <= 1<<53
}

// arrays reads an archive of arrays p d w id.
func (b *builder) arrays(r *bytes.Reader, lim intake.Limits) {
	list, err := npy.ReadMixed(r, r.Size(), lim)
	if err != nil {
		panic(unread(err))
	}
	wide := func(width int) string { return fmt.Sprintf("rows of %d numbers", width) }
	const each = "one entry a row of p"
	for _, a := range list {
		if a.Texts != nil && a.Name != "id" {
			panic(flaw(Malformed, "/"+a.Name, "array %s holds texts, want numbers", a.Name))
		}
		switch a.Name {
		case "p":
			b.n = b.rows(a, wide(b.dim.State), b.dim.State)
			b.b.P = a.Data
		case "d":
			b.rows(a, wide(b.dim.Trait), b.dim.Trait)
			b.traits = []bool{}
			b.masked(a.Data)
		case "w":
			b.rows(a, each)
			b.b.W, b.seen.w = a.Data, true
		case "id":
			n := b.rows(a, each)
			b.seen.id = true
			b.ids(n, func(i int) (string, bool) {
				if a.Texts != nil {
					return a.Texts.At(i)
				}
				return whole(a.Data[i])
			})
		default:
			panic(flaw(DimensionMismatch, "", "array %q is none of p, d, w and id", a.Name))
		}
	}
}

// rows checks the shape of an array, of which each row is one of a width or, without any, a number; it says how many those are.
func (b *builder) rows(a npy.Named, want string, width ...int) int {
	if len(a.Shape) == 0 || !slices.Equal(a.Shape[1:], width) {
		panic(flaw(DimensionMismatch, "/"+a.Name, "array %s has the shape %v, want %s", a.Name, a.Shape, want))
	}
	b.row("/"+a.Name, a.Shape[0]-1)
	return a.Shape[0]
}

// ReadCSV reads a table of columns p.0 … d.0 … w id: numbers, NaN where a field is empty, and ids as they are written.
func ReadCSV(r io.Reader, lim Most) (t columns.Table, err error) {
	in := bufio.NewReaderSize(&limited{r, lim.Bytes, lim.Bytes}, 64<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		in.Discard(3)
	}
	begin, _ := in.Peek(64 << 10)
	read := csv.NewReader(in)
	read.Comma, read.ReuseRecord = columns.Separator(begin), true
	read.TrimLeadingSpace = read.Comma != '\t' // of fields that are empty the tabs would be taken for space
	for row := -1; ; row++ {
		fields, err := read.Read()
		switch {
		case err == io.EOF && row >= 0:
			if err := t.Check(); err != nil {
				return t, unread(err)
			}
			return t, nil
		case err == io.EOF:
			return t, flaw(Malformed, "", "the file is empty; its first line names the columns: p.0, p.1, … d.0, … w, id")
		case err != nil:
			return t, csvError(err)
		case row >= lim.Rows:
			return t, flaw(TooLarge, "/p", "more than %d rows in a batch; split it", lim.Rows)
		case row < 0:
			for _, name := range fields {
				t.Columns = append(t.Columns, columns.Column{Name: strings.Clone(strings.TrimSpace(name))})
			}
			continue
		}
		for j, field := range fields {
			if err := keep(&t.Columns[j], row, strings.TrimSpace(field)); err != nil {
				return t, err
			}
		}
	}
}

func csvError(err error) error {
	if e := (*csv.ParseError)(nil); errors.As(err, &e) {
		return flaw(Malformed, "", "line %d: %v", e.StartLine, e.Err)
	}
	return err
}

// keep adds a field to its column.
func keep(c *columns.Column, row int, field string) error {
	if c.Name == "id" {
		c.Text = append(c.Text, strings.Clone(field))
		return nil
	}
	v := math.NaN()
	if !columns.IsMissing(field) {
		var err error
		if v, err = strconv.ParseFloat(field, 64); err != nil {
			name, entry, _ := strings.Cut(c.Name, ".")
			pointer := fmt.Sprintf("/%s/%d", name, row)
			if entry != "" {
				pointer += "/" + entry
			}
			return flaw(Malformed, pointer, "row %d, column %s: %.40q is no number", row+1, c.Name, field)
		}
	}
	c.Numbers = append(c.Numbers, v)
	return nil
}

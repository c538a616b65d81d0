package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// TextTable has one row a thing; the first column names it. A terminal has no room for all of a page's columns: it shows those
// that Brief lists, in its order, by short names and in short words.
type TextTable struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	About   string       `json:"about,omitempty"`
	Columns []Head       `json:"columns"`
	Rows    [][]TextCell `json:"rows"`

	Brief    []int `json:"-"` // the columns that a terminal shows
	Headless bool  `json:"-"` // a terminal shows it as going on from the table before
}

// Head is the head of a column. Those with choices can be filtered by.
type Head struct {
	Name    string `json:"name"`
	Numeric bool   `json:"numeric,omitempty"`
	Choices bool   `json:"-"`

	Short string `json:"-"` // the name on a terminal, where that is another one
	Wide  int    `json:"-"` // the width on a terminal, negative to align left, 0 of a last column for as wide as it is
	Off   bool   `json:"-"` // it is for terminals alone
}

// TextCell is one entry: what to read, the number behind it bit for bit, and lines in small print.
type TextCell struct {
	Text  string   `json:"text"`
	Exact string   `json:"exact,omitempty"`
	Small []string `json:"small,omitempty"`
	Short string   `json:"-"` // what a terminal shows, where that is something else
}

// InShort gives a cell other words for a terminal.
func (c TextCell) InShort(text string) TextCell {
	c.Short = text
	return c
}

func (c TextCell) short() string { return cmp.Or(c.Short, c.Text) }

// Words is a cell of words.
func Words(s string, small ...string) TextCell { return TextCell{Text: s, Small: small} }

// Count is a cell of a whole number.
func Count(n int) TextCell { return TextCell{Text: strconv.Itoa(n), Exact: strconv.Itoa(n)} }

// Number is a cell of a number, in words that text finds for it.
func Number(v float64, text func(float64) string, small ...string) TextCell {
	if math.IsNaN(v) {
		return TextCell{Text: phrase.Absent, Exact: "not measured", Small: small}
	}
	return TextCell{Text: text(v), Exact: strconv.FormatFloat(v, 'g', -1, 64), Small: small}
}

// Titled is the head of a column of words.
func Titled(name string) Head { return Head{Name: name} }

// Heads are columns of which all but the first hold numbers.
func Heads(names ...string) []Head {
	list := lists.Of(names, func(name string) Head { return Head{Name: name, Numeric: true} })
	list[0].Numeric = false
	return list
}

// paged is the table without what is for terminals alone.
func (t TextTable) paged() TextTable {
	if !slices.ContainsFunc(t.Columns, func(h Head) bool { return h.Off }) {
		return t
	}
	keep := func(row []TextCell) (out []TextCell) {
		for i, c := range row {
			if !t.Columns[i].Off {
				out = append(out, c)
			}
		}
		return out
	}
	t.Rows = lists.Of(t.Rows, keep)
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(h Head) bool { return h.Off })
	return t
}

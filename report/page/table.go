package page

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// TextTable has one row a thing; the first column names it.
type TextTable struct {
	ID, Title, About string
	Columns          []Head
	Rows             [][]TextCell
}

// Head is the head of a column. Those with choices can be filtered by.
type Head struct {
	Name    string
	Numeric bool
	Choices bool
}

// TextCell is one entry: what to read, the number behind it bit for bit, and lines in small print.
type TextCell struct {
	Text, Exact string
	Small       []string
}

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

// Heads are columns of which all but the first hold numbers.
func Heads(names ...string) []Head {
	list := []Head{{Name: names[0]}}
	for _, n := range names[1:] {
		list = append(list, Head{Name: n, Numeric: true})
	}
	return list
}

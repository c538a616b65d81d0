// Package columns keeps tables of named columns and writes them as Parquet [parquet] and CSV [shafranovich2005].
//
// A table reads back bit for bit. The Parquet reader trusts nothing that a file says of itself: see ReadParquet.
package columns

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Table is a list of columns of one length.
type Table struct{ Columns []Column }

// Column is a named list of texts or of numbers; the other is nil. A number that is not there is NaN.
type Column struct {
	Name    string
	Text    []string
	Numbers []float64
}

func wrong(format string, args ...any) error { return because(fmt.Sprintf(format, args...), nil) }

// because is wrong with a cause that another package found.
func because(what string, err error) error {
	return &intake.FormatError{Of: "table", What: what, Err: err}
}

// refuse ends the reading of a file that is wrong. Readers go deep and have nothing to do on the way back: they panic, and
// [intake.Catch] makes that an error.
func refuse(format string, args ...any) { panic(wrong(format, args...)) }

func (c *Column) len() int { return max(len(c.Text), len(c.Numbers)) }

// Rows returns the length of the columns.
func (t Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return t.Columns[0].len()
}

// Column returns the column of a name, nil if there is none.
func (t Table) Column(name string) *Column {
	if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name }); i >= 0 {
		return &t.Columns[i]
	}
	return nil
}

// Check tells whether the columns have one length, names of their own, and either texts or numbers.
func (t Table) Check() error {
	seen := map[string]bool{}
	for i, c := range t.Columns {
		switch {
		case c.Name == "":
			return wrong("column %d has no name", i)
		case seen[c.Name]:
			return wrong("two columns have the name %q", c.Name)
		case c.Text != nil && c.Numbers != nil:
			return wrong("column %q has texts and numbers", c.Name)
		case c.len() != t.Rows():
			return wrong("column %q has %d rows, the first %d", c.Name, c.len(), t.Rows())
		}
		seen[c.Name] = true
	}
	return nil
}

// WriteCSV writes a head and one line a row. Numbers are the shortest decimals that read back to the same bits; one that is
// not there is an empty field.
func (t Table) WriteCSV(w io.Writer) error {
	if err := t.Check(); err != nil {
		return err
	}
	var line []byte
	for i := range t.Columns {
		line = append(AppendText(line, t.Columns[i].Name), ',')
	}
	for row := 0; ; row++ {
		if n := len(line); n > 0 {
			line[n-1] = '\n'
		}
		if _, err := w.Write(line); err != nil || row == t.Rows() {
			return err
		}
		line = line[:0]
		for i := range t.Columns {
			line = append(t.Columns[i].append(line, row), ',')
		}
	}
}

// append adds a row's field to a line.
func (c *Column) append(line []byte, row int) []byte {
	if c.Text != nil {
		return AppendText(line, c.Text[row])
	}
	return AppendNumber(line, c.Numbers[row])
}

// AppendNumber adds a number to a line of CSV, nothing for NaN.
func AppendNumber(line []byte, v float64) []byte {
	if math.IsNaN(v) {
		return line
	}
	return strconv.AppendFloat(line, v, 'g', -1, 64)
}

// AppendText adds a text to a line of CSV, in quotes where it needs them.
func AppendText(line []byte, text string) []byte {
	if !strings.ContainsAny(text, "\",\r\n") {
		return append(line, text...)
	}
	return append(append(append(line, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}

package population

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
	"github.com/kedge-opt/kedge/stream"
)

// Table is the law that gives every individual its own given row. ReadCSV, ReadNPY and ReadNPZ make one from a file.
type Table struct {
	Data  []float64 // row by row
	Width int       // entries of a row; 0 says Data is one vector, which may be the only row or the only column
}

// TableError says what is wrong with a table of numbers, and where.
type TableError struct {
	Line, Column int // counted from 1; 0 when it is not about one line or column
	What         string
	Err          error // the cause, if there is one
}

func (e *TableError) Error() string {
	s := "table"
	if e.Line > 0 {
		s += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Column > 0 {
		s += fmt.Sprintf(", column %d", e.Column)
	}
	s += ": " + e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *TableError) Unwrap() error { return e.Err }

// Rows returns how many rows the table has; a vector counts as one column.
func (l Table) Rows() int { return len(l.Data) / max(1, l.Width) }

// Check demands exactly n rows of dim finite entries.
func (l Table) Check(n, dim int) error {
	if err := checkSizes(n, dim); err != nil {
		return err
	}
	if l.Width == 0 && n > 1 && dim > 1 {
		return &TableError{What: fmt.Sprintf("one vector of %d entries, want %d rows of %d", len(l.Data), n, dim)}
	}
	if l.Width != 0 && l.Width != dim || len(l.Data) != n*dim {
		return &TableError{What: fmt.Sprintf("%d numbers in rows of %d, want %d rows of %d", len(l.Data), max(1, l.Width), n, dim)}
	}
	return checkRows("row", l.Data, 0, dim)
}

// Fill copies rows; the stream is not used.
func (l Table) Fill(dst []float64, dim, first int, _ *stream.Stream) { copy(dst, l.Data[first*dim:]) }

// ReadNPY reads a table from a NumPy file: a matrix with one individual a row, or a vector. Nothing may follow it.
func ReadNPY(r io.Reader) (Table, error) {
	a, err := npy.Read(r, intake.Limits{})
	if err != nil {
		return Table{}, err
	}
	if n, err := io.CopyN(io.Discard, r, 1); n != 0 || err != io.EOF {
		return Table{}, &TableError{What: "bytes after the array", Err: err}
	}
	return fromArray(a)
}

// ReadNPZ reads a table from a member of a NumPy archive, named without ".npy".
func ReadNPZ(r io.ReaderAt, size int64, member string) (Table, error) {
	a, err := npy.ReadMember(r, size, member, intake.Limits{})
	if err != nil {
		return Table{}, err
	}
	return fromArray(a)
}

// fromArray demands one or two dimensions, at least one entry and finite numbers.
func fromArray(a npy.Array) (Table, error) {
	if rank := len(a.Shape); rank < 1 || rank > 2 {
		return Table{}, &TableError{What: fmt.Sprintf("array of shape %v, want a matrix or a vector", a.Shape)}
	}
	if len(a.Data) == 0 {
		return Table{}, &TableError{What: fmt.Sprintf("array of shape %v has no entries", a.Shape)}
	}
	t := Table{Data: a.Data}
	if len(a.Shape) == 2 {
		t.Width = a.Shape[1]
	}
	if i := slices.IndexFunc(t.Data, func(v float64) bool { return v-v != 0 }); i >= 0 {
		width := max(1, t.Width)
		return Table{}, &TableError{Line: i/width + 1, Column: i%width + 1, What: fmt.Sprintf("%v is not a finite number", t.Data[i])}
	}
	return t, nil
}

const (
	longestField = 4 << 10 // bytes
	maxEntries   = 1 << 27 // numbers of a table, 1 GiB
)

// ReadCSV reads a table of numbers separated by commas, one individual a line. A first line without any number is taken for
// a header and skipped; blank lines may only come last. A field may have 4 KB, the table 2²⁷ numbers. An error is a
// *TableError that names line and column.
//
// The file is read twice, to check it and to keep it, so memory is taken only for what is there: at most four times the
// file's size plus 1 MB.
func ReadCSV(r io.ReadSeeker) (Table, error) {
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return Table{}, &TableError{What: "read", Err: err}
	}
	in := bufio.NewReaderSize(r, 16<<10)
	var check, keep csvTable
	if err := check.read(in); err != nil {
		return Table{}, err
	}
	if check.count == 0 {
		return Table{}, &TableError{What: "no numbers"}
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return Table{}, &TableError{What: "read", Err: err}
	}
	in.Reset(r)
	keep.Data = make([]float64, 0, check.count)
	if err := keep.read(in); err != nil {
		return Table{}, err
	}
	return keep.Table, nil
}

// csvTable is a table that grows field by field. Without room for its data it is only checked and counted.
type csvTable struct {
	Table
	count        int // numbers read
	line, column int // fields ended so far: lines, and columns of the next
	blank        int // the first of the blank lines at the end
	field        []byte
	wrong        *TableError // the first field of the line that is no number
	numbers      int         // fields of the line that are
	odd          int         // fields that begin like a number and are none
}

// read takes in everything up to the end.
func (c *csvTable) read(in *bufio.Reader) error {
	for {
		b, err := in.ReadByte()
		switch {
		case err == io.EOF:
			return c.endLine() // which the file may end in the middle of; after the last one there is a blank one
		case err != nil:
			return &TableError{Line: c.line + 1, What: "read", Err: err}
		case b == ',':
			err = c.endField()
		case b == '\n':
			err = c.endLine()
		case len(c.field) == longestField:
			err = &TableError{Line: c.line + 1, Column: c.column + 1, What: fmt.Sprintf("more than %d bytes", longestField)}
		default:
			c.field = append(c.field, b)
		}
		if err != nil {
			return err
		}
	}
}

// endField takes a field. In the first line one that is no number may be the name of a column, until another is a number.
func (c *csvTable) endField() error {
	if c.blank > 0 {
		return &TableError{Line: c.blank, What: "blank line inside the table"}
	}
	if c.line == 0 && c.column == 0 {
		c.field = bytes.TrimPrefix(c.field, []byte("\ufeff"))
	}
	c.column++
	text := bytes.TrimSpace(c.field)
	v, number := c.parse(text)
	if number {
		c.numbers++
	}
	if (!number || math.IsNaN(v) || math.IsInf(v, 0)) && c.wrong == nil {
		c.wrong = &TableError{Line: c.line + 1, Column: c.column, What: fmt.Sprintf("%.40q is not a finite number", text)}
	}
	c.field = c.field[:0]
	if c.wrong != nil && (c.line > 0 || c.numbers > 0) {
		return c.wrong
	}
	if c.wrong == nil {
		c.count++
		if c.Data != nil {
			c.Data = append(c.Data, v)
		}
	}
	return nil
}

// mostOdd is how many names of columns may begin like a number.
const mostOdd = 1000

// parse reads a number, which may be too large or NaN. Texts that do not begin like one are not even tried, for an error of
// strconv costs more than the text.
func (c *csvTable) parse(text []byte) (v float64, number bool) {
	if !beginsLikeNumber(bytes.TrimLeft(text, "+-.")) || c.odd > mostOdd {
		return math.NaN(), c.odd > mostOdd
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return v, true
	}
	c.odd++
	return v, false
}

// beginsLikeNumber tells whether a text without its sign begins with a digit or is one of the words for numbers.
func beginsLikeNumber(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	is := func(word string) bool { return bytes.EqualFold(text, []byte(word)) }
	return '0' <= text[0] && text[0] <= '9' || is("nan") || is("inf") || is("infinity")
}

// endLine takes the last field of a line and checks the row.
func (c *csvTable) endLine() error {
	if c.column == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(c.field, []byte("\ufeff")))) == 0 {
		c.line++
		c.field = c.field[:0]
		c.blank = cmp.Or(c.blank, c.line)
		return nil
	}
	if err := c.endField(); err != nil {
		return err
	}
	if c.line++; c.wrong == nil {
		if c.Width = cmp.Or(c.Width, c.column); c.column != c.Width {
			return &TableError{Line: c.line, What: fmt.Sprintf("%d numbers, the first row has %d", c.column, c.Width)}
		}
	}
	if c.count > maxEntries {
		return &TableError{Line: c.line, What: fmt.Sprintf("more than %d numbers in the table", maxEntries)}
	}
	c.column, c.numbers, c.wrong = 0, 0, nil
	return nil
}

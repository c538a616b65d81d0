package population

import (
	"fmt"
	"io"
	"slices"

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

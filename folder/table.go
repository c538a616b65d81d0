package folder

import (
	"io"
	"math"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/room"
)

// Table is a list of named columns of one length; it writes itself as Parquet and CSV.
type Table = columns.Table

// Column is a named list of texts or of numbers; the other is nil. A number that is not there is NaN.
type Column = columns.Column

// TableOf is a table of things, a row each, that is made column by column.
type TableOf[R any] struct {
	Table
	Rows []R
}

// Text adds a column of texts.
func (t *TableOf[R]) Text(name string, of func(R) string) {
	t.Columns = append(t.Columns, Column{Name: name, Text: each(t.Rows, of)})
}

// Number adds a column of numbers.
func (t *TableOf[R]) Number(name string, of func(R) float64) {
	t.Columns = append(t.Columns, Column{Name: name, Numbers: each(t.Rows, of)})
}

// each is what a function says of every entry of a list, of none no nil.
func each[From, To any](list []From, of func(From) To) []To {
	out := make([]To, len(list))
	for i, one := range list {
		out[i] = of(one)
	}
	return out
}

// Spread adds three columns for a spread over trials, NaN where it is nil.
func (t *TableOf[R]) Spread(mean, least, most string, of func(R) *Spread) {
	known := func(row R) Spread {
		if s := of(row); s != nil {
			return *s
		}
		return Unknown()
	}
	t.Number(mean, func(row R) float64 { return known(row).Mean })
	t.Number(least, func(row R) float64 { return known(row).Min })
	t.Number(most, func(row R) float64 { return known(row).Max })
}

// ReadTable reads a table that kedge wrote as Parquet, however well it was compressed, unless it and the copies that figures are made of
// take more memory than there is.
func ReadTable(f io.ReaderAt, size int64) (Table, error) {
	const copies = 6
	most := int64(math.MaxInt64)
	if have := room.Memory(); have.Known() {
		most = have.Bytes / copies
	}
	return columns.ReadParquet(f, size, intake.Limits{Bytes: max(1, most), Ratio: math.MaxInt64})
}

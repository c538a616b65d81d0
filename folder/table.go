package folder

import (
	"fmt"
	"math"
	"os"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
)

// Table is a list of named columns of one length; it writes itself as Parquet and CSV.
type Table = columns.Table

// Column is a named list of texts or of numbers; the other is nil. A number that is not there is NaN.
type Column = columns.Column

// ReadTable reads a table that kedge wrote as Parquet, however well it was compressed.
func ReadTable(path string) (Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return Table{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Table{}, err
	}
	t, err := columns.ReadParquet(f, info.Size(), intake.Limits{Bytes: math.MaxInt64, Ratio: math.MaxInt64})
	if err != nil {
		return Table{}, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

package batch

import (
	"path/filepath"
	"strings"
)

// Format is how people are written, by its content type.
type Format string

// The formats.
const (
	JSON    Format = "application/json"
	Lines   Format = "application/x-ndjson"
	Parquet Format = "application/vnd.apache.parquet"
	NPZ     Format = "application/x-npz"
	CSV     Format = "text/csv"
)

// IsText tells whether gzip may be put around a format.
func (f Format) IsText() bool { return f == JSON || f == Lines || f == CSV }

// FormatOf is the format of a file, by its name; ok is false for one of no known ending.
func FormatOf(name string) (f Format, ok bool) {
	f, ok = map[string]Format{".json": JSON, ".ndjson": Lines, ".jsonl": Lines, ".parquet": Parquet, ".npz": NPZ, ".csv": CSV}[strings.ToLower(filepath.Ext(name))]
	return f, ok
}

// Most is how much a batch may be.
type Most struct {
	Rows  int
	Bytes int64 // as it is sent, and unpacked
	Ratio int64 // how many times its size a packed one may unpack to, not counting the first MB
}

// DefaultMost is what a format may have that nobody gave other limits.
func DefaultMost(f Format) Most {
	if f.IsText() {
		return Most{Rows: MostRows, Bytes: 32 << 20, Ratio: 100}
	}
	return Most{Rows: MostRows, Bytes: 64 << 20, Ratio: 100}
}

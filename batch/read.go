package batch

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/intake"
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

// Parse reads people of known dimensions as JSON that is at hand. A batch that is wrong is a *Flaw.
func Parse(text []byte, dim kedge.Dims, lim Most) (t Told, err error) {
	defer recovered(&err)
	if int64(len(text)) > lim.Bytes {
		return t, flaw(TooLarge, "", "the batch has more than %d bytes", lim.Bytes)
	}
	b := &builder{dim: dim, most: lim.Rows}
	readObject(&scanner{have: text, fault: io.EOF}, b)
	return b.whole(), nil
}

// recovered is the error that readers throw.
func recovered(err *error) {
	switch v := recover().(type) {
	case nil:
	case *Flaw:
		*err = v
	case stopped:
		*err = v.error
	default:
		panic(v)
	}
}

// Read reads people of known dimensions in some format. A batch that is wrong is a *Flaw; any other error is the reader's.
func Read(r io.Reader, f Format, dim kedge.Dims, lim Most) (t Told, err error) {
	defer recovered(&err)
	b := &builder{dim: dim, most: lim.Rows}
	in := &limited{from: r, left: lim.Bytes, most: lim.Bytes}
	switch f {
	case JSON:
		readObject(newScanner(in), b)
	case Lines:
		readLines(newScanner(in), b)
	case CSV:
		t, err := ReadCSV(in, lim)
		must(err)
		b.table(t)
	case Parquet, NPZ:
		data, err := io.ReadAll(in)
		must(err)
		room := intake.Limits{Bytes: b.room(), Ratio: lim.Ratio}
		if f == NPZ {
			b.arrays(bytes.NewReader(data), room)
		} else {
			b.parquet(bytes.NewReader(data), room)
		}
	default:
		return t, fmt.Errorf("no format is called %s", f)
	}
	return b.whole(), nil
}

package columns_test

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/intake"
)

//go:embed testdata
var testdata embed.FS

func load(t testing.TB, name string) []byte {
	t.Helper()
	b, err := testdata.ReadFile("testdata/" + name + ".parquet")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(b []byte) (columns.Table, error) {
	return columns.ReadParquet(bytes.NewReader(b), int64(len(b)), intake.Limits{})
}

// written is the table that testdata/make.py has several libraries write.
func written() columns.Table {
	const rows = 40
	names := []string{"name", "double", "gaps", "single", "small", "large", "unsigned", "empty"}
	t := columns.Table{Columns: []columns.Column{{Name: names[0]}}}
	for _, name := range names[1:] {
		t.Columns = append(t.Columns, columns.Column{Name: name})
	}
	for i := range rows {
		x := float64(i)
		gap := -x / 3
		if i%5 == 0 {
			gap = math.NaN()
		}
		t.Columns[0].Text = append(t.Columns[0].Text, []string{"left", "right", ""}[i%3])
		for c, v := range []float64{x / 7, gap, x / 4, x - 20, (x - 20) * (1 << 40), 1<<32 - 1 - x, math.NaN()} {
			t.Columns[1+c].Numbers = append(t.Columns[1+c].Numbers, v)
		}
	}
	return t
}

func TestReadsWhatOthersWrote(t *testing.T) {
	bits := evidence.For(t, evidence.Promise{Name: "others-wrote", Text: "Parquet files that Arrow, DuckDB, polars and fastparquet wrote: read as other bits"})
	for _, name := range []string{
		"arrow-none-1", "arrow-none-2", "arrow-snappy-1", "arrow-snappy-2", "arrow-gzip-1", "arrow-gzip-2",
		"arrow-zstd-1", "arrow-zstd-2", "arrow-plain", "duckdb", "polars", "fastparquet",
	} {
		got, err := read(load(t, name))
		bits.Case(err == nil && same(got, written()), "%s: %v, %+v", name, err, got)
	}
	numbers := columns.Table{Columns: written().Columns[1:]}
	got, err := read(load(t, "arrow-split"))
	bits.Case(err == nil && same(got, numbers), "arrow-split: %v, %+v", err, got)
	b := load(t, "arrow-split")
	rows, width, err := columns.ReadMatrix(bytes.NewReader(b), int64(len(b)), intake.Limits{})
	if err != nil || width != 7 || len(rows) != 40*7 || rows[39*7] != 39.0/7 || rows[39*7+4] != 19*(1<<40) {
		t.Errorf("%v: %d columns, %v", err, width, rows)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"nested": "nested", "date": "column day holds neither", "bool": "column yes holds neither",
		"inexact": "column huge: table: row 0: no value, or none that a float64 holds",
		"delta":   "encoding 5", "lz4": "codec 7", "bomb": "1000000 rows of 1 columns in 4406 bytes",
	} {
		refused(t, name, load(t, name), want)
	}
	b := load(t, "arrow-none-1")
	if _, _, err := columns.ReadMatrix(bytes.NewReader(b), int64(len(b)), intake.Limits{}); err == nil || !strings.Contains(err.Error(), `column "name" holds texts`) {
		t.Error(err)
	}
	if _, err := columns.ReadParquet(bytes.NewReader(b), int64(len(b)), intake.Limits{Bytes: 8*320 - 1}); err == nil {
		t.Error("320 entries were read where 319 are allowed")
	}
}

func refused(t *testing.T, what string, in []byte, want string) {
	t.Helper()
	var typed *intake.FormatError
	var err error
	taken := heap.Taken(0, func() { _, err = read(in) })
	if !errors.As(err, &typed) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: want an error with %q, got %v", what, want, err)
	}
	if bound := 4*int64(len(in)) + 1<<20; taken > bound {
		t.Errorf("%s: %d bytes took %d of memory, want at most %d", what, len(in), taken, bound)
	}
}

// ending is a file of nothing but metadata.
func ending(metadata string) []byte {
	b := append([]byte("PAR1"), metadata...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(metadata))), "PAR1"...)
}

// Metadata in Thrift's compact form, by hand: 0xTY is a field T further of type Y, 9 a list, 12 a structure, 8 bytes, 6 and 5
// numbers; a list has its length and type in one byte, or 15 and a number.
func TestHostileMetadata(t *testing.T) {
	many := "\xff\xff\xff\xff\x0f" // 2³² − 1
	leaf := "\x15\x0a\x38\x01x\x00"
	schema := "\x29\x2c" + "\x48\x01r\x15\x02\x00" + leaf // a root of one column, a double x
	for what, c := range map[string]struct {
		in   []byte
		want string
	}{
		"nothing":              {nil, "no Parquet file"},
		"no magic":             {[]byte("PAR1....PAR2"), "no Parquet file"},
		"length beyond":        {[]byte("PAR1\xff\xff\xff\xffPAR1"), "no Parquet file"},
		"cut":                  {ending("\x16"), "without an end"},
		"many columns":         {ending("\x29\xfc" + many), "longer than the file"},
		"many row groups":      {ending(schema + "\x16\x02\x19\xfc" + many), "longer than the file"},
		"long name":            {ending("\x29\x1c\x48" + many), "ends in the middle"},
		"deep structures":      {ending(strings.Repeat("\x1c", 1<<16)), "too deep"},
		"deep lists":           {ending("\x19" + strings.Repeat("\x19", 1<<16)), "too deep"},
		"large map":            {ending("\x1b" + many + "\x33"), "map too large"},
		"unknown type":         {ending("\x1e"), "unknown type"},
		"endless number":       {ending("\x16" + strings.Repeat("\xff", 11)), "without an end"},
		"more rows than bytes": {ending(schema + "\x16\xfe\xff\xff\xff\xff\x1f\x00"), "at most"},
		"rows in no group":     {ending(schema + "\x16\x02\x00"), "another number of rows"},
		"many empty columns":   {ending("\x29\xfc\x80\x80\x04" + strings.Repeat("\x00", 1<<16)), "neither"},
	} {
		refused(t, what, c.in, c.want)
	}
}

// lying is a file of one number in one page, whose header says what it likes of its sizes and its levels.
func lying(codec byte, unpacked, values string) []byte {
	page := "\x15\x00\x15" + unpacked + "\x15\x08\x2c\x15" + values + "\x15\x00\x15\x06\x15\x06\x00\x00" + "\x28\xb5\x2f\xfd"
	chunk := "\x3c\x45" + string([]byte{2 * codec}) + "\x16\x02\x26" + string([]byte{byte(2 * len(page))}) + "\x26\x08\x00\x00"
	metadata := "\x29\x2c\x48\x01r\x15\x02\x00\x15\x0a\x38\x01x\x00\x16\x02\x19\x1c" + "\x19\x1c" + chunk + "\x26\x02\x00" + "\x00"
	b := ending(metadata)
	return append(append([]byte("PAR1"), page...), b[4:]...)
}

func TestLyingPages(t *testing.T) {
	large, two := "\xfe\xff\xff\xff\x0f", "\x02"
	for codec, want := range map[byte]string{0: "bytes, at most", 1: "bytes, at most", 2: "bytes, at most", 6: "bytes, at most"} {
		refused(t, "a page of 2 GB", lying(codec, large, two), want)
	}
	for codec, want := range map[byte]string{0: "without a codec", 1: "Snappy", 2: "does not unpack", 6: "does not unpack", 9: "codec 9"} {
		refused(t, "a page of 64 KB", lying(codec, "\x80\x80\x08", two), want)
	}
	twice := bytes.Replace(load(t, "arrow-none-1"), []byte("double"), []byte("single"), -1)
	refused(t, "a name twice", twice, `two columns have the name "single"`)
	refused(t, "many values", lying(6, "\x10", large), "page of 2147483647 values")
	refused(t, "a page of nothing", lying(0, "\x08", two), "row 0: no value")
}

// Any one byte of a file may be anything, and a file may end anywhere: it is read or refused, cheaply.
func TestEveryByteMayBeWrong(t *testing.T) {
	for _, name := range []string{"arrow-split", "duckdb", "polars"} {
		whole := load(t, name)
		for i := range whole {
			for _, b := range []byte{whole[i] ^ 1, 0xff} {
				in := bytes.Clone(whole)
				in[i] = b
				checkRead(t, in)
			}
			checkRead(t, whole[:i])
		}
	}
}

// checkRead demands a typed error or a sound table, and memory within what the package says.
func checkRead(t *testing.T, in []byte) {
	t.Helper()
	var table columns.Table
	var err error
	bound := 4*int64(len(in)) + 9<<20
	taken := heap.Taken(bound, func() { table, err = read(in) })
	for _, c := range table.Columns { // what is kept has been checked before
		taken -= 16 * int64(max(len(c.Text), len(c.Numbers)))
	}
	if taken > bound {
		t.Errorf("%d bytes took %d of memory", len(in), taken)
	}
	var typed *intake.FormatError
	if err != nil && !errors.As(err, &typed) {
		t.Errorf("untyped error %v", err)
	}
	if err == nil && table.Check() != nil {
		t.Errorf("unsound table: %v", table.Check())
	}
}

func FuzzReadParquet(f *testing.F) {
	for _, name := range []string{"arrow-none-1", "arrow-snappy-2", "arrow-zstd-1", "arrow-plain", "arrow-split", "duckdb", "polars", "bool", "delta"} {
		f.Add(load(f, name))
	}
	f.Fuzz(func(t *testing.T, in []byte) { checkRead(t, in) })
}

package columns_test

import (
	"bytes"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/compress/snappy"
	"github.com/parquet-go/parquet-go/compress/uncompressed"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// crumbs is a file of as many pages as rows, in row groups of so many.
func crumbs(t testing.TB, codec compress.Codec, rows, group int) []byte {
	t.Helper()
	type row struct {
		X *float64
		S string `parquet:"S,dict"`
		F float32
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.Compression(codec), parquet.PageBufferSize(1), parquet.MaxRowsPerRowGroup(int64(group)))
	x := 0.5
	for i := range rows {
		if _, err := w.Write([]row{{&x, "text"[i%4:], 2}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file may be nothing but headers of pages and of row groups: however many, they cost no memory of their own.
func TestPagesAreFree(t *testing.T) {
	for name, codec := range map[string]compress.Codec{"none": &uncompressed.Codec{}, "gzip": &gzip.Codec{}, "snappy": &snappy.Codec{}, "zstd": &zstd.Codec{}} {
		for _, group := range []int{1, 100} {
			in := crumbs(t, codec, 300, group)
			var rows int
			var err error
			took := heap.Taken(0, func() {
				table, e := read(in)
				rows, err = table.Rows(), e
			})
			if err != nil || rows != 300 || took > 3*int64(len(in))/2 {
				t.Errorf("%s, groups of %d: %d bytes took %d of memory: %v", name, group, len(in), took, err)
			}
		}
	}
}

func BenchmarkReadParquet(b *testing.B) {
	for _, name := range []string{"arrow-none-1", "arrow-snappy-1", "arrow-gzip-2", "polars", "duckdb"} {
		in := load(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = read(in)
			}
		})
	}
}

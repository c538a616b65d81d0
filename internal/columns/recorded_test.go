package columns_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/intake"
)

// told is what reading a table came to: what is wrong with it, or the sum of what is in it.
func told(table columns.Table, err error) string {
	if err != nil {
		said, _, _ := strings.Cut(err.Error(), "unpack to the length it says: ") // what follows is another library's
		return said
	}
	var b bytes.Buffer
	if err := table.WriteCSV(&b); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d rows %x", table.Rows(), sha256.Sum256(b.Bytes()))
}

// Files of other libraries with any one byte changed or the end cut off are read, or refused in words, as when this was recorded.
func TestDamagedParquetAsRecorded(t *testing.T) {
	digits := regexp.MustCompile("[0-9]+")
	var got []string
	for _, name := range []string{"arrow-split", "arrow-none-2", "arrow-plain", "arrow-snappy-1", "arrow-zstd-2", "duckdb", "polars", "fastparquet", "nested", "inexact", "delta", "bool", "date", "lz4"} {
		whole, sum, words := load(t, name), sha256.New(), map[string]int{}
		see := func(in []byte) {
			said := told(read(in))
			fmt.Fprintln(sum, said)
			if strings.HasPrefix(said, "table: ") {
				words[digits.ReplaceAllString(said, "#")]++
			}
		}
		rng := rand.New(rand.NewPCG(1, uint64(len(whole))))
		for range 200 {
			i, in := rng.IntN(len(whole)), bytes.Clone(whole)
			if rng.IntN(2) == 0 {
				i = max(0, len(whole)-1-rng.IntN(600))
			}
			in[i] = []byte{in[i] ^ 1, in[i] + 2, in[i] - 2, in[i] ^ 0x80, 0xff, 0}[rng.IntN(6)]
			see(in)
		}
		see(whole[:rng.IntN(len(whole))])
		got = append(got, fmt.Sprintf("%s: %s; changed: %x", name, told(read(whole)), sum.Sum(nil)))
		for _, one := range slices.Sorted(maps.Keys(words)) {
			got = append(got, fmt.Sprintf("%4d × %+q", words[one], one))
		}
	}
	evidence.AsRecorded(t, "testdata/damaged.txt", got)
}

// framed is a frame in one line.
func framed(f *columns.Frame, err error) string {
	if err != nil {
		return err.Error()
	}
	var heads []string
	for _, c := range f.Columns {
		heads = append(heads, fmt.Sprintf("%q text %t row %d %q", c.Name, c.IsText, c.Row, c.Sample))
	}
	return fmt.Sprintf("%s, %d rows, words %q, %v, notes %q", strings.Join(heads, "; "), f.Rows(), f.Words, f.Data, f.Notes)
}

// Small files put together at random are read, or refused in words, as when this was recorded.
func TestReadCSVAsRecorded(t *testing.T) {
	parts := []string{
		",", ",", ",", ";", ";", "\t", "\n", "\n", "\n", "\r\n", "\"", "\"\"", " ", "1", "2.5", "-1e3", "1,5", "NA", "null", "x", "long word", "é", "0x1", "1e999", "+.5", "nan", "Inf", "\"a,b\"", "\"3,5\"",
	}
	heads := []string{"a,b", "a;b", "a\tb", "a", "a,b,c", " a , b", "\ufeffa,b", "a;b,c", "\"a;b;c\",d", "a,,b", "a,a", "\"a\nb\",c", "a;\"b,c,d\"", ""}
	rng := rand.New(rand.NewPCG(1, 2))
	var got []string
	for range 600 {
		head := heads[rng.IntN(len(heads))]
		src := head + "\n"
		comma := string(columns.Separator([]byte(head)))
		n := max(1, strings.Count(head, comma))
		for range rng.IntN(4) {
			for i := range n + 1 {
				if i > 0 {
					src += comma
				}
				src += parts[rng.IntN(len(parts))]
			}
			src += "\n"
		}
		last := func(names []string) ([]int, error) { return []int{len(names) - 1, 0}, nil }
		got = append(got, fmt.Sprintf("%q: %s", src, framed(columns.ReadCSV(t.Context(), strings.NewReader(src), last, intake.Limits{}))))
	}
	evidence.AsRecorded(t, "testdata/csv.txt", got)
}

// The least memory that a file may be read into is 8 bytes a number and, for every text that is not there yet, its bytes and 64.
func TestWhatFilesTakeIsCounted(t *testing.T) {
	all := func(names []string) ([]int, error) { return []int{0, 1}, nil }
	text := "a,b\n1,x\n2,yy\n3,x\n4,\n"
	table := columns.Table{Columns: []columns.Column{{Name: "a", Numbers: []float64{1, 2, 3, 4}}, {Name: "b", Text: []string{"x", "yy", "x", ""}}}}
	for name, one := range map[string]struct {
		least int64
		read  func(lim intake.Limits) (*columns.Frame, error)
	}{
		"CSV": {8*4*2 + 64 + 1 + 64 + 2, func(lim intake.Limits) (*columns.Frame, error) {
			return columns.ReadCSV(t.Context(), strings.NewReader(text), all, lim)
		}},
		"table": {64 + 1 + 64 + 2, func(lim intake.Limits) (*columns.Frame, error) { return table.Frame(all, lim) }},
		"numbers": {8 * 3 * 2, func(lim intake.Limits) (*columns.Frame, error) {
			return columns.ReadCSV(t.Context(), strings.NewReader("a,b\n1,2\n3,4\n5,\n"), all, lim)
		}},
	} {
		if _, err := one.read(intake.Limits{Bytes: one.least}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := one.read(intake.Limits{Bytes: one.least - 1}); err == nil {
			t.Errorf("%s is read into less than %d bytes", name, one.least)
		}
	}
}

// A line may have 2²⁰ bytes more than the buffers of readers take, not much more.
func TestLongLinesEnd(t *testing.T) {
	all := func(names []string) ([]int, error) { return []int{0}, nil }
	for n, want := range map[int]bool{1<<20 - 10: true, 1<<20 + 200<<10: false} {
		src := "a\n1\n\"" + strings.Repeat("x", n) + "\"\ny\n"
		f, err := columns.ReadCSV(t.Context(), strings.NewReader(src), all, intake.Limits{})
		if (err == nil) != want || want && (f.Rows() != 3 || len(f.Words[1]) != n) {
			t.Errorf("%d bytes in quotes: %v", n, err)
		}
	}
	short := "a\n" + strings.Repeat("1\n", 700_000) // many lines are not a long one
	if f, err := columns.ReadCSV(t.Context(), strings.NewReader(short), all, intake.Limits{}); err != nil || f.Rows() != 700_000 {
		t.Error(err)
	}
}

// looks is a context that ends when it has been asked so often.
type looks struct {
	context.Context
	left int
}

func (c *looks) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A context is asked before the first row and every 4096, in both readings.
func TestContextsAreAsked(t *testing.T) {
	src := "a\n" + strings.Repeat("1\n", 10_000) // rows 0, 4096 and 8192, twice
	all := func(names []string) ([]int, error) { return []int{0}, nil }
	for left, want := range map[int]bool{5: false, 6: true} {
		if _, err := columns.ReadCSV(&looks{t.Context(), left}, strings.NewReader(src), all, intake.Limits{}); (err == nil) != want {
			t.Errorf("asked %d times: %v", left, err)
		}
	}
}

// Matrices are the columns of tables side by side; what holds texts is none.
func TestReadMatrix(t *testing.T) {
	table := columns.Table{Columns: []columns.Column{{Name: "a", Numbers: []float64{1, 2, 3}}, {Name: "b", Numbers: []float64{-1, math.NaN(), 0.5}}}}
	b := encoded(t, table)
	rows, width, err := columns.ReadMatrix(bytes.NewReader(b), int64(len(b)), intake.Limits{})
	if got := fmt.Sprint(rows, width, err); got != "[1 -1 2 NaN 3 0.5] 2 <nil>" {
		t.Error(got)
	}
	for what, table := range map[string]columns.Table{
		`table: column "b" holds texts, want numbers alone`: {Columns: []columns.Column{{Name: "a", Numbers: []float64{1}}, {Name: "b", Text: []string{"x"}}}},
	} {
		b := encoded(t, table)
		if _, _, err := columns.ReadMatrix(bytes.NewReader(b), int64(len(b)), intake.Limits{}); err == nil || err.Error() != what {
			t.Error(err)
		}
	}
	b = encoded(t, columns.Table{Columns: []columns.Column{{Name: "a", Numbers: []float64{}}, {Name: "b", Numbers: []float64{}}}})
	if rows, width, err := columns.ReadMatrix(bytes.NewReader(b), int64(len(b)), intake.Limits{}); err != nil || width != 2 || len(rows) != 0 {
		t.Error(rows, width, err)
	}
}

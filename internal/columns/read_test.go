package columns_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/intake"
)

// awkward are numbers that a careless way through a file would change.
func awkward() []float64 {
	return []float64{0, math.Copysign(0, -1), 0.1, -1e-320, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1 << 53}
}

// large is a table of several row groups and many pages.
func large(rows int) columns.Table {
	t := columns.Table{Columns: []columns.Column{
		{Name: "name", Text: make([]string, rows)}, {Name: "a number", Numbers: make([]float64, rows)}, {Name: "nearly empty", Numbers: make([]float64, rows)},
	}}
	for i := range rows {
		t.Columns[0].Text[i] = []string{"composite", "", "derivative-free, \"σ\"\n"}[i*3/rows]
		t.Columns[1].Numbers[i] = awkward()[i%9] * float64(i%1000)
		t.Columns[2].Numbers[i] = math.NaN()
		if i%1000 == 0 {
			t.Columns[2].Numbers[i] = float64(i)
		}
	}
	return t
}

func same(a, b columns.Table) bool {
	return slices.EqualFunc(a.Columns, b.Columns, func(x, y columns.Column) bool {
		bits := func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) || v != v && w != w }
		return x.Name == y.Name && slices.Equal(x.Text, y.Text) && slices.EqualFunc(x.Numbers, y.Numbers, bits)
	})
}

func encoded(t testing.TB, table columns.Table) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteParquet(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is read is what was written, bit for bit, and equal tables make equal bytes.
func TestParquetReadsBack(t *testing.T) {
	for _, rows := range []int{0, 1, 9, 1023, 1025, 300_000} {
		want := large(rows)
		file := encoded(t, want)
		got, err := columns.ReadParquet(bytes.NewReader(file), int64(len(file)), intake.Limits{})
		if err != nil || !same(want, got) {
			t.Errorf("%d rows: %v", rows, err)
		}
		if !bytes.Equal(file, encoded(t, want)) {
			t.Errorf("%d rows: other bytes the second time", rows)
		}
	}
}

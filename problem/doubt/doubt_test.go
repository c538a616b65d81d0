package doubt

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/columns"
)

func lets() []formula.Binding {
	return []formula.Binding{
		{Name: "habit", Data: &formula.Value{Data: []float64{0.8}}},
		{Name: "b", Data: &formula.Value{Shape: []int{2}, Data: []float64{1, 2}}},
		{Name: "B", Data: &formula.Value{Shape: []int{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}},
		{Name: "both", Expr: "habit*b"},
	}
}

// Columns go where their names say, and the numbers that were there stay in the model that they are taken from.
func TestDrawsGoWhereTheyBelong(t *testing.T) {
	files := fstest.MapFS{"d.csv": {Data: []byte("habit,b[1],\"B[1, 2]\",\"B[0,1]\"\n0.5,7,8,9\n0.6,1,1,1\n")}}
	d := Doubt{Draws: "d.csv", Uncertain: 1}
	table, err := d.Read(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	from := lets()
	aims, err := table.Targets("d.csv", from)
	if err != nil || len(table.Rows) != 1 {
		t.Fatal(err, table.Rows)
	}
	got := Put(from, aims, table.Rows[0])
	for _, c := range []struct{ got, want float64 }{
		{got[0].Data.Data[0], 0.5}, {got[1].Data.Data[0], 1}, {got[1].Data.Data[1], 7}, {got[2].Data.Data[5], 8}, {got[2].Data.Data[1], 9}, {got[2].Data.Data[0], 1},
		{from[0].Data.Data[0], 0.8}, {from[2].Data.Data[5], 6},
	} {
		if c.got != c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// What cannot be used is refused with file, row and remedy.
func TestDrawsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"habitt\n1\n", "d.csv: column habitt is no number of model.let; did you mean habit?"},
		{"zzzzzz\n1\n", "column zzzzzz is no number of model.let; columns are named after those"},
		{"both\n1\n", "model.let.both is a formula; draws are of numbers"},
		{"b\n1\n", "model.let.b has shape [2]; want one column for each"},
		{"b[2]\n1\n", "model.let.b has shape [2]"},
		{"b[x]\n1\n", "model.let.b has shape [2]"},
		{"habit[0]\n1\n", "model.let.habit has shape []"},
		{"\"B[1]\"\n1\n", "model.let.B has shape [2 3]"},
		{"\"B[0,1]\",\"B[0, 1]\"\n1,2\n", "are of one number; one must go"},
		{"habit\nNaN\n", "d.csv, row 1: habit is NaN, want a finite number"},
		{"habit,b[0]\n1,\n", "row 1: b[0] is NaN"},
		{"habit\nmuch\n", "row 1: habit is \"much\", want a number"},
		{"habit\n", "there are no rows"},
		{"", "d.csv"},
	} {
		d := Doubt{Draws: "d.csv", Uncertain: 1}
		table, err := d.Read(t.Context(), fstest.MapFS{"d.csv": {Data: []byte(c.text)}})
		if err == nil {
			_, err = table.Targets("d.csv", lets())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	few := Doubt{Draws: "d.csv", Uncertain: 3}
	if _, err := few.Read(t.Context(), fstest.MapFS{"d.csv": {Data: []byte("habit\n1\n2\n")}}); err == nil || !strings.Contains(err.Error(), "d.csv: 2 draws, but uncertain is 3") {
		t.Errorf("too few: %v", err)
	}
	d := Doubt{Draws: "none.csv", Uncertain: 1}
	if _, err := d.Read(t.Context(), fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "none.csv") {
		t.Errorf("without a file: %v", err)
	}
}

// A file of columns may have numbers without end, of either sign, which are no draws.
func TestDrawsWithoutEndAreRefused(t *testing.T) {
	for v, want := range map[float64]string{math.Inf(1): "d.parquet, row 2: habit is +Inf, want a finite number; leave such rows out", math.Inf(-1): "d.parquet, row 2: habit is -Inf, want a finite number; leave such rows out", 3: ""} {
		var b bytes.Buffer
		table := columns.Table{Columns: []columns.Column{{Name: "habit", Numbers: []float64{1, v}}}}
		if err := table.WriteParquet(&b); err != nil {
			t.Fatal(err)
		}
		d := Doubt{Draws: "d.parquet", Uncertain: 2}
		if _, err := d.Read(t.Context(), fstest.MapFS{"d.parquet": {Data: b.Bytes()}}); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v: %v, want %q", v, err, want)
		}
	}
}

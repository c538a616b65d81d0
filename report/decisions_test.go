package report

import (
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// The table of decisions has the points found offline and, of a method, the mean over its trials.
func TestDecisions(t *testing.T) {
	r := &folder.Result{
		Optimum: folder.Point{Decision: []float64{5, 7}}, Stable: folder.Point{Decision: []float64{6, 8}},
		Runs: []folder.Run{{Name: "composite", Trials: []folder.Trial{{Decision: []float64{4, 7}}, {Decision: []float64{5, 7.5}}}}},
	}
	table := decisions(r)
	want := [][]string{{"0", "5", "6", "4.5"}, {"1", "7", "8", "7.25"}}
	for i, row := range table.Rows {
		for j, c := range row {
			if c.Text != want[i][j] && c.Exact != want[i][j] {
				t.Errorf("%s of entry %d: %q (%q), want %s", table.Columns[j].Name, i, c.Text, c.Exact, want[i][j])
			}
		}
	}
	if len(table.Rows) != len(want) || table.Columns[3].Name != "composite" {
		t.Errorf("%d rows, columns %v", len(table.Rows), table.Columns)
	}
	r.Stable.Decision = []float64{1}
	if n := len(decisions(r).Columns); n != 3 {
		t.Errorf("a stable point of another length: %d columns", n)
	}
}

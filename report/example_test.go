package report_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
)

// A result of two measured turns gives a figure of its gap, one of its distance, and the page. What was not measured is NaN.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	r := &folder.Result{Case: "tiny", Iterations: 1, Trials: 1, Runs: []folder.Run{{
		Name: "composite",
		Trials: []folder.Trial{{
			Measured: folder.Measured{
				K: []int{0, 1}, Columns: []kedge.Column{{Name: "gap"}, {Name: "distance"}, {Name: "w1_optimal"}},
				Values: [][]float64{{0.5, 0.1}, {0.9, 0.3}, {math.NaN(), math.NaN()}},
			},
		}},
	}}}
	if err := report.Write(kind.Standard(), dir, r); err != nil {
		panic(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	// Output:
	// arrays.npz
	// distance.pdf
	// distance.png
	// distance.svg
	// gap.pdf
	// gap.png
	// gap.svg
	// manifest.json
	// report.html
	// report.md
	// series.csv
	// series.parquet
	// spec.yaml
	// summary.json
	// times.json
}

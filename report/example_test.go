package report_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/report"
)

// A result of two measured turns gives a figure of its gap, one of its distance, and the page. What was not measured is NaN.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	r := &lab.Result{Case: "tiny", Iterations: 1, Trials: 1, Runs: []lab.Run{{
		Name: "composite",
		Trials: []lab.Trial{{
			K:       []int{0, 1},
			Metrics: []kedge.Metrics{{Gap: 0.5, Distance: 0.9, W1Optimal: math.NaN()}, {Gap: 0.1, Distance: 0.3, W1Optimal: math.NaN()}},
		}},
	}}}
	if err := report.Write(dir, r); err != nil {
		panic(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	// Output:
	// distance.pdf
	// distance.png
	// distance.svg
	// gap.pdf
	// gap.png
	// gap.svg
	// report.html
	// report.md
}

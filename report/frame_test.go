package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

func TestColoursStayWithNames(t *testing.T) {
	some, others := plot.StylesOf([]string{"composite", "new", "vanilla"}), plot.StylesOf([]string{"vanilla", "derivative-free"})
	for _, name := range []string{"vanilla", "composite", "derivative-free"} {
		if fmt.Sprint(some[name]) != fmt.Sprint(others[name]) {
			t.Errorf("%s changes its look with its company", name)
		}
	}
	seen := map[string]bool{}
	for _, s := range plot.StylesOf(numbered(15)) {
		if look := fmt.Sprint(s); seen[look] {
			t.Errorf("two names look the same: %s", look)
		} else {
			seen[look] = true
		}
	}
}

func within(angles []float64, from, to float64) float64 {
	n := 0.0
	for _, a := range angles {
		if a >= from && a < to {
			n++
		}
	}
	return n
}

// Every finite angle is in one bin, and that is where it belongs.
func TestHistogramsCountEveryone(t *testing.T) {
	for _, angles := range [][]float64{bell("x", 90, 40), {0, 180}, {180}, {0}, {45.5, math.NaN(), 45.5}, {0, 5, 10, 15, 180}} {
		g := angleGrid(momentsOf(&folder.Angles{Initial: angles, Optimal: angles}, nil))
		b := g.Panels[0].Layers[0].(draw.Bars)
		sum := 0.0
		for i, c := range b.Counts {
			sum += c
			if want := within(angles, b.Edges[i], b.Edges[i+1]); c != want {
				t.Errorf("%g angles in %g° … %g°, want %g", c, b.Edges[i], b.Edges[i+1], want)
			}
		}
		if want := over(angles); sum != float64(want.count) || b.Mean != want.Mean {
			t.Errorf("%d angles: %g counted", want.count, sum)
		}
	}
	if list := momentsOf(&folder.Angles{Initial: []float64{math.NaN()}}, []string{"vanilla"}); len(list) > 0 {
		t.Error("a figure of no angles")
	}
}

package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// By hand: the tenth and the ninetieth of a hundred of 0 … 10 are 1 and 9; of two numbers the tenth lies a tenth between.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 1, 9}, {[]float64{0, math.NaN(), 10}, 1, 9}, {[]float64{3}, 3, 3},
	} {
		if low, high := middle(c.values); low != c.low || high != c.high {
			t.Errorf("%v: from %g to %g, want %g and %g", c.values, low, high, c.low, c.high)
		}
	}
}

// What is not said is chosen from the data.
func TestPlotsChoose(t *testing.T) {
	numbers := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	gap, value := &series{name: "gap", numbers: numbers}, &series{name: "value", numbers: numbers}
	algorithm := &series{name: "algorithm", words: strings.Fields("vanilla composite vanilla composite vanilla composite vanilla composite")}
	step := &series{name: "step", swept: true, numbers: []float64{0.001, 0.001, 0.01, 0.01, 0.1, 0.1, 1, 1}}
	lambda := &series{name: "dynamics.lambda", swept: true, numbers: []float64{0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2}}
	sigma := &series{name: "dynamics.sigma", swept: true, numbers: []float64{0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.25, 0.25}}
	turn := &series{name: "k", numbers: []float64{0, 0, 10, 10, 20, 20, 30, 30}}
	one, run := sheetOf("one", step, algorithm, gap), sheetOf("run", algorithm, turn, value, gap)
	two := sheetOf("two", lambda, sigma, algorithm, gap, &series{name: "stable_gap", numbers: numbers})
	other := sheetOf("other", run.columns...)
	for _, c := range []struct {
		plot   Plot
		sheets []*Sheet
		want   string // kind, x, y, by, facet, logarithms
	}{
		{Plot{}, []*Sheet{run}, "line k gap algorithm  false true"},
		{Plot{Y: "value"}, []*Sheet{run}, "line k value algorithm  false false"},
		{Plot{Where: []string{"algorithm=composite"}}, []*Sheet{run, other}, "line k gap folder  false true"},
		{Plot{}, []*Sheet{one}, "line step gap algorithm  true true"},
		{Plot{}, []*Sheet{two}, "heat dynamics.lambda gap dynamics.sigma algorithm false true"},
		{Plot{X: "dynamics.sigma"}, []*Sheet{two}, "heat dynamics.sigma gap dynamics.lambda algorithm false true"},
		{Plot{X: "dynamics.sigma", By: "algorithm"}, []*Sheet{two}, "line dynamics.sigma gap algorithm  false true"},
		{Plot{Y: "stable_gap", Where: []string{"algorithm=vanilla"}}, []*Sheet{two}, "heat dynamics.lambda stable_gap dynamics.sigma  false true"},
		{Plot{Kind: Hist}, []*Sheet{two}, "hist gap  algorithm  false false"},
		{Plot{Kind: Line, Log: "none"}, []*Sheet{one}, "line step gap algorithm  false false"},
	} {
		d, err := c.plot.data(c.sheets)
		if err != nil {
			t.Fatal(err)
		}
		x, y := d.logs()
		if got := fmt.Sprintln(d.Kind, d.X, d.Y, d.By, d.Facet, x, y); got != c.want+"\n" {
			t.Errorf("%+v gives %s, want %s", c.plot, got, c.want)
		}
	}
}

// sheetOf is a sheet of eight rows.
func sheetOf(name string, columns ...*series) *Sheet {
	return &Sheet{Name: name, columns: columns, rows: 8}
}

// A sheet that has no algorithms cannot be grouped by them.
func TestSheetsWithoutAlgorithmsNeedAnotherGroup(t *testing.T) {
	x := &series{name: "x", numbers: []float64{1, 2, 3, 4, 5, 6, 7, 8}}
	f, err := Plot{X: "x", Y: "x", Log: "none"}.Draw(sheetOf("bare", x))
	if err == nil {
		t.Fatalf("a sheet without an algorithm was grouped by it: %s", f.Caption)
	}
}

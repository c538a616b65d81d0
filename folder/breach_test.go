package folder_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
)

// The largest excess is 2, so that one above 0.02 in the end is a breach: means of 0.03 and of 0.01 are judged apart.
func TestBreaches(t *testing.T) {
	run := func(name string, ends ...float64) folder.Run {
		one := folder.Run{Name: name}
		for _, end := range ends {
			m := folder.NewMeasured([]kedge.Column{loop.Describe("gap"), loop.Describe("excess_1")}, 2)
			m.Add(0, []float64{1, -2})
			m.Add(1, []float64{1, end})
			one.Trials = append(one.Trials, folder.Trial{Measured: m})
		}
		return one
	}
	r := &folder.Result{Runs: []folder.Run{run("keeps", .01, .01), run("breaks", .01, .05), run("well inside", -1), run("no trial")}}
	s := r.Summarize()
	for name, want := range map[string]int{"keeps": 0, "breaks": 1, "well inside": 0, "no trial": 0} {
		if got := s.Algorithms[name].Breaks; len(got) != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := s.Algorithms["breaks"].Breaks[0]; got.Constraint != 1 || math.Abs(got.By-.03) > 1e-12 {
		t.Error(got)
	}
	for _, end := range []float64{0, math.NaN()} {
		at := run("at the bound", end)
		at.Trials[0].Values[1][0] = 0
		if got := (&folder.Result{Runs: []folder.Run{at}}).Breaches(&at); got != nil {
			t.Errorf("nothing is beyond the bound with %v, and broken is %v", end, got)
		}
	}
}

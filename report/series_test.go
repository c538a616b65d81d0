package report

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/stream"
)

// noisy is a run whose gaps are positive and negative, huge and tiny, and sometimes missing.
func noisy(seed uint64, trials, turns int) folder.Run {
	s := stream.New(seed)
	run := folder.Run{Name: "noisy"}
	for range trials {
		var turn []int
		var rows []map[string]float64
		for k := range turns {
			v := s.Normal() * math.Exp(20*s.Normal())
			if s.Intn(10) == 0 {
				v = math.NaN()
			}
			turn, rows = append(turn, k), append(rows, map[string]float64{"gap": v})
		}
		run.Trials = append(run.Trials, folder.Trial{Measured: measured(turn, rows...)})
	}
	return run
}

func TestBandEnclosesMean(t *testing.T) {
	for seed := range uint64(50) {
		list := linesOf(&folder.Result{Runs: []folder.Run{noisy(seed, 1+int(seed)%7, 2500)}}, "gap")
		draw.Prepare(true, list)
		for _, r := range list[0].Points {
			if !(0 < r.Low && r.Low <= r.Mean && r.Mean <= r.High && !math.IsInf(r.High, 0)) {
				t.Fatalf("seed %d, turn %g: %g ≤ %g ≤ %g does not hold above 0", seed, r.X, r.Low, r.Mean, r.High)
			}
		}
	}
}

func TestMeanOfEqualNumbersIsThatNumber(t *testing.T) {
	for _, v := range []float64{0.1, 1e-3, 1e300, 5e-324, math.MaxFloat64} {
		if s := over([]float64{v, v, v, math.NaN(), v, v, v, v}); s.Mean != v || s.Min != v || s.Max != v || s.count != 7 {
			t.Errorf("%g: %+v", v, s)
		}
	}
}

func TestRowsLineTrialsUpByTurn(t *testing.T) {
	m := func(k []int, v ...float64) folder.Measured {
		return folder.Measured{K: k, Columns: []kedge.Column{{Name: "gap"}}, Values: [][]float64{v}}
	}
	run := folder.Run{Trials: []folder.Trial{
		{Measured: m([]int{0, 10, 20}, 4, 2, math.NaN())},
		{Measured: m([]int{0, 20, 30}, 8, math.Inf(1), 1)},
	}}
	got := rowsOf(run, "gap")
	want := []draw.LinePoint{{X: 0, Mean: 6, Low: 4, High: 8}, {X: 10, Mean: 2, Low: 2, High: 2}, {X: 30, Mean: 1, Low: 1, High: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if end := final(run, "gap"); end.Mean != 1 || end.count != 1 {
		t.Errorf("final %+v, want the second trial alone", end)
	}
}

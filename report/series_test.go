package report

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/stream"
)

// noisy is a run whose gaps are positive and negative, huge and tiny, and sometimes missing.
func noisy(seed uint64, trials, turns int) lab.Run {
	s := stream.New(seed)
	run := lab.Run{Name: "noisy"}
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
		run.Trials = append(run.Trials, lab.Trial{Measured: measured(turn, rows...)})
	}
	return run
}

func TestBandEnclosesMean(t *testing.T) {
	for seed := range uint64(50) {
		list, _ := measure{name: "gap"}.curves(&lab.Result{Runs: []lab.Run{noisy(seed, 1+int(seed)%7, 2500)}})
		for _, r := range list[0].rows {
			if !(0 < r.low && r.low <= r.mean && r.mean <= r.high && !math.IsInf(r.high, 0)) {
				t.Fatalf("seed %d, turn %g: %g ≤ %g ≤ %g does not hold above 0", seed, r.x, r.low, r.mean, r.high)
			}
		}
	}
}

func TestMeanOfEqualNumbersIsThatNumber(t *testing.T) {
	for _, v := range []float64{0.1, 1e-3, 1e300, 5e-324, math.MaxFloat64} {
		if s := over([]float64{v, v, v, math.NaN(), v, v, v, v}); s.mean != v || s.low != v || s.high != v || s.count != 7 {
			t.Errorf("%g: %+v", v, s)
		}
	}
}

// Thinning keeps the ends and the overall extremes, in order, and never exceeds its limit.
func TestThinKeepsTheOutline(t *testing.T) {
	for _, n := range []int{1, 2, 9, 10, 11, 999, 1000, 1001, 1500, 20000} {
		rows := make([]row, n)
		s := stream.New(uint64(n))
		for k := range rows {
			mean := s.Normal()
			rows[k] = row{float64(k), spread{mean, mean - 1e3*s.Float64(), mean + 1e3*s.Float64(), 3}}
		}
		kept := thin(rows, 1000)
		if len(kept) > 1000 || len(rows) <= 1000 && len(kept) != len(rows) {
			t.Errorf("%d rows of %d kept", len(kept), len(rows))
		}
		if kept[0] != rows[0] || kept[len(kept)-1] != rows[len(rows)-1] {
			t.Errorf("n = %d: an end is lost", n)
		}
		if !slices.IsSortedFunc(kept, func(a, b row) int { return cmp.Compare(a.x, b.x) }) {
			t.Errorf("n = %d: out of order", n)
		}
		for what, at := range map[string]func(row) float64{
			"low": func(r row) float64 { return -r.low }, "high": func(r row) float64 { return r.high },
			"least mean": func(r row) float64 { return -r.mean }, "mean": func(r row) float64 { return r.mean },
		} {
			if highest(kept, at) != highest(rows, at) {
				t.Errorf("n = %d: the extreme %s is lost", n, what)
			}
		}
	}
}

func highest(rows []row, at func(row) float64) float64 {
	h := math.Inf(-1)
	for _, r := range rows {
		h = max(h, at(r))
	}
	return h
}

func TestRowsLineTrialsUpByTurn(t *testing.T) {
	m := func(k []int, v ...float64) lab.Measured {
		return lab.Measured{K: k, Columns: []kedge.Column{{Name: "gap"}}, Values: [][]float64{v}}
	}
	run := lab.Run{Trials: []lab.Trial{
		{Measured: m([]int{0, 10, 20}, 4, 2, math.NaN())},
		{Measured: m([]int{0, 20, 30}, 8, math.Inf(1), 1)},
	}}
	got := rowsOf(run, "gap")
	want := []row{{0, spread{6, 4, 8, 2}}, {10, spread{2, 2, 2, 1}}, {30, spread{1, 1, 1, 1}}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if end := final(run, "gap"); end.mean != 1 || end.count != 1 {
		t.Errorf("final %+v, want the second trial alone", end)
	}
}

func TestFloor(t *testing.T) {
	at := func(v ...float64) (rows []row) {
		for i, x := range v {
			rows = append(rows, row{float64(i), spread{x, x, x, 1}})
		}
		return rows
	}
	for _, c := range []struct {
		rows  []row
		floor float64
		below bool
	}{
		{at(1, 1e-3), 1e-3, false}, {at(1, 1e-3, 0), 1e-3, true}, {at(-1, -2), tiniest, true},
		{at(1, 5e-324), 1, true}, {at(0), tiniest, true}, {nil, tiniest, false},
	} {
		if floor, below := floorOf(c.rows); floor != c.floor || below != c.below {
			t.Errorf("%v: floor %g, below %v; want %g, %v", c.rows, floor, below, c.floor, c.below)
		}
	}
}

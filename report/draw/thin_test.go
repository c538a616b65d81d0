package draw

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// Thinning keeps the ends and the overall extremes, in order, and never exceeds its limit.
func TestThinKeepsTheOutline(t *testing.T) {
	for _, n := range []int{1, 2, 9, 10, 11, 999, 1000, 1001, 1500, 20000} {
		rows := make([]LinePoint, n)
		s := stream.New(uint64(n))
		for k := range rows {
			mean := s.Normal()
			rows[k] = LinePoint{float64(k), mean, mean - 1e3*s.Float64(), mean + 1e3*s.Float64()}
		}
		kept := Thin(rows, 1000)
		if len(kept) > 1000 || len(rows) <= 1000 && len(kept) != len(rows) {
			t.Errorf("%d rows of %d kept", len(kept), len(rows))
		}
		if kept[0] != rows[0] || kept[len(kept)-1] != rows[len(rows)-1] {
			t.Errorf("n = %d: an end is lost", n)
		}
		if !slices.IsSortedFunc(kept, func(a, b LinePoint) int { return cmp.Compare(a.X, b.X) }) {
			t.Errorf("n = %d: out of order", n)
		}
		for what, at := range map[string]func(LinePoint) float64{
			"low": func(r LinePoint) float64 { return -r.Low }, "high": func(r LinePoint) float64 { return r.High },
			"least mean": func(r LinePoint) float64 { return -r.Mean }, "mean": func(r LinePoint) float64 { return r.Mean },
		} {
			if highest(kept, at) != highest(rows, at) {
				t.Errorf("n = %d: the extreme %s is lost", n, what)
			}
		}
	}
}

func highest(rows []LinePoint, at func(LinePoint) float64) float64 {
	h := math.Inf(-1)
	for _, r := range rows {
		h = max(h, at(r))
	}
	return h
}

func TestFloor(t *testing.T) {
	at := func(v ...float64) (rows []LinePoint) {
		for i, x := range v {
			rows = append(rows, LinePoint{float64(i), x, x, x})
		}
		return rows
	}
	for _, c := range []struct {
		rows  []LinePoint
		floor float64
		below bool
	}{
		{at(1, 1e-3), 1e-3, false}, {at(1, 1e-3, 0), 1e-3, true}, {at(-1, -2), Tiniest, true},
		{at(1, 5e-324), 1, true}, {at(0), Tiniest, true}, {nil, Tiniest, false},
	} {
		was := slices.Clone(c.rows)
		if below := Raise(Lines{{Points: c.rows}}); below != c.below {
			t.Errorf("%v: below the floor %v, want %v", was, below, c.below)
		}
		for i, row := range c.rows {
			if want := max(was[i].Mean, c.floor); row.Low != want || row.Mean != want || row.High != want {
				t.Errorf("%v at a floor of %g: %v, want %g", was[i], c.floor, row, want)
			}
		}
	}
}

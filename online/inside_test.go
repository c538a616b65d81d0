package online

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/set"
)

// jagged is low at x below a bound only, and has the slope 1.
type jagged struct {
	bound float64
	tried []float64
}

func (f *jagged) eval(g, u []float64) float64 {
	f.tried = append(f.tried, u[0])
	g[0] = 1
	if u[0] <= f.bound {
		return -1
	}
	return 1
}

// By definition: how far a step of the whole slope leads, relative to the largest entry between 1 and 10⁶; and steps of sᵀs/sᵀy, between 10⁻¹⁰ and 10¹⁰, which is also tried where
// the curvature is not positive.
func TestMinimizersMeasure(t *testing.T) {
	m := newMinimizer(2, set.Whole{}, "x", 1e-9)
	m.g = []float64{3, -1}
	for x, want := range map[float64]float64{0.5: 3, 10: 0.3, 1e9: 3e-6} {
		if got, err := m.residual([]float64{0, -x}); err != nil || !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("at %v: %v, want %v (%v)", x, got, want, err)
		}
	}
	for y, want := range map[float64]float64{2: 0.5, 0: 1e10, -1: 1e10, 1e-12: 1e10, 1e12: 1e-10} {
		x := []float64{1, 1}
		m.g, m.gnext, m.next = []float64{3, -1}, []float64{3, -1 + 4*y}, []float64{1, 5}
		if got := m.advance(x); !(math.Abs(got-want) <= 1e-3*want) || x[1] != 5 || math.Abs((m.g[1]+1)/4-y) > 1e-3 {
			t.Errorf("curved by %v: a step of %v to %v, want %v", y, got, x, want)
		}
	}
}

// level is 1 but for rounding, more at first.
type level struct{ tried int }

func (f *level) eval(g, u []float64) float64 {
	g[0] = 0
	if f.tried++; f.tried == 1 {
		return 1 + 1.5e-14
	}
	return 1 + 0.8e-14
}

// Values that are above by rounding alone, 1e-14 of them, are low enough.
func TestSearchesBearRounding(t *testing.T) {
	m, f := newMinimizer(1, set.Whole{}, "x", 1e-9), &level{}
	for i := range m.past {
		m.past[i] = 1
	}
	if m.search(f.eval, []float64{0}); f.tried != 2 {
		t.Errorf("%d tries, want 2", f.tried)
	}
}

// By definition a search tries all of a move, half of it, a quarter, …, and stops at the first that is low enough.
func TestSearchesHalve(t *testing.T) {
	m := newMinimizer(1, set.Whole{}, "x", 1e-9)
	f := &jagged{bound: 1}
	m.g[0], m.move[0] = -1, 8
	if value := m.search(f.eval, []float64{0}); value != -1 || !slices.Equal(f.tried, []float64{8, 4, 2, 1}) || m.next[0] != 1 {
		t.Errorf("%v after %v", value, f.tried)
	}
	m.past[3] = 1.5 // what one of the last values was may be reached again
	f.tried = nil
	if value := m.search(f.eval, []float64{0}); value != 1 || !slices.Equal(f.tried, []float64{8}) {
		t.Errorf("%v after %v", value, f.tried)
	}
	m.past[3], f.tried, f.bound = 0, nil, -1
	if m.search(f.eval, []float64{0}); len(f.tried) != 60 {
		t.Errorf("it gives up after %d tries, want 60", len(f.tried))
	}
}

// bowl is x²/2.
type bowl struct{}

func (bowl) eval(g, u []float64) float64 { g[0] = u[0]; return u[0] * u[0] / 2 }

// What was reached is remembered, beside where it began.
func TestSearchesRemember(t *testing.T) {
	m, x := newMinimizer(1, set.Interval{Lower: -9, Upper: 9}, "x", 1e-9), []float64{5}
	if err := m.run(bowl{}.eval, x); err != nil || !(math.Abs(x[0]) <= 1e-9) || m.past[0] != 12.5 || !(m.past[1] < 1e-9) {
		t.Errorf("%v, %v with %v", x, err, m.past)
	}
}

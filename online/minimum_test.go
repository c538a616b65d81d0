package online

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/set"
)

// line looks for minima of functions of one number.
func line(tol float64) *minimizer {
	m := newMinimizer(1, set.Whole{}, "what is sought", tol)
	return &m
}

func isAbout(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(got == want || math.Abs(got-want) <= 1e-13*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// By hand: a slope of 3 is compared with how far out one is, from 1 on and up to a million.
func TestResidualsOfMinima(t *testing.T) {
	for x, want := range map[float64]float64{0: 3, -0.5: 3, 5: 0.6, -8: 3. / 8, 5e5: 3 / 5e5, 2e6: 3e-6, -1e9: 3e-6} {
		m := line(1)
		m.g[0] = 3
		got, err := m.residual([]float64{x})
		if isAbout(t, "at a distance", got, want); err != nil {
			t.Error(err)
		}
	}
}

// By hand, with the slope −1 along the way: a value is low enough that is below the worst of late by a part of 10⁻⁴ of what the slope promises, or above it by no more than a part of 10⁻¹⁴. Else half as far is tried, sixty times.
func TestWhatIsLowEnough(t *testing.T) {
	for _, x := range []struct {
		name   string
		worst  float64
		move   float64
		values []float64 // what is found on the way, the last for ever
		tries  int
	}{
		{"just low enough", 0, -1, []float64{-1.01e-4}, 1}, {"hardly low enough", 0, -1, []float64{-0.99e-4, -0.51e-4}, 2}, {"later", 0, -1, []float64{-0.4e-4, -0.4e-4, -0.26e-4}, 3},
		{"within rounding", 1, 0, []float64{1 + 0.9e-14}, 1}, {"beyond rounding", 1, 0, []float64{1 + 1.5e-14}, 60}, {"below nothing", -1, 0, []float64{-1 + 0.9e-14}, 1}, {"never", 0, -1, []float64{1}, 60},
	} {
		m, tries := line(1), 0
		m.g[0], m.move[0] = 1, x.move
		for i := range m.past {
			m.past[i] = x.worst - 1
		}
		m.past[memory-1] = x.worst
		value := m.search(func(_, _ []float64) float64 {
			tries++
			return x.values[min(tries, len(x.values))-1]
		}, []float64{8})
		if want := 8 + x.move*math.Pow(0.5, float64(x.tries-1)); tries != x.tries || value != x.values[len(x.values)-1] || m.next[0] != want {
			t.Errorf("%s: %v at %v after %d tries, want it at %v after %d", x.name, value, m.next[0], tries, want, x.tries)
		}
	}
}

// By hand: a step s over which the slope changes by y leads to the length s/y, between 10⁻¹⁰ and 10¹⁰, and to the longest where the slope does not grow.
func TestLengthsOfSteps(t *testing.T) {
	for _, x := range []struct{ step, change, want float64 }{{2, 8, 0.25}, {-3, -1, 3}, {1, 0, 1e10}, {1, -5, 1e10}, {1, 1e-12, 1e10}, {1, 0.8e-10, 1e10}, {1, 1e-9, 1e9}, {1e-12, 1, 1e-10}, {1e-9, 1, 1e-9}} {
		m, at := line(1), []float64{7}
		m.g[0], m.next[0], m.gnext[0] = 0, 7+x.step, x.change
		if math.Abs(x.step) < 1e-6 { // where sums with 7 are rounded
			at[0], m.next[0] = 0, x.step
		}
		to := m.next[0]
		isAbout(t, "the next step", m.advance(at), x.want)
		if at[0] != to || m.g[0] != x.change {
			t.Errorf("moved to %v with the slope %v", at[0], m.g[0])
		}
	}
}

// What falls without end is told after ten thousand steps, with what is left of its slope a million out. By hand: the minimum of ½(u − 3)² is two looks away.
func TestMinimaThatAreNotThere(t *testing.T) {
	m := line(1e-9)
	var not *kedge.NotConvergedError
	err := m.run(func(g, u []float64) float64 { g[0] = 2; return 2 * u[0] }, []float64{1})
	if !errors.As(err, &not) || *not != (kedge.NotConvergedError{What: "what is sought", Residual: 2e-6, Tolerance: 1e-9, Steps: 10_000}) {
		t.Errorf("%+v", err)
	}
	looks, g := 0, []float64{0}
	m.Follow([]float64{5})
	err = m.step(g, func(g, u []float64) float64 { looks++; g[0] = u[0] - 3; return (u[0] - 3) * (u[0] - 3) / 2 })
	if err != nil || g[0] != 2 || looks != 2 {
		t.Errorf("a step of %v after %d looks, %v", g, looks, err)
	}
}

// By hand: from 1 on a whole number up to what can be counted to.
func TestWholeLengths(t *testing.T) {
	for x, want := range map[float64]int{0.2: 1, 1: 1, 1.0001: 2, -0.5: 0, longest - 0.5: longest, longest: longest, 1e300: longest} {
		if got := whole(x); got != want {
			t.Errorf("%v: %d turns, want %d", x, got, want)
		}
	}
	if got := whole(math.NaN()); got != math.MaxInt32 {
		t.Errorf("no number: %d turns", got)
	}
}

// By hand: of 4, 6 and 9 the mean is that of 19/3, with weights of 1, 0 and 3 it is 31/4; the matrix of two such numbers around a centre has the lower triangle alone, and a ridge of a tenth of half its trace.
func TestSumsOfSquares(t *testing.T) {
	mean := []float64{9}
	meanRow(mean, []float64{4, 6, 9}, nil)
	isAbout(t, "the mean", mean[0], 19./3)
	meanRow(mean, []float64{4, 6, 9}, []float64{1, 0, 3})
	isAbout(t, "the mean by weights", mean[0], 31./4)
	s := newSquare(2)
	s.addOuter([]float64{4, 1}, []float64{1, 3}, 2)
	s.addOuter([]float64{1, 5}, []float64{1, 3}, 3)
	for i, want := range []float64{18, 0, -12, 20} {
		isAbout(t, "an entry", s.a[i], want)
	}
	if err := s.factor(0.1); err != nil {
		t.Fatal(err)
	}
	x := []float64{1, 2} // (18 + 1.9)(20 + 1.9) − 144 = 291.81
	s.solve(x)
	isAbout(t, "the first", x[0], (21.9+24)/291.81)
	isAbout(t, "the second", x[1], (39.8+12)/291.81)
	s.reset()
	s.addOuter([]float64{1, 1}, []float64{0, 0}, 1)
	if err := s.factor(0); !errors.Is(err, kedge.ErrSingular) || err.Error() != "direction 2 of 2: the linear system is singular to working precision" {
		t.Errorf("of one direction: %v", err)
	}
}

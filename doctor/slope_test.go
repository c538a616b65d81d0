package doctor

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// ridders is slope from its definition: the whole triangle of extrapolations of differences with the steps h, h/2, …, of which the entry with the least doubt is the
// first that has it, and rows after a step at which φ is not finite begin a triangle of their own.
func ridders(phi func(t float64) float64, h float64) (best estimate, asked int) {
	best = estimate{math.NaN(), math.Inf(1)}
	var table [][]float64
	for i := range 16 {
		step := h * math.Pow(2, -float64(i))
		up, down := phi(step), phi(-step)
		asked += 2
		first := (up - down) / 2 / step
		if math.IsNaN(first) || math.IsInf(first, 0) {
			table = nil
		} else {
			row := []float64{first}
			found := estimate{first, math.Inf(1)}
			for j := 1; j <= len(table); j++ {
				was, weight := table[len(table)-1][j-1], math.Pow(4, float64(j))
				next := row[j-1] + (row[j-1]-was)/(weight-1)
				off := math.Max(math.Abs(next-row[j-1]), math.Abs(next-was)) + 0x1p-52*(math.Abs(up)+math.Abs(down))/step
				if off < found.off {
					found = estimate{next, off}
				}
				row = append(row, next)
			}
			table = append(table, row)
			if found.off < best.off || math.IsNaN(best.value) {
				best = found
			}
		}
		if best.off <= 1e-11*math.Abs(best.value) {
			break
		}
	}
	return best, asked
}

// Of lines, powers, waves, kinks, jumps and functions that have no value somewhere, slopes are what the table of their definition has, bit for bit, and are found as soon.
func TestSlopesAreRiddersTable(t *testing.T) {
	for name, phi := range map[string]func(t float64) float64{
		"line": func(t float64) float64 { return 3*t - 1 }, "flat": func(float64) float64 { return 2 }, "cubic": func(t float64) float64 { return 2*t + t*t*t },
		"wave": func(t float64) float64 { return math.Sin(9*t + 1) }, "growth": func(t float64) float64 { return math.Exp(20 * t) }, "kink": math.Abs,
		"root": func(t float64) float64 { return t * math.Sqrt(math.Abs(t)) }, "jump": func(t float64) float64 { return math.Copysign(1, t) },
		"near a pole": func(t float64) float64 { return math.Log(t + 0.01) }, "nowhere": func(float64) float64 { return math.NaN() },
		"a gap": func(t float64) float64 {
			if math.Abs(t) > 0.001 && math.Abs(t) < 0.01 {
				return math.Inf(1)
			}
			return math.Cos(5*t + 2)
		},
		"large": func(t float64) float64 { return 1e8 + math.Exp(t) }, "rough": func(t float64) float64 { return math.Exp(3*t) + 1e-7*math.Round(1e6*t) },
	} {
		asked := 0
		got := slope(func(t float64) float64 { asked++; return phi(t) }, firstStep)
		want, often := ridders(phi, 1.0/16)
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(got.value, want.value) || !same(got.off, want.off) || asked != often {
			t.Errorf("%s: %v after %d values, want %v after %d", name, got, asked, want, often)
		}
	}
}

// By hand: (2, −3) along (1, 2) is 2 − 6 = −4, of terms of 8 together.
func TestGradientsAreComparedWithSlopes(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		gradient, w   []float64
		s             estimate
		relative, off float64
	}{
		{[]float64{2, -3}, []float64{1, 2}, estimate{-5, 0.4}, 1.0 / 8, 0.4 / 8}, {[]float64{2, -3}, []float64{1, 2}, estimate{16, 0.4}, 20.0 / 16, 0.4 / 16},
		{[]float64{2, -3}, []float64{1, 2}, estimate{-16, 0}, 12.0 / 16, 0}, {[]float64{2, 3}, []float64{1, 2}, estimate{8, 1}, 0, 1.0 / 8},
		{[]float64{0, 1}, []float64{1, 0}, estimate{0, 3}, 0, 0}, {[]float64{0}, []float64{1}, estimate{2, 1}, 1, 0.5}, {[]float64{1}, []float64{1}, estimate{math.NaN(), 0}, 0, inf},
	} {
		if relative, off := mismatch(c.gradient, c.w, c.s); relative != c.relative || off != c.off {
			t.Errorf("%v along %v and %v: %v and %v, want %v and %v", c.gradient, c.w, c.s, relative, off, c.relative, c.off)
		}
	}
}

// Entries move by a normal number times their size, those that are 0 by the mean size, and all by 1 where every one is 0.
func TestDirectionsAreInProportion(t *testing.T) {
	for _, c := range []struct{ x, size []float64 }{{[]float64{3, -6, 0, 1}, []float64{3, 6, 2.5, 1}}, {[]float64{0, 0}, []float64{1, 1}}, {[]float64{-4}, []float64{4}}} {
		want := make([]float64, len(c.x))
		stream.New(5).Normals(want)
		for i := range want {
			want[i] *= c.size[i]
		}
		if got := direction(c.x, stream.New(5)); !slices.Equal(got, want) {
			t.Errorf("around %v: %v, want %v", c.x, got, want)
		}
	}
}

// A slope is wrong where it differs by more than the tolerance and by more than ten times what it may be off itself; what it may be off counts where it is not. By hand: differences
// over a jump double, and of all their extrapolations the first, 32 + (32 − 16)/3 = 112/3, is in the least doubt, of 64/3.
func TestSlopesThatAreWrong(t *testing.T) {
	line := func(rise float64) func(float64) float64 { return func(t float64) float64 { return rise * t } }
	kink := func(t float64) float64 { return math.Max(t, 0) + t } // its slope is 1.5 for certain
	for _, c := range []struct {
		name             string
		gradient         float64
		phi              func(float64) float64
		wrong            int
		relative, doubts float64
	}{
		{"right", 2, line(2), 0, 0, 0}, {"within", 1, line(1 + 0.9e-3), 0, 0.9e-3 / (1 + 0.9e-3), 0}, {"beyond", 1, line(1 + 1.1e-3), 1, 1.1e-3 / (1 + 1.1e-3), 0}, {"NaN", math.NaN(), line(1), 1, math.NaN(), 0},
		{"infinite", math.Inf(1), line(1), 1, math.NaN(), 0}, {"one side", 2, kink, 1, 0.25, 0}, {"a jump", 1, func(t float64) float64 { return math.Copysign(1, t) }, 0, 109.0 / 112, 4.0 / 7},
		{"no value", 1, func(float64) float64 { return math.NaN() }, 0, 0, math.Inf(1)},
	} {
		s := slopes{tolerance: 1e-3}
		s.see(visit{}, []float64{c.gradient}, []float64{1}, c.phi)
		if s.all.seen != 1 || s.wrong.seen != c.wrong || s.rough.seen != 1-c.wrong {
			t.Errorf("%s: of %d slopes %d are wrong and %d may be off", c.name, s.all.seen, s.wrong.seen, s.rough.seen)
		}
		if diff := math.Abs(s.all.of - c.relative); diff > 1e-9 || math.IsNaN(s.all.of) != math.IsNaN(c.relative) {
			t.Errorf("%s: differs by %v, want %v", c.name, s.all.of, c.relative)
		}
		if c.doubts == 0 && s.rough.of > 1e-9 || s.rough.of < c.doubts-1e-9 {
			t.Errorf("%s: may be off by %v, want %v", c.name, s.rough.of, c.doubts)
		}
	}
}

// The worst is the first of those that are equal to rounding, and what is no number is worse than all.
func TestTheWorstIsKept(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		list []float64
		want int // which one
	}{
		{[]float64{-3}, 0}, {[]float64{-3, -4}, 0}, {[]float64{1, 1 + 0.5e-9}, 0}, {[]float64{1, 1 + 2e-9}, 1}, {[]float64{1, 3, 2}, 1}, {[]float64{1, nan, 2, nan}, 1}, {[]float64{nan, 7, nan}, 0}, {[]float64{0, 0}, 0},
	} {
		var w worst
		for i, x := range c.list {
			w.see(x, visit{i: i})
		}
		if w.at.i != c.want || w.seen != len(c.list) || w.of != c.list[c.want] && !math.IsNaN(c.list[c.want]) {
			t.Errorf("of %v number %d is the worst, %+v", c.list, w.at.i, w)
		}
	}
	if got := gap([]float64{3, 4}, []float64{0, 0}); got != 1 {
		t.Errorf("(3, 4) is %v from 0", got)
	}
	if got, less := gap([]float64{1}, []float64{4}), gap([]float64{0}, []float64{1e-7}); got != 0.75 || math.Abs(less-0.1) > 1e-12 {
		t.Errorf("1 is %v from 4, and 0 %v from 1e-7", got, less)
	}
}

// Three entries of a vector are shown, and that there are more.
func TestVectorsAreCut(t *testing.T) {
	for want, x := range map[string][]float64{"()": nil, "(1)": {1}, "(1, 2.35, -3)": {1, 2.346, -3}, "(1, 2, 3, …)": {1, 2, 3, 4}} {
		if got := vector(x); got != want {
			t.Errorf("%v is shown as %s", x, got)
		}
	}
}

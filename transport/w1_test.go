package transport_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

const eps = 0x1p-53

// weights draws a probability vector whose entries spread over the given number of decades, some of them zero.
func weights(s *stream.Stream, n int, decades float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		if s.Intn(5) > 0 || i == 0 {
			x[i] = math.Pow(10, -decades*s.Float64())
		}
	}
	total := 0.0
	for _, v := range x {
		total += v
	}
	for i := range x {
		x[i] /= total
	}
	return x
}

func w1(t testing.TB, a, b []float64) float64 {
	t.Helper()
	d, err := transport.W1(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// exact is the formula of W1 in rational numbers, and the difference of the masses.
func exact(a, b []float64) (w, surplus float64) {
	normal := func(x []float64) (r []*big.Rat, total *big.Rat) {
		r, total = make([]*big.Rat, len(x)), new(big.Rat)
		for i, v := range x {
			r[i] = new(big.Rat).SetFloat64(v)
			total.Add(total, r[i])
		}
		for _, v := range r {
			v.Quo(v, total)
		}
		return r, total
	}
	below, area := new(big.Rat), new(big.Rat)
	ra, ma := normal(a)
	rb, mb := normal(b)
	for i := range ra {
		below.Add(below, ra[i]).Sub(below, rb[i])
		area.Add(area, new(big.Rat).Abs(below))
	}
	w, _ = area.Float64()
	surplus, _ = ma.Sub(ma, mb).Float64()
	return w, math.Abs(surplus)
}

// Source: rational arithmetic. The error is relative to the distance itself and n times the difference of the masses.
func TestW1AgainstRationals(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "w1", Text: "W₁ on the line against rationals, in ε(W + n·surplus)"})
	s := stream.New(1, "rationals")
	worst := 0.0
	for range 200 {
		n := 1 + s.Intn(150)
		a, b := weights(s, n, 20*s.Float64()), weights(s, n, 20*s.Float64())
		if s.Intn(2) == 0 { // nearly equal
			b = slices.Clone(a)
			b[s.Intn(n)] *= 1 + 1e-10*s.Float64()
		}
		if want, surplus := exact(a, b); want > 0 {
			worst = max(worst, math.Abs(w1(t, a, b)-want)/(eps*(want+float64(n)*surplus)))
		}
	}
	off.AtMost("", worst, 10)
}

// Moving a unit mass from i to j costs |i − j|.
func TestDirac(t *testing.T) {
	const n = 100
	for i := range n {
		for j := range n {
			a, b := make([]float64, n), make([]float64, n)
			a[i], b[j] = 1, 1
			if got := w1(t, a, b); got != math.Abs(float64(i-j)) {
				t.Fatalf("from %d to %d costs %v", i, j, got)
			}
		}
	}
}

// Two points: the heavier one sends its surplus over the whole distance.
func TestTwoPoints(t *testing.T) {
	a, b := []float64{0.75, 0, 0, 0.25}, []float64{0.125, 0, 0, 0.875}
	if got := w1(t, a, b); got != 3*0.625 {
		t.Error(got)
	}
}

func TestMetric(t *testing.T) {
	s := stream.New(1, "metric")
	worst := math.Inf(-1)
	for range 2000 {
		n := 1 + s.Intn(30)
		a, b, c := weights(s, n, 3), weights(s, n, 3), weights(s, n, 3)
		ab, ba := w1(t, a, b), w1(t, b, a)
		if math.Float64bits(ab) != math.Float64bits(ba) {
			t.Fatalf("W(a,b) = %v, W(b,a) = %v", ab, ba)
		}
		if d := w1(t, a, a); d != 0 {
			t.Fatalf("W(a,a) = %v", d)
		}
		if ab == 0 && !slices.Equal(a, b) {
			t.Fatalf("different weights at distance 0: %v, %v", a, b)
		}
		worst = max(worst, (w1(t, a, c)-ab-w1(t, b, c))/(float64(n)*eps*float64(n)))
	}
	if worst > 30 {
		t.Errorf("triangle inequality off by %.1f n eps D", worst)
	}
}

// What the tolerance lets pass as mass 1 ± 1e-9 is divided out.
func TestMassIsDividedOut(t *testing.T) {
	a := []float64{0.25, 0.25, 0.5}
	b := []float64{0.25 * (1 + 9e-10), 0.25 * (1 + 9e-10), 0.5 * (1 + 9e-10)}
	if got := w1(t, a, b); got > 4*eps {
		t.Errorf("the same proportions at distance %v", got)
	}
}

func TestW1Refuses(t *testing.T) {
	ok := []float64{0.5, 0.5}
	for _, x := range [][]float64{
		nil, {}, {1}, {0.5, 0.25, 0.25}, {0, 0}, {0.5, 0.5 + 2e-9}, {0.9, 0.1 + 1.5e-9}, {0.9, 0.1 - 1.5e-9}, {1.5, -0.5}, {1, -1e-10}, {1e308, 1e308},
		{math.NaN(), 0.5}, {math.Inf(1), 0}, {0.5, math.Inf(-1)}, {5e-324, 5e-324},
	} {
		if d, err := transport.W1(ok, x); !typed(err) || d != 0 {
			t.Errorf("W1(ok, %v) = %v, %v", x, d, err)
		}
		if d, err := transport.W1(x, ok); !typed(err) || d != 0 {
			t.Errorf("W1(%v, ok) = %v, %v", x, d, err)
		}
	}
	if _, err := transport.W1(nil, nil); !typed(err) {
		t.Error("no mass at all:", err)
	}
}

func typed(err error) bool {
	var dim *kedge.DimError
	var nan *kedge.NotFiniteError
	var rng *kedge.RangeError
	return errors.As(err, &dim) || errors.As(err, &nan) || errors.As(err, &rng)
}

func TestBothMistakesAreNamed(t *testing.T) {
	_, err := transport.W1([]float64{2, -1}, []float64{0.5, 0.25})
	const want = "a[0] is 2, want a weight between 0 and 1\nthe sum of b is 0.75, want 1 within 1e-9"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestW1LeavesItsArguments(t *testing.T) {
	a, b := []float64{0.5 + 1e-10, 0.5}, []float64{0.25, 0.75}
	w1(t, a, b)
	if !slices.Equal(a, []float64{0.5 + 1e-10, 0.5}) || !slices.Equal(b, []float64{0.25, 0.75}) {
		t.Error("arguments changed:", a, b)
	}
	if n := testing.AllocsPerRun(100, func() { w1(t, a, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkW1(b *testing.B) {
	s := stream.New(1, "benchmark")
	x, y := weights(s, 100, 3), weights(s, 100, 3)
	b.ReportAllocs()
	for b.Loop() {
		w1(b, x, y)
	}
}

func ExampleW1() {
	// A quarter of the mass moves two places up.
	d, err := transport.W1([]float64{0.5, 0.5, 0, 0}, []float64{0.5, 0.25, 0, 0.25})
	fmt.Println(d, err)
	// Output: 0.5 <nil>
}

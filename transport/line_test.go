package transport_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

func line(t testing.TB, x, a, y, b []float64) float64 {
	t.Helper()
	d, err := transport.Line(x, a, y, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// On the points 0 … n−1 it is W1, to a few roundings.
func TestLineIsW1(t *testing.T) {
	s := stream.New(1, "line")
	for range 500 {
		n := 1 + s.Intn(60)
		a, b, x := weights(s, n, 4), weights(s, n, 4), make([]float64, n)
		for i := range x {
			x[i] = float64(i)
		}
		if got, want := line(t, x, a, x, b), w1(t, a, b); math.Abs(got-want) > 20*eps*want {
			t.Fatalf("%v, W1 %v", got, want)
		}
	}
}

// Other orders, the other side first and powers of two change no bit; a point without weight changes roundings.
func TestLineToTheBit(t *testing.T) {
	s := stream.New(1, "bits")
	for k := range 500 {
		n, m, draw := 1+s.Intn(50), 1+s.Intn(50), cloud
		if k%2 == 0 {
			draw = grid
		}
		x, y, a, b := draw(s, n, 1), draw(s, m, 1), weights(s, n, 30), weights(s, m, 30)
		want := line(t, x, a, y, b)
		if got := line(t, y, b, x, a); got != want {
			t.Fatalf("swapped: %v, want %v", got, want)
		}
		if got := line(t, append(x, 0.5), append(a, 0), y, b); math.Abs(got-want) > 10*eps*want {
			t.Fatalf("with a point of no weight: %v, want %v", got, want)
		}
		slices.Reverse(x)
		slices.Reverse(a)
		if got := line(t, x, a, y, b); got != want {
			t.Fatalf("reversed: %v, want %v", got, want)
		}
		for _, z := range [][]float64{x, y} {
			for i := range z {
				z[i] *= 0x1p300
			}
		}
		if got := line(t, x, a, y, b); got != want*0x1p300 {
			t.Fatalf("scaled: %v, want %v", got, want*0x1p300)
		}
		if d := line(t, x, a, x, a); d != 0 {
			t.Fatalf("to itself: %v", d)
		}
	}
}

// Hundreds of weights at two places, in any order: no bit changes.
func TestLineOfManyTies(t *testing.T) {
	const n = 300
	s := stream.New(1, "ties")
	for range 200 {
		a, x, b, y := weights(s, n, 18), make([]float64, n), weights(s, n, 18), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(s.Intn(2)), float64(s.Intn(2))
		}
		want := line(t, x, a, y, b)
		for i := range x {
			j := i + s.Intn(n-i)
			x[i], x[j], a[i], a[j] = x[j], x[i], a[j], a[i]
		}
		if got := line(t, x, a, y, b); got != want {
			t.Fatalf("%v, in another order %v", want, got)
		}
	}
}

// Between N(0, 1) and N(1, 4) it is ∫₀¹ |1 + z(q)| dq = E|1 + Z| = 2φ(1) + 2Φ(1) − 1 [vallender1974], as the quantile functions are
// z and 1 + 2z. At n midpoints the sum misses tails of about the quantile at 1/(2n), which is below 4 here, over 1/(2n) each.
func TestLineBetweenGaussians(t *testing.T) {
	const n = 20_000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/n-1)
		x[i], y[i] = z, 1+2*z
	}
	want := 2*math.Exp(-0.5)/math.Sqrt(2*math.Pi) + math.Erf(1/math.Sqrt2)
	if got := line(t, x, nil, y, nil); math.Abs(got-want) > 4./n {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLineRefuses(t *testing.T) {
	ok := []float64{0.5, 0.5}
	for _, x := range [][]float64{nil, {}, {1}, {1, 2, 3}, {math.NaN(), 1}, {1, math.Inf(1)}, {-1.7e308, 1.7e308}} {
		_, errX := transport.Line(x, ok, []float64{-1.7e308, -1.7e308}, ok)
		_, errY := transport.Line([]float64{1.7e308, 1.7e308}, ok, x, ok)
		if !typed(errX) || !typed(errY) {
			t.Errorf("points %v: %v, %v", x, errX, errY)
		}
	}
	for _, a := range [][]float64{{}, {1}, {0.5, 0.6}, {1.5, -0.5}, {math.NaN(), 1}, {0, 0}} {
		if _, err := transport.Line(ok, a, ok, ok); !typed(err) {
			t.Errorf("weights %v: %v", a, err)
		}
	}
	_, err := transport.Line([]float64{0, math.NaN()}, nil, ok, []float64{2, -1})
	if want := "x[1] is NaN, want a finite number\nb[0] is 2, want a weight between 0 and 1"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestLineLeavesItsArguments(t *testing.T) {
	x, a, y, b := []float64{3, 1, 2}, []float64{0.5, 0.5 + 1e-10, 0}, []float64{2, 0}, []float64{0.25, 0.75}
	kept := [][]float64{slices.Clone(x), slices.Clone(a), slices.Clone(y), slices.Clone(b)}
	line(t, x, a, y, b)
	for k, v := range [][]float64{x, a, y, b} {
		if !slices.Equal(v, kept[k]) {
			t.Errorf("argument %d changed from %v to %v", k, kept[k], v)
		}
	}
}

func ExampleLine() {
	// Two of four equal points move: one from 0 to 2, one from 5 to 6.
	d, err := transport.Line([]float64{5, 0, 1, 3}, nil, []float64{1, 2, 3, 6}, nil)
	fmt.Println(d, err)
	// Output: 0.75 <nil>
}

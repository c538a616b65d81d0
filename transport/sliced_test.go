package transport_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

func sliced(t testing.TB, x, a, y, b []float64, dim, directions int) transport.Slices {
	t.Helper()
	s, err := transport.Sliced(x, a, y, b, dim, directions, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A translation by z moves a slice by |⟨θ, z⟩|, whose mean over the sphere of R³ is ‖z‖/2.
func TestSlicedTranslation(t *testing.T) {
	s := stream.New(1, "slices")
	x := cloud(s, 40, 3)
	y := slices.Clone(x)
	for i := range y {
		y[i] += []float64{2, -1, 2}[i%3]
	}
	got := sliced(t, x, nil, y, nil, 3, 2000)
	if math.Abs(got.Mean-1.5) > 4*got.Error || got.Error > 0.03 || got.Max > 3*(1+1e-14) || got.Max < 2.9 {
		t.Errorf("%+v, want 1.5 and at most 3", got)
	}
}

// On the line every direction is ±1 and every slice the distance itself.
func TestSlicedOnTheLine(t *testing.T) {
	s := stream.New(1, "one direction")
	x, y, a, b := cloud(s, 20, 1), cloud(s, 30, 1), weights(s, 20, 2), weights(s, 30, 2)
	got, want := sliced(t, x, a, y, b, 1, 7), line(t, x, a, y, b)
	if math.Abs(got.Mean-want) > 1e-14*want || got.Error > 1e-14*want {
		t.Errorf("%+v, want %v", got, want)
	}
}

// No slice is above the distance, at any scale; the same seed gives the same bits.
func TestSlicedIsBelowExact(t *testing.T) {
	s := stream.New(1, "below")
	for k := range 60 {
		n, m, dim := 1+s.Intn(20), 1+s.Intn(20), 1+s.Intn(4)
		x, y, a, b := cloud(s, n, dim), cloud(s, m, dim), weights(s, n, 2), weights(s, m, 2)
		for _, z := range [][]float64{x, y} {
			for i := range z {
				z[i] *= math.Pow(10, float64(5*k-150))
			}
		}
		got, want := sliced(t, x, a, y, b, dim, 50), plan(t, a, b, euclidean(t, x, y, dim)).Value
		if got.Max > want*(1+1e-14) || got.Mean > got.Max || !(got.Mean > 0) || math.IsInf(got.Error, 0) {
			t.Fatalf("%+v, W₁ = %v", got, want)
		}
		if again := sliced(t, x, a, y, b, dim, 50); again != got {
			t.Fatalf("%+v, again %+v", got, again)
		}
	}
}

func TestSlicedRefuses(t *testing.T) {
	ok := []float64{1, 2, 3, 4}
	for _, x := range [][]float64{nil, {1, 2, 3}, {math.NaN(), 1}} {
		if _, err := transport.Sliced(x, nil, ok, nil, 2, 3, 1); !typed(err) {
			t.Errorf("%v: %v", x, err)
		}
	}
	_, err1 := transport.Sliced(ok, nil, ok, nil, 0, 3, 1)
	_, err2 := transport.Sliced(ok, nil, ok, nil, 2, 0, 1)
	_, err3 := transport.Sliced(ok, []float64{1, 1}, ok, nil, 2, 3, 1)
	_, err4 := transport.Sliced([]float64{1.7e308, 1.7e308}, nil, []float64{-1.7e308, -1.7e308}, nil, 2, 9, 1)
	if !typed(err1) || !typed(err2) || !typed(err3) || !typed(err4) {
		t.Error(err1, err2, err3, err4)
	}
}

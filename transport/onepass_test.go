package transport_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// pair is a way to make two probability vectors.
type pair struct {
	name  string
	make  func(s *stream.Stream, n int) (a, b []float64)
	share float64 // how many of them take one pass, at least
}

func pairs() []pair {
	return []pair{
		{"choices", choices, 0.95},
		{"unequal masses", unequal, 0},
		{"one beginning", forked, 0},
		{"nearly the same", nearby, 0},
	}
}

// choices are proportions over items, as likely as exp(normal).
func choices(s *stream.Stream, n int) (a, b []float64) {
	draw := func() []float64 {
		x, total := make([]float64, n), 0.0
		for i := range x {
			x[i] = math.Exp(0.5 * s.Normal())
			total += x[i]
		}
		for i := range x {
			x[i] /= total
		}
		return x
	}
	return draw(), draw()
}

// unequal uses up the tolerance for masses.
func unequal(s *stream.Stream, n int) (a, b []float64) {
	a, b = weights(s, n, 4), weights(s, n, 4)
	for i, f := 0, 1+9e-10*(2*s.Float64()-1); i < n; i++ {
		b[i] *= f
	}
	return a, b
}

// forked begins with the same weights, so that the difference of the masses decides the signs there.
func forked(s *stream.Stream, n int) (a, b []float64) {
	a, b = choices(s, n)
	rest, want := 0.0, 1e-10*s.Float64()
	for i := range a {
		if i < n/2 {
			b[i] = a[i]
		} else {
			rest, want = rest+b[i], want+a[i]
		}
	}
	for i := n / 2; i < n; i++ {
		b[i] *= want / rest
	}
	return a, b
}

// nearby moves a part of one weight to another place, of weights that spread over many decades.
func nearby(s *stream.Stream, n int) (a, b []float64) {
	a = weights(s, n, 20*s.Float64())
	b = slices.Clone(a)
	from, to := s.Intn(n), s.Intn(n)
	moved := b[from] * math.Pow(10, -12*s.Float64())
	b[from] -= moved
	b[to] += moved
	return a, b
}

// Source: rational arithmetic, for both ways on their own.
func TestBothWaysAgainstRationals(t *testing.T) {
	const cases = 100
	for _, p := range pairs() {
		s := stream.New(1, "pairs", p.name)
		quick, worst, worstQuick := 0, 0.0, 0.0
		for range cases {
			n := 2 + s.Intn(120)
			a, b := p.make(s, n)
			want, surplus := exact(a, b)
			scale := eps * (want + float64(n)*surplus)
			slow, err := transport.Careful(a, b)
			if err != nil {
				t.Fatal(p.name, err)
			}
			worst = max(worst, math.Abs(slow-want)/max(scale, 5e-324))
			if w, ok := transport.OnePass(a, b); ok {
				quick++
				worstQuick = max(worstQuick, math.Abs(w-want)/max(scale, 5e-324))
			}
		}
		t.Logf("%s: careful %.2f, one pass %.2f eps (W + n·surplus), %d of %d in one pass", p.name, worst, worstQuick, quick, cases)
		if worst > 10 || worstQuick > 10 || float64(quick) < p.share*cases {
			t.Errorf("%s: want at most 10 eps (W + n·surplus), and %.0f %% in one pass", p.name, 100*p.share)
		}
	}
}

// What is no pair of probability vectors never passes, however harmless the rest of it.
func TestOnePassRefuses(t *testing.T) {
	s := stream.New(1, "refused")
	for range 1000 {
		a, b := choices(s, 20)
		i, j := s.Intn(10), 10+s.Intn(10)
		spoil := func(value float64) []float64 { x := slices.Clone(b); x[i] = value; return x }
		negative := spoil(-0.25)
		negative[j] += b[i] + 0.25
		for _, x := range [][]float64{
			nil, negative, spoil(b[i] + 2e-9), spoil(b[i] - 2e-9), spoil(1.5), spoil(math.NaN()), spoil(math.Inf(1)), spoil(math.Inf(-1)), spoil(1e308),
		} {
			if len(x) == len(a) {
				if _, ok := transport.OnePass(a, x); ok {
					t.Fatalf("accepts %v", x)
				}
				if _, ok := transport.OnePass(x, a); ok {
					t.Fatalf("accepts %v", x)
				}
			}
			if d, err := transport.W1(a, x); !typed(err) || d != 0 {
				t.Fatalf("W1 of %v is %v, %v", x, d, err)
			}
		}
	}
}

// BenchmarkChoices measures a hundred items, by both ways.
func BenchmarkChoices(b *testing.B) {
	s := stream.New(1, "benchmark")
	var x, y [1000][]float64
	for i := range x {
		x[i], y[i] = choices(s, 100)
	}
	for _, way := range []struct {
		name string
		w1   func(a, b []float64) (float64, error)
	}{{"W1", transport.W1}, {"careful", transport.Careful}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for k := 0; b.Loop(); k++ {
				if _, err := way.w1(x[k%1000], y[k%1000]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// W1Both gives the bits of two calls of W1, by whichever way each of them goes, and both errors.
func TestW1BothIsW1Twice(t *testing.T) {
	s := stream.New(1, "both")
	for range 300 {
		n := 1 + s.Intn(120)
		a, b := pairs()[s.Intn(4)].make(s, max(n, 2))
		_, c := choices(s, len(a))
		toB, toC, err := transport.W1Both(a, b, c)
		if err != nil || toB != w1(t, a, b) || toC != w1(t, a, c) {
			t.Fatalf("%v and %v (%v), want %v and %v", toB, toC, err, w1(t, a, b), w1(t, a, c))
		}
	}
	a := []float64{0.5, 0.5}
	for _, x := range [][]float64{nil, {1}, {0.5, 0.4}, {math.NaN(), 1}} {
		_, _, errB := transport.W1Both(a, x, a)
		if _, _, errC := transport.W1Both(a, a, x); !typed(errB) || !typed(errC) {
			t.Errorf("%v: %v and %v", x, errB, errC)
		}
	}
}

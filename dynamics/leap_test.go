package dynamics

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
)

// people are those of a test, p⁺ = f(p, u, d) with slopes.
type people struct {
	next  func(p, u, d []float64) []float64
	slope func(p, u, d []float64) []float64 // row-major
	steps *int
}

func (f people) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 2, Trait: 1} }

func (f people) Next(dst, p, u, d []float64) {
	*f.steps++
	copy(dst, f.next(p, u, d))
}

func (f people) NextRows(dst, p, u, d []float64) {
	for i := range len(p) / 2 {
		f.Next(dst[2*i:2*i+2], p[2*i:2*i+2], u, d[i:i+1])
	}
}

func (f people) Pullback(gp, _, p, u, d, v []float64) {
	j := f.slope(p, u, d)
	gp[0] += j[0]*v[0] + j[2]*v[1]
	gp[1] += j[1]*v[0] + j[3]*v[1]
}

// readers leave by how tired they are: s⁺ = (1 − 0.02exp(d·x))s + join, x⁺ = 0.9x + 0.1u. They settle at x = u and s = join/(0.02exp(d·u)).
func readers(join float64, steps *int) people {
	return people{
		next: func(p, u, d []float64) []float64 {
			return []float64{(1-0.02*math.Exp(d[0]*p[1]))*p[0] + join, 0.9*p[1] + 0.1*u[0]}
		},
		slope: func(p, u, d []float64) []float64 {
			quit := 0.02 * math.Exp(d[0]*p[1])
			return []float64{1 - quit, -d[0] * quit * p[0], 0, 0.9}
		},
		steps: steps,
	}
}

func TestSlowPeopleLeap(t *testing.T) {
	for _, join := range []float64{0.02, 0} {
		steps := 0
		s := NewWalked(readers(join, &steps))
		for _, u := range []float64{0, 0.5, 1.3, 4, 7} {
			for _, d := range []float64{0.1, 0.3, 0.5} {
				steps = 0
				h := []float64{1, 0}
				r, err := s.SettleFrom(h, []float64{u}, []float64{d})
				want := join / (0.02 * math.Exp(d*u))
				if err != nil || math.Abs(h[0]-want) > 2e-11 || math.Abs(h[1]-u) > 1e-11 || r.Norm > 1e-13 {
					t.Errorf("join %v, u = %v, d = %v: %v, %v, %v, want %v, %v", join, u, d, h, r, err, want, u)
				}
				if steps > 700 {
					t.Errorf("join %v, u = %v, d = %v: %d steps", join, u, d, steps)
				}
			}
		}
	}
}

// Newton's method finds points that repel, and others than the one that is walked to: 1 repels, 0 and 3 attract; from 1 + 10⁻⁹ people go
// far away, slowly at first. And a drift without end has no point at all.
func TestLeapsLeadNowhereElse(t *testing.T) {
	steps := 0
	repels := people{
		next: func(p, _, _ []float64) []float64 {
			return []float64{p[0] + 1e-3*p[0]*(p[0]-1)*(3-p[0]), 0}
		},
		slope: func(p, _, _ []float64) []float64 {
			return []float64{1 + 1e-3*(-3*p[0]*p[0]+8*p[0]-3), 0, 0, 0}
		},
		steps: &steps,
	}
	for start, want := range map[float64]float64{1 + 1e-9: 3, 1 - 1e-9: 0, 0.9: 0, 1.1: 3, 2: 3} {
		h := []float64{start, 0}
		_, err := NewWalked(repels).SettleFrom(h, []float64{0}, []float64{0})
		if err == nil && math.Abs(h[0]-want) > 1e-9 {
			t.Errorf("from %v people go to %v, want %v or an error", start, h[0], want)
		}
		if far := math.Abs(start - 1); far > 1e-3 && err != nil {
			t.Errorf("from %v: %v", start, err)
		}
	}
	// 0 and 2π attract, very slowly, and π parts them. From 1.78 Newton's method leads to 2π, and people go to 0.
	parted := people{
		next: func(p, _, _ []float64) []float64 {
			return []float64{p[0] - 1e-5*math.Sin(p[0]), 0}
		},
		slope: func(p, _, _ []float64) []float64 {
			return []float64{1 - 1e-5*math.Cos(p[0]), 0, 0, 0}
		},
		steps: &steps,
	}
	h := []float64{1.78, 0}
	if _, err := NewWalked(parted).SettleFrom(h, []float64{0}, []float64{0}); err == nil && math.Abs(h[0]) > 1e-6 {
		t.Errorf("from 1.78 people go to %v, want 0 or an error", h[0])
	}
	drift := people{
		next:  func(p, _, _ []float64) []float64 { return []float64{p[0] + 1e-3, 0} },
		slope: func(_, _, _ []float64) []float64 { return []float64{1, 0, 0, 0} },
		steps: &steps,
	}
	var none *kedge.NotConvergedError
	if _, err := NewWalked(drift).SettleFrom([]float64{0, 0}, []float64{0}, []float64{0}); !errors.As(err, &none) {
		t.Errorf("a drift comes to rest: %v", err)
	}
}

// Who is slow leaps at the first glance, after 128 steps, and takes no heed of those who came to rest before and left: states have the bits of people who are alone.
func TestPeopleLeapOnTheirOwn(t *testing.T) {
	steps := 0
	s, u := NewWalked(readers(0, &steps)), []float64{4}
	var d, block []float64
	for i := range 97 {
		k := float64(i*31%97) / 97 // in no order
		d = append(d, 0.85*k*k)    // leave at 0.02 … 0.57 a step
		block = append(block, 1, 4)
	}
	if _, err := s.SettleFrom(block, u, d); err != nil {
		t.Fatal(err)
	}
	slow := 0
	for i := range d {
		h := []float64{1, 4}
		r, err := s.SettleFrom(h, u, d[i:i+1])
		if err != nil || h[0] != block[2*i] || h[1] != block[2*i+1] {
			t.Errorf("d = %v: %v (%v) alone, %v among others", d[i], h, err, block[2*i:2*i+2])
		}
		if quit := 0.02 * math.Exp(4*d[i]); quit < 0.0215 { // 0.9785ᵏ falls to 10⁻¹³ in 1400 steps
			if slow++; r.Steps > glance+mostLeaps {
				t.Errorf("d = %v walks for %d steps", d[i], r.Steps)
			}
		}
	}
	if slow < 5 {
		t.Errorf("%d are slow", slow)
	}
}

// By hand: people who draw near by a slow linear map are where it leads after one leap, with states of two entries that turn about each other: the leap solves all equations at once.
func TestLeapsSolveAllEquations(t *testing.T) {
	steps := 0
	a := []float64{0.99, 0.004, -0.006, 0.985}
	f := people{
		next: func(p, u, d []float64) []float64 {
			x, y := p[0]-d[0], p[1]-u[0]
			return []float64{d[0] + a[0]*x + a[1]*y, u[0] + a[2]*x + a[3]*y}
		},
		slope: func(_, _, _ []float64) []float64 { return a },
		steps: &steps,
	}
	h := []float64{3, -4}
	r, err := NewWalked(f).SettleFrom(h, []float64{0.5}, []float64{2})
	if err != nil || math.Abs(h[0]-2) > 1e-10 || math.Abs(h[1]-0.5) > 1e-10 || r.Steps < glance-1 || r.Steps > glance+3 {
		t.Errorf("%v, %+v, %v after %d looks", h, r, err, steps)
	}
}

// A leap ends where rounding begins: in numbers of the size of thousands one of a linear map comes near by its first step, another mends that, and a third is no better.
func TestLeapsEndInRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 50 {
		x, y, turn := 0.98+0.015*rng.Float64(), 0.98+0.015*rng.Float64(), 0.005*rng.Float64()
		to, far := 1000*(1+rng.Float64()), 1000*(1+rng.Float64())
		steps := 0
		f := people{ // rests at (to, far)
			next: func(p, u, d []float64) []float64 {
				return []float64{x*p[0] + turn*p[1] + ((1-x)*d[0] - turn*u[0]), y*p[1] - turn*p[0] + ((1-y)*u[0] + turn*d[0])}
			},
			slope: func(_, _, _ []float64) []float64 { return []float64{x, turn, -turn, y} },
			steps: &steps,
		}
		h := []float64{to + 100, far - 300}
		r, err := NewWalked(f).SettleFrom(h, []float64{far}, []float64{to})
		if err != nil || math.Abs(h[0]-to) > 1e-8 || math.Abs(h[1]-far) > 1e-8 || r.Steps < glance-1 || r.Steps > glance+3 {
			t.Errorf("%v, %+v, %v, want %v, %v", h, r, err, to, far)
		}
	}
}

// A leap goes on while every step leaves less than half: with slopes that are a little off far from rest at 0, and lead six tenths of the way from near it, thirteen steps come from 10⁻¹¹ to what
// rounding leaves.
func TestLeapsGoOnWhileTheyGain(t *testing.T) {
	const c = 0.002
	steps := 0
	f := people{
		next: func(p, _, _ []float64) []float64 { return []float64{p[0] - c*p[0], 0} },
		slope: func(p, _, _ []float64) []float64 {
			if p[0] > 1e-7 {
				return []float64{1 - c*(1+1e-8), 0, 0, 0}
			}
			return []float64{1 - c/0.6, 0, 0, 0}
		},
		steps: &steps,
	}
	h := []float64{1, 0}
	r, err := NewWalked(f).SettleFrom(h, []float64{0}, []float64{0})
	if err != nil || !(math.Abs(h[0]) <= unit/c) || !(r.Norm <= unit) || r.Steps < glance+10 || r.Steps > glance+15 {
		t.Errorf("%v, %+v, %v", h, r, err)
	}
}

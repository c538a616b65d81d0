package dynamics_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
)

// A complexMap evaluates dynamics at complex p and u. A step of 10⁻¹⁰⁰ along the imaginary axis then gives derivatives
// without cancellation: Im f(x + ih)/h [squire1998].
type complexMap func(p, u []complex128, d []float64) []complex128

func polarizedComplex(f dynamics.Polarized) complexMap {
	return func(p, u []complex128, d []float64) []complex128 {
		var a, square complex128
		for i := range p {
			a += p[i] * u[i]
		}
		out := make([]complex128, len(p))
		for i := range p {
			out[i] = complex(f.Lambda, 0)*p[i] + complex((1-f.Lambda)*d[i], 0) + complex(f.Sigma, 0)*a*u[i]
			square += out[i] * out[i]
		}
		c := cmplx.Sqrt(square)
		for i := range out {
			out[i] /= c
		}
		return append(out, c)
	}
}

func choiceComplex(f dynamics.Choice) complexMap {
	return func(p, u []complex128, d []float64) []complex128 {
		z := make([]complex128, len(u))
		var sum complex128
		for i := range u {
			z[i] = cmplx.Exp(complex(-f.Epsilon, 0) * (u[i] - complex(real(u[0]), 0)))
			sum += z[i]
		}
		out := make([]complex128, len(p))
		for i := range p {
			out[i] = complex(f.Lambda1, 0)*p[i] + complex(f.Lambda2, 0)*z[i]/sum + complex((1-f.Lambda1-f.Lambda2)*d[i], 0)
		}
		return out
	}
}

func toComplex(x []float64) []complex128 {
	z := make([]complex128, len(x))
	for i, v := range x {
		z[i] = complex(v, 0)
	}
	return z
}

// complexPull returns (∂f/∂p)ᵀv and (∂f/∂u)ᵀv by complex steps.
func complexPull(f complexMap, p, u, d, v []float64) (gp, gu []float64) {
	const h = 1e-100
	slope := func(p, u []complex128) float64 {
		sum := 0.0
		for i, y := range f(p, u, d)[:len(v)] {
			sum += imag(y) / h * v[i]
		}
		return sum
	}
	zp, zu := toComplex(p), toComplex(u)
	for j := range zp {
		zp[j] += complex(0, h)
		gp = append(gp, slope(zp, zu))
		zp[j] = complex(p[j], 0)
	}
	for j := range zu {
		zu[j] += complex(0, h)
		gu = append(gu, slope(zp, zu))
		zu[j] = complex(u[j], 0)
	}
	return gp, gu
}

// pullsAgree compares Pullback with complex steps, to rounding of numbers of the given size. It must add to what the destinations hold, and skip a nil one.
func pullsAgree(t *testing.T, f kedge.Smooth, by complexMap, size float64, p, u, d, v []float64) {
	t.Helper()
	wantP, wantU := complexPull(by, p[:len(d)], u, d, v)
	for len(wantP) < len(p) {
		wantP = append(wantP, 0) // the remembered norm moves nothing
	}
	gp, gu := make([]float64, len(p)), make([]float64, len(u))
	f.Pullback(gp, gu, p, u, d, v)
	tolerance := 16 * unit * float64(len(p)) * size
	near(t, "gp", gp, wantP, tolerance)
	near(t, "gu", gu, wantU, tolerance)
	again := append([]float64(nil), gp...)
	f.Pullback(again, nil, p, u, d, v)
	near(t, "gp, added", again, scaled(gp, 2), 0)
	again = append(again[:0], gu...)
	f.Pullback(nil, again, p, u, d, v)
	near(t, "gu, added", again, scaled(gu, 2), 0)
}

// pullSize bounds the terms of Polarized's Pullback for a unit v: (‖∂p̃/∂p‖ + ‖∂p̃/∂u‖)/c, times the part of p̃ that cancels.
func pullSize(f dynamics.Polarized, p, u, d []float64) float64 {
	c, norm := f.Stretch(p, u, d), rows.Norm(u)
	return (f.Lambda + f.Sigma*norm*(2+norm)) / c * (1 + f.Sigma*norm*norm) / c
}

func TestPolarizedPullback(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 200 {
		m := 1 + rng.IntN(8)
		f := dynamics.Polarized{Dim: m, Lambda: rng.Float64(), Sigma: 2 * rng.Float64()}
		u, d, p := normals(rng, m), direction(rng, m), direction(rng, m)
		size := pullSize(f, p, u, d)
		pullsAgree(t, f, polarizedComplex(f), size, p, u, d, direction(rng, m))
		pullsAgree(t, dynamics.PolarizedNorm{Polarized: f}, polarizedComplex(f), size, append(p, 0.7), u, d, direction(rng, m+1))
	}
	e1, e2, zero := []float64{1, 0}, []float64{0, 1}, []float64{0, 0}
	for _, c := range []struct{ p, u, d []float64 }{
		{e1, zero, e1}, {e1, e1, e1}, {e1, e2, e1}, {e1, e2, e2}, {e1, []float64{1e-3, 1e3}, e2}, {e1, []float64{-1e-60, 0}, e2},
	} {
		for _, lambda := range []float64{0, 0.4, 1} {
			f := dynamics.Polarized{Dim: 2, Lambda: lambda, Sigma: 0.5}
			if f.Stretch(c.p, c.u, c.d) > 0 {
				pullsAgree(t, f, polarizedComplex(f), pullSize(f, c.p, c.u, c.d), c.p, c.u, c.d, []float64{0.6, -0.8})
			}
		}
	}
}

func TestChoicePullback(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 200 {
		m := 1 + rng.IntN(8)
		l := probability(rng, 3)
		f := dynamics.Choice{Dim: m, Lambda1: l[0], Lambda2: l[1], Epsilon: 3 * rng.Float64()}
		pullsAgree(t, f, choiceComplex(f), 4, probability(rng, m), normals(rng, m), probability(rng, m), direction(rng, m))
	}
	f := dynamics.Choice{Dim: 3, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 1}
	p, v := []float64{0.2, 0.3, 0.5}, []float64{1, -2, 3}
	for _, u := range [][]float64{{0, 0, 0}, {700, 0, -7}, {1e6, 1e6 + 1, 1e6 - 1}, {1e308, -1e308, 0}} {
		gp, gu := make([]float64, 3), make([]float64, 3)
		f.Pullback(gp, gu, p, u, p, v)
		if s := gu[0] + gu[1] + gu[2]; math.Abs(s) > 8*unit { // raising all prices changes nothing
			t.Errorf("u = %v: gu = %v sums to %g", u, gu, s)
		}
	}
}

func TestAffinePullback(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	n := kedge.Dims{Decision: 3, State: 4, Trait: 2}
	a, b, e := normals(rng, 16), normals(rng, 12), normals(rng, 8)
	f, err := dynamics.NewAffine(n, a, b, e)
	if err != nil {
		t.Fatal(err)
	}
	gp, gu := make([]float64, 4), make([]float64, 3)
	p, u, d := make([]float64, 4), make([]float64, 3), make([]float64, 2)
	for i := range 4 { // against each row of A and B
		v := make([]float64, 4)
		v[i] = 1
		clear(gp)
		clear(gu)
		f.Pullback(gp, gu, p, u, d, v)
		near(t, "row of A", gp, a[4*i:4*i+4], 0)
		near(t, "row of B", gu, b[3*i:3*i+3], 0)
	}
	f.Pullback(nil, nil, p, u, d, make([]float64, 4))
}

// Differences against the closed form of the same map; 1e-9 is what Func promises for derivatives of order 1.
func TestFuncPullback(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 50 {
		m := 1 + rng.IntN(5)
		f := dynamics.Polarized{Dim: m, Lambda: 0.8 * rng.Float64(), Sigma: 0.2}
		g := dynamics.Func{Size: f.Dims(), F: f.Next}
		d := direction(rng, m)
		p, u, v := d, direction(rng, m), direction(rng, m)
		gp, gu, wantP, wantU := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
		f.Pullback(wantP, wantU, p, u, d, v)
		g.Pullback(gp, gu, p, u, d, v)
		near(t, "gp by differences", gp, wantP, 1e-9)
		near(t, "gu by differences", gu, wantU, 1e-9)
		g.Pull = f.Pullback
		clear(gp)
		g.Pullback(gp, nil, p, u, d, v)
		near(t, "gp by Pull", gp, wantP, 0)
	}
	cube := dynamics.Func{Size: kedge.Dims{Decision: 1, State: 1}, F: func(dst, p, u, _ []float64) { dst[0] = p[0] * p[0] * p[0] * u[0] }}
	gp := make([]float64, 1)
	cube.Pullback(gp, nil, []float64{1e6}, []float64{1}, nil, []float64{1})
	if math.Abs(gp[0]/3e12-1) > 1e-9 {
		t.Errorf("d(p³) = %g at 10⁶", gp[0])
	}
}

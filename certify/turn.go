package certify

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/sensitivity"
)

// polarizedTurn searches for M_h^d of polarized dynamics, the largest rate at which ∇ᵤh turns with the trait. By symmetry four
// dimensions show all there is: u along the first axis, d in the plane of the first two, and a change of d within that plane
// or out of it. No closed form is known.
func polarizedTurn(f dynamics.Polarized, r float64) float64 {
	if r == 0 || f.Sigma == 0 {
		return 0
	}
	f.Dim = 4
	most := 0.0
	for _, part := range []float64{0.25, 0.5, 0.75, 1} {
		rate := func(angle float64) float64 { return turnRate(f, part*r, angle) }
		most = max(most, largest(rate, 0, math.Pi/2, 96))
	}
	return most
}

// turnRate returns the norm of the derivative of ∇ᵤh by d, at a d of unit length and the given angle from u.
func turnRate(f dynamics.Polarized, length, angle float64) float64 {
	sin, cos := math.Sincos(angle)
	d := []float64{cos, sin, 0, 0}
	within := turnAlong(f, length, d, []float64{-sin, cos, 0, 0})
	across := turnAlong(f, length, d, []float64{0, 0, 1, 0})
	mixed := func(phi float64) float64 {
		s, c := math.Sincos(phi)
		m := make([]float64, len(within))
		for i := range m {
			m[i] = float64(c*within[i]) + float64(s*across[i])
		}
		return dense.Norm(m, f.Dim, f.Dim)
	}
	return largest(mixed, 0, math.Pi/2, 4)
}

// turnAlong returns the derivative of ∇ᵤh as d moves on the sphere in the direction of the unit vector t.
func turnAlong(f dynamics.Polarized, length float64, d, t []float64) []float64 {
	const step = 0x1p-16
	ahead, behind := responseAt(f, length, d, t, step), responseAt(f, length, d, t, -step)
	for i := range ahead {
		ahead[i] = (ahead[i] - behind[i]) / (2 * step)
	}
	return ahead
}

// responseAt returns the rows of ∇ᵤh at the trait that lies an arc away from d towards t, NaN where there is none.
func responseAt(f dynamics.Polarized, length float64, d, t []float64, arc float64) []float64 {
	n := f.Dim
	sin, cos := math.Sincos(arc)
	trait, u, h := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range trait {
		trait[i] = float64(cos*d[i]) + float64(sin*t[i])
	}
	u[0] = length
	_, err := f.Settle(h, u, trait)
	s := &sensitivity.Polarized{Dim: n, Lambda: f.Lambda, Sigma: f.Sigma, Floor: math.SmallestNonzeroFloat64}
	out, v := make([]float64, n*n), make([]float64, n)
	for j := range n {
		clear(v)
		v[j] = 1
		if e := s.PullRows(kedge.Row(out, j, n), h, u, trait, v); err != nil || e != nil {
			out[j] = math.NaN()
		}
	}
	return out
}

// largest returns the largest value of f between two numbers that a grid finds, made finer around the best by thirds.
func largest(f func(float64) float64, lo, hi float64, grid int) float64 {
	best, at := math.Inf(-1), lo
	width := (hi - lo) / float64(grid)
	for i := range grid + 1 {
		x := lo + float64(float64(i)*width)
		if y := f(x); y > best {
			best, at = y, x
		}
	}
	lo, hi = max(lo, at-width), min(hi, at+width)
	for range 24 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		ya, yb := f(a), f(b)
		best = max(best, ya, yb)
		if ya < yb {
			lo = a
		} else {
			hi = b
		}
	}
	return best
}

package certify

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
)

// polarizedTurn searches for M_h^d of polarized dynamics, the largest rate at which ∇ᵤh turns with the trait. By symmetry four
// dimensions show all there is: u along the first axis, d in the plane of the first two, and a change of d within that plane
// or out of it. No closed form is known.
func polarizedTurn(f dynamics.Polarized, r float64) float64 {
	if r == 0 || f.Sigma == 0 {
		return 0
	}
	return atWorst(f, turnRate, 0.25*r, 0.5*r, 0.75*r, r)
}

// atWorst returns the largest rate found over the angle of d and u in four dimensions, for some lengths of u.
func atWorst(f dynamics.Polarized, rate func(f dynamics.Polarized, length, angle float64) float64, lengths ...float64) float64 {
	f.Dim = 4
	most := 0.0
	for _, length := range lengths {
		most = max(most, largest(func(angle float64) float64 { return rate(f, length, angle) }, 0, math.Pi/2, 96))
	}
	return most
}

// turnRate returns the norm of the derivative of ∇ᵤh by d, at a d of unit length and the given angle from u.
func turnRate(f dynamics.Polarized, length, angle float64) float64 {
	sin, cos := portable.Sincos(angle)
	d := []float64{cos, sin, 0, 0}
	within := turnAlong(f, length, d, []float64{-sin, cos, 0, 0})
	across := turnAlong(f, length, d, []float64{0, 0, 1, 0})
	mixed := func(phi float64) float64 { return dense.Norm(turned(within, across, phi), f.Dim, f.Dim) }
	return largest(mixed, 0, math.Pi/2, 4)
}

// turnAlong returns the derivative of ∇ᵤh as d moves on the sphere in the direction of the unit vector t.
func turnAlong(f dynamics.Polarized, length float64, d, t []float64) []float64 {
	return quotient(0x1p-16, func(arc float64) []float64 { return responseAt(f, length, turned(d, t, arc)) })
}

// turned returns x cos φ + y sin φ, which for orthogonal unit vectors lies an arc φ away from x towards y.
func turned(x, y []float64, phi float64) []float64 {
	sin, cos := portable.Sincos(phi)
	z := make([]float64, len(x))
	for i := range z {
		z[i] = float64(cos*x[i]) + float64(sin*y[i])
	}
	return z
}

// quotient returns the derivative of f at 0 by central differences.
func quotient(step float64, f func(t float64) []float64) []float64 {
	ahead, behind := f(step), f(-step)
	for i := range ahead {
		ahead[i] = (ahead[i] - behind[i]) / (2 * step)
	}
	return ahead
}

// jacobian returns the n×m matrix of the quotients of m functions, each a column.
func jacobian(n, m int, column func(j int) []float64) []float64 {
	out := make([]float64, n*m)
	for j := range m {
		for i, v := range column(j) {
			out[i*m+j] = v
		}
	}
	return out
}

// sensitivityOf returns ∇ᵤh of polarized dynamics wherever it has a number.
func sensitivityOf(f dynamics.Polarized) *sensitivity.Polarized {
	return &sensitivity.Polarized{Dim: f.Dim, Lambda: f.Lambda, Sigma: f.Sigma, Floor: math.SmallestNonzeroFloat64}
}

// responseAt returns the rows of ∇ᵤh at a trait, NaN where there is none.
func responseAt(f dynamics.Polarized, length float64, trait []float64) []float64 {
	n := f.Dim
	u, h := make([]float64, n), make([]float64, n)
	u[0] = length
	_, err := f.Settle(h, u, trait)
	s := sensitivityOf(f)
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

func minus(x, y []float64) []float64 {
	z := append([]float64(nil), x...)
	rows.AddScaled(z, -1, y)
	return z
}

// between returns the point of a segment, or its first end when there is no other.
func between(a, b []float64, share float64) []float64 {
	u := append([]float64(nil), a...)
	if b != nil {
		rows.Scale(u, 1-share)
		rows.AddScaled(u, share, b)
	}
	return u
}

package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// ConvexCurve is a convex function of a decision that has two derivatives, finite between the bounds of the sets that it bounds.
type ConvexCurve interface {
	// Expand returns the value at u and writes the gradient to g and the Hessian to h, n×n and row-major.
	Expand(g, h, u []float64) float64
}

// Convex is {u : c(u) ≤ 0 for all Curves, within Bounds}. Inside is a decision within the bounds at which all curves are below 0: Inner finds one.
//
// The nearest point is found by a primal–dual interior-point method [boyd2004] that never leaves the set, so that no curve is above 0 at the
// result. It misses the nearest point by about 10⁻¹⁰ of its distance from Inside. Curves whose slopes jump may stop it before that, with a *kedge.NotConvergedError.
// Curves must be safe for concurrent use if the set is to be.
type Convex struct {
	Bounds Box
	Curves []ConvexCurve
	Inside []float64
}

var _ kedge.Set = Convex{}

// Check tells whether the bounds have n entries and Inside is inside.
func (c Convex) Check(n int) error {
	if err := errors.Join(c.Bounds.Check(n), kedge.CheckVector("Inside", c.Inside, n)); err != nil {
		return err
	}
	for i, v := range c.Inside {
		if lower, upper := c.Bounds.bounds(i); !(v > lower && v < upper) {
			return &kedge.RangeError{Arg: fmt.Sprintf("Inside[%d]", i), Got: v, Want: fmt.Sprintf("a number above %v and below %v", lower, upper)}
		}
	}
	g, h := make([]float64, n), make([]float64, n*n)
	for j, curve := range c.Curves {
		if v := curve.Expand(g, h, c.Inside); !(v < 0) {
			return &kedge.RangeError{Arg: fmt.Sprintf("curve %d at Inside", j), Got: v, Want: "a number below 0"}
		}
	}
	return nil
}

// Project moves u to the nearest point of the set.
func (c Convex) Project(u []float64) error {
	if err := errors.Join(c.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	p := newInterior(c, u)
	if p.holds(u) {
		return nil
	}
	if err := p.run(); err != nil {
		return err
	}
	copy(u, p.x)
	return nil
}

// interior is one run of the method: min ½‖x − y‖² such that all parts, curves and bounds, are at most 0.
type interior struct {
	c             Convex
	y, x          []float64
	next, move, g []float64
	values, trial []float64   // of the parts at x, and at next
	slopes        []float64   // of the parts at x, one a row
	bends         [][]float64 // of the curves at x
	prices, turn  []float64   // multipliers of the parts, and how they change
	h             []float64
	size          float64 // ‖y − Inside‖
}

func newInterior(c Convex, u []float64) *interior {
	n := len(u)
	m := len(c.Curves) + 2*n
	v := func(k int) []float64 { return make([]float64, k) }
	p := &interior{
		c: c, y: append(v(0), u...), x: append(v(0), c.Inside...), next: v(n), move: v(n), g: v(n), values: v(m), trial: v(m), slopes: v(m * n),
		prices: v(m), turn: v(m), h: v(n * n), size: rows.Distance(u, c.Inside),
	}
	for range c.Curves {
		p.bends = append(p.bends, v(n*n))
	}
	return p
}

// expand writes the values of all parts at x to values and, unless slopes is nil, their slopes. A bound that is not there is −∞.
func (p *interior) expand(values, slopes, x []float64) {
	n, k := len(x), len(p.c.Curves)
	for j, curve := range p.c.Curves {
		g, h := p.g, p.h
		if slopes != nil {
			g, h = kedge.Row(slopes, j, n), p.bends[j]
		}
		values[j] = curve.Expand(g, h, x)
	}
	for i, v := range x {
		lower, upper := p.c.Bounds.bounds(i)
		values[k+2*i], values[k+2*i+1] = lower-v, v-upper
		if slopes != nil {
			kedge.Row(slopes, k+2*i, n)[i], kedge.Row(slopes, k+2*i+1, n)[i] = -1, 1
		}
	}
}

// holds tells whether all parts are at most 0 at x.
func (p *interior) holds(x []float64) bool {
	p.expand(p.trial, nil, x)
	for _, v := range p.trial {
		if !(v <= 0) {
			return false
		}
	}
	return true
}

const (
	interiorSteps = 200
	interiorGap   = 1e-24 // of the squared distance: what the nearest point may still be nearer
	interiorRest  = 1e-9  // of the distance: what the slopes may leave
)

// run moves x to the nearest point.
func (p *interior) run() error {
	p.expand(p.values, p.slopes, p.x)
	parts := 0
	for j, v := range p.values {
		if v > math.Inf(-1) {
			parts++
			p.prices[j] = p.size * p.size / -v
		}
	}
	for j := range p.prices {
		p.prices[j] /= float64(parts)
	}
	steps := 0
	for ; steps < interiorSteps; steps++ {
		gap := 0.0
		for j, v := range p.values {
			if p.prices[j] > 0 {
				gap -= float64(p.prices[j] * v)
			}
		}
		if rest := p.rest(p.values, p.prices); gap <= interiorGap*p.size*p.size && rest <= interiorRest*p.size {
			return nil
		}
		if !p.step(gap / float64(parts) / 10) {
			break
		}
	}
	if rest := p.rest(p.values, p.prices); rest > interiorRest*p.size {
		return &kedge.NotConvergedError{What: "the nearest point of a convex set", Residual: rest, Tolerance: interiorRest * p.size, Steps: steps}
	}
	return nil
}

// rest is the length of x − y + Σ prices·slopes, with the slopes at x.
func (p *interior) rest(values, prices []float64) float64 {
	n := len(p.x)
	for i, v := range p.x {
		p.g[i] = v - p.y[i]
	}
	for j := range values {
		if prices[j] > 0 {
			rows.AddScaled(p.g, prices[j], kedge.Row(p.slopes, j, n))
		}
	}
	return rows.Norm(p.g)
}

// step takes one step of Newton's method towards prices·values = −share, and tells whether it came anywhere.
func (p *interior) step(share float64) bool {
	n := len(p.x)
	clear(p.h)
	for i := range n {
		p.h[i*n+i], p.move[i] = 1, p.y[i]-p.x[i]
	}
	for j, v := range p.values {
		if !(p.prices[j] > 0) {
			continue
		}
		slope := kedge.Row(p.slopes, j, n)
		if j < len(p.bends) {
			rows.AddScaled(p.h, p.prices[j], p.bends[j])
		}
		for i, s := range slope {
			rows.AddScaled(kedge.Row(p.h, i, n), float64(p.prices[j]/-v*s), slope)
		}
		rows.AddScaled(p.move, share/v, slope)
	}
	if at, _ := dense.Cholesky(p.h, n, 0); at < n {
		return false
	}
	dense.SolveCholesky(p.h, p.move, n)
	long := 1.0
	for j, v := range p.values {
		p.turn[j] = 0
		if p.prices[j] > 0 {
			p.turn[j] = share/-v - p.prices[j] + float64(p.prices[j]/-v*rows.Dot(kedge.Row(p.slopes, j, n), p.move))
			if p.turn[j] < 0 {
				long = min(long, 0.99*p.prices[j]/-p.turn[j])
			}
		}
	}
	return p.advance(long)
}

// advance goes along the step, as far as that stays inside.
func (p *interior) advance(long float64) bool {
	for ; long > 1e-14; long /= 2 {
		copy(p.next, p.x)
		rows.AddScaled(p.next, long, p.move)
		p.expand(p.trial, nil, p.next)
		inside := true
		for j, v := range p.trial {
			inside = inside && (v < 0 || !(p.prices[j] > 0))
		}
		if inside {
			copy(p.x, p.next)
			rows.AddScaled(p.prices, long, p.turn)
			p.expand(p.values, p.slopes, p.x)
			return true
		}
	}
	return false
}

// Inner finds a decision at which curves are below 0 and bounds are kept, strictly: where their largest value is least, or on the way there from a start within
// the bounds. The error wraps kedge.ErrInfeasible where it finds none.
func Inner(bounds Box, curves []ConvexCurve, start []float64) ([]float64, error) {
	n := len(start)
	if err := errors.Join(bounds.Check(n), kedge.CheckFinite("start", start)); err != nil {
		return nil, err
	}
	x := append([]float64(nil), start...)
	for i := range x {
		lower, upper := bounds.bounds(i)
		if x[i] > lower && x[i] < upper {
			continue
		}
		switch wide := upper - lower; {
		case wide == 0:
			return nil, fmt.Errorf("entry %d has one value only, so that nothing is inside: %w", i, kedge.ErrInfeasible)
		case !math.IsInf(wide, 1):
			x[i] = lower + float64(wide/2)
		case math.IsInf(lower, -1):
			x[i] = upper - 1
		default:
			x[i] = lower + 1
		}
	}
	g, h, most, steep := make([]float64, n), make([]float64, n*n), math.Inf(-1), 0.0
	for _, c := range curves {
		v := c.Expand(g, h, x)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &kedge.NotFiniteError{Arg: "a curve", Value: v}
		}
		most, steep = max(most, v), max(steep, rows.Norm(g))
	}
	if most < 0 || len(curves) == 0 {
		return x, nil
	}
	return lift(bounds, curves, x, most, max(most, 1e-3*steep, 0x1p-500))
}

// lift looks for a point inside by pulling down the height of all curves: the projection of a point below onto what is above them.
// The margin is how high above them it begins.
func lift(bounds Box, curves []ConvexCurve, x []float64, most, margin float64) ([]float64, error) {
	n := len(x)
	above := Convex{Inside: append(append([]float64(nil), x...), most+margin)}
	for _, c := range curves {
		above.Curves = append(above.Curves, lifted{c, n})
	}
	for i := range n + 1 {
		lower, upper := math.Inf(-1), most+2*margin
		if i < n {
			lower, upper = bounds.bounds(i)
		}
		above.Bounds.Lower, above.Bounds.Upper = append(above.Bounds.Lower, lower), append(above.Bounds.Upper, upper)
	}
	for far := 4 * margin; far < 1e9*margin; far *= 16 {
		u := append(append([]float64(nil), x...), -far)
		if err := above.Project(u); err != nil {
			return nil, err
		}
		if u[n] < -1e-12*margin { // and not by rounding
			return u[:n], nil
		}
	}
	return nil, fmt.Errorf("no decision is strictly inside all curves: %w", kedge.ErrInfeasible)
}

// lifted is c(u) − s as a function of (u, s).
type lifted struct {
	of ConvexCurve
	n  int
}

func (l lifted) Expand(g, h, u []float64) float64 {
	n := l.n
	inner := make([]float64, n*n)
	v := l.of.Expand(g[:n], inner, u[:n])
	clear(h)
	for i := range n {
		copy(h[i*(n+1):i*(n+1)+n], kedge.Row(inner, i, n))
	}
	g[n] = -1
	return v - u[n]
}

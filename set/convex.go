package set

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// ConvexCurve is a convex function of a decision that has two derivatives, finite between the bounds of the sets that it bounds.
type ConvexCurve interface {
	// Expand returns the value at u and writes the gradient to g and the Hessian to h, n×n and row-major, unless they are nil: then they are not wanted.
	// Where there is no value it is NaN, and u is outside.
	Expand(g, h, u []float64) float64
}

// Convex is {u : c(u) ≤ 0 for all Curves, within Bounds and on a Plane}. Inside is a decision of that plane, within the bounds, at which all curves are below 0: Inner
// finds one.
//
// The nearest point is found by a primal–dual interior-point method [boyd2004] that never leaves the set, so that no curve is above 0 at the
// result. It misses the nearest point by about 10⁻¹⁰ of its distance from Inside. Curves whose slopes jump may stop it before that, with a *kedge.NotConvergedError.
// Curves must be safe for concurrent use if the set is to be.
type Convex struct {
	Bounds Box
	Curves []ConvexCurve
	Inside []float64
	Plane  *Affine // equations that hold as well; nil: none
}

// Check tells whether the bounds have n entries and Inside is inside.
func (c Convex) Check(n int) error {
	if err := errors.Join(c.Bounds.Check(n), kedge.CheckVector("Inside", c.Inside, n)); err != nil {
		return err
	}
	if c.Plane != nil {
		if err := c.Plane.Check(n); err != nil {
			return err
		}
	}
	if c.Plane != nil && !(c.Plane.off(c.Inside) <= insideOff*(1+rows.MaxAbs(c.Inside))) {
		return &kedge.RangeError{Arg: "Inside", Got: c.Plane.off(c.Inside), Want: "a decision of the plane, and not one so far from it"}
	}
	for i, v := range c.Inside {
		if lower, upper := c.Bounds.bounds(i); !(v > lower && v < upper) {
			return &kedge.RangeError{Arg: fmt.Sprintf("Inside[%d]", i), Got: v, Want: fmt.Sprintf("a number above %v and below %v", lower, upper)}
		}
	}
	for j, curve := range c.Curves {
		if v := curve.Expand(nil, nil, c.Inside); !(v < 0) {
			return &kedge.RangeError{Arg: fmt.Sprintf("curve %d at Inside", j), Got: v, Want: "a number below 0"}
		}
	}
	return nil
}

const (
	insideOff = 1e-9  // how far Inside may be from the plane, and
	planeOff  = 1e-13 // a decision that is left as it is, relative to their size
	snapped   = 1e-13 // of the distance: so near a bound the nearest point is on it
)

// Project moves u to the nearest point of the set.
func (c Convex) Project(u []float64) error {
	if err := errors.Join(c.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	y := append([]float64(nil), u...)
	if c.Plane != nil && !(c.Plane.off(u) <= planeOff*rows.MaxAbs(u)) {
		if err := c.Plane.Project(y); err != nil {
			return err
		}
	}
	p := newInterior(c, y)
	if p.holds(y) {
		copy(u, y)
		return nil
	}
	if err := p.search(); err != nil {
		return err
	}
	if copy(y, p.x); c.Plane != nil && c.Plane.Project(y) == nil && p.holds(y) { // steps along a plane leave it by rounding
		copy(p.x, y)
	}
	copy(y, p.x)
	for i, v := range y {
		lower, upper := c.Bounds.bounds(i)
		if near := snapped * p.size; v-lower <= near {
			y[i] = lower
		} else if upper-v <= near {
			y[i] = upper
		}
	}
	if !p.holds(y) || c.Plane != nil && !(c.Plane.off(y) <= planeOff*rows.MaxAbs(y)) {
		copy(y, p.x)
	}
	copy(u, y)
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
	along         []float64 // orthonormal directions of the plane, one a row
	size          float64   // ‖y − Inside‖
	care          float64   // how wide the set is taken to be: the gap stays as large as what the slopes leave over that width
}

func newInterior(c Convex, u []float64) *interior {
	n := len(u)
	m := len(c.Curves) + 2*n
	v := func(k int) []float64 { return make([]float64, k) }
	p := &interior{
		c: c, y: append(v(0), u...), x: append(v(0), c.Inside...), next: v(n), move: v(n), g: v(n), values: v(m), trial: v(m), slopes: v(m * n),
		prices: v(m), turn: v(m), h: v(n * n), size: rows.Distance(u, c.Inside),
	}
	if c.Plane != nil {
		p.along = c.Plane.directions()
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
		var g, h []float64
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
	return !slices.ContainsFunc(p.trial, func(v float64) bool { return !(v <= 0) })
}

const (
	interiorSteps = 200
	interiorGap   = 1e-24 // of the squared distance: what the nearest point may still be nearer
	interiorRest  = 1e-9  // of the distance: what the slopes may leave
)

// search moves x to the nearest point. Where the rim is come near too soon the steps along it are too short to end; then it begins anew with more care, for sets of
// all widths.
func (p *interior) search() error {
	err := p.run()
	for part := 0.1; err != nil && part > 1e-12; part /= 100 {
		copy(p.x, p.c.Inside)
		clear(p.prices)
		p.care = float64(part * p.size)
		err = p.run()
	}
	return err
}

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
		rest := p.rest()
		if gap <= interiorGap*p.size*p.size && rest <= interiorRest*p.size {
			return nil
		}
		gap = max(gap, float64(p.care*rest))
		if !p.step(gap / float64(parts) / 10) {
			break
		}
	}
	if rest := p.rest(); rest > interiorRest*p.size {
		return &kedge.NotConvergedError{What: "the nearest point of a convex set", Residual: rest, Tolerance: interiorRest * p.size, Steps: steps}
	}
	return nil
}

// rest is the length of x − y + Σ prices·slopes along the plane, with the slopes at x.
func (p *interior) rest() float64 {
	n := len(p.x)
	for i, v := range p.x {
		p.g[i] = v - p.y[i]
	}
	for j := range p.prices {
		if p.prices[j] > 0 {
			rows.AddScaled(p.g, p.prices[j], kedge.Row(p.slopes, j, n))
		}
	}
	if p.c.Plane != nil {
		across := make([]float64, len(p.along)/n)
		rows.AddMul(across, p.along, p.g)
		return rows.Norm(across)
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
	if !p.newton() {
		return false
	}
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

// newton solves h·move = move, on the plane where there is one, in an orthonormal basis of its directions: whatever led away from it would cancel.
func (p *interior) newton() bool {
	n, k, h, move := len(p.x), len(p.x), p.h, p.move
	if p.c.Plane != nil {
		k = len(p.along) / n
		turned := make([]float64, k*n)
		h, move = make([]float64, k*k), make([]float64, k)
		for i := range k {
			for c := range n {
				turned[i*n+c] = rows.Dot(kedge.Row(p.along, i, n), kedge.Row(p.h, c, n))
			}
			move[i] = rows.Dot(kedge.Row(p.along, i, n), p.move)
		}
		for i := range k {
			for c := range k {
				h[i*k+c] = rows.Dot(kedge.Row(turned, i, n), kedge.Row(p.along, c, n))
			}
		}
	}
	if at, _ := dense.Cholesky(h, k, 0); at < k {
		return false
	}
	dense.SolveCholesky(h, move, k)
	if p.c.Plane != nil {
		clear(p.move)
		rows.AddMulT(p.move, p.along, move)
	}
	return true
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
			if slices.Equal(p.x, p.next) {
				return false // by rounding, and so it would stay
			}
			copy(p.x, p.next)
			rows.AddScaled(p.prices, long, p.turn)
			p.expand(p.values, p.slopes, p.x)
			return true
		}
	}
	return false
}

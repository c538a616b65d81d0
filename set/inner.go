package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Inner finds a decision of a plane, where there is one, at which curves are below 0 and bounds are kept, strictly: where their largest value is least, or on the way
// there from a start. Where it finds none the error is a *NoInsideError, or says which bounds leave no room.
func Inner(plane *Affine, bounds Box, curves []ConvexCurve, start []float64) ([]float64, error) {
	err := errors.Join(bounds.Check(len(start)), kedge.CheckFinite("start", start))
	if err == nil && plane != nil {
		err = plane.Check(len(start))
	}
	if err != nil {
		return nil, err
	}
	x, err := strictly(bounds, start)
	if err == nil && plane != nil {
		if err = plane.Project(x); err == nil {
			x, err = descend(plane, Box{}, edges(bounds), x, "the bounds")
		}
	}
	if err != nil {
		return nil, err
	}
	return descend(plane, bounds, curves, x, "the constraints")
}

// descend is Inner from a start between the bounds. What says which curves these are.
func descend(plane *Affine, bounds Box, curves []ConvexCurve, x []float64, what string) ([]float64, error) {
	g, most, steep := make([]float64, len(x)), math.Inf(-1), 0.0
	for _, c := range curves {
		v := c.Expand(g, nil, x)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &kedge.NotFiniteError{Arg: "a curve", Value: v}
		}
		most, steep = max(most, v), max(steep, rows.Norm(g))
	}
	if most < 0 || len(curves) == 0 {
		return x, nil
	}
	inside, err := lift(plane, bounds, curves, x, most, max(most, 1e-3*steep, 0x1p-500), what)
	unit := normalizer(steep)
	if err == nil || steep == 0 || unit == 1 {
		return inside, err
	}
	// in the unit in which a step of 1 changes them by about 1
	same := lists.Of(curves, func(c ConvexCurve) ConvexCurve { return scaled{c, unit} })
	inside, err = lift(plane, bounds, same, x, unit*most, unit*max(most, 1e-3*steep), what)
	if none := (*NoInsideError)(nil); errors.As(err, &none) {
		none.Least /= unit
	}
	return inside, err
}

// scaled is a curve in another unit.
type scaled struct {
	of ConvexCurve
	by float64
}

func (s scaled) Expand(g, h, u []float64) float64 {
	v := s.of.Expand(g, h, u)
	rows.Scale(g, s.by)
	rows.Scale(h, s.by)
	return s.by * v
}

// strictly moves entries that are not strictly between their bounds there.
func strictly(bounds Box, start []float64) ([]float64, error) {
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
	return x, nil
}

// edges are bounds as curves.
func edges(bounds Box) (curves []ConvexCurve) {
	for i, v := range bounds.Lower {
		if v > math.Inf(-1) {
			curves = append(curves, edge{i, -1, v})
		}
	}
	for i, v := range bounds.Upper {
		if v < math.Inf(1) {
			curves = append(curves, edge{i, 1, v})
		}
	}
	return curves
}

// edge is side·(uᵢ − at).
type edge struct {
	i        int
	side, at float64
}

func (e edge) Expand(g, h, u []float64) float64 {
	clear(g)
	clear(h)
	if g != nil {
		g[e.i] = e.side
	}
	return e.side * (u[e.i] - e.at)
}

// lift looks for a point inside by pulling down the height of all curves: the projection of a point below onto what is above them.
// The margin is how high above them it begins.
func lift(plane *Affine, bounds Box, curves []ConvexCurve, x []float64, most, margin float64, what string) ([]float64, error) {
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
	if plane != nil {
		above.Plane = &Affine{dim: n + 1, offset: plane.offset}
		for i := range plane.offset {
			above.Plane.basis = append(append(above.Plane.basis, kedge.Row(plane.basis, i, n)...), 0)
		}
	}
	least, at := most, x
	for far := 4 * margin; far < 1e9*margin; far *= 16 {
		u := append(append([]float64(nil), x...), -far)
		if err := above.Project(u); err != nil {
			return nil, err
		}
		if u[n] < -1e-12*margin { // and not by rounding
			return off(bounds, u[:n], x, float64(u[n]/2)/(u[n]-most)), nil
		}
		if u[n] < least {
			least, at = u[n], u[:n]
		}
	}
	return nil, &NoInsideError{What: what, Least: max(0, least), At: at}
}

// off returns u or, where it is on a bound, what is the part of the way from it to x, which is on none.
func off(bounds Box, u, x []float64, part float64) []float64 {
	for i, v := range u {
		if lower, upper := bounds.bounds(i); !(v > lower && v < upper) {
			rows.Scale(u, 1-part)
			rows.AddScaled(u, part, x)
			break
		}
	}
	return u
}

// NoInsideError says that no decision was found inside of a set. It wraps kedge.ErrInfeasible.
type NoInsideError struct {
	What  string    // "the bounds" or "the constraints"
	Least float64   // the least that the largest of all curves was
	At    []float64 // where that was
}

func (e *NoInsideError) Error() string {
	return fmt.Sprintf("no decision keeps %s with room to spare: at best, near %.4g, the worst of them is %.3g beyond", e.What, e.At, e.Least)
}

// Unwrap returns kedge.ErrInfeasible.
func (e *NoInsideError) Unwrap() error { return kedge.ErrInfeasible }

// lifted is c(u) − s as a function of (u, s).
type lifted struct {
	of ConvexCurve
	n  int
}

func (l lifted) Expand(g, h, u []float64) float64 {
	n := l.n
	if g == nil {
		return l.of.Expand(nil, nil, u[:n]) - u[n]
	}
	inner := make([]float64, n*n)
	v := l.of.Expand(g[:n], inner, u[:n])
	clear(h)
	for i := range n {
		copy(h[i*(n+1):i*(n+1)+n], kedge.Row(inner, i, n))
	}
	g[n] = -1
	return v - u[n]
}

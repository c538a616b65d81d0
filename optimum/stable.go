package optimum

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Field is the gradient that a decision-maker sees who takes the settled population for given, as steady.Objective.Partial.
type Field func(g, u []float64) (float64, error)

// Gradient implements Function: it is the field, which need not be the gradient of anything.
func (f Field) Gradient(g, u []float64) (float64, error) { return f(g, u) }

// Rest is a point where a field comes to rest: u = Π(u − F(u)), a performatively stable point [perdomo2020] of what retraining sees.
type Rest struct {
	Point
	// Eigenvalues of how the field changes nearby, along the set, real and imaginary parts, ordered by the former; a rim that holds a
	// decision counts as a large one, and a part that differences cannot tell from 0 is 0. None where there are too many decisions to tell.
	Eigenvalues [][2]float64
	Attracting  bool // all have real parts above 0: who comes near is drawn in
	Reached     bool // from the start, by following the field in small steps
}

// mostEigenvalues is the largest number of decisions for which a point of rest is looked at that closely, mostSolved that for which others
// than the one that is reached are looked for.
const (
	mostEigenvalues = 64
	mostSolved      = 8
	restStarts      = 12
)

// Rests finds points where the field rests: first the one that following it in small steps from the start leads to, if that comes to rest,
// then others, from starts over the set. There may be more. The error is a *kedge.NotConvergedError when none is found.
func Rests(ctx context.Context, f Field, set kedge.Set, start []float64, o Effort) ([]Rest, error) {
	if hasGaps(set) {
		return nil, ErrGaps
	}
	o = o.filled(1)
	l := newLandscape(ctx, f, set, len(start))
	first, err := l.inward(start)
	if err != nil {
		return nil, fmt.Errorf("project the start: %w", err)
	}
	e, err := l.surveyField(first)
	if err != nil {
		return nil, err
	}
	r := &resting{land: l, extent: e, effort: o, g: make([]float64, len(start))}
	if p, ok := r.follow(e.from); ok {
		r.add(p, true)
	}
	if len(start) <= mostSolved {
		for k := -1; k < min(o.Starts, restStarts) && ctx.Err() == nil; k++ {
			u := e.from
			if k >= 0 {
				if u, err = l.spread(e, k); err != nil {
					continue
				}
			}
			if p, ok := r.solve(u); ok {
				r.add(p, false)
			}
		}
	} else if len(r.found) == 0 {
		if p, ok := r.solve(e.from); ok {
			r.add(p, false)
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(r.found) > 0:
		return r.found, nil
	case l.refused != nil && r.closest == 0:
		return nil, l.refused
	}
	return nil, &kedge.NotConvergedError{What: "stable point", Tolerance: o.Tolerance, Residual: r.closest, Steps: l.evaluations}
}

// Stable finds the point of rest that following the field in small steps from the start leads to or, where that does not come to rest,
// another.
func Stable(ctx context.Context, f Field, set kedge.Set, start []float64, o Effort) (*Point, error) {
	o.Starts = 1
	list, err := Rests(ctx, f, set, start, o)
	if err != nil {
		return nil, err
	}
	return &list[0].Point, nil
}

// surveyField finds the units of a field: the length is the set's or, where it has no end, that over which the field changes.
func (l *landscape) surveyField(start []float64) (*extent, error) {
	e := l.box(start)
	g := make([]float64, len(start))
	if loss := l.eval(g, start); math.IsInf(loss, 1) {
		return nil, cmp.Or(l.ctx.Err(), l.refused, errNoField)
	}
	if !e.bounded() {
		e.step = max(e.step, l.change(g, start))
	}
	l.measure(e)
	steep := rows.Norm(g)
	for k := range 8 {
		if u, err := l.spread(e, k); err == nil && !math.IsInf(l.eval(g, u), 1) {
			steep = max(steep, rows.Norm(g))
		}
	}
	l.slope = cmp.Or(power(steep), 1)
	return e, l.ctx.Err()
}

// change returns how far along the field it has to be gone until it is another, by powers of sixteen.
func (l *landscape) change(f, start []float64) float64 {
	size, steep := cmp.Or(rows.MaxAbs(start), 1), rows.Norm(f)
	if steep == 0 {
		return size
	}
	g, u := make([]float64, len(start)), make([]float64, len(start))
	for t := size * 0x1p-48; t <= size*0x1p48; t *= 16 {
		if l.stepped(u, start, -t/steep, f) != nil || math.IsInf(l.eval(g, u), 1) {
			break
		}
		if rows.Distance(g, f) >= steep/4 {
			return t
		}
	}
	return size
}

// resting looks for where a field rests, in the landscape's units.
type resting struct {
	land    *landscape
	extent  *extent
	effort  Effort
	g       []float64
	found   []Rest
	closest float64
}

// move sets dst = Π(u − scale·F(u)).
func (r *resting) move(dst, u []float64, scale float64) error {
	if math.IsInf(r.land.eval(r.g, u), 1) {
		return cmp.Or(r.land.ctx.Err(), r.land.refused, errNoField)
	}
	return r.land.stepped(dst, u, -scale, r.g)
}

var errNoField = errors.New("optimum: the field has no value")

// follow goes along the field until a point of rest is so near that solving finds it, in steps after which the field does not lead back, nor aside and
// farther: in a whirl that draws in, steps that are too long lead out.
func (r *resting) follow(start []float64) (Point, bool) {
	n := len(start)
	u, next, after := append([]float64(nil), start...), make([]float64, n), make([]float64, n)
	way, then := make([]float64, n), make([]float64, n)
	scale, steepest, solveAt := 0.05, 1e-300, 1e-2
	for range r.effort.MaxSteps {
		if r.move(next, u, scale) != nil {
			return Point{}, false
		}
		rows.Sub(way, next, u)
		moved := rows.Norm(way) / scale
		steepest = max(steepest, moved)
		if moved <= r.effort.Tolerance*steepest {
			return r.point(u, moved/steepest), true
		}
		if moved <= solveAt*steepest {
			if p, ok := r.solve(u); ok && rows.Distance(r.own(p.Decision), u) <= 100*moved*max(scale, .1) {
				return p, true
			}
			solveAt /= 10
		}
		if r.move(after, next, scale) != nil {
			scale /= 4
			continue
		}
		rows.Sub(then, after, next)
		before, now := rows.Norm(way), rows.Norm(then)
		along := rows.Dot(way, then) / max(before*now, 1e-300)
		if (along < 0 || along < .99 && now > before) && scale > 1e-9 {
			scale /= 2
			continue
		}
		u, next = next, u
		if along > .7 {
			scale = min(scale*1.5, 1e6)
		}
	}
	return Point{}, false
}

// own returns a decision in own units.
func (r *resting) own(u []float64) []float64 { return scaled(u, 1/r.land.length) }

// solve finds a point of rest near a start by an accelerated iteration, with shorter steps until one converges.
func (r *resting) solve(start []float64) (Point, bool) {
	scale, err := r.stepSize(start)
	if err != nil {
		return Point{}, false
	}
	for range 6 {
		u := append([]float64(nil), start...)
		solver := fixpoint.New(len(u), fixpoint.Settings{Tolerance: r.effort.Tolerance * min(1, scale) / 10, MaxSteps: min(r.effort.MaxSteps, 400)})
		_, _ = solver.Solve(func(dst, x []float64) error { return r.move(dst, x, scale) }, u) // judged by what it leaves
		if r.land.ctx.Err() != nil || r.land.project(u) != nil {
			return Point{}, false
		}
		moved := make([]float64, len(u))
		if r.move(moved, u, 1) == nil {
			residual := rows.Distance(moved, u)
			if r.closest == 0 || residual < r.closest {
				r.closest = residual
			}
			if residual <= r.effort.Tolerance {
				return r.point(u, residual), true
			}
		}
		scale /= 4
	}
	return Point{}, false
}

// stepSize returns the inverse of how fast the field changes near u.
func (r *resting) stepSize(u []float64) (float64, error) {
	next, before := make([]float64, len(u)), make([]float64, len(u))
	if err := r.move(next, u, 1); err != nil {
		return 0, err
	}
	copy(before, r.g)
	if math.IsInf(r.land.eval(r.g, next), 1) {
		return .1, nil
	}
	moved, changed := rows.Distance(next, u), rows.Distance(r.g, before)
	if changed == 0 {
		return 1, nil
	}
	return moved / changed, nil
}

func (r *resting) point(u []float64, residual float64) Point {
	loss := r.land.eval(r.g, u)
	return r.land.point(place{u: u, loss: loss, residual: residual, steepest: 1, steps: r.land.evaluations})
}

// add keeps a point of rest unless it is known.
func (r *resting) add(p Point, reached bool) {
	u := r.own(p.Decision)
	for _, q := range r.found {
		if rows.Distance(r.own(q.Decision), u) <= 1e-6*(1+rows.Norm(u)) {
			return
		}
	}
	rest := Rest{Point: p, Reached: reached}
	if len(u) <= mostEigenvalues {
		rest.Eigenvalues = r.eigenvalues(u)
	}
	rest.Attracting = len(rest.Eigenvalues) > 0
	for i := range rest.Eigenvalues {
		v := &rest.Eigenvalues[i]
		if math.Abs(v[0]) <= 1e-6*max(1, rows.MaxAbs(u)) { // as far as differences are off
			v[0] = 0
		}
		rest.Attracting = rest.Attracting && v[0] > 0
		rows.Scale(v[:], r.land.slope/r.land.length)
	}
	r.found = append(r.found, rest)
}

// eigenvalues are those of the field's change along the set: of (I − ∂T)/ε where T(u) = Π(u − εF(u)), by differences inside the set.
func (r *resting) eigenvalues(u []float64) (list [][2]float64) {
	const step, epsilon = 1e-6, 1e-3
	n := len(u)
	change := mat.NewDense(n, n, nil)
	here, there, at := make([]float64, n), make([]float64, n), make([]float64, n)
	if r.move(here, u, epsilon) != nil {
		return nil
	}
	for j := range n {
		by, most := step, 0.0
		for _, side := range []float64{step, -step} {
			if r.land.aside(at, u, j, side) == nil && math.Abs(at[j]-u[j]) > most {
				by, most = side, math.Abs(at[j]-u[j])
			}
		}
		if most == 0 || r.land.aside(at, u, j, by) != nil || r.move(there, at, epsilon) != nil {
			change.Set(j, j, 1/epsilon) // the set lets nobody go there
			continue
		}
		for i := range n { // what the projection takes away of a move counts as held
			moved := 0.0
			if i == j {
				moved = by
			}
			change.Set(i, j, (moved-(there[i]-here[i]))/by/epsilon)
		}
	}
	var eigen mat.Eigen
	if !eigen.Factorize(change, mat.EigenNone) {
		return nil
	}
	list = lists.Of(eigen.Values(nil), func(v complex128) [2]float64 { return [2]float64{real(v), imag(v)} })
	slices.SortStableFunc(list, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	return list
}

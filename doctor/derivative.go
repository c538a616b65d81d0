package doctor

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

const (
	derivativeTolerance  = 1e-6
	sensitivityTolerance = 1e-5
)

// slopes compares derivatives with differences, visit by visit.
type slopes struct {
	tolerance float64
	wrong     worst // of what differs more than the differences may be off
	all       worst
	rough     worst // of how far differences may be off
}

// see compares a gradient with the slope of φ along w.
func (s *slopes) see(v visit, gradient, w []float64, phi func(t float64) float64) {
	relative, off := mismatch(gradient, w, slope(phi, firstStep))
	finite := rows.Finite(gradient)
	if !finite {
		relative = math.NaN()
	}
	s.all.see(relative, v)
	if !finite || relative > s.tolerance && off < relative/10 {
		s.wrong.see(relative, v)
	} else {
		s.rough.see(off, v)
	}
}

// judge says how the comparison ended.
func (s *slopes) judge(e *exam, remedy string) Check {
	switch {
	case s.all.seen == 0:
		return Check{Verdict: Skip, Figure: "there was nobody to look at"}
	case s.wrong.seen > 0:
		figure := fmt.Sprintf("off by %.2g of its size at %s", s.wrong.of, e.who(s.wrong.at))
		if math.IsNaN(s.wrong.of) {
			figure = "no finite number at " + e.who(s.wrong.at)
		}
		return Check{Verdict: Fail, Figure: figure,
			Detail: fmt.Sprintf("%d of %d derivatives differ from differences of the function.", s.wrong.seen, s.all.seen), Remedy: remedy}
	case s.rough.of > 1e-3:
		return Check{Verdict: Warn, Figure: "differences do not settle at " + e.who(s.rough.at),
			Detail: "The function has a kink or a jump there, or is not finite around it.", Remedy: "smooth the function"}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("matches differences to %.1g in %d places", s.all.of, s.all.seen)}
}

// compared compares the gradients of functions φ(p, u) by p and by u, one for every visit, with their slopes along random directions.
func compared(e *exam, name, remedy string, function func(v visit, r *stream.Stream, gp, gu []float64) (phi func(p, u []float64) float64)) Check {
	r, s := e.draws(name), slopes{tolerance: derivativeTolerance}
	for v := range e.visits() {
		gp, gu := make([]float64, e.dim.State), make([]float64, e.dim.Decision)
		phi := function(v, r, gp, gu)
		wp, wu := direction(v.p, r), direction(v.u, r)
		s.see(v, gp, wp, func(t float64) float64 { return phi(moved(v.p, t, wp), v.u) })
		s.see(v, gu, wu, func(t float64) float64 { return phi(v.p, moved(v.u, t, wu)) })
	}
	return s.judge(e, remedy)
}

// dynamicsDerivative compares vᵀ(∂f/∂p)w and vᵀ(∂f/∂u)w with differences of f along random w.
func dynamicsDerivative(e *exam) Check {
	weights, next := make([]float64, e.dim.State), make([]float64, e.dim.State)
	const remedy = "correct Pullback, or leave it out (dynamics.Func then takes differences)"
	return compared(e, "dynamics", remedy, func(v visit, r *stream.Stream, gp, gu []float64) func(p, u []float64) float64 {
		r.Normals(weights)
		e.smooth.Pullback(gp, gu, v.p, v.u, v.d, weights)
		return func(p, u []float64) float64 {
			e.smooth.Next(next, p, u, v.d)
			return rows.Dot(weights, next)
		}
	})
}

// objectiveDerivative compares the gradients of the objective with differences along random directions.
func objectiveDerivative(e *exam) Check {
	return compared(e, "objective", "correct the gradients that Eval adds to gp and gu", func(v visit, _ *stream.Stream, gp, gu []float64) func(p, u []float64) float64 {
		e.Objective.Eval(gp, gu, v.p, v.u, v.d)
		return func(p, u []float64) float64 { return e.Objective.Eval(nil, nil, p, u, v.d) }
	})
}

// moved returns x + tw.
func moved(x []float64, t float64, w []float64) []float64 {
	y := slices.Clone(x)
	rows.AddScaled(y, t, w)
	return y
}

// objectiveFinite evaluates the objective at first states and after a step, under all decisions.
func objectiveFinite(e *exam) Check {
	next, seen, bad := make([]float64, e.dim.State), 0, 0
	var first visit
	var value float64
	look := func(v visit, p []float64) {
		seen++
		if loss := e.Objective.Eval(nil, nil, p, v.u, v.d); loss-loss != 0 {
			if bad++; bad == 1 {
				first, value = v, loss
			}
		}
	}
	for v := range e.visits() {
		look(v, v.p)
		if e.step(next, v.p, v) {
			look(v, next)
		}
	}
	if bad > 0 {
		return Check{Verdict: Fail, Figure: fmt.Sprintf("%v at %s", value, e.who(first)),
			Detail: fmt.Sprintf("So in %d of %d places.", bad, seen), Remedy: "shrink the set, or change the objective where it has no value"}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("in all %d places", seen)}
}

// sensitive compares the sensitivity with differences of settled states.
func sensitive(e *exam) Check {
	if e.Sensitivity == nil {
		return Check{Verdict: Skip, Figure: "the model has none"}
	}
	r, s := e.draws("sensitivity"), slopes{tolerance: sensitivityTolerance}
	n, m := e.dim.State, e.dim.Decision
	weights, next := make([]float64, n), make([]float64, n)
	for v := range e.visits() {
		h := e.home(v)
		if h == nil {
			continue
		}
		r.Normals(weights)
		g := make([]float64, m)
		if err := e.Sensitivity.PullRows(g, h, v.u, v.d, weights); err != nil {
			return Check{Verdict: Fail, Figure: e.who(v) + ": " + oneLine(err), Remedy: "check that individuals settle there"}
		}
		w := direction(v.u, r)
		s.see(v, g, w, func(t float64) float64 {
			if err := e.settle(next, v, moved(v.u, t, w)); err != nil {
				return math.NaN()
			}
			return rows.Dot(weights, next)
		})
	}
	return s.judge(e, "correct the sensitivity, or set sensitivity: implicit")
}

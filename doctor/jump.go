package doctor

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

const (
	halvings = 40   // of a segment in search of a jump
	jumpSize = 1e-6 // what is left of a smooth change by then is far smaller
	nothing  = 1e-3 // of the length of a first state: of what is shorter, jumps are judged as if it were as long
)

// path is a function along a segment, at t from 0 to 1; ok tells whether it has a value.
type path func(dst []float64, t float64) (ok bool)

// jump halves the segment again and again, keeps the half over which the path changes more, and returns how much it still
// changes, relative to its values, when the halves have no length. It is 0 where the path has no value.
func jump(f path, n int) float64 {
	lo, hi := 0.0, 1.0
	a, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
	if !f(a, lo) || !f(b, hi) {
		return 0
	}
	for range halvings {
		middle := (lo + hi) / 2
		if !f(c, middle) {
			return 0
		}
		if rows.Distance(a, c) > rows.Distance(c, b) {
			hi, b, c = middle, c, b
		} else {
			lo, a, c = middle, c, a
		}
	}
	return gap(a, b)
}

// between returns x + t(y − x).
func between(x []float64, t float64, y []float64) []float64 {
	z := slices.Clone(x)
	mix(z, t, y)
	return z
}

// continuous looks for jumps of the dynamics between states and between decisions.
func continuous(e *exam) Check {
	largest := worst{}
	for v := range e.visits() {
		other := e.visit(v.k, (v.i+1)%len(e.Individuals), e.us[(v.k+1)%len(e.us)])
		largest.see(jump(func(dst []float64, t float64) bool { return e.step(dst, between(v.p, t, other.p), v) }, e.dim.State), v)
		largest.see(jump(func(dst []float64, t float64) bool {
			at := v
			at.u = between(v.u, t, other.u)
			return e.step(dst, v.p, at)
		}, e.dim.State), v)
	}
	return e.judgeJump(largest, Check{Figure: "next", Detail: "Derivatives say nothing about a jump.",
		Remedy: "smooth the step, as in sigmoid(k*x) instead of x > 0"})
}

// judgeJump says what the largest jump is; fault is what is wrong about one, its figure being which state jumps.
func (e *exam) judgeJump(largest worst, fault Check) Check {
	if largest.of > jumpSize {
		fault.Verdict = Fail
		fault.Figure = fmt.Sprintf("the %s state of %s jumps by %.2g of its length", fault.Figure, e.who(largest.at), largest.of)
		return fault
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("none on %d segments", largest.seen)}
}

// settledContinuous looks for jumps of settled states between decisions, on a quarter of the segments.
func settledContinuous(e *exam) Check {
	largest := worst{}
	for v := range e.visits() {
		if v.i%4 != v.k%4 && len(e.Individuals) > 4 || e.home(v) == nil {
			continue
		}
		for _, to := range [][]float64{e.us[(v.k+1)%len(e.us)], e.opposite(v.u)} {
			size := rows.Norm(v.p) // who settles at 0 does so as exactly as others, and not relative to nothing
			largest.see(jump(func(dst []float64, t float64) bool {
				dst[e.dim.State] = nothing * size
				return e.settle(dst[:e.dim.State], v, between(v.u, t, to)) == nil
			}, e.dim.State+1), v)
		}
	}
	if largest.seen == 0 {
		return Check{Verdict: Skip, Figure: "nobody settles"}
	}
	return e.judgeJump(largest, Check{Figure: "settled", Remedy: "make the dynamics contracting",
		Detail: "The settled objective jumps with it, and gradients say nothing about jumps."})
}

// opposite returns the point of the set nearest to −u, u itself where there is none.
func (e *exam) opposite(u []float64) []float64 {
	other := slices.Clone(u)
	rows.Scale(other, -1)
	if e.Set.Project(other) != nil {
		return u
	}
	return other
}

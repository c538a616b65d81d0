package doctor

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

const (
	walkSteps    = 3000 // a walk from another start goes at most so far
	powerSteps   = 160  // products with a Jacobian to see its spectral radius
	residualGood = 1e-8
	settledTo    = 1e-12 // what steady states are iterated to, with room: around 0 it is no part of their length
)

// settles finds the settled states of everybody and sees that a step leaves them where they are.
func settles(e *exam) Check {
	next := make([]float64, e.dim.State)
	var residual, failed worst
	for range e.us {
		e.settled = append(e.settled, make([]float64, len(e.Individuals)*e.dim.State))
		e.failed = append(e.failed, make([]error, len(e.Individuals)))
	}
	for v := range e.visits() {
		h := kedge.Row(e.settled[v.k], v.i, e.dim.State)
		if err := e.settle(h, v, v.u); err != nil {
			e.failed[v.k][v.i] = err
			failed.see(1, v)
			continue
		}
		e.step(next, h, v)
		by := gap(next, h)
		if rows.Distance(next, h) <= settledTo {
			by = min(by, residualGood)
		}
		residual.see(by, v)
	}
	return judgeSettled(e, residual, failed)
}

// settle writes where the individual of a visit settles under a decision, from its first state.
func (e *exam) settle(h []float64, v visit, u []float64) error {
	if from, depends := e.settler.(kedge.StartedSettler); depends {
		copy(h, v.p)
		_, err := from.SettleFrom(h, u, v.d)
		if row, ok := err.(*kedge.RowError); ok {
			err = row.Err
		}
		return err
	}
	_, err := e.settler.Settle(h, u, v.d)
	return err
}

func judgeSettled(e *exam, residual, failed worst) Check {
	switch first := failed.at; {
	case failed.seen > 0 && residual.of <= residualGood && e.settledUnder() > 0:
		return Check{Verdict: Warn, Figure: fmt.Sprintf("under %d of %d decisions for everybody", e.settledUnder(), len(e.us)),
			Detail: fmt.Sprintf("There is none for %s: %s. Decisions under which not everybody settles have no value; searches keep away from them.", e.who(first), e.failed[first.k][first.i]),
			Remedy: "take short steps, or the set smaller"}
	case failed.seen > 0:
		return Check{Verdict: Fail, Figure: fmt.Sprintf("none for %s", e.who(first)),
			Detail: fmt.Sprintf("%s. So in %d of %d places.", sentence(e.failed[first.k][first.i]), failed.seen, failed.seen+residual.seen),
			Remedy: "make the dynamics contracting, or the set smaller"}
	case !(residual.of <= residualGood):
		return Check{Verdict: Fail, Figure: fmt.Sprintf("a step moves that of %s by %.2g of its length", e.who(residual.at), residual.of),
			Remedy: "correct Settle, or leave it out"}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("found, residual at most %.1g", residual.of)}
}

// settledUnder returns under how many of the decisions everybody settles.
func (e *exam) settledUnder() (n int) {
	for _, list := range e.failed {
		if !slices.ContainsFunc(list, func(err error) bool { return err != nil }) {
			n++
		}
	}
	return n
}

// attracts estimates the spectral radius of ∂f/∂p at settled states or, where there is none, at the end of a walk.
func attracts(e *exam) Check {
	radius, r := worst{}, e.draws("radius")
	for v := range e.visits() {
		at := e.home(v)
		if at == nil && e.settledUnder() > 0 {
			continue // what has no steady state has been told
		}
		if at == nil {
			at, _ = e.walk(v.p, v, 200)
		}
		if rows.Finite(at) {
			radius.see(e.radius(at, v, r.Normals), v)
		}
	}
	figure := fmt.Sprintf("spectral radius %.3g at %s", radius.of, e.who(radius.at))
	switch {
	case radius.seen == 0:
		return Check{Verdict: Fail, Figure: "all walks lead to numbers that are not finite", Remedy: "make the dynamics contracting"}
	case !(radius.of < 1-1e-9):
		return Check{Verdict: Fail, Figure: figure, Detail: "It must be below 1: a small deviation grows instead of dying out.",
			Remedy: "weaken what the next state takes over from the last"}
	case radius.of > 0.99:
		return Check{Verdict: Warn, Figure: figure, Detail: fmt.Sprintf("Settling takes some %.0f steps.", portable.Log(100)/-portable.Log(radius.of)),
			Remedy: "take small steps, or hold every decision for many turns"}
	}
	return Check{Verdict: Pass, Figure: figure}
}

// radius returns the rate at which products with (∂f/∂p)ᵀ grow in the long run, a geometric mean over many.
func (e *exam) radius(p []float64, v visit, normals func([]float64)) float64 {
	x, y := make([]float64, len(p)), make([]float64, len(p))
	normals(x)
	growth := 0.0
	for k := range powerSteps {
		clear(y)
		e.smooth.Pullback(y, nil, p, v.u, v.d, x)
		norm := rows.Norm(y) / rows.Norm(x)
		if norm == 0 {
			return 0
		}
		if k >= powerSteps/2 {
			growth += portable.Log(norm)
		}
		rows.Scale(y, 1/rows.Norm(y))
		x, y = y, x
	}
	return portable.Exp(growth / (powerSteps - powerSteps/2))
}

// walk goes on from p until a step is no step any more, and returns where it ends and how long the last step was.
func (e *exam) walk(p []float64, v visit, most int) (end []float64, last float64) {
	p, next := slices.Clone(p), make([]float64, len(p))
	for range most {
		e.step(next, p, v)
		last = gap(next, p)
		p, next = next, p
		if !(last > 1e-13) {
			break
		}
	}
	return p, last
}

// starts walks to the settled state from the first state of the individual, from that of another, and from where the
// individual stands under another decision.
func starts(e *exam) Check {
	spread, astray := &e.astrays, map[int]bool{}
	for v := range e.visits() {
		if h := e.home(v); h != nil {
			for _, p := range e.otherStarts(v) {
				away := e.astray(h, p, v)
				spread.see(away, v)
				if !(away <= 1e-6) {
					astray[v.i] = true
				}
			}
		}
	}
	switch {
	case spread.seen == 0:
		return Check{Verdict: Skip, Figure: "nobody settles"}
	case spread.several():
		return Check{Verdict: Fail, Figure: fmt.Sprintf("%s ends %.2g away, by length, from another start", e.who(spread.at), spread.of),
			Detail: fmt.Sprintf("Where individuals settle depends on where they come from, for %d of %d: values are those of people who come from their first states.", len(astray), len(e.Individuals)),
			Remedy: "make the dynamics contracting, or say in population.states where people are"}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("%d walks end within %.1g of it", spread.seen, spread.of)}
}

func (e *exam) otherStarts(v visit) [][]float64 {
	neighbour := e.visit(v.k, (v.i+1)%len(e.Individuals), v.u)
	other := v
	other.k = (v.k + 1) % len(e.us)
	other.u = e.us[other.k]
	list := [][]float64{v.p, neighbour.p}
	if h := e.home(other); h != nil {
		list = append(list, h)
	}
	return list
}

// astray walks from p and returns how far from h it ends, 0 while a slow walk still comes nearer.
func (e *exam) astray(h, p []float64, v visit) float64 {
	end, last := e.walk(p, v, walkSteps)
	if away := gap(end, h); !(last > 1e-10 && away < gap(p, h)/2) {
		return away
	}
	return 0
}

// several tells whether walks end in several steady states.
func (w *worst) several() bool { return w.seen > 0 && !(w.of <= 1e-6) }

// contracts compares distances between states that an individual comes by, before and after a step. Two steady states of one individual
// stay as far apart as they are, in whatever norm: then nothing contracts.
func contracts(e *exam) Check {
	ratio := worst{}
	a, b := make([]float64, e.dim.State), make([]float64, e.dim.State)
	for v := range e.visits() {
		for _, q := range e.otherStarts(v)[1:] {
			apart := rows.Distance(v.p, q)
			if gap(v.p, q) > 1e-6 && e.step(a, v.p, v) && e.step(b, q, v) {
				ratio.see(rows.Distance(a, b)/apart, v)
			}
		}
	}
	switch {
	case e.astrays.several():
		return Check{Verdict: Fail, Figure: fmt.Sprintf("%s has several steady states, which no step brings together", e.who(e.astrays.at)),
			Detail: "So no norm shrinks all distances."}
	case ratio.seen == 0:
		return Check{Verdict: Skip, Figure: "there are no two states to compare"}
	case !(ratio.of < 1):
		return Check{Verdict: Warn, Figure: fmt.Sprintf("a step widens a distance %.3g times at %s", ratio.of, e.who(ratio.at)),
			Detail: "Theory asks for less than 1 in some norm; this is the Euclidean one."}
	}
	return Check{Verdict: Pass, Figure: fmt.Sprintf("a step shrinks distances to %.3g or less", ratio.of)}
}

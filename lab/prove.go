package lab

import (
	"context"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/steady"
)

// bounded is what is proven of the best decision.
type bounded struct {
	Proven bool     `json:",omitempty"`
	Why    string   `json:",omitempty"` // what proves it
	Lower  *float64 `json:",omitempty"` // no loss is below this, where anything is known
}

// proofWork is how much a proof may cost: some tenths of a second.
const proofWork = 10_000_000

// findProven looks for the optimum of the settled objective and tries to prove it. Whatever better decision the proof meets, the search
// goes on from.
func (r *run) findProven(ctx context.Context, f *steady.Objective, seeds [][]float64) (*solved, error) {
	for round := 0; ; round++ {
		s, err := optimum.Find(ctx, f, r.problem.Set, seeds, r.problem.Effort())
		if err != nil {
			return nil, err
		}
		known, better, err := r.prove(ctx, f, &s.Point)
		if err != nil {
			return nil, err
		}
		if better == nil || round == mostSurprises {
			return &solved{Best: &optimum.Constrained{Search: *s}, Known: known}, nil
		}
		seeds = append(seeds[:len(seeds):len(seeds)], better)
	}
}

// prove tries to prove that nothing is better than a point, and returns what is if it meets it.
func (r *run) prove(ctx context.Context, f *steady.Objective, at *optimum.Point) (bounded, []float64, error) {
	of, err := r.provable(f, at)
	if of == nil || err != nil {
		return bounded{}, nil, err
	}
	p, err := proof.Prove(ctx, of, r.problem.Set, at.Decision, at.Loss, proof.Budget{Work: proofWork})
	if ctx.Err() != nil {
		return bounded{}, nil, ctx.Err()
	}
	if err != nil {
		return bounded{}, nil, nil // what cannot be bounded is not proven
	}
	if p.IsBetter {
		return bounded{}, p.Decision, nil
	}
	var known bounded
	if !math.IsInf(p.Lower, 0) && !math.IsNaN(p.Lower) {
		known.Lower = &p.Lower
	}
	switch p.Grounds {
	case proof.ByConvexity:
		known.Proven, known.Why = true, "the settled objective is convex: "+p.Reason
	case proof.ByBounds:
		known.Proven, known.Why = true, fmt.Sprintf("bounds over %d boxes of decisions leave nothing better", p.Boxes)
	}
	return known, nil, nil
}

// credit adds what is proven of the optimum to what is known of it.
func (r *run) credit(e *folder.Evidence) {
	if r.proven.Lower != nil {
		bound := *r.proven.Lower
		if r.problem.Maximize {
			bound = -bound
		}
		e.Bound = &bound
	}
	if r.proven.Proven {
		e.Standing, e.Why, e.Missed = folder.Proven, r.proven.Why, 0
	}
}

// provable returns the settled objective in a form that can be bounded: as its formulas say, or as a paraboloid where it is one. It is
// nil for others.
func (r *run) provable(f *steady.Objective, at *optimum.Point) (proof.Function, error) {
	if l := r.problem.Landscape(); l != nil {
		return l, nil
	}
	_, linear := r.problem.Settler.(*dynamics.Affine)
	if !linear || r.problem.Social || !isQuadratic(r.problem.Objective) {
		return nil, nil
	}
	n := len(at.Decision)
	step := max(rows.MaxAbs(at.Decision), 1e-300)
	if step < 1e-200 {
		step = 1
	}
	gradient, ahead, behind, hessian := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n)
	value, err := f.Gradient(gradient, at.Decision)
	if err != nil {
		return nil, err
	}
	for j := range n { // differences of a linear gradient are exact but for rounding
		u := append([]float64(nil), at.Decision...)
		u[j] += step
		if _, err := f.Gradient(ahead, u); err != nil {
			return nil, err
		}
		u[j] = at.Decision[j] - step
		if _, err := f.Gradient(behind, u); err != nil {
			return nil, err
		}
		for i := range n {
			hessian[i*n+j] = (ahead[i] - behind[i]) / (2 * step)
		}
	}
	return proof.NewParaboloid(at.Decision, value, gradient, hessian), nil
}

// isQuadratic tells whether a loss is quadratic, or a sum of such.
func isQuadratic(loss any) bool {
	switch of := loss.(type) {
	case *objective.Quadratic:
		return true
	case objective.Sum:
		for _, one := range of {
			if !isQuadratic(one) {
				return false
			}
		}
		return true
	}
	return false
}

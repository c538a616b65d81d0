package problem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Guarantee is what is proven of the best decision.
type Guarantee struct {
	Proven bool     `json:",omitempty"`
	Why    string   `json:",omitempty"` // what proves it
	Lower  *float64 `json:",omitempty"` // no loss is below this, where anything is known
}

// Bound is the value that is proven to be out of reach, nil where none is known.
func (p *Problem) Bound(k Guarantee) *float64 {
	if k.Lower == nil || !p.Maximize {
		return k.Lower
	}
	bound := -*k.Lower
	return &bound
}

// proofWork is how much a proof may cost: some tenths of a second.
const proofWork = 10_000_000

// mostBetter is how often a search goes on from what a proof meets.
const mostBetter = 3

// Best looks for the optimum of the settled objective and tries to prove it. Whatever better decision the proof meets, the search goes on
// from.
func (p *Problem) Best(ctx context.Context, f *steady.Objective, seeds [][]float64) (*optimum.Search, Guarantee, error) {
	for round := 0; ; round++ {
		s, err := optimum.Find(ctx, f, p.Set, seeds, p.Effort())
		if err != nil {
			return nil, Guarantee{}, err
		}
		if s.All > 0 {
			return s, AllLooked(s), nil
		}
		if l, ok := p.Set.(set.Lattice); ok {
			if known, err := p.proveSlices(ctx, f, s, l); known.Proven || err != nil {
				return s, known, err
			}
		}
		known, better, err := p.prove(ctx, f, &s.Point)
		if err != nil || better == nil || round == mostBetter {
			return s, known, err
		}
		seeds = append(seeds[:len(seeds):len(seeds)], better)
	}
}

// AllLooked is what is known when every decision of a set with gaps was looked at, and nothing where some were not.
func AllLooked(s *optimum.Search) Guarantee {
	if s.All == 0 {
		return Guarantee{}
	}
	return Guarantee{Proven: true, Why: fmt.Sprintf("all %s of the set were looked at", phrase.CountGrouped(s.All, "decision")), Lower: &s.Loss}
}

// proveSlices tries to prove that nothing is better than the best point of a lattice some entries of which are not whole.
func (p *Problem) proveSlices(ctx context.Context, f *steady.Objective, s *optimum.Search, l set.Lattice) (Guarantee, error) {
	of, err := p.provable(f, &s.Point)
	if of == nil || err != nil {
		return Guarantee{}, err
	}
	points := lists.Of(s.Found, func(q optimum.Point) proof.Found { return proof.Found{Decision: q.Decision, Loss: q.Loss} })
	least, ok := proof.Slices(ctx, of, l, s.Loss, points, proof.Budget{Work: proofWork, Size: max(rows.MaxAbs(p.Start), rows.MaxAbs(s.Decision))})
	if !ok {
		return Guarantee{}, ctx.Err()
	}
	return Guarantee{Proven: true, Why: fmt.Sprintf("bounds on each of %s of whole numbers leave nothing better", phrase.CountGrouped(len(points), "choice")), Lower: &least}, nil
}

// prove tries to prove that nothing is better than a point, and returns what is if it meets it.
func (p *Problem) prove(ctx context.Context, f *steady.Objective, at *optimum.Point) (Guarantee, []float64, error) {
	of, err := p.provable(f, at)
	if of == nil || err != nil {
		return Guarantee{}, nil, err
	}
	room, gaps := p.Set, false
	if d, ok := room.(set.Discrete); ok {
		room, gaps = d.Relaxed(), true // what holds between the points holds at them
	}
	found, err := proof.Prove(ctx, of, room, at.Decision, at.Loss, proof.Budget{Work: proofWork, Size: max(rows.MaxAbs(p.Start), rows.MaxAbs(at.Decision))})
	if ctx.Err() != nil {
		return Guarantee{}, nil, ctx.Err()
	}
	if err != nil {
		return Guarantee{}, nil, nil // what cannot be bounded is not proven
	}
	if found.IsBetter && !gaps {
		return Guarantee{}, found.Decision, nil
	}
	var known Guarantee
	if !math.IsInf(found.Lower, 0) && !math.IsNaN(found.Lower) {
		known.Lower = &found.Lower
	}
	switch grounds := found.Grounds; {
	case found.IsBetter: // between the points
	case grounds == proof.ByConvexity:
		known.Proven, known.Why = true, "the settled loss is convex: "+found.Reason
	case grounds == proof.ByBounds:
		known.Proven, known.Why = true, "bounds over "+phrase.Count(found.Boxes, "box", "boxes")+" of decisions leave nothing better"
	}
	return known, nil, nil
}

// provable returns the settled objective in a form that can be bounded: as its formulas say, or as a paraboloid where it is one. It is
// nil for others.
func (p *Problem) provable(f *steady.Objective, at *optimum.Point) (proof.Function, error) {
	if l := p.Landscape(); l != nil {
		return l, nil
	}
	_, linear := p.Settler.(*dynamics.Affine)
	if !linear || p.Social || !isQuadratic(p.Objective) {
		return nil, nil
	}
	return proof.FitParaboloid(f.Gradient, at.Decision)
}

// isQuadratic tells whether a loss is quadratic, or a sum of such.
func isQuadratic(loss any) bool {
	switch of := loss.(type) {
	case *objective.Quadratic:
		return true
	case objective.Sum:
		return !slices.ContainsFunc(of, func(one kedge.RowObjective) bool { return !isQuadratic(one) })
	}
	return false
}

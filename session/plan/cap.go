package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session/view"
)

// Capped brings a decision to within the caps of what is live, which has moved so far in the last 24 hours: it stays on the way from there, so that
// between two feasible decisions of a convex set it is feasible without another search. The reasons say which caps bind; where no feasible decision is
// that near, it is what is live.
func (p *Brief) Capped(u, live []float64, moved float64) (cut []float64, reasons []string, near bool) {
	caps, size, share := p.Live, rows.Distance(u, live), 1.0
	limit := func(name string, wanted, allowed float64) {
		if wanted > allowed {
			share = min(share, allowed/wanted)
			reasons = append(reasons, fmt.Sprintf("cap.%s binds: %s wanted, %s allowed", name, phrase.Digits(wanted, 3), phrase.Digits(allowed, 3)))
		}
	}
	limit("norm", size, caps.Cap())
	limit("each", rows.Farthest(u, live), caps.Each)
	if !math.IsInf(caps.Day, 1) {
		limit("day", size, max(0, caps.Day-moved))
	}
	if share == 1 {
		return u, nil, true
	}
	cut = make([]float64, len(u))
	for i := range cut {
		cut[i] = live[i] + float64(share*(u[i]-live[i]))
	}
	if p.Feasible(cut) {
		return cut, reasons, true
	}
	if err := p.Set.Project(cut); err == nil && rows.Distance(cut, live) <= share*size*(1+1e-9) {
		return cut, reasons, true
	}
	return slices.Clone(live), append(reasons, "no feasible decision is that near to what is live"), false
}

// mostBounded is how many entries a decision has whose bounds are looked for, and far how far out.
const (
	mostBounded = 64
	far         = 1e7
)

// Bounds is how far every entry of a decision goes, NaN without an end: the nearest decision to one that is far out along an entry is at its end. It is nil of
// long decisions.
func (p *Brief) Bounds() (lower, upper *view.Sparse) {
	if len(p.Start) > mostBounded {
		return nil, nil
	}
	low, high := make(view.Sparse, len(p.Start)), make(view.Sparse, len(p.Start))
	end := func(i int, to float64) float64 {
		u := slices.Clone(p.Start)
		u[i] = to
		if err := p.Set.Project(u); err != nil || math.Abs(u[i]) > far/10 {
			return math.NaN()
		}
		return u[i]
	}
	for i := range p.Start {
		low[i], high[i] = end(i, -far), end(i, far)
	}
	return &low, &high
}

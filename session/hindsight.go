package session

import (
	"errors"
	"slices"

	"github.com/kedge-opt/kedge/session/guard"
)

// MostHindsight is how many closes guardrails are tried on.
const MostHindsight = 1000

// Hindsight tries the guardrails of a spec on the last closes of the loop. Nothing changes.
func (l *Loop) Hindsight(spec string, last int, past Past) (*guard.Hindsight, error) {
	plan, err := l.make(spec)
	if err != nil {
		return nil, err
	}
	if plan.Dims != l.plan.Dims {
		return nil, refuse(DimensionMismatch, "the spec has other dimensions than the loop")
	}
	l.past = past
	var closed []*Decision
	for k := l.k; k >= 1 && len(closed) < min(last, MostHindsight); k-- {
		d, err := l.bygone(k)
		if err != nil {
			return nil, err
		}
		if d.State == IsClosed {
			closed = append(closed, d)
		}
	}
	slices.Reverse(closed)
	plan.Duty.Informed = false // that is about the model, which has no part in it
	g, h := guard.New(plan.Duty), &guard.Hindsight{Would: []guard.Would{}}
	for _, d := range closed {
		seen, _, err := l.gather(d)
		if errors.Is(err, ErrDropped) || err == nil && len(seen.P) == 0 {
			h.Lacking++
			continue
		}
		if err != nil {
			return nil, err
		}
		sieved := g.Sieve(&seen)
		if len(seen.P) == 0 {
			h.Lacking++
			continue
		}
		r := g.Examine(guard.Inquiry{People: seen, Losses: l.plan.Losses(seen), Told: d.Metrics})
		r.Seen.Spread = sieved.Spread
		h.Add(d.K, r.Rails)
		g.Fold(guard.Lesson{Verdicts: guard.Verdicts{K: d.K, Rails: r.Rails}, U: d.Deployed.U, Seen: &r.Seen, Iterate: d.Outcome.Iterate, Stepped: d.Outcome.Outcome == Stepped})
	}
	return h, nil
}

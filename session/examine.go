package session

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/session/guard"
)

// sieve takes who does not count out of a sample.
func (l *Loop) sieve(seen *kedge.Observation, o *Outcome) guard.Sieved {
	s := l.guard.Sieve(seen)
	o.Sample.Quarantined, o.Quarantine = s.Out, s.Suspects
	o.Sample.Rows -= s.Out
	o.Sample.Effective = guard.Worth(seen.W, o.Sample.Rows)
	return s
}

// examine says why no step is to be taken, in the order in which it is asked.
func (l *Loop) examine(d *Decision, seen kedge.Observation, losses []float64, o *Outcome, sieved guard.Sieved) (list []guard.Concern, report *guard.Report) {
	if l.mode == Paused || l.mode == Killed {
		list = append(list, guard.Concern{Words: "the loop is " + string(l.mode)})
	}
	if l.rests && d.Basis == Rollback {
		list = append(list, guard.Concern{Words: "a guardrail sent the loop back here"})
	}
	infeasible := guard.Concern{Words: "what is live " + l.breaks(d.Deployed.U)}
	if l.guard == nil {
		if !d.Deployed.Feasible && list == nil {
			list = append(list, infeasible)
		}
		return list, nil
	}
	report = l.guard.Examine(guard.Inquiry{People: seen, Losses: losses, Told: d.Metrics, Lost: o.Sample.WithoutTrait})
	report.Seen.Spread = sieved.Spread
	o.Seen, o.Guardrails, o.Trust = &report.Seen, report.Rails, report.Ratio
	for _, c := range []*guard.Concern{sieved.Concern, report.Mix} {
		if c != nil {
			list = append(list, *c)
		}
	}
	if !d.Deployed.Feasible {
		list = append(list, infeasible)
	}
	return append(list, report.Concerns...), report
}

// breaks says by how much a decision is not feasible.
func (l *Loop) breaks(u []float64) string {
	return fmt.Sprintf("breaks the set of the spec by %s", phrase.Brief(l.plan.Excess(u)))
}

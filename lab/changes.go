package lab

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
)

// followSet finds the optimum of every recorded turn where the set of decisions changes.
func (r *run) followSet(ctx context.Context) error {
	p := r.problem
	if !p.Changes() {
		return nil
	}
	best := r.meter.Optimum
	stages, held := p.Stages(), 0
	for k := range p.Spec.Iterations + 1 {
		if k%p.Spec.Record.Every != 0 && k != p.Spec.Iterations {
			continue
		}
		now := held
		for now+1 < len(stages) && stages[now+1].From <= k {
			now++
		}
		if now != held {
			s, err := optimum.Find(ctx, r.meter.Steady, stages[now].Set, [][]float64{best.Decision}, p.Search)
			if err != nil {
				return fmt.Errorf("find the optimum of turn %d: %w", k, err)
			}
			best, held = loop.Target{Decision: s.Decision, Loss: s.Loss}, now
		}
		r.meter.Course = append(r.meter.Course, loop.Stage{Turn: k, Target: best})
	}
	r.result.Notes = append(r.result.Notes, "The set of decisions changes, and the optimum with it: gaps and distances are those to the optimum of their turn; "+
		"the optimum and the stable point listed are those of the first.")
	return nil
}

package lab

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
)

// follow finds the optimum of every turn that is recorded, where the people of the population change by themselves: as they are
// when the decision of the turn is deployed. Each search begins where the last one ended.
func (r *run) follow(ctx context.Context) error {
	p := r.problem
	if !p.Moves() {
		return r.followSet(ctx)
	}
	world, err := p.World()
	if err != nil {
		return err
	}
	f, err := p.SteadyOf(world)
	if err != nil {
		return err
	}
	world.Workers, f.Workers = r.workers, r.workers
	best := r.meter.Optimum
	for k := range p.Spec.Iterations + 1 {
		for world.Step() < k*p.Spec.Hold {
			if _, err := world.Advance(); err != nil {
				return fmt.Errorf("traits at step %d: %w", world.Step(), err)
			}
		}
		if k%p.Spec.Record.Every != 0 && k != p.Spec.Iterations {
			continue
		}
		s, err := optimum.Find(ctx, f, p.Set, [][]float64{best.Decision}, p.Search)
		if err != nil {
			return fmt.Errorf("find the optimum of turn %d: %w", k, err)
		}
		best = loop.Target{Decision: s.Decision, Loss: s.Loss}
		r.meter.Course = append(r.meter.Course, loop.Stage{Turn: k, Target: best})
	}
	r.result.Notes = append(r.result.Notes, "The people of this population change by themselves, and the optimum with them: gaps and distances "+
		"are those to the optimum of their turn; the optimum and the stable point listed are those of the first.")
	return nil
}

// describeTracking adds a section that says how closely every method followed an optimum that moves.
func (r *run) describeTracking() {
	list, closest := r.result.Tracking()
	if list == nil {
		return
	}
	s := folder.Section{
		ID: "tracking", Title: "Following the optimum", Verdict: closest.Verdict(),
		Text: "The optimum u★ of a turn is that of the people who are there. The tracking error is ‖u − u★‖, over the second half of the turns: " +
			"its mean over turns and trials, and its greatest. Regret is what was lost, Σ |Φ̃(u) − Φ̃★| over all turns, and what a turn of the " +
			"second half adds to it, both as means over trials.",
		Columns: []string{"method", "tracking error", "greatest", "regret", "regret a turn"},
	}
	for _, t := range list {
		s.Rows = append(s.Rows, []string{t.Method, folder.Brief(t.Mean), folder.Brief(t.Worst), folder.Brief(t.Regret), folder.Brief(t.Rate)})
	}
	r.result.Sections = append(r.result.Sections, s)
}

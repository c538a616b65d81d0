package lab

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
)

// follow finds the optimum of every turn that is recorded, where the people of the population change by themselves: as they are
// when the decision of the turn is deployed. Each search begins where the last one ended.
func (r *run) follow(ctx context.Context) error {
	p := r.problem
	if !p.Moves() {
		return nil
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
		r.track.Turns, r.track.Targets = append(r.track.Turns, k), append(r.track.Targets, best)
	}
	r.result.Notes = append(r.result.Notes, "The people of this population change by themselves, and the optimum with them: gaps and distances "+
		"are those to the optimum of their turn; the optimum and the stable point listed are those of the first.")
	return nil
}

// chase makes the meter of a trial judge by the people who are there, and returns the optimum that moves with them; nil where
// nobody moves.
func (a *attempt) chase() (*loop.Track, error) {
	r := a.run
	if !r.problem.Moves() {
		return nil, nil
	}
	var err error
	if a.meter.Steady, err = r.problem.SteadyOf(a.trial.Population.TraitRows()); err != nil {
		return nil, err
	}
	t := r.track
	if n := len(a.slot.K); n > 0 {
		t.Resume(a.slot.K[n-1], a.slot.Metrics[n-1].Tracking.Regret)
	}
	return &t, nil
}

package lab

import (
	"context"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/steady"
)

// moment returns what the optimum of turn k is the optimum of, nothing if that is as at the last turn that was asked for. Turns ascend.
type moment func(k int) (*steady.Objective, kedge.Set, error)

// follow finds the optimum of every turn that is recorded, where it moves. Each search begins where the last one ended.
func (r *run) follow(ctx context.Context) error {
	p, best := r.problem, r.meter.Optimum
	now, err := r.moves()
	if now == nil {
		return err
	}
	for k := range p.Spec.Iterations + 1 {
		if k%p.Spec.Record.Every != 0 && k != p.Spec.Iterations {
			continue
		}
		f, set, err := now(k)
		if err != nil {
			return err
		}
		if f != nil {
			s, err := optimum.Minimize(ctx, f, set, best.Decision, p.Search)
			if err != nil {
				return fmt.Errorf("find the optimum of turn %d: %w", k, err)
			}
			best = loop.Target{Decision: s.Decision, Loss: s.Loss}
		}
		r.meter.Course = append(r.meter.Course, loop.Stage{Turn: k, Target: best})
	}
	who, it := "The set of decisions changes", "it"
	if p.Moves() {
		who, it = "The people of this population change by themselves", "them"
	}
	r.note("%s, and the optimum with %s: gaps and distances are those to the optimum of their turn; the optimum and the stable point listed are those of the first.", who, it)
	return nil
}

// moves tells how the optimum moves, nil where it stays.
func (r *run) moves() (moment, error) {
	switch {
	case r.problem.Moves():
		return r.changingPeople()
	case r.problem.Changes():
		return r.changingSet(), nil
	}
	return nil, nil
}

// changingPeople are the people of the population, who change by themselves: as they are when the decision of a turn is deployed.
func (r *run) changingPeople() (moment, error) {
	p := r.problem
	world, err := p.World()
	if err != nil {
		return nil, err
	}
	f, err := p.SteadyOf(world)
	if err != nil {
		return nil, err
	}
	world.Workers, f.Workers = r.Workers, r.Workers
	return func(k int) (*steady.Objective, kedge.Set, error) {
		for world.Step() < k*p.Spec.Hold {
			if _, err := world.Advance(); err != nil {
				return nil, nil, fmt.Errorf("traits at step %d: %w", world.Step(), err)
			}
		}
		return f, p.Set, nil
	}, nil
}

// changingSet is the set of decisions, which changes at given turns.
func (r *run) changingSet() moment {
	later := r.problem.Stages()[1:]
	return func(k int) (f *steady.Objective, set kedge.Set, err error) {
		for len(later) > 0 && later[0].From <= k {
			f, set, later = r.meter.Steady, later[0].Set, later[1:]
		}
		return f, set, nil
	}
}

// following is the section that says how closely every method followed an optimum that moves.
func (r *run) following() (*folder.Section, error) {
	list, closest := r.result.Tracking()
	if list == nil {
		return nil, nil
	}
	s := &folder.Section{
		ID: "tracking", Title: "Following the optimum", Verdict: closest.Verdict(),
		Text: "The optimum u★ of a turn is that of the people who are there. The tracking error is ‖u − u★‖, over the second half of the turns: " +
			"its mean over turns and trials, and its greatest. Regret is what was lost, Σ |Φ̃(u) − Φ̃★| over all turns, and what a turn of the " +
			"second half adds to it, both as means over trials.",
		Columns: []string{"method", "tracking error", "greatest", "regret", "regret a turn"},
	}
	for _, t := range list {
		s.Rows = append(s.Rows, []string{t.Method, folder.Brief(t.Mean), folder.Brief(t.Worst), folder.Brief(t.Regret), folder.Brief(t.Rate)})
	}
	return s, nil
}

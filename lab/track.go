package lab

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/steady"
)

// moment returns what the optimum of turn k is the optimum of, nothing if that is as at the last turn that was asked for. Turns ascend.
type moment func(k int) (*scene, error)

// scene is what an optimum is the optimum of.
type scene struct {
	objective   *steady.Objective
	set         kedge.Set
	constraints []optimum.Function
}

// best finds the optimum from where the last one was.
func (s *scene) best(ctx context.Context, from []float64, o optimum.Effort) (loop.Target, error) {
	if len(s.constraints) == 0 {
		p, err := optimum.Minimize(ctx, s.objective, s.set, from, o)
		if err != nil {
			return loop.Target{}, err
		}
		return loop.Target{Decision: p.Decision, Loss: p.Loss}, nil
	}
	o.Starts = 1
	p, err := optimum.Constrain(ctx, s.objective, s.constraints, s.set, [][]float64{from}, o)
	if missing := (*kedge.NotConvergedError)(nil); errors.As(err, &missing) {
		return loop.Target{Decision: from, Loss: math.NaN()}, nil
	}
	if err != nil {
		return loop.Target{}, err
	}
	return loop.Target{Decision: p.Decision, Loss: p.Loss}, nil
}

// follow finds the optimum of every turn that is recorded, where it moves. Each search begins where the last one ended.
func (r *run) follow(ctx context.Context) error {
	p, best := r.problem, r.meter.Optimum
	now, err := r.moves()
	if now == nil {
		return err
	}
	unkept := 0
	for k := range p.Spec.Iterations + 1 {
		if k%p.Spec.Record.Every != 0 && k != p.Spec.Iterations {
			continue
		}
		s, err := now(k)
		if err != nil {
			return err
		}
		if s != nil {
			if best, err = s.best(ctx, best.Decision, p.Search); err != nil {
				return fmt.Errorf("find the optimum of turn %d: %w", k, err)
			}
			if math.IsNaN(best.Loss) {
				unkept++
			}
		}
		r.meter.Course = append(r.meter.Course, loop.Stage{Turn: k, Target: best})
	}
	if unkept > 0 {
		r.note("At %d of %d recorded turns no decision was found that keeps the constraints for the people who are there; those turns have no gap.", unkept, len(r.meter.Course))
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
	judges, err := p.ConstraintsOf(world)
	if err != nil {
		return nil, err
	}
	s := &scene{objective: f, set: p.Set, constraints: functions(judges)}
	return func(k int) (*scene, error) {
		for world.Step() < k*p.Spec.Hold {
			if _, err := world.Advance(); err != nil {
				return nil, fmt.Errorf("traits at step %d: %w", world.Step(), err)
			}
		}
		return s, nil
	}, nil
}

// changingSet is the set of decisions, which changes at given turns.
func (r *run) changingSet() moment {
	later := r.problem.Stages()[1:]
	return func(k int) (s *scene, err error) {
		for len(later) > 0 && later[0].From <= k {
			s, later = &scene{objective: r.meter.Steady, set: later[0].Set}, later[1:]
		}
		return s, nil
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

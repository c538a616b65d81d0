package lab

import (
	"context"
	"fmt"
	"math"

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
	if !r.restless() {
		return nil, nil
	}
	if r.problem.Moves() {
		var err error
		if a.meter.Steady, err = r.problem.SteadyOf(a.trial.Population.TraitRows()); err != nil {
			return nil, err
		}
	}
	t := r.track
	if n := len(a.slot.K); n > 0 {
		t.Resume(a.slot.K[n-1], a.slot.Metrics[n-1].Tracking.Regret)
	}
	return &t, nil
}

// pursuit is how the trials of a method followed the optimum in the second half of their turns.
type pursuit struct {
	mean, worst float64 // tracking error
	regret      float64 // at the end, a trial
	rate        float64 // what a turn adds to it
}

// pursue averages over trials; it is not ok when nothing was recorded.
func (one *Run) pursue() (p pursuit, ok bool) {
	trials := float64(len(one.Trials))
	for _, t := range one.Trials {
		n := len(t.Metrics)
		half, last := t.Metrics[n/2].Tracking, t.Metrics[n-1].Tracking
		for i := n / 2; i < n; i++ {
			e := t.Metrics[i].Tracking.Error
			p.mean += e / float64(n-n/2) / trials
			p.worst = max(p.worst, e)
		}
		p.regret += last.Regret / trials
		if turns := t.K[n-1] - t.K[n/2]; turns > 0 {
			p.rate += (last.Regret - half.Regret) / float64(turns) / trials
		}
	}
	return p, trials > 0
}

// pursuits adds a section that says how closely every method followed an optimum that moves.
func (r *run) pursuits() {
	if !r.restless() {
		return
	}
	s := Section{
		ID: "tracking", Title: "Following the optimum",
		Text: "The optimum u★ of a turn is that of the people who are there. The tracking error is ‖u − u★‖, over the second half of the turns: " +
			"its mean over turns and trials, and its greatest. Regret is what was lost, Σ |Φ̃(u) − Φ̃★| over all turns, and what a turn of the " +
			"second half adds to it, both as means over trials.",
		Columns: []string{"method", "tracking error", "greatest", "regret", "regret a turn"},
	}
	best, closest := "", 0.0
	for i := range r.result.Runs {
		one := &r.result.Runs[i]
		p, ok := one.pursue()
		if !ok {
			continue
		}
		if best == "" || p.mean < closest {
			best, closest = one.Name, p.mean
		}
		row := []string{one.Name}
		for _, v := range []float64{p.mean, p.worst, p.regret, p.rate} {
			row = append(row, brief(v))
		}
		s.Rows = append(s.Rows, row)
	}
	if best != "" {
		s.Verdict = fmt.Sprintf("%s follows most closely, %s from the optimum on average.", best, brief(closest))
		r.result.Sections = append(r.result.Sections, s)
	}
}

// brief writes a number with three digits, thousands as they are.
func brief(x float64) string {
	if size := math.Abs(x); size >= 1000 && size < 1e6 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

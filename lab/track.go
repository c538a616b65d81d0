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
		r.meter.Course = append(r.meter.Course, loop.Stage{Turn: k, Target: best})
	}
	r.result.Notes = append(r.result.Notes, "The people of this population change by themselves, and the optimum with them: gaps and distances "+
		"are those to the optimum of their turn; the optimum and the stable point listed are those of the first.")
	return nil
}

// Tracking is how the trials of a method followed an optimum that moves, as means over trials.
type Tracking struct {
	Method      string
	Mean, Worst float64 // tracking error, over the second half of the turns
	Regret      float64 // at the end
	Rate        float64 // what a turn of the second half adds to it
}

// Verdict says that nobody followed more closely.
func (t Tracking) Verdict() string {
	return fmt.Sprintf("%s follows most closely, %s from the optimum on average.", t.Method, Brief(t.Mean))
}

// Tracking tells how the methods followed an optimum that moves, and which of them most closely; none where it stays.
func (r *Result) Tracking() (list []Tracking, closest Tracking) {
	for i := range r.Runs {
		one := &r.Runs[i]
		if len(one.Trials) == 0 || !one.Trials[0].Has("tracking") {
			continue
		}
		list = append(list, one.tracking())
		if last := list[len(list)-1]; len(list) == 1 || last.Mean < closest.Mean {
			closest = last
		}
	}
	return list, closest
}

func (one *Run) tracking() Tracking {
	sum, trials := Tracking{Method: one.Name}, float64(len(one.Trials))
	for _, t := range one.Trials {
		n := len(t.K)
		errors, regret := t.Of("tracking"), t.Of("regret")
		for _, e := range errors[n/2:] {
			sum.Mean += e / float64(n-n/2) / trials
			sum.Worst = max(sum.Worst, e)
		}
		sum.Regret += regret[n-1] / trials
		if turns := t.K[n-1] - t.K[n/2]; turns > 0 {
			sum.Rate += (regret[n-1] - regret[n/2]) / float64(turns) / trials
		}
	}
	return sum
}

// describeTracking adds a section that says how closely every method followed an optimum that moves.
func (r *run) describeTracking() {
	list, closest := r.result.Tracking()
	if list == nil {
		return
	}
	s := Section{
		ID: "tracking", Title: "Following the optimum", Verdict: closest.Verdict(),
		Text: "The optimum u★ of a turn is that of the people who are there. The tracking error is ‖u − u★‖, over the second half of the turns: " +
			"its mean over turns and trials, and its greatest. Regret is what was lost, Σ |Φ̃(u) − Φ̃★| over all turns, and what a turn of the " +
			"second half adds to it, both as means over trials.",
		Columns: []string{"method", "tracking error", "greatest", "regret", "regret a turn"},
	}
	for _, t := range list {
		s.Rows = append(s.Rows, []string{t.Method, Brief(t.Mean), Brief(t.Worst), Brief(t.Regret), Brief(t.Rate)})
	}
	r.result.Sections = append(r.result.Sections, s)
}

// Brief writes a number with three digits, thousands as they are.
func Brief(x float64) string {
	if size := math.Abs(x); size >= 1000 && size < 1e6 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

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
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/steady"
)

// bounds are the constraints of a run and the best decision that keeps them.
type bounds struct {
	list []*risk.SettledConstraint
	most []float64 // largest multipliers
	best *optimum.Constrained
}

// best finds the optimum, among the decisions that keep the constraints if there are any. Where it is not found a note says so, and
// the optimum without constraints takes its place.
func (r *run) best(ctx context.Context, f *steady.Objective, starts [][]float64) (*optimum.Search, error) {
	var err error
	if r.bounds.list, r.bounds.most, err = r.problem.Constraints(); err != nil {
		return nil, err
	}
	free, err := r.find(ctx, "optimum", f, starts)
	if err != nil || len(r.bounds.list) == 0 {
		return free, err
	}
	var all []optimum.Function
	for _, c := range r.bounds.list {
		all = append(all, c)
	}
	o := r.problem.Search
	for _, o.Tolerance = range []float64{o.Tolerance, max(o.Tolerance, coarse)} {
		best, s, failed := optimum.FindConstrained(ctx, f, all, r.problem.Set, starts, o)
		if failed == nil {
			r.bounds.best = best
			r.note("The optimum is the best decision that keeps the constraints; a gap below 0 is that of a decision that breaks them.")
			return s, nil
		}
		if err = failed; ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var missing *kedge.NotConvergedError
	if !errors.As(err, &missing) {
		return nil, err
	}
	r.note("The best decision under the constraints is not known: %v. Gaps and distances are those to the optimum without constraints.", err)
	return free, nil
}

// coarse is the tolerance that is tried where a finer one is not reached: the tail of a finite population has kinks.
const coarse = 1e-6

// judges returns the constraints for one trial to be judged by.
func (r *run) judges() (list loop.Constraints) {
	for _, c := range r.bounds.list {
		list = append(list, c.Clone())
	}
	return list
}

// keeping is the section that says how well every method kept the constraints, and what that cost.
func (r *run) keeping() (*folder.Section, error) {
	if len(r.bounds.list) == 0 {
		return nil, nil
	}
	s := &folder.Section{
		ID: "constraints", Title: "Keeping the constraints",
		Text: "The excess is by how much the population that settles under a decision exceeds a bound, at the last turn and as a mean over trials; " +
			"at most 0 the constraint is kept. The multiplier is what the method would pay for a looser bound. The first rows are the best decision " +
			"that keeps all constraints, found offline. A method that breaks constraints can have a value that is better than the optimum's, so gaps may be negative.",
		Columns: []string{"method", "constraint", "excess", "greatest", "multiplier", "value"},
	}
	if best := r.bounds.best; best != nil {
		for j, c := range r.bounds.list {
			s.Rows = append(s.Rows, []string{"optimum", c.Name(), signed(best.Excess[j]), signed(best.Excess[j]), signed(best.Multipliers[j]), signed(r.result.Optimum.Value)})
		}
		s.Text += fmt.Sprintf(" Its Karush–Kuhn–Tucker residual is %.1e.", best.Residual)
	}
	for i := range r.result.Runs {
		for j, c := range r.bounds.list {
			if row := r.kept(&r.result.Runs[i], j, c.Name()); row != nil {
				s.Rows = append(s.Rows, row)
			}
		}
	}
	return s, nil
}

// kept is how a method kept constraint j; a note says when its multiplier stopped growing.
func (r *run) kept(one *folder.Run, j int, name string) []string {
	n := float64(len(one.Trials))
	if n == 0 {
		return nil
	}
	excess, worst, multiplier, value := 0.0, math.Inf(-1), 0.0, 0.0
	for _, t := range one.Trials {
		over := t.Last(fmt.Sprintf("excess_%d", j+1))
		excess, multiplier, value = excess+over/n, multiplier+t.Last(fmt.Sprintf("multiplier_%d", j+1))/n, value+t.Last("value")/n
		worst = max(worst, over)
	}
	if multiplier >= r.bounds.most[j] {
		r.note("%s could not keep the constraint %s: its multiplier grew to the largest allowed, %v. "+
			"Either no decision keeps it, or largest-multiplier is too small.", one.Name, name, r.bounds.most[j])
	}
	return []string{one.Name, name, signed(excess), signed(worst), signed(multiplier), signed(value)}
}

// signed writes a number of a table, a dash for NaN.
func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.4g", v)
}

package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/risk"
)

// bounds are the constraints of a run and the best decision that keeps them.
type bounds struct {
	list []*risk.SettledConstraint
	most []float64 // largest multipliers
	best *optimum.Constrained
}

// functions are constraints as searches take them.
func functions(list []*risk.SettledConstraint) []optimum.Function {
	return lists.Of(list, func(c *risk.SettledConstraint) optimum.Function { return c })
}

// judges returns the constraints for one trial to be judged by: on the people who are there where they change.
func (r *run) judges(traits kedge.Rows) (list loop.Constraints, err error) {
	own := r.bounds.list
	if r.problem.Moves() && len(own) > 0 {
		if own, err = r.problem.ConstraintsOf(traits); err != nil {
			return nil, err
		}
	}
	return lists.Of(own, func(c *risk.SettledConstraint) loop.Judge { return c.Clone() }), nil
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
	if r.problem.Moves() {
		s.Text += " Each turn is judged by the people who are there then; the best decision is that for the people of the first."
	}
	smoothed := slices.ContainsFunc(r.bounds.list, (*risk.SettledConstraint).Smoothed)
	if smoothed {
		s.Columns = append(s.Columns, "true excess")
		s.Text += " A chance constraint is kept by rules in a smoothed form; its true excess is by how much the share of people beyond the limit exceeds what is allowed, in the last trial. The optimum keeps the true one."
	}
	truth := func(row []string, c *risk.SettledConstraint, u []float64) []string {
		if !smoothed {
			return row
		}
		v, err := c.True(u)
		if err != nil || r.problem.Moves() {
			v = math.NaN()
		}
		return append(row, signed(v))
	}
	if best := r.bounds.best; best != nil {
		for j, c := range r.bounds.list {
			price := math.NaN() // between separate points nothing is paid for a looser bound
			if best.Multipliers != nil {
				price = best.Multipliers[j]
			}
			s.Rows = append(s.Rows, truth([]string{"optimum", c.Name(), signed(best.Excess[j]), signed(best.Excess[j]), signed(price), signed(r.result.Optimum.Value)}, c, best.Decision))
		}
		if best.Multipliers != nil {
			s.Text += fmt.Sprintf(" Its Karush–Kuhn–Tucker residual is %.1e.", best.Residual)
		}
	}
	for i := range r.result.Runs {
		for j, c := range r.bounds.list {
			if row := r.kept(&r.result.Runs[i], j, c.Name()); row != nil {
				trials := r.result.Runs[i].Trials
				s.Rows = append(s.Rows, truth(row, c, trials[len(trials)-1].Decision))
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

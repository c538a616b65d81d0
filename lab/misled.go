package lab

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
)

// misled is the section that compares how far methods with a sensitivity that is wrong on purpose end from the optimum with how far
// they can.
func (r *run) misled() (*folder.Section, error) {
	s := &folder.Section{
		ID: "wrong-sensitivity", Title: "Wrong sensitivities",
		Text: "Where a method comes to rest with a wrong sensitivity, u, is off the optimum u★ by at most ‖e‖/μ: e is the error of the gradient at u, " +
			"and μ = (∇Φ̃(u) − ∇Φ̃(u★))ᵀ(u − u★)/‖u − u★‖². Both points solve variational inequalities on the set; added up they say μ‖u − u★‖² ≤ −eᵀ(u − u★). " +
			"Decisions are means over the trials; those that still move, or jitter because samples are small, may be off by more.",
		Columns: []string{"method", "scale", "degrees", "‖u − u★‖", "bound ‖e‖/μ", "‖e‖", "μ"},
	}
	for a, one := range r.result.Runs {
		if r.problem.Spoiled(a) == nil || len(one.Trials) == 0 {
			continue
		}
		row, err := r.misledBy(a)
		if err != nil {
			return nil, fmt.Errorf("judge the wrong sensitivity of %s: %w", one.Name, err)
		}
		s.Rows = append(s.Rows, row)
	}
	if len(s.Rows) == 0 {
		return nil, nil
	}
	return s, nil
}

// misledBy is the row of a method.
func (r *run) misledBy(a int) ([]string, error) {
	one, best := r.result.Runs[a], r.meter.Optimum.Decision
	n := len(best)
	u, e, there, here := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for _, t := range one.Trials {
		rows.AddScaled(u, 1/float64(len(one.Trials)), t.Decision)
	}
	if err := r.problem.Misled(e, a, u); err != nil {
		return nil, err
	}
	if _, err := r.meter.Steady.Gradient(there, u); err != nil {
		return nil, err
	}
	if _, err := r.meter.Steady.Gradient(here, best); err != nil {
		return nil, err
	}
	off := rows.Distance(u, best)
	rows.AddScaled(there, -1, here)
	rows.AddScaled(u, -1, best)
	mu, size := rows.Dot(there, u)/(off*off), rows.Norm(e)
	bound := size / mu
	if !(mu > 0) {
		bound = math.Inf(1)
	}
	w := r.problem.Spoiled(a)
	return []string{one.Name, fmt.Sprint(w.Scale), fmt.Sprint(w.Rotate), folder.Brief(off), folder.Brief(bound), folder.Brief(size), folder.Brief(mu)}, nil
}

package optimum

import "github.com/kedge-opt/kedge/internal/rows"

// fence lets the survey of a landscape without end go downhill only as far as the constraints are no worse than at the start: a loss that
// falls without end has no length of its own, and what counts is where constraints stop it.
func (l *landscape) fence(a *augmented, start []float64) {
	g, from, first := make([]float64, len(start)), append([]float64(nil), start...), make([]float64, len(a.constraints))
	if l.set.Project(from) != nil {
		return
	}
	for j := range a.constraints {
		v, err := a.form(j, false, g, from)
		if err != nil {
			return
		}
		first[j] = max(0, v)
		if steep := rows.Norm(g); first[j] > 0 && steep > 0 {
			l.lack = max(l.lack, first[j]/steep)
		}
	}
	l.beyond = func(u []float64) bool {
		for j := range a.constraints {
			if v, err := a.form(j, false, g, u); err != nil || !(v <= first[j]) {
				return true
			}
		}
		return false
	}
}

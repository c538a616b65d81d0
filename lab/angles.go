package lab

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// mostAngles is how many individuals' angles are kept. Of a larger population they are those at equal distances.
const mostAngles = 100_000

// angles compares individuals' states with the decision, where both live in one space.
func (r *run) angles() error {
	p := r.problem
	if !p.SharedSpace() {
		return nil
	}
	if n := len(r.shown); n < p.Individuals() {
		r.note("Angles are those of %d individuals at equal distances in the population.", n)
	}
	if p.Weights != nil {
		r.note("Angles count everybody once, whatever their weights.")
	}
	states, traits := p.First(r.shown)
	a := &folder.Angles{Initial: degrees(states, p.Start), Final: map[string][]float64{}}
	best := r.meter.Optimum.Decision
	if err := p.Settle(states, best, traits); err != nil {
		return err
	}
	a.Optimal = degrees(states, best)
	for _, one := range r.result.Runs {
		if n := len(one.Trials); n > 0 {
			a.Final[one.Name] = one.Trials[n-1].Angles
		}
	}
	r.result.Angles = a
	return nil
}

// degrees returns the angle between every row of states and u.
func degrees(states, u []float64) []float64 {
	out := make([]float64, kedge.Count(states, len(u)))
	for i := range out {
		p := kedge.Row(states, i, len(u))
		cos := rows.Dot(p, u) / (rows.Norm(p) * rows.Norm(u))
		out[i] = portable.Acos(max(-1, min(1, cos))) * 180 / math.Pi
	}
	return out
}

package report

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
)

// nashOf picks the distance to equilibrium.
func nashOf(m kedge.Metrics) float64 {
	if m.Nash == nil {
		return math.NaN()
	}
	return m.Nash.Distance
}

func nashFigure(r *lab.Result) (sketch, bool) {
	m := measure{label: "relative distance to equilibrium", pick: nashOf}
	see := "How far the players' decisions lie from a Nash equilibrium of the settled population, at which nobody gains by moving alone."
	return lineFigure(r, "nash", "Distance to the Nash equilibrium", see, m)
}

// contested says who plays and what for.
func contested(s *problem.Spec) string {
	var list []string
	for i := range s.Players {
		p := &s.Players[i]
		list = append(list, fmt.Sprintf("%s decides %s, %s, and minimizes a loss of its own (%s)", p.Name, phrase.Count(p.Size, "number"), feasible(&p.Set), p.Objective.Kind))
	}
	return phrase.Enumerate(list) + "." + judgedSettled
}

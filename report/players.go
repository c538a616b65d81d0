package report

import (
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/report/draw"
)

func nashFigure(r *folder.Result) (draw.Sketch, bool) {
	see := "How far the players' decisions lie from a Nash equilibrium of the settled population, at which nobody gains by moving alone."
	return lineFigure(r, "nash", "Distance to the Nash equilibrium", see, columnMeasure("nash_distance"))
}

// playersInWords says who plays and what for.
func playersInWords(s *problem.Spec) string {
	var list []string
	for i := range s.Players {
		p := &s.Players[i]
		list = append(list, fmt.Sprintf("%s decides %s, %s, and minimizes a loss of its own (%s)", p.Name, phrase.Count(p.Size, "number"), p.Set.Words(), form.NameOf(p.Objective)))
	}
	return phrase.Enumerate(list) + "." + judgedSettled
}

package report

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// optimumMoves tells whether the optimum of a result moves, because people change by themselves or the set of decisions does.
func optimumMoves(r *folder.Result) bool {
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			return len(t.K) > 0 && t.Has("tracking")
		}
	}
	return false
}

func trackingFigure(r *folder.Result) (draw.Sketch, bool) {
	see := "How far the decision in force lies from the decision that is optimal for the people who are there at that turn. " +
		"A curve that levels off follows the optimum at a steady distance."
	return lineFigure(r, "tracking", "Distance to the moving optimum", see, columnMeasure("tracking"))
}

func regretFigure(r *folder.Result) (draw.Sketch, bool) {
	see := "What has been lost so far, Σ |Φ̃(u) − Φ̃★|, against a decision-maker who knows the optimum of every turn."
	return lineFigure(r, "regret", "Dynamic regret", see, columnMeasure("regret"))
}

// followed is the verdict where the optimum moves: who follows it most closely, for the gap of one turn says little.
func followed(r *folder.Result) page.Finding {
	list, closest := r.Tracking()
	j := page.Finding{Headline: closest.Verdict()}
	for _, t := range list {
		j.Reasons = append(j.Reasons, fmt.Sprintf("%s: on average %s from the optimum of the turn, at most %s; regret %s.",
			t.Method, folder.Brief(t.Mean), folder.Brief(t.Worst), folder.Brief(t.Regret)))
	}
	return j
}

// dynamicsBesides says what the dynamics of individuals have besides their kind.
func dynamicsBesides(d *problem.Dynamics) string {
	var list []string
	for _, p := range kind.ParametersOf(d.Of) {
		if p.Own {
			list = append(list, fmt.Sprintf(" Everybody's own %s is between %s and %s.", p.Symbol, phrase.Exact(p.Interval[0]), phrase.Exact(p.Interval[1])))
		}
	}
	if d.Coupling > 0 {
		list = append(list, fmt.Sprintf(" Everybody is drawn to the mean of the crowd with the weight %s.", phrase.Exact(d.Coupling)))
	}
	if d.Noise.All > 0 || d.Noise.Each != nil {
		list = append(list, " After every step noise pushes the states.")
	}
	return strings.Join(list, "")
}

// traits says what traits of a name are and how they change.
func traits(p *problem.Population, name string) string {
	law := p.Law.Words()
	if p.Drift == nil && p.Churn == 0 {
		return "Traits " + name + " stay as they are: " + law + "."
	}
	text := "Traits " + name + " are at first " + law
	if p.Drift != nil {
		text += ", and drift from there"
	}
	if p.Churn > 0 {
		text += fmt.Sprintf("; %s of the people leave at every step, and newcomers take their places", phrase.Percent(p.Churn))
	}
	return text + "."
}

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
)

// Figures draws what the result holds: gap, distance and w1 over the turns, the angles, the paths, the two optima of a
// reference, and how far the theory's bounds are from what happened. A figure whose quantity was not measured is left out.
func Figures(r *folder.Result) ([]draw.Figure, error) { return draw.Render(sketches(r)...) }

// sketches lists the figures of a result in the order of the page, those that have panels.
func sketches(r *folder.Result) []draw.Sketch {
	return slices.DeleteFunc([]draw.Sketch{
		gapFigure(r), distanceFigure(r),
		columnFigure(r, "nash", "nash_distance", "Distance to the Nash equilibrium",
			"How far the players' decisions lie from a Nash equilibrium of the settled population, at which nobody gains by moving alone."),
		constraintFigure(r),
		columnFigure(r, "tracking", "tracking", "Distance to the moving optimum",
			"How far the decision in force lies from the decision that is optimal for the people who are there at that turn. "+
				"A curve that levels off follows the optimum at a steady distance."),
		columnFigure(r, "regret", "regret", "Dynamic regret",
			"What has been lost so far, Σ |Φ̃(u) − Φ̃★|, against a decision-maker who knows the optimum of every turn."),
		columnFigure(r, "w1", "w1_optimal", "Distance of the population",
			"How far, in W₁, the population at each turn is from the one that settles under the optimum: "+
				"a curve that levels off shows a population that is held away from it."),
		angleFigure(r), pathFigure(r), referenceFigure(r), lagFigure(r), biasFigure(r),
	}, func(s draw.Sketch) bool { return len(s.Panels) == 0 })
}

// measure is one quantity over the turns and the level that it is compared with.
type measure struct {
	label string
	name  string // of the column
	rule  draw.Rule
}

// columnMeasure is a column under the label that it has everywhere.
func columnMeasure(name string) measure {
	return measure{loop.Describe(name).Label, name, draw.Rule{Value: math.NaN()}}
}

func columnFigure(r *folder.Result, name, column, title, see string) draw.Sketch {
	return lineFigure(r, name, title, see, columnMeasure(column))
}

func gapFigure(r *folder.Result) draw.Sketch {
	if slices.ContainsFunc(r.Runs, heeds) {
		return constrainedGap(r)
	}
	m := measure{"relative gap to the optimum", "gap", retraining(r, r.Stable.Gap)}
	formula := "(Φ̃(u) − Φ̃★) / |Φ̃★|"
	if r.Maximize {
		formula = "(Φ̃★ − Φ̃(u)) / |Φ̃★|"
	}
	see := "The relative gap " + formula + " of the decision in force, judged by the population that it would settle to." +
		below(r, m, "the gap of the stable point")
	return lineFigure(r, "gap", "Gap to the optimum", see, m)
}

func distanceFigure(r *folder.Result) draw.Sketch {
	m := measure{"relative distance to the optimum, ‖u − u*‖ / ‖u*‖", "distance", retraining(r, r.Stable.Distance)}
	see := "How far the decision in force lies from the optimal one." + below(r, m, "the distance of the stable point")
	return lineFigure(r, "distance", "Distance to the optimum", see, m)
}

// retraining marks the level at which the vanilla rule comes to rest. In a population that moves it never does.
func retraining(r *folder.Result, level float64) draw.Rule {
	if optimumMoves(r) {
		return draw.Rule{Value: math.NaN()}
	}
	return draw.Rule{Value: level, Meaning: []string{"where", "retraining", "settles"}}
}

// below says what the rule is and which algorithms end clearly below it.
func below(r *folder.Result, m measure, what string) string {
	if !m.rule.Shown(true) {
		return ""
	}
	list := []string{" The dashed line is " + what + ", " + phrase.Percent(m.rule.Value) + ", where plain retraining settles"}
	for _, run := range r.Runs {
		if end := final(run, m.name).Mean; end < 0.9*m.rule.Value {
			list = append(list, fmt.Sprintf("%s ends below it, at %s", run.Name, phrase.Percent(end)))
		}
	}
	return strings.Join(list, "; ") + "."
}

// lineFigure draws one measure for all algorithms on a logarithmic axis, none where nothing was measured.
func lineFigure(r *folder.Result, name, title, see string, m measure) draw.Sketch {
	list := linesOf(r, m.name)
	if len(list) == 0 {
		return draw.Sketch{}
	}
	floored := draw.Prepare(true, list)
	g := draw.Grid{Columns: 1, Panels: []draw.Panel{m.panel(list, true)}, Legend: []draw.Entry{{Words: trialsNote(r)}}}
	if draw.FitBeside(list) {
		g.Panels[0].Beside = append(g.Panels[0].Beside, draw.Ends(list)...)
	} else {
		g.Legend = append(draw.Entries(list), g.Legend...)
	}
	alongTurns(g.Panels)
	return g.Sketch(name, title, see+banded(r), floored)
}

// panel draws curves with the rule, if that has a place on the axis.
func (m measure) panel(list draw.Lines, log bool) draw.Panel {
	p := draw.Panel{Layers: []draw.Layer{list}}
	if m.rule.Shown(log) {
		p.Layers = append(p.Layers, m.rule)
		if m.rule.Meaning != nil {
			p.Beside = []draw.Aside{m.rule.Aside()}
		}
	}
	p.Layers = append(p.Layers, draw.Marks(list))
	_, y := draw.Extents(p)
	p.Y = draw.Axis{Ruler: draw.NewRuler(y, log), Label: m.label}
	return p
}

// alongTurns gives panels the turns for their horizontal axis.
func alongTurns(panels []draw.Panel) {
	x, _ := draw.Extents(panels...)
	if x.Low == x.High {
		x = draw.Extent{Low: x.Low - 0.5, High: x.High + 0.5}
	}
	for i := range panels {
		panels[i].X = draw.Axis{Ruler: draw.Ruler{Min: x.Low, Max: x.High, Whole: true}, Label: "turn k"}
	}
}

// banded says what bands are, where there are any.
func banded(r *folder.Result) string {
	if trialsOf(r) > 1 {
		return " Lines are means over trials, bands reach from the least to the greatest."
	}
	return ""
}

func trialsNote(r *folder.Result) string {
	most := trialsOf(r)
	for _, run := range r.Runs {
		if n := len(run.Trials); n > 0 && n < most {
			return fmt.Sprintf("mean and range of up to %d trials", most)
		}
	}
	if most > 1 {
		return fmt.Sprintf("mean and range of %d trials", most)
	}
	return "one trial"
}

// mostShown is how many constraints are drawn; the table has all.
const mostShown = 4

// constraintFigure shows how constraints are kept, and by which multipliers.
func constraintFigure(r *folder.Result) draw.Sketch {
	g := draw.Grid{Columns: 2, Legend: append(runEntries(r), draw.Entry{Words: trialsNote(r)})}
	for j := range mostShown {
		excess, multiplier := columnMeasure(fmt.Sprintf("excess_%d", j+1)), columnMeasure(fmt.Sprintf("multiplier_%d", j+1))
		excess.rule.Value = 0
		shown := excess.linear(r)
		if shown == nil {
			break
		}
		g.Panels = append(append(g.Panels, shown...), multiplier.linear(r)...)
	}
	alongTurns(g.Panels)
	return g.Sketch("constraints", "How the constraints are kept",
		"By how much the population that settles under the decision in force exceeds a bound; at the dashed line and below, the constraint is kept. "+
			"Beside it the multiplier with which the method presses towards it."+banded(r), false)
}

// constrainedGap shows gaps on a linear axis: below 0 they mean that constraints are broken, not that all is well.
func constrainedGap(r *folder.Result) draw.Sketch {
	m := measure{label: "relative gap to the best that keeps all constraints", name: "gap"}
	g := draw.Grid{Columns: 1, Panels: m.linear(r), Legend: append(runEntries(r), draw.Entry{Words: trialsNote(r)})}
	alongTurns(g.Panels)
	return g.Sketch("gap", "Gap to the constrained optimum",
		"The relative gap between the value of the decision in force and that of the best decision that keeps all constraints, the dashed line. "+
			"On the wrong side of it a decision has a better value because it breaks them.", false)
}

// linear is the panel of a measure on a linear axis, none where nothing was measured.
func (m measure) linear(r *folder.Result) []draw.Panel {
	list := linesOf(r, m.name)
	if len(list) == 0 {
		return nil
	}
	draw.Prepare(false, list)
	return []draw.Panel{m.panel(list, false)}
}

// runEntries explain the lines of all algorithms.
func runEntries(r *folder.Result) []draw.Entry {
	return draw.Entries(lists.Of(strandsOf(r), func(s strand) draw.Line { return draw.Line{Name: s.name, Style: s.Style} }))
}

// referenceFigure measures the same runs against two optima.
func referenceFigure(r *folder.Result) draw.Sketch {
	if r.Reference == nil {
		return draw.Sketch{}
	}
	itself := []string{fmt.Sprintf("the %d-step", r.Reference.Steps), "optimum", "itself"}
	g, floored := draw.Grid{Columns: 1}, false
	for _, m := range []measure{
		{"relative gap", "gap", draw.Rule{Value: r.Reference.True.Gap, Meaning: itself}},
		{"relative distance", "distance", draw.Rule{Value: r.Reference.True.Distance, Meaning: itself}},
	} {
		if list := m.against(r, m.name+"_rollout"); len(list) > 0 {
			floored = draw.Prepare(true, list) || floored
			g.Panels = append(g.Panels, m.panel(list, true))
			g.Legend = optimaEntries(r, list)
		}
	}
	alongTurns(g.Panels)
	return g.Sketch("reference", "Two notions of optimum", referenceCaption(r), floored)
}

// against draws means only: solid by the measure itself, dashed by its counterpart against the reference optimum.
func (m measure) against(r *folder.Result, reference string) (list draw.Lines) {
	for _, s := range strandsOf(r) {
		own, compared := s.mean(m.name), s.mean(reference)
		own.Style.Dash = nil
		compared.Style.Dash = draw.Dashes(1)
		if len(compared.Points) > 0 && len(own.Points) > 0 {
			list = append(list, own)
		}
		if len(compared.Points) > 0 {
			list = append(list, compared)
		}
	}
	return list
}

func optimaEntries(r *folder.Result, drawn draw.Lines) []draw.Entry {
	list := draw.Entries(lists.Of(drawn, func(l draw.Line) draw.Line {
		l.Style.Dash = nil
		return l
	}))
	solid, dashed := &draw.Line{Style: draw.Style{Ink: draw.Pale()}}, &draw.Line{Style: draw.Style{Ink: draw.Pale(), Dash: draw.Dashes(1)}}
	return append(list,
		draw.Entry{Sample: solid, Words: "against the true optimum", Fresh: true},
		draw.Entry{Sample: dashed, Words: fmt.Sprintf("against the %d-step optimum", r.Reference.Steps)})
}

// referenceCaption says how far the best algorithm ends from either optimum, and how much of the difference is the distance
// between the two.
func referenceCaption(r *folder.Result) string {
	ref := r.Reference
	see := fmt.Sprintf("The same runs, measured against the optimum of the settled population (solid) and against the optimum after %[1]d steps (dashed)."+
		" The thin line is the %[1]d-step optimum itself, judged by the true one.", ref.Steps)
	best, end, other := "", math.Inf(1), 0.0
	for _, run := range r.Runs {
		first, second := final(run, "distance").Mean, final(run, "distance_rollout").Mean
		if first < end && phrase.Finite(second) {
			best, end, other = run.Name, first, second
		}
	}
	if best == "" {
		return see
	}
	see += fmt.Sprintf(" %s ends %s from the first but %s from the second, and the two are %s apart",
		best, phrase.Percent(end), phrase.Percent(other), phrase.Percent(ref.True.Distance))
	if other > end && ref.True.Distance > other/2 {
		return see + ": the floor against the second is mostly its own truncation, not noise."
	}
	return see + "."
}

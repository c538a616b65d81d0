package report

import (
	"fmt"
	"github.com/kedge-opt/kedge/report/advice"
	"github.com/kedge-opt/kedge/report/question"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// runDocument says what one run found.
func runDocument(kinds *kind.Catalogue, r *folder.Result, figures []draw.Figure) *page.Document {
	s := specOf(kinds, r)
	ends := methodEnds(labelled{"", r, s})
	rules := func(id string) []page.GraphRule { return rulesOf(r, id) }
	if r.Answer == nil {
		r.Answer = advised(r, cautions(diagnosed(r, s)))
	}
	d := &page.Document{
		Title: r.Case, Facts: facts(r), Warnings: warnings(r), Question: question.Of(s), Verdict: verdict(r, s, ends),
		Graphs: graphsOf(strandsOf(r), rules, valueDigits(r)), Tables: slices.Concat([]page.TextTable{methods(r, ends), offline(r)}, restsTable(r), []page.TextTable{decisions(r)}), Figures: figures,
		Spec: r.Spec, Sections: append(twoOptima(r), sectionsOf(r.Sections)...),
		Repeat: "kedge run spec.yaml --out again", Origin: origin(r.Seed, r.Build),
	}
	if trialsOf(r) > 1 {
		d.Tables = append(d.Tables, trials(r))
	}
	if a := r.Answer; a != nil {
		d.Answer = &page.Finding{Headline: a.Text, Cautions: a.Doubts, Reasons: a.Details}
		d.Verdict.Cautions = nil // the answer has them
		d.Brief = append(d.Brief, *d.Answer, page.Plainly{""})
	}
	d.Brief = slices.Concat(append(d.Brief, d.Tables[1], d.Tables[0]), noted("optimum:", &r.Optimum, r.Maximize), noted("stable point:", &r.Stable, r.Maximize))
	for _, text := range breakers(ends) {
		d.Brief = append(d.Brief, page.Caution(text))
	}
	for _, note := range r.Notes {
		d.Brief = append(d.Brief, page.Note{Name: "note:", Text: note})
	}
	return d
}

// advised says what to do by a result.
func advised(r *folder.Result, doubts []string) *folder.Advice {
	known := advice.Reasons{Standing: standing(&r.Optimum, r.Maximize), Retraining: retrained(r), Doubts: doubts}
	if optimumMoves(r) {
		_, closest := r.Tracking()
		known.Follow, known.Value = closest.Method, final(*runOf(r, closest.Method), "value").Mean
	}
	return advice.Of(r, known)
}

// noted is the line of a terminal that says how much is known of a point.
func noted(name string, p *folder.Point, maximize bool) []page.Piece {
	if words := standing(p, maximize); words != "" {
		return []page.Piece{page.Note{Name: name, Text: words}}
	}
	return nil
}

// facts is the size of the run in one line.
func facts(r *folder.Result) string {
	list := []string{phrase.Count(r.Iterations, "turn"), phrase.Count(r.Trials, "trial")}
	if r.Individuals > 0 {
		list = append(list, phrase.Count(r.Individuals, "individual"))
	}
	return strings.Join(append(list, fmt.Sprintf("seed %d", r.Seed)), " · ")
}

// warnings are what a reader must know first.
func warnings(r *folder.Result) []string {
	var list []string
	if r.Partial {
		list = append(list, halted(r))
	}
	return append(list, r.Notes...)
}

// halted says what is missing from a partial result.
func halted(r *folder.Result) string {
	done := lists.Of(r.Runs, func(run folder.Run) string { return fmt.Sprintf("%s %d of %d", run.Name, len(run.Trials), run.Planned) })
	return "The run was stopped before its end. Finished trials: " + strings.Join(done, ", ") + "; unfinished ones are left out."
}

// verdict says which method won, and how far retraining ends from the optimum.
func verdict(r *folder.Result, s *problem.Spec, ends []methodEnd) page.Finding {
	j := page.Finding{Headline: "No trial was finished, so there is nothing to conclude yet."}
	switch {
	case trialsOf(r) == 0:
	case optimumMoves(r):
		j = followed(r)
	default:
		j = judge(ends)
		j.Reasons = append(j.Reasons, lasting(r)...)
	}
	j.Cautions = cautions(diagnosed(r, s))
	return j
}

// lasting says where retraining settles, and how much is known of the optimum.
func lasting(r *folder.Result) (list []string) {
	if words := retrained(r); words != "" {
		list = append(list, words)
	}
	if words := standing(&r.Optimum, r.Maximize); words != "" {
		list = append(list, "The optimum is "+words+".")
	}
	return list
}

// lastTurn is the last measured turn of any trial.
func lastTurn(r *folder.Result) string {
	last := -1
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			if n := len(t.K); n > 0 {
				last = max(last, t.K[n-1])
			}
		}
	}
	if last < 0 {
		return ""
	}
	return fmt.Sprintf(" after turn %d", last)
}

// methods is the table of the methods at the end.
func methods(r *folder.Result, ends []methodEnd) page.TextTable {
	t := page.TextTable{
		ID: "methods", Title: "Methods",
		About: fmt.Sprintf("Every method%s: the mean over its trials, below it the least and the greatest. %s "+
			"Gap and distance are relative to the optimum; the last column is the gap behind the best method with its interval, paired over trials.%s", lastTurn(r), better(r), ranking(r)),
		Columns:  append(onTerminals(page.Heads("method", "trials", "value", "gap", "distance", "behind the best")), page.Head{Name: "seconds", Wide: 8, Off: true}),
		Brief:    []int{0, 2, 3, 4, 6},
		Headless: true,
	}
	behind := behinds(ends)
	for i, run := range r.Runs {
		t.Rows = append(t.Rows, append(methodRow(r, run, behind[i]), page.Words(fmt.Sprintf("%.1f", run.Seconds))))
		if row := t.Rows[i]; final(run, "value").count == 0 {
			row[2], row[3], row[4], row[6] = row[2].InShort(missingValue(run)), row[3].InShort(" "), row[4].InShort(" "), row[6].InShort(" ")
		}
	}
	return t
}

// missingValue says why a method has no value.
func missingValue(run folder.Run) string {
	if len(run.Trials) == 0 {
		return "no finished trial"
	}
	return "people do not settle"
}

// ranking says who is left out of the last column.
func ranking(r *folder.Result) string {
	if !slices.ContainsFunc(r.Runs, heeds) {
		return ""
	}
	return fmt.Sprintf(" Methods that break a constraint in the end, by more than %s of the largest excess in the run, are not ranked.", phrase.Percent(folder.BrokenShare))
}

// methodRow is a method at its end.
func methodRow(r *folder.Result, run folder.Run, behind page.TextCell) []page.TextCell {
	return []page.TextCell{
		page.Words(run.Name), page.Count(len(run.Trials)), statCell(run, "value", valueFormat(r)),
		statCell(run, "gap", phrase.Percent), statCell(run, "distance", phrase.Percent), behind,
	}
}

// onTerminals says how wide a terminal shows the columns of points and methods, which stand in one table there.
func onTerminals(heads []page.Head) []page.Head {
	wide := map[string]int{"value": 14, "gap": 12, "distance": 12}
	heads[0].Short, heads[0].Wide = " ", -18
	for i := range heads {
		heads[i].Wide += wide[heads[i].Name]
	}
	return heads
}

func better(r *folder.Result) string {
	if r.Maximize {
		return "Larger values are better."
	}
	return "Smaller values are better."
}

// behinds is the column of leads, in the order of the methodEnds.
func behinds(all []methodEnd) []page.TextCell {
	cells := make([]page.TextCell, len(all))
	best, list := leads(all)
	for i, c := range all {
		cells[i] = page.Number(math.NaN(), phrase.Percent)
		switch {
		case len(c.breaks) > 0:
			cells[i] = page.Words("not ranked", lists.Of(c.breaks, func(s string) string { return "breaks " + s })...)
		case c.name == best.name:
			cells[i] = page.Words("best")
		}
		for _, l := range list {
			if l.behind.name == c.name {
				cells[i] = l.cell()
			}
		}
	}
	return cells
}

func (l lead) cell() page.TextCell {
	c := page.Number(l.mean, phrase.Percent)
	switch {
	case l.exact:
		c.Small = []string{"exactly"}
	case l.pairs < 2:
		c.Small = []string{"no interval"}
	default:
		c.Small = []string{phrase.Percent(l.low) + " … " + phrase.Percent(l.high)}
	}
	return c
}

// statCell is a mean over trials with its range, and how many trials had no finite number.
func statCell(run folder.Run, column string, text func(float64) string) page.TextCell {
	s := final(run, column)
	small := append(reach(s.Spread, text), inSmall(lost(run, s))...)
	return inDigits(page.Number(s.Mean, text, small...), s.Mean, terminalDigits(column))
}

// lost says how many trials are missing from a mean because their number is not finite; silence would flatter an algorithm
// that diverges now and then.
func lost(run folder.Run, s spread) string {
	if n := len(run.Trials); s.count > 0 && s.count < n {
		return fmt.Sprintf("finite in %d of %d trials", s.count, n)
	}
	return ""
}

// mostTrials bounds the rows of the table of trials.
const mostTrials = 1000

// trials is the table of all trials at the end.
func trials(r *folder.Result) page.TextTable {
	t := page.TextTable{ID: "trials", Title: "Trials", About: "Every trial by itself after its last turn.", Columns: page.Heads("method", "trial", "value", "gap", "distance")}
	value, n := valueFormat(r), 0
	for _, run := range r.Runs {
		for _, one := range run.Trials {
			if len(one.K) == 0 {
				continue
			}
			if n++; n > mostTrials {
				continue
			}
			t.Rows = append(t.Rows, []page.TextCell{page.Words(run.Name), page.Count(one.Index), page.Number(one.Last("value"), value), page.Number(one.Last("gap"), phrase.Percent), page.Number(one.Last("distance"), phrase.Percent)})
		}
	}
	if n > mostTrials {
		t.About += fmt.Sprintf(" Here are the first %d; all of them are in series.csv.", mostTrials)
	}
	return t
}

// offline is the table of what the methods are judged by.
func offline(r *folder.Result) page.TextTable {
	t := page.TextTable{
		ID: "offline", Title: "Points found offline",
		About: "What the methods are judged by. The residual is what is left of the gradient along the set, as a part of the steepest on the way there: 0 at an exact solution. " +
			"The spread is the largest difference in value between starts that ended at the point, as a part of how values differ over the set.",
		Columns: append(onTerminals(page.Heads("point", "value", "gap", "distance", "residual", "starts", "spread")), page.Head{Name: "seconds", Wide: 8, Off: true}, page.Head{Name: "standing"}),
		Brief:   []int{0, 1, 2, 3, 7},
	}
	value := valueFormat(r)
	t.Rows = append(t.Rows, pointRow("optimum", "of the settled population", r.Optimum, &r.Optimum, r.Maximize, value))
	if !math.IsNaN(r.Stable.Value) && len(r.Stable.Decision) > 0 {
		t.Rows = append(t.Rows, pointRow("stable point", "where retraining settles", r.Stable, &r.Stable, r.Maximize, value))
	}
	if ref := r.Reference; ref != nil {
		note := fmt.Sprintf("judged by the settled population; %s after %d steps", value(ref.Optimum.Value), ref.Steps)
		t.Rows = append(t.Rows, pointRow(fmt.Sprintf("%d-step optimum", ref.Steps), note, ref.True, &ref.Optimum, r.Maximize, value))
	}
	return t
}

// pointRow shows a point and the evidence of the search that found it.
func pointRow(name, note string, p folder.Point, found *folder.Point, maximize bool, value func(float64) string) []page.TextCell {
	return []page.TextCell{
		page.Words(name, note), inDigits(page.Number(p.Value, value), p.Value, 9),
		inDigits(page.Number(p.Gap, phrase.Percent), p.Gap, 3), inDigits(page.Number(p.Distance, phrase.Percent), p.Distance, 3),
		page.Number(found.Residual, phrase.Plain), page.Count(found.Starts), page.Number(found.Spread, phrase.Plain), page.Words(" "), standingCell(found, maximize),
	}
}

// twoOptima explains that a reference optimum is another point than the optimum.
func twoOptima(r *folder.Result) []page.Chapter {
	ref := r.Reference
	if ref == nil {
		return nil
	}
	does := "minimizes"
	if r.Maximize {
		does = "maximizes"
	}
	value := valueFormat(r)
	return []page.Chapter{{ID: "why", Title: "Why the two optima differ", Paragraphs: []string{fmt.Sprintf(
		"The %d-step optimum %s the value after %d steps from the start, when the population "+
			"has not settled yet (%s by then, but %s once settled), while the true optimum %s the value of the settled population (%s): "+
			"the two decisions lie %s apart, and a run that reaches the one stays that far from the other.",
		ref.Steps, does, ref.Steps, value(ref.Optimum.Value), value(ref.True.Value), does, value(r.Optimum.Value), phrase.Percent(ref.True.Distance))}}}
}

// origin says what made a result.
func origin(seed uint64, b folder.Build) []page.Term {
	list := []page.Term{{Name: "version", Text: b.Version}, {Name: "goarch", Text: b.GOARCH}}
	if b.GOAMD64 != "" {
		list = append(list, page.Term{Name: "goamd64", Text: b.GOAMD64})
	}
	return append(list, page.Term{Name: "fma", Text: fmt.Sprint(b.FMA)}, page.Term{Name: "seed", Text: fmt.Sprint(seed)})
}

package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// runDocument says what one run found.
func runDocument(kinds *kind.Catalogue, r *folder.Result, figures []draw.Figure) *page.Document {
	s := specOf(kinds, r)
	ends := methodEnds(labelled{"", r, s})
	rules := func(id string) []page.GraphRule { return rulesOf(r, id) }
	d := &page.Document{
		Title: r.Case, Facts: facts(r), Warnings: warnings(r), Question: question(s), Verdict: verdict(r, ends),
		Graphs: graphsOf(strandsOf(r), rules, valueDigits(r)), Tables: []page.TextTable{methods(r, ends), offline(r), decisions(r)}, Figures: figures,
		Spec: r.Spec, Sections: append(twoOptima(r), sectionsOf(r.Sections)...),
		Repeat: "kedge run spec.yaml --out again", Origin: origin(r.Seed, r.Build),
	}
	if trialsOf(r) > 1 {
		d.Tables = append(d.Tables, trials(r))
	}
	d.Brief = []page.Piece{d.Tables[1], d.Tables[0]}
	for _, note := range r.Notes {
		d.Brief = append(d.Brief, page.Note{Name: "note:", Text: note})
	}
	return d
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
func verdict(r *folder.Result, ends []methodEnd) page.Finding {
	if trialsOf(r) == 0 {
		return page.Finding{Headline: "No trial was finished, so there is nothing to conclude yet."}
	}
	if optimumMoves(r) {
		return followed(r)
	}
	j := judge(ends)
	if words := retrained(r); words != "" {
		j.Reasons = append(j.Reasons, words)
	}
	return j
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
			"Gap and distance are relative to the optimum; the last column is the gap behind the best method with its interval, paired over trials.", lastTurn(r), better(r)),
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
		if c.name == best.name {
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
	value := valueFormat(r)
	for _, run := range r.Runs {
		for _, one := range run.Trials {
			if len(one.K) == 0 || len(t.Rows) == mostTrials {
				continue
			}
			t.Rows = append(t.Rows, []page.TextCell{page.Words(run.Name), page.Count(one.Index), page.Number(one.Last("value"), value), page.Number(one.Last("gap"), phrase.Percent), page.Number(one.Last("distance"), phrase.Percent)})
		}
	}
	if len(t.Rows) == mostTrials {
		t.About += fmt.Sprintf(" Here are the first %d; all of them are in series.csv.", mostTrials)
	}
	return t
}

// offline is the table of what the methods are judged by.
func offline(r *folder.Result) page.TextTable {
	t := page.TextTable{
		ID: "offline", Title: "Points found offline",
		About:   "What the methods are judged by. The residual is 0 at an exact solution; the spread is the largest relative difference in value between starts.",
		Columns: append(onTerminals(page.Heads("point", "value", "gap", "distance", "residual", "starts", "spread")), page.Head{Name: "seconds", Wide: 8, Off: true}),
		Brief:   []int{0, 1, 2, 3, 7},
	}
	value := valueFormat(r)
	t.Rows = append(t.Rows, pointRow("optimum", "of the settled population", r.Optimum, r.Optimum, value))
	if !math.IsNaN(r.Stable.Value) && len(r.Stable.Decision) > 0 {
		t.Rows = append(t.Rows, pointRow("stable point", "where retraining settles", r.Stable, r.Stable, value))
	}
	if ref := r.Reference; ref != nil {
		note := fmt.Sprintf("judged by the settled population; %s after %d steps", value(ref.Optimum.Value), ref.Steps)
		t.Rows = append(t.Rows, pointRow(fmt.Sprintf("%d-step optimum", ref.Steps), note, ref.True, ref.Optimum, value))
	}
	return t
}

// pointRow shows a point and the evidence of the search that found it.
func pointRow(name, note string, p, found folder.Point, value func(float64) string) []page.TextCell {
	return []page.TextCell{
		page.Words(name, note), inDigits(page.Number(p.Value, value), p.Value, 9),
		inDigits(page.Number(p.Gap, phrase.Percent), p.Gap, 3), inDigits(page.Number(p.Distance, phrase.Percent), p.Distance, 3),
		page.Number(found.Residual, phrase.Plain), page.Count(found.Starts), page.Number(found.Spread, phrase.Plain), page.Words(" "),
	}
}

// valueDigits is with how many digits the smallest gap can be seen in a value.
func valueDigits(r *folder.Result) int {
	n := 6
	for _, run := range r.Runs {
		if gap := final(run, "gap").Mean; gap > 0 {
			n = max(n, 2-int(math.Floor(math.Log10(gap))))
		}
	}
	return min(n, 12)
}

// valueFormat shows values with so many digits that the smallest gap can be seen.
func valueFormat(r *folder.Result) func(float64) string {
	n := valueDigits(r)
	return func(v float64) string {
		if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e9) {
			return phrase.Plain(v)
		}
		return phrase.Digits(v, n)
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

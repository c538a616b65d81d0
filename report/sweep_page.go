package report

import (
	"cmp"
	"fmt"
	"github.com/kedge-opt/kedge/report/question"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// SweepPages returns what makes the report of a sweep, report.html and report.md, and its figures.
func SweepPages(kinds *kind.Catalogue) folder.SweepReport {
	return func(r *folder.SweepResult) (map[string][]byte, error) {
		figures, err := plot.SweepFigures(r)
		if err != nil {
			return nil, err
		}
		return sweepDocument(kinds, r, figures).Files()
	}
}

// sweepDocument says what came out of the cells of a sweep.
func sweepDocument(kinds *kind.Catalogue, r *folder.SweepResult, figures []draw.Figure) *page.Document {
	d := &page.Document{
		Title: r.Name, Facts: fmt.Sprintf("%s · %s · seed %d", phrase.Count(len(r.Cells), "cell"), phrase.Count(len(r.Keys), "swept key"), r.Seed),
		Warnings: sweepWarnings(r), Question: sweepQuestion(kinds, r), Verdict: sweepVerdict(r), Graphs: sweepGraphs(r),
		Tables: []page.TextTable{cellTable(r)}, Figures: figures, Spec: r.Spec,
		Repeat: "kedge sweep sweep.yaml --out again", Origin: origin(r.Seed, r.Build),
	}
	if t := drawsTable(r); len(t.Rows) > 0 {
		d.Tables = append(d.Tables, t)
	}
	if r.Failed() > 0 {
		d.Tables = append(d.Tables, failureTable(r))
	}
	return d
}

// where names a cell by its values.
func where(r *folder.SweepResult, c *folder.CellResult) string {
	list := slices.Clone(r.Keys)
	for i := range list {
		list[i] += " = " + valueIn(c, i)
	}
	return strings.Join(list, ", ")
}

const mostFailures = 10

// sweepWarnings are the failures first, then what the cells have to say, each thing once.
func sweepWarnings(r *folder.SweepResult) []string {
	var failed []string
	for _, c := range r.Cells {
		if c.Err != "" {
			failed = append(failed, fmt.Sprintf("The cell with %s failed: %s", where(r, &c), c.Err))
		}
	}
	if more := len(failed) - mostFailures; more > 0 {
		failed = append(failed[:mostFailures], fmt.Sprintf("%s failed too; all are in the table of failures.", phrase.Count(more, "more cell")))
	}
	notes := gathered(r.Cells, func(c folder.CellResult) string { return c.ID }, func(c folder.CellResult) []string {
		if c.Summary == nil {
			return nil
		}
		return c.Summary.Notes
	})
	return append(failed, lists.Of(notes, func(s shareable[string]) string {
		return fmt.Sprintf("In %s of %d: %s", phrase.Count(len(s.by), "cell"), len(r.Cells), s.said)
	})...)
}

// sweepQuestion says which keys are swept and, of the question, what no key changes.
func sweepQuestion(kinds *kind.Catalogue, r *folder.SweepResult) []page.Term {
	swept := slices.Clone(r.Keys)
	for i := range swept {
		swept[i] += " (" + valuesOf(r, i) + ")"
	}
	list := []page.Term{{Name: "What is swept", Text: phrase.Enumerate(swept) + "."}}
	for i, t := range question.Of(commonSpec(kinds, r)) {
		if !slices.ContainsFunc(r.Keys, func(key string) bool { return touches(i, key) }) {
			list = append(list, t)
		}
	}
	return list
}

// touches tells whether a key of the spec can change a term of the question.
func touches(term int, key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([][]string{
		{"population", "model", "dynamics", "set"}, {"population", "model", "dynamics", "hold"}, {"model", "objective"}, {"population", "algorithms", "iterations", "trials"},
	}[term], section)
}

// mostParsed bounds the cells of a sweep that is read for the words of its question.
const mostParsed = 2000

// commonSpec is the spec of the first cell, nil when it names what nobody knows.
func commonSpec(kinds *kind.Catalogue, r *folder.SweepResult) *problem.Spec {
	if len(r.Cells) > mostParsed {
		return nil
	}
	none := func(string) ([]byte, error) { return nil, fmt.Errorf("a report reads no files") }
	w, err := family.Parse(kinds, "sweep.yaml", []byte(r.Spec), none)
	if err != nil || len(w.Cells) == 0 {
		return nil
	}
	return w.Spec(w.Cells[0])
}

// valuesOf describes the values of a key: all of them, or how many and their range.
func valuesOf(r *folder.SweepResult, key int) string {
	all := seenValues(r, key)
	if len(all) <= 6 {
		return strings.Join(all, ", ")
	}
	low, high := slices.Min(numbersOf(r, key)), slices.Max(numbersOf(r, key))
	if math.IsNaN(low) {
		return phrase.Count(len(all), "value")
	}
	return fmt.Sprintf("%s from %s to %s", phrase.Count(len(all), "value"), phrase.Shortest(low), phrase.Shortest(high))
}

func seenValues(r *folder.SweepResult, key int) []string {
	return lists.Distinct(lists.Of(r.Cells, func(c folder.CellResult) string { return valueIn(&c, key) }))
}

// sweepVerdict counts in how many cells a method ends closest, and says where gaps are least.
func sweepVerdict(r *folder.SweepResult) page.Finding {
	all := slices.DeleteFunc(r.Endings(), func(e folder.Ending) bool { return e.Gap == nil })
	measured := slices.DeleteFunc(slices.Clone(all), func(e folder.Ending) bool { return len(e.Breaks) > 0 })
	switch {
	case len(all) == 0:
		return page.Finding{Headline: "The gap was not measured in any cell, so there is nothing to conclude."}
	case len(measured) == 0:
		return page.Finding{Headline: "No method keeps the constraints in any cell, so none is ranked."}
	}
	first, clear, cells := firsts(measured)
	best := slices.MinFunc(measured, byGap)
	least := fmt.Sprintf("The least mean gap, %s, is that of %s with %s.", phrase.Percent(best.Gap.Mean), best.Algorithm, where(r, best.Cell))
	names := lists.Distinct(lists.Of(measured, methodOf))
	if len(names) < 2 {
		return page.Finding{Headline: least, Reasons: append(unranked(all), lossOfRetraining(r)...)}
	}
	slices.SortStableFunc(names, func(a, b string) int { return first[b] - first[a] })
	most := names[0]
	return page.Finding{
		Headline: fmt.Sprintf("%s ends closest to the optimum in %s.", most, share(first[most], cells)),
		Reasons: append([]string{
			fmt.Sprintf("In %s every one of its trials ends closer than any trial of another method%s.", share(clear[most], cells), caution(measured)), least,
		}, append(unranked(all), lossOfRetraining(r)...)...),
	}
}

// unranked says in how many cells methods break constraints.
func unranked(all []folder.Ending) (list []string) {
	for _, name := range lists.Distinct(lists.Of(all, methodOf)) {
		cells, n := 0, 0
		for _, e := range all {
			if e.Algorithm == name {
				cells++
				n += min(len(e.Breaks), 1)
			}
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%s breaks constraints in %s, where it is not ranked.", name, share(n, cells)))
		}
	}
	return list
}

// share says how many cells of all.
func share(n, all int) string {
	if n == all {
		return "all " + phrase.Count(all, "cell")
	}
	return fmt.Sprintf("%d of %s", n, phrase.Count(all, "cell"))
}

// caution says when cells have too few trials to tell a difference from chance: of 4 trials each all are in order by chance
// in 2 of 70 cases, of 3 in one of 10.
func caution(ended []folder.Ending) string {
	for _, e := range ended {
		if e.Trials < 4 {
			return fmt.Sprintf(", which with %s a cell may be chance in any one cell", phrase.Count(e.Trials, "trial"))
		}
	}
	return ""
}

// firsts counts by method the cells in which its mean gap is least, and those among them in which its greatest gap is below
// the least of the others.
func firsts(ended []folder.Ending) (first, clear map[string]int, cells int) {
	first, clear = map[string]int{}, map[string]int{}
	for len(ended) > 0 {
		n := slices.IndexFunc(ended, func(e folder.Ending) bool { return e.Cell != ended[0].Cell })
		if n < 0 {
			n = len(ended)
		}
		group := ended[:n]
		best := slices.MinFunc(group, byGap)
		first[best.Algorithm]++
		cells++
		if !slices.ContainsFunc(group, func(e folder.Ending) bool { return e.Algorithm != best.Algorithm && e.Gap.Min <= best.Gap.Max }) {
			clear[best.Algorithm]++
		}
		ended = ended[n:]
	}
	return first, clear, cells
}

func byGap(a, b folder.Ending) int { return cmp.Compare(a.Gap.Mean, b.Gap.Mean) }

// lossOfRetraining says between which cells the gap of the stable point ranges.
func lossOfRetraining(r *folder.SweepResult) []string {
	var known []*folder.CellResult
	for i := range r.Cells {
		if s := r.Cells[i].Summary; s != nil && phrase.Finite(s.StablePoint().Gap) {
			known = append(known, &r.Cells[i])
		}
	}
	if known == nil {
		return nil
	}
	byLoss := func(a, b *folder.CellResult) int { return cmp.Compare(a.Summary.Stable.Gap, b.Summary.Stable.Gap) }
	low, high := slices.MinFunc(known, byLoss), slices.MaxFunc(known, byLoss)
	return []string{fmt.Sprintf("Retraining settles between %s (%s) and %s (%s) from the optimum in value.",
		phrase.Percent(low.Summary.Stable.Gap), where(r, low), phrase.Percent(high.Summary.Stable.Gap), where(r, high))}
}

const mostChoices, mostRows = 20, 3000

// cellTable has one row a method of every finished cell.
func cellTable(r *folder.SweepResult) page.TextTable {
	ended := r.Endings()
	t := page.TextTable{
		ID: "cells", Title: "Cells",
		About: "Every method at the end of every cell: the mean over its trials, below it the least and the greatest. Gap and distance are relative to the optimum of the cell.",
	}
	for i, key := range r.Keys {
		numeric := !slices.ContainsFunc(numbersOf(r, i), math.IsNaN)
		t.Columns = append(t.Columns, page.Head{Name: key, Numeric: numeric && i > 0, Choices: len(seenValues(r, i)) <= mostChoices})
	}
	t.Columns = append(t.Columns, page.Head{Name: "method", Choices: true})
	t.Columns = append(t.Columns, page.Heads("", "trials", "value", "gap", "distance", "stable point’s gap")[1:]...)
	t.Columns = append(t.Columns, page.Head{Name: "cell"})
	t.Rows = lists.Of(ended[:min(len(ended), mostRows)], endingRow)
	if len(ended) > mostRows {
		t.About += fmt.Sprintf(" Here are the first %d rows; all of them are in table.csv.", mostRows)
	}
	return t
}

func endingRow(e folder.Ending) []page.TextCell {
	var row []page.TextCell
	for i, n := range e.Cell.Numbers {
		c := page.Words(valueIn(e.Cell, i))
		if !math.IsNaN(n) {
			c.Exact = page.Number(n, phrase.Shortest).Exact
		}
		row = append(row, c)
	}
	value := func(v float64) string { return phrase.Digits(v, 6) }
	return append(row, page.Words(e.Algorithm), page.Count(e.Trials), spreadCell(e.Value, value), spreadCell(e.Gap, phrase.Percent),
		spreadCell(e.Distance, phrase.Percent), page.Number(e.Cell.Summary.StablePoint().Gap, phrase.Percent), page.Words(e.Cell.ID))
}

// drawsTable has one row a cell whose numbers are not known.
func drawsTable(r *folder.SweepResult) page.TextTable {
	t := page.TextTable{
		ID: "draws", Title: "Over draws",
		About: "What is best over draws of the numbers of the model, cell by cell, with the values under 95 of 100 draws; regrets are means of what is lost against the best of a draw, " +
			"the first that of what the numbers of the spec call for. Cells above are judged by the numbers of the spec.",
	}
	t.Columns = lists.Of(append(slices.Clone(r.Keys), "best by", "decision", "mean value", "95 of 100 draws", "regret by the spec", "regret", "cell"), page.Titled)
	known := func(v *float64) page.TextCell {
		if v == nil {
			return page.Words("cannot be told")
		}
		return page.Words(folder.Brief(*v))
	}
	for _, c := range r.Cells {
		if c.Summary == nil || c.Summary.OverDraws == nil || len(c.Summary.OverDraws.Stakes) < 2 || len(t.Rows) == mostRows {
			continue
		}
		d := c.Summary.OverDraws
		decision, within := firstOf(d.Robust.Decision, 4, folder.Brief), "cannot be told"
		if w := d.Stakes[1].Within; w != nil {
			within = folder.Brief(w.Low) + " … " + folder.Brief(w.High)
		}
		row := append(lists.Of(c.Values, settingCell), page.Words(d.Rule), page.Words(decision), known(d.Stakes[1].Mean), page.Words(within), known(d.Stakes[0].Regret), known(d.Stakes[1].Regret))
		t.Rows = append(t.Rows, append(row, page.Words(c.ID)))
	}
	return t
}

func failureTable(r *folder.SweepResult) page.TextTable {
	t := page.TextTable{ID: "failures", Title: "Failures", About: "The cells that have no result, and why."}
	t.Columns = lists.Of(append(slices.Clone(r.Keys), "error", "cell"), page.Titled)
	for _, c := range r.Cells {
		if c.Err != "" {
			t.Rows = append(t.Rows, append(lists.Of(c.Values, settingCell), page.Words(c.Err), page.Words(c.ID)))
		}
	}
	return t
}

// SweepOutcome is what a terminal shows of a sweep that has ended in a folder: its cells, and how many were kept from before.
func SweepOutcome(r *folder.SweepResult, kept int, dir string) *page.Document {
	d := &page.Document{Title: r.Name}
	d.Brief = append(d.Brief, page.Plainly{fmt.Sprintf("%d cells, %d of them from before, %d failed", len(r.Cells), kept, r.Failed())})
	if n := len(r.Other); n > 0 {
		d.Brief = append(d.Brief, page.Note{Name: "note:", Text: phrase.Count(n, "finished cell") + " left out, not in the sweep; --prune removes such cells"})
	}
	d.Brief = append(d.Brief, page.Note{Name: "table:", Text: filepath.Join(dir, "table.csv")})
	return d
}

package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/page"
)

// mostEntries is how many entries of a decision are shown.
const mostEntries = 100

// decisions is the table of the decisions themselves: the points found offline, and where every method ended.
func decisions(r *folder.Result) page.TextTable {
	t := page.TextTable{ID: "decisions", Title: "Decisions", About: "Entry by entry; of a method, the mean over its trials after the last turn.", Columns: page.Heads("entry", "optimum")}
	n := len(r.Optimum.Decision)
	all := [][]float64{r.Optimum.Decision}
	if !math.IsNaN(r.Stable.Value) && len(r.Stable.Decision) == n {
		t.Columns = append(t.Columns, page.Head{Name: "stable point", Numeric: true})
		all = append(all, r.Stable.Decision)
	}
	for _, run := range r.Runs {
		t.Columns = append(t.Columns, page.Head{Name: run.Name, Numeric: true})
		all = append(all, meanDecision(run, n))
	}
	for i := range min(n, mostEntries) {
		row := []page.TextCell{page.Words(strconv.Itoa(i))}
		for _, u := range all {
			row = append(row, page.Number(u[i], func(v float64) string { return phrase.Digits(v, 5) }))
		}
		t.Rows = append(t.Rows, row)
	}
	if n > mostEntries {
		t.About += fmt.Sprintf(" Here are the first %d of %d; all of them are in arrays.npz.", mostEntries, n)
	}
	return t
}

// meanDecision is the mean over trials of n entries, NaN where there is no trial.
func meanDecision(run folder.Run, n int) []float64 {
	mean := make([]float64, n)
	count := 0
	for _, t := range run.Trials {
		if len(t.Decision) != n {
			continue
		}
		count++
		for i, v := range t.Decision {
			mean[i] += v
		}
	}
	for i := range mean {
		mean[i] /= float64(count)
	}
	return mean
}

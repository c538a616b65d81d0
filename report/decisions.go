package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/page"
)

// mostEntries is how many entries of a decision are shown.
const mostEntries = 100

// decisions is the table of the decisions themselves: the points found offline, and where every method ended.
func decisions(r *folder.Result) page.TextTable {
	t := page.TextTable{
		ID: "decisions", Title: "Decisions", Columns: page.Heads("entry", "optimum"),
		About: "Entry by entry; of a method, the mean over its trials after the last turn, below it the least and the greatest.",
	}
	n := len(r.Optimum.Decision)
	write := func(v float64) string { return phrase.Digits(v, 5) }
	columns := [][]page.TextCell{pointCells(&r.Optimum, write)}
	if s := r.Optimum.Sampling; s != nil && s.Why == "" {
		t.About += " Below the optimum is the 95" + phrase.ThinSpace + "% interval for all those of whom the people are a sample."
	}
	if !math.IsNaN(r.Stable.Value) && len(r.Stable.Decision) == n {
		t.Columns = append(t.Columns, page.Head{Name: "stable point", Numeric: true})
		columns = append(columns, pointCells(&r.Stable, write))
	}
	for _, run := range r.Runs {
		t.Columns = append(t.Columns, page.Head{Name: run.Name, Numeric: true})
		columns = append(columns, methodCells(r.Decisions(&run), n, write))
	}
	for i := range min(n, mostEntries) {
		row := lists.Of(columns, func(cells []page.TextCell) page.TextCell { return cells[i] })
		t.Rows = append(t.Rows, append([]page.TextCell{page.Words(calledWords(r.Names.Decision, i, strconv.Itoa(i)))}, row...))
	}
	if n > mostEntries {
		t.About += fmt.Sprintf(" Here are the first %d of %d; all of them are in arrays.npz.", mostEntries, n)
	}
	return t
}

// calledWords is what an entry is called, or otherwise, with its unit.
func calledWords(names []kedge.Called, i int, otherwise string) string {
	e := kedge.CalledAt(names, i)
	words := cmp.Or(e.Name, otherwise)
	if e.Unit == "" {
		return words
	}
	return words + ", in " + e.Unit
}

// pointCells are the entries of a point, with their intervals where there are any.
func pointCells(p *folder.Point, write func(float64) string) (list []page.TextCell) {
	for i, v := range p.Decision {
		c := page.Number(v, write)
		if i < len(p.Exact) && p.Exact[i] {
			c = page.Number(v, phrase.Exact)
		}
		if s := p.Sampling; s != nil && s.Why == "" && s.Low[i] < s.High[i] {
			c.Small = []string{write(s.Low[i]) + " … " + write(s.High[i])}
		}
		list = append(list, c)
	}
	return list
}

// methodCells are the n entries of where a method ended, with their spread over trials.
func methodCells(ends []folder.DecisionSpread, n int, write func(float64) string) []page.TextCell {
	if len(ends) != n {
		return slices.Repeat([]page.TextCell{page.Number(math.NaN(), write)}, n)
	}
	return lists.Of(ends, func(e folder.DecisionSpread) page.TextCell {
		return page.Number(e.Mean, write, reach(e.Spread, write)...)
	})
}

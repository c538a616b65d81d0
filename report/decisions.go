package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
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
	for i := range r.Runs {
		run := &r.Runs[i]
		t.Columns = append(t.Columns, page.Head{Name: run.Name, Numeric: true})
		columns = append(columns, methodCells(r, run, n, write))
	}
	for i := range min(n, mostEntries) {
		row := []page.TextCell{page.Words(entryWords(r, i))}
		for _, cells := range columns {
			row = append(row, cells[i])
		}
		t.Rows = append(t.Rows, row)
	}
	if n > mostEntries {
		t.About += fmt.Sprintf(" Here are the first %d of %d; all of them are in arrays.npz.", mostEntries, n)
	}
	return t
}

// entryWords is the name of an entry with its unit, its number without a name.
func entryWords(r *folder.Result, i int) string {
	e := kedge.CalledAt(r.Names.Decision, i)
	return unitWords(kedge.Called{Name: cmp.Or(e.Name, strconv.Itoa(i)), Unit: e.Unit})
}

// unitWords is a name with its unit.
func unitWords(e kedge.Called) string {
	if e.Unit == "" {
		return e.Name
	}
	return e.Name + ", in " + e.Unit
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
func methodCells(r *folder.Result, run *folder.Run, n int, write func(float64) string) []page.TextCell {
	list := make([]page.TextCell, n)
	ends := r.Decisions(run)
	for i := range list {
		list[i] = page.Number(math.NaN(), write)
		if len(ends) == n {
			list[i] = page.Number(ends[i].Mean, write, reach(ends[i].Spread, write)...)
		}
	}
	return list
}

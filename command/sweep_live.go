package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/report/page"
)

// between is how long a sweep shows the same: a table is drawn again at once, lines stay and must not become many.
func between(s page.Terminal) time.Duration {
	if s.Rewrites {
		return 200 * time.Millisecond
	}
	return 10 * time.Second
}

// watchSweep shows how far a sweep is until the returned function is called: a table that is drawn again and again on a terminal, otherwise a line now and then.
func watchSweep(out io.Writer, w *family.Sweep, p *lab.SweepProgress) (stop func()) {
	c, lines := &canvas{out: out}, []string(nil)
	end := repeat(between(page.TerminalOf(out)), func(spent time.Duration) {
		s, now := page.TerminalOf(out), p.State()
		if s.Rewrites {
			lines = sweepTable(s, w, now, spent)
			c.draw(s, lines...)
			return
		}
		share, words := sweepPace(now, spent)
		fmt.Fprintf(out, "%3d %%  %s, %s\n", percent(share), sweepCounts(now), words)
	})
	return func() {
		end()
		if lines != nil {
			c.draw(page.TerminalOf(out), lines[:2]...) // the rows are in the folder
		}
	}
}

// sweepCounts says how many cells are in what state.
func sweepCounts(s lab.SweepState) string {
	words := fmt.Sprintf("%d of %d cells done", s.Kept+s.Done, s.Kept+s.Total)
	if s.Kept > 0 {
		words += fmt.Sprintf(" (%d from before)", s.Kept)
	}
	return words + fmt.Sprintf(", %d running, %d failed", len(s.Running), s.Failed)
}

// sweepPace says how much is done, at what rate and how long the rest will take. Cells at work count by their turns.
func sweepPace(s lab.SweepState, spent time.Duration) (share float64, words string) {
	switch {
	case s.Kept+s.Total == 0:
		return 0, "looking what is finished"
	case s.Total == 0:
		return 1, "nothing to do"
	}
	work := float64(s.Done + s.Failed)
	for _, r := range s.Running {
		work += turnsShare(r)
	}
	share = (float64(s.Kept) + work) / float64(s.Kept+s.Total)
	rate := work / spent.Seconds()
	if work == 0 {
		return share, "no pace yet"
	}
	words = rounded(rate) + " a second"
	if left := float64(s.Total) - work; left > 0 {
		words += ", " + time.Duration(left/rate*float64(time.Second)).Round(time.Second).String() + " left"
	}
	return share, words
}

func turnsShare(r lab.RunningCell) float64 {
	if total := r.Turns.Total.Load(); total > 0 {
		return float64(r.Turns.Done.Load()) / float64(total)
	}
	return 0
}

// sweepTable draws the state of a sweep: a bar, and a row for each of the cells that came to an end last or are running.
func sweepTable(s page.Terminal, w *family.Sweep, now lab.SweepState, spent time.Duration) []string {
	share, pace := sweepPace(now, spent)
	lines := []string{
		s.Bold(page.Fit(w.Name+": "+sweepCounts(now), s.Width-1)),
		s.Series(0, page.Bar(share, min(40, s.Width/3))) + page.Fit(fmt.Sprintf(" %3d %%  %s", percent(share), pace), s.Width-1-min(40, s.Width/3)),
		"",
	}
	algorithms := algorithmsOf(now)
	running := now.Running[:min(len(now.Running), max(1, s.Height/3))]
	last := now.Last
	if room := max(1, s.Height-len(lines)-len(running)-3); len(last) > room {
		last = last[len(last)-room:]
	}
	rows := [][]string{append(append([]string{"cell"}, shortKeys(w.Keys)...), algorithms...)}
	for _, c := range last {
		rows = append(rows, append([]string{c.ID[:8]}, endOf(c, algorithms)...))
	}
	for _, r := range running {
		rows = append(rows, append(append([]string{r.ID[:8]}, r.Values...), fmt.Sprintf("running %d %%", percent(turnsShare(r)))))
	}
	return append(lines, paintRows(s, rows, last)...)
}

// paintRows aligns the rows, no wider than the terminal: the head bold, failed cells red, running ones faint.
func paintRows(s page.Terminal, rows [][]string, last []folder.CellResult) []string {
	lines := aligned(rows)
	for i, line := range lines {
		line = page.Fit(line, s.Width-1)
		switch {
		case i == 0:
			line = s.Bold(line)
		case i > len(last):
			line = s.Faint(line)
		case last[i-1].Err != "":
			line = s.Bad(line)
		}
		lines[i] = line
	}
	return lines
}

// algorithmsOf lists the algorithms of the cell that came to an end last, whose gaps are shown.
func algorithmsOf(now lab.SweepState) []string {
	for _, c := range slices.Backward(now.Last) {
		if c.Summary != nil {
			return lists.Of(c.Summary.Order, func(name string) string { return "gap " + name })
		}
	}
	return nil
}

// endOf writes the values of a cell and its gaps, or what it died of.
func endOf(c folder.CellResult, algorithms []string) []string {
	row := append([]string(nil), c.Values...)
	if c.Summary == nil {
		return append(row, "failed: "+c.Err)
	}
	for _, name := range algorithms {
		text := "–"
		if gap := c.Summary.Algorithms[strings.TrimPrefix(name, "gap ")].Gap; gap != nil {
			text = fmt.Sprintf("%.3g", gap.Mean)
		}
		row = append(row, text)
	}
	return row
}

// shortKeys leaves of dotted keys as much from the end as tells them apart.
func shortKeys(keys []string) []string {
	short := make([]string, len(keys))
	for i, key := range keys {
		parts := strings.Split(key, ".")
		for n := 1; n <= len(parts); n++ {
			short[i] = strings.Join(parts[len(parts)-n:], ".")
			if !sharedEnd(keys, i, short[i]) {
				break
			}
		}
	}
	return short
}

func sharedEnd(keys []string, except int, end string) bool {
	for i, key := range keys {
		if i != except && (key == end || strings.HasSuffix(key, "."+end)) {
			return true
		}
	}
	return false
}

// aligned writes rows of texts in columns. The last text of a row may be longer than its column.
func aligned(rows [][]string) []string {
	const widest = 28
	var widths []int
	for _, row := range rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || i == len(rows[0])-1 {
				widths[i] = min(widest, max(widths[i], page.PrintedWidth(text)))
			}
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		for j, text := range row {
			if j < len(row)-1 {
				text = page.Pad(page.Fit(text, widths[j]), -widths[j]-2)
			}
			lines[i] += text
		}
	}
	return lines
}

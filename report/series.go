package report

import (
	"cmp"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

// spread is a quantity over the trials that have it, and how many those are.
type spread struct {
	folder.Spread
	count int
}

// over gathers the finite numbers among values.
func over(values []float64) spread {
	s, count := folder.SpreadOfFinite(values)
	return spread{s, count}
}

// at is a spread at a place of the horizontal axis.
func (s spread) at(x float64) draw.LinePoint {
	return draw.LinePoint{X: x, Mean: s.Mean, Low: s.Min, High: s.Max}
}

// rowsOf lines the trials of a run up by turn and leaves out turns at which nothing was measured. Of several columns it takes
// the greatest.
func rowsOf(run folder.Run, columns ...string) []draw.LinePoint {
	at := map[int][]float64{}
	for _, t := range run.Trials {
		for i, v := range greatest(&t, columns) {
			at[t.K[i]] = append(at[t.K[i]], v)
		}
	}
	var rows []draw.LinePoint
	for k, values := range at {
		if s := over(values); s.count > 0 {
			rows = append(rows, s.at(float64(k)))
		}
	}
	slices.SortFunc(rows, func(a, b draw.LinePoint) int { return cmp.Compare(a.X, b.X) })
	return rows
}

// strand is a method in all figures and graphs: which run it is and how it looks.
type strand struct {
	name string
	run  folder.Run
	draw.Style
}

// line is a method's mean and range over the turns, of the greatest of some columns.
func (s strand) line(columns ...string) draw.Line {
	return draw.Line{Name: s.name, Style: s.Style, Banded: len(s.run.Trials) > 1, Points: rowsOf(s.run, columns...)}
}

// mean is a column over the turns without its range.
func (s strand) mean(column string) draw.Line {
	return draw.Line{Name: s.name, Style: s.Style, Points: draw.Means(rowsOf(s.run, column))}
}

// strandsOf gives every method of a result its look.
func strandsOf(r *folder.Result) []strand {
	styles := plot.StylesOf(names(r))
	return lists.Of(r.Runs, func(run folder.Run) strand { return strand{name: run.Name, run: run, Style: styles[run.Name]} })
}

// linesOf are the lines of all methods that have a column.
func linesOf(r *folder.Result, column string) draw.Lines {
	all := lists.Of(strandsOf(r), func(s strand) draw.Line { return s.line(column) })
	return slices.DeleteFunc(all, func(l draw.Line) bool { return len(l.Points) == 0 })
}

// names lists the methods, each once.
func names(r *folder.Result) []string {
	return lists.Distinct(lists.Of(r.Runs, func(run folder.Run) string { return run.Name }))
}

// trialsOf is the largest number of finished trials of a method.
func trialsOf(r *folder.Result) int {
	return slices.Max(append(lists.Of(r.Runs, func(run folder.Run) int { return len(run.Trials) }), 0))
}

// greatest is the greatest of some columns at every turn of a trial, nil when it has none of them.
func greatest(t *folder.Trial, columns []string) []float64 {
	var most []float64
	for _, name := range columns {
		switch values := t.Of(name); {
		case most == nil:
			most = values
		case values != nil:
			most = slices.Clone(most)
			for i, v := range values {
				most[i] = max(most[i], v)
			}
		}
	}
	return most
}

// final is a column after the last measured turn, over trials.
func final(run folder.Run, column string) spread { return over(run.Final(column)) }

// optimumMoves tells whether the optimum of a result moves, because people change by themselves or the set of decisions does.
func optimumMoves(r *folder.Result) bool {
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			return len(t.K) > 0 && t.Has("tracking")
		}
	}
	return false
}

// heeds tells whether a run was judged by constraints on the settled population.
func heeds(run folder.Run) bool {
	return slices.ContainsFunc(run.Trials, func(t folder.Trial) bool { return len(t.K) > 0 && t.Has("excess_1") })
}

// shareable is something that one or several say.
type shareable[W comparable] struct {
	said W
	by   []string
}

// gathered lists what is said, each thing once, and by whom.
func gathered[T any, W comparable](list []T, name func(T) string, say func(T) []W) (all []shareable[W]) {
	for _, one := range list {
		for _, said := range say(one) {
			i := slices.IndexFunc(all, func(s shareable[W]) bool { return s.said == said })
			if i < 0 {
				i, all = len(all), append(all, shareable[W]{said: said})
			}
			all[i].by = append(all[i].by, name(one))
		}
	}
	return all
}

package report

import (
	"cmp"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/draw"
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

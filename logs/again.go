package logs

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/stream"
)

// again estimates a linear model again and again from as many people, drawn anew with all their rows. Estimates from changes are not repeated.
func (w *work) again(t *linear, method string) error {
	if w.o.Bootstrap == 0 || method == ArellanoBond {
		return nil
	}
	rows := make([][]int, len(w.log.People))
	for i, p := range t.table.Unit {
		rows[p] = append(rows[p], i)
	}
	rows = slices.DeleteFunc(rows, func(list []int) bool { return list == nil })
	draws := make([][]float64, w.o.Bootstrap)
	err := crew.Share(max(1, w.o.Workers), len(draws), func(_, repeat int) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		s := stream.New(w.o.Seed, "fit", "bootstrap")
		s.Seek(uint64(repeat))
		var picked, unit []int
		for u := range rows {
			for _, r := range rows[s.Intn(len(rows))] {
				picked, unit = append(picked, r), append(unit, u)
			}
		}
		draws[repeat] = t.repeat(method, picked, unit)
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range draws {
		if d == nil {
			w.out.Failed++
			continue
		}
		w.out.Draws = append(w.out.Draws, d)
	}
	if len(w.out.Draws) < 20 {
		w.out.Draws = nil
		return nil
	}
	w.byDraws()
	return nil
}

// repeat estimates from some rows; nil: they do not tell.
func (t *linear) repeat(method string, rows, unit []int) []float64 {
	table := t.table.Rows(rows)
	table.Unit = unit
	var instruments [][]float64
	if method == TwoStage { // no other has any
		instruments = lists.Of(t.instruments, func(z []float64) []float64 {
			column := make([]float64, len(rows))
			for i, r := range rows {
				column[i] = z[r]
			}
			return column
		})
	}
	c, err := t.fit(method, table, instruments)
	if err != nil {
		return nil
	}
	out := make([]float64, len(t.w.unknowns))
	for a, j := range t.columns {
		out[j] = c.Value[a]
	}
	return out
}

package logs

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// byDraws takes intervals from the draws of a bootstrap.
func (w *work) byDraws() {
	for j := range w.out.Found {
		if !w.out.Found[j].Value.Known() {
			continue
		}
		column := make([]float64, len(w.out.Draws))
		for i, row := range w.out.Draws {
			column[i] = row[j]
		}
		slices.Sort(column)
		w.out.Found[j].Low, w.out.Found[j].High = Amount(quantile(column, 0.025)), Amount(quantile(column, 0.975))
		w.out.Found[j].Note = ""
	}
	w.out.DrawOf = fmt.Sprintf("%s of the bootstrap by person", phrase.Count(len(w.out.Draws), "repeat"))
	w.out.Notes = append(w.out.Notes, "Intervals are those of the bootstrap by person.")
}

// quantile is of sorted numbers.
func quantile(sorted []float64, share float64) float64 {
	at := float64(share * float64(len(sorted)-1))
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((at-float64(low))*(sorted[high]-sorted[low]))
}

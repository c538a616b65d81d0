package logs

import (
	"fmt"
	"math"
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
		w.out.Found[j].Low, w.out.Found[j].High = Ends(column)
		w.out.Found[j].Note = ""
	}
	w.out.DrawOf = fmt.Sprintf("%s of the bootstrap by person", phrase.Count(len(w.out.Draws), "repeat"))
	w.out.Notes = append(w.out.Notes, "Intervals are those of the bootstrap by person.")
}

// Ends are those of the interval that holds 95 of 100 draws, which it sorts. A draw without an answer, NaN, may be anywhere: it counts as below the lower end and
// as above the upper one, and an end is unknown that such draws decide.
func Ends(draws []float64) (low, high Amount) {
	slices.Sort(draws) // what is NaN comes first
	low = Amount(quantile(draws, 0.025))
	known := slices.IndexFunc(draws, func(v float64) bool { return !math.IsNaN(v) })
	if known > 0 {
		draws = slices.Concat(draws[known:], draws[:known])
	}
	return low, Amount(quantile(draws, 0.975))
}

// quantile is of sorted numbers.
func quantile(sorted []float64, share float64) float64 {
	at := float64(share * float64(len(sorted)-1))
	low := int(at)
	if float64(low) == at {
		return sorted[low]
	}
	high := low + 1
	return sorted[low] + float64((at-float64(low))*(sorted[high]-sorted[low]))
}

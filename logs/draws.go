package logs

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// byDraws takes intervals from the draws of a bootstrap.
func (w *work) byDraws() {
	for j := range w.out.Found {
		if !w.out.Found[j].Value.Known() {
			continue
		}
		w.out.Found[j].Low, w.out.Found[j].High = Ends(column(w.out.Draws, j))
		w.out.Found[j].Note = ""
	}
	w.out.DrawOf = fmt.Sprintf("%s of the bootstrap by person", phrase.Count(len(w.out.Draws), "repeat"))
	w.out.Notes = append(w.out.Notes, "Intervals are those of the bootstrap by person.")
}

// values are those that were found.
func (e *Inference) values() []float64 {
	return lists.Of(e.Found, func(f Inferred) float64 { return float64(f.Value) })
}

// column is an entry of every row.
func column(rows [][]float64, j int) []float64 {
	return lists.Of(rows, func(row []float64) float64 { return row[j] })
}

// underDraws is what comes of draws, at most as many as are drawn, without those of which nothing does.
func (w *work) underDraws(of func(theta []float64) []float64) (all [][]float64) {
	for i := 0; i < len(w.out.Draws); i += 1 + len(w.out.Draws)/drawn {
		if one := of(w.out.Draws[i]); one != nil {
			all = append(all, one)
		}
	}
	return all
}

// drawnAs is a number with its interval, where there are draws enough for one.
func drawnAs(name string, value float64, draws []float64) Inferred {
	f := Inferred{Name: name, Value: Amount(value), Error: unknown(), Low: unknown(), High: unknown()}
	if len(draws) >= 20 {
		f.Low, f.High = Ends(draws)
	}
	return f
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

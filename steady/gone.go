package steady

import (
	"math"

	"github.com/kedge-opt/kedge"
)

// gone is how near 0, relative to where people begin, a settled entry is that has vanished.
const gone = 1e-9

// Vanished tells which entries of settled states are 0 for all of some individuals of a model, who begin elsewhere, under every one of the decisions: what
// leads to 0 and never back is gone once people have settled, whatever is decided. It is nil where somebody does not come to rest.
func Vanished(m kedge.Model, individuals []int, decisions [][]float64) (entries []int) {
	settler, dim := m.RowSettler(), m.Dims()
	if settler == nil || m.Social || len(individuals) == 0 || len(decisions) == 0 {
		return nil
	}
	first, traits := kedge.Pick(kedge.Leading{Of: m.FirstStates(), Entries: dim.State}, individuals), kedge.Pick(m.Traits, individuals)
	left, begins := make([]bool, dim.State), make([]bool, dim.State) // of every entry: something is left of somebody's, and was there
	for i, v := range first.Data {
		begins[i%dim.State] = begins[i%dim.State] || v != 0
	}
	for _, u := range decisions {
		h := append([]float64(nil), first.Data...)
		if _, err := kedge.SettleRowsFrom(settler, h, u, traits.Data); err != nil {
			return nil
		}
		for i, v := range h {
			left[i%dim.State] = left[i%dim.State] || !(math.Abs(v) <= gone*math.Abs(first.Data[i]))
		}
	}
	for j, is := range left {
		if !is && begins[j] {
			entries = append(entries, j)
		}
	}
	return entries
}

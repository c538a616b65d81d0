package logs

import (
	"math"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
)

// trim forgets what there is nothing of.
func (c *crowd) trim() {
	if c.own == nil {
		c.ownBy = nil
	}
	if c.season == nil {
		c.seasonBy = nil
	}
}

// means are those of columns.
func means(rows []float64, width int) []float64 {
	out := make([]float64, width)
	for i, v := range rows {
		out[i%width] += v / float64(len(rows)/width)
	}
	return out
}

// followSearch finds the same of a model that was fitted by a search: traits and times are found again where each unknown is an error to either side.
func (w *work) followSearch(f *formula.Regressor, rows fit.Log, found *fit.Fitted, o fit.Options) {
	c := &w.out.crowd
	if c.own == nil && c.season == nil {
		return
	}
	if o.Unseen == fit.Random {
		w.out.Notes = append(w.out.Notes, "Draws of the unknowns take everybody's trait as it was found, and say too much doubt of how large all is.")
		return
	}
	o.Starts, o.Repeats = 0, 0
	k := len(w.unknowns)
	c.ownBy, c.seasonBy = make([][]float64, k), make([][]float64, k)
	for j := range k {
		h := found.Error[j]
		if found.Held[j] || !(h > 0 && h <= math.MaxFloat64) {
			continue
		}
		var ends [2]*fit.Fitted
		for side, step := range []float64{-h, h} {
			there := make([]fit.Unknown, k)
			for i, u := range w.unknowns {
				at := found.Value[i]
				if i == j {
					at += step
				}
				near := float64(1e-12 * max(1, math.Abs(at)))
				there[i] = fit.Unknown{Name: u.Name, Start: at, Lower: at - near, Upper: at + near}
			}
			end, err := fit.Find(w.ctx, f, rows, there, o)
			if err != nil {
				c.ownBy, c.seasonBy = nil, nil
				w.out.Notes = append(w.out.Notes, "Draws of the unknowns take everybody's trait as it was found, and say too much doubt of how large all is.")
				return
			}
			ends[side] = end
		}
		if c.own != nil {
			c.ownBy[j] = slope(means(ends[0].Traits, f.Traits), means(ends[1].Traits, f.Traits), h)
		}
		if m := f.States; c.season != nil {
			c.seasonBy[j] = slope(ends[0].Shifts[len(ends[0].Shifts)-m:], ends[1].Shifts[len(ends[1].Shifts)-m:], h)
		}
	}
	c.trim()
}

func slope(low, high []float64, h float64) []float64 {
	out := make([]float64, len(low))
	for i := range out {
		out[i] = (high[i] - low[i]) / (2 * h)
	}
	return out
}

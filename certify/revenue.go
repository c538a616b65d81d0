package certify

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
)

// revenue has closed forms under choice dynamics, where probabilities stay away from 0: entries never fall below the lesser
// of where they began and (1−λ₁−λ₂)/(1−λ₁) times the habit. There the entropy's slope changes by at most ρ/min p.
func (c *Constants) revenue(o objective.Revenue, p problem) (slopes, bool) {
	if o.Entropy == 0 {
		return c.slopesOf(objective.Affinity{}, p)
	}
	f, ok := p.Dynamics.(dynamics.Choice)
	if !ok {
		return slopes{}, false
	}
	least := min(leastEntry(p.States), (1-(f.Lambda1+f.Lambda2))/(1-f.Lambda1)*leastEntry(p.Traits))
	if !(least > 0) {
		return slopes{}, false
	}
	steep := max(1, math.Abs(1+math.Log(least))) // |1 + log p| over least ≤ p ≤ 1
	return slopes{
		loss:  c.Value(Radius) + o.Entropy*math.Sqrt(float64(f.Dim))*steep,
		partU: 1, partP: o.Entropy / least,
		known: c.Get(Radius).Known, how: "p ≥ min(p₀, (1−λ₁−λ₂)/(1−λ₁) d)",
	}, true
}

// leastEntry returns the smallest number of some rows.
func leastEntry(r kedge.Rows) float64 {
	least := math.Inf(1)
	eachChunk(r, func(_ int, block []float64) {
		for _, v := range block {
			least = min(least, v)
		}
	})
	return least
}

// chunk is how many individuals are looked at together.
const chunk = 256

// eachChunk shows all rows, a few at a time, with the number of the first.
func eachChunk(r kedge.Rows, see func(first int, block []float64)) {
	n, width := r.Size()
	room := make([]float64, min(n, chunk)*width)
	for first := 0; first < n; first += chunk {
		see(first, r.View(room, first, min(n, first+chunk)))
	}
}

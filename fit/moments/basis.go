package moments

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// basis are the moments that are matched at a time: means of entries of the state, of their products with traits and with each other, all of them of
// numbers that are centred and scaled once and for all, so that moments are of one size whatever the units are.
type basis struct {
	match          Match
	states, traits int
	mid, unit      []float64 // of states, then traits
	factors        [][2]int  // of every moment: an entry of the state, and one of those, or of traits behind them, that it is multiplied by; -1: none
}

// newBasis centres and scales by rows of states and traits; traits that are unknown are left out.
func newBasis(match Match, states, traits int, rows ...[2][]float64) *basis {
	b := &basis{match: match, states: states, traits: traits, mid: make([]float64, states+traits), unit: make([]float64, states+traits)}
	for j := range b.mid {
		of, each, at := 0, states, j
		if j >= states {
			of, each, at = 1, traits, j-states
		}
		b.mid[j], b.unit[j] = spreadOf(rows, of, each, at)
	}
	for e := range states {
		b.factors = append(b.factors, [2]int{e, -1})
	}
	for e := range states {
		for j := states; match >= Traits && j < states+traits; j++ {
			b.factors = append(b.factors, [2]int{e, j})
		}
	}
	for e := range states {
		for j := 0; match >= Squares && j <= e; j++ {
			b.factors = append(b.factors, [2]int{e, j})
		}
	}
	return b
}

// spreadOf is the mean and the deviation of a column, scaled by its largest entry on the way, so that squares of large numbers are none too large.
func spreadOf(rows [][2][]float64, of, each, at int) (mean, unit float64) {
	var most, sum, square, n float64
	walk := func(do func(v float64)) {
		for _, r := range rows {
			for i := at; i < len(r[of]); i += each {
				if v := r[of][i]; !math.IsNaN(v) {
					do(v)
				}
			}
		}
	}
	walk(func(v float64) { most = max(most, math.Abs(v)) })
	if most == 0 {
		return 0, 1
	}
	walk(func(v float64) { sum += v / most; n++ })
	mean = sum / n
	walk(func(v float64) { square += float64((v/most - mean) * (v/most - mean)) })
	unit = math.Sqrt(square / n)
	if !(unit > 1e-12) { // a constant
		unit = 1
	}
	return mean * most, unit * most
}

// count is how many moments there are.
func (b *basis) count() int { return len(b.factors) }

// scaled writes states and traits as moments take them.
func (b *basis) scaled(dst, states, traits []float64) {
	for j, v := range states {
		dst[j] = (v - b.mid[j]) / b.unit[j]
	}
	if b.match >= Traits {
		for j, v := range traits[:b.traits] { // none where some are not known
			at := b.states + j
			dst[at] = (v - b.mid[at]) / b.unit[at]
		}
	}
}

// values writes what somebody adds to every moment, from what scaled wrote.
func (b *basis) values(dst, z []float64) {
	for at, f := range b.factors {
		if dst[at] = z[f[0]]; f[1] >= 0 {
			dst[at] *= z[f[1]]
		}
	}
}

// slopes adds a share of the derivatives of values in unknowns, from those of the state.
func (b *basis) slopes(dst, z, sensitive []float64, unknowns int, share float64) {
	add := func(at, e int, by float64) {
		by = by * share / b.unit[e]
		rows.AddScaled(dst[at*unknowns:(at+1)*unknowns], by, sensitive[e*unknowns:(e+1)*unknowns])
	}
	for at, f := range b.factors {
		e, other := f[0], f[1]
		if other < 0 {
			add(at, e, 1)
			continue
		}
		add(at, e, z[other])
		if other < b.states {
			add(at, other, z[e])
		}
	}
}

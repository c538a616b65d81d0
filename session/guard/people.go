package guard

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Spreading is how the entries of people lie at a close: states first, then traits.
type Spreading struct {
	Median    []float32 `json:"median"`
	Deviation []float32 `json:"deviation"` // how far from it they are
}

const (
	mostSpread    = 5    // closes that are remembered
	leastSpread   = 3    // without so many nobody is far from what was seen
	mostEntries   = 64   // of states and traits that are looked at, at equal distances
	mostLooked    = 2048 // people of whom medians are taken, at equal distances
	mostSuspects  = 20   // that are listed
	leastRelative = 1e-9 // of a median: deviations below it are rounding
)

// Suspect is somebody who does not count.
type Suspect struct {
	Row   int     `json:"row"`   // in the order of batches and rows
	What  string  `json:"what"`  // p or d
	Entry int     `json:"entry"` // of it
	Value float64 `json:"value"`
	Off   float64 `json:"off,omitempty"` // in deviations; 0: outside its range
}

// Sieved is who does not count, and why that may stop a step.
type Sieved struct {
	Out      int
	Outside  int // of them outside their ranges
	Suspects []Suspect
	Concern  *Concern
	Spread   *Spreading
}

// Sieve takes people out of a sample who are outside their ranges, or far from all who answered at the last closes. The sample is changed.
func (g *Guard) Sieve(seen *kedge.Observation) (out Sieved) {
	dim := g.Dims
	n := len(seen.P) / dim.State
	usual := g.reference()
	keep := make([]int, 0, n)
	inside := make([]int, 0, n)
	for i := range n {
		s, bad := g.suspect(kedge.Row(seen.P, i, dim.State), kedge.Row(seen.D, i, dim.Trait), usual)
		s.Row = i
		if !bad {
			keep, inside = append(keep, i), append(inside, i)
			continue
		}
		if out.Out++; s.Off == 0 {
			out.Outside++
		} else {
			inside = append(inside, i)
		}
		if len(out.Suspects) < mostSuspects {
			out.Suspects = append(out.Suspects, s)
		}
	}
	out.Spread = g.spread(seen, inside)
	if out.Out == 0 {
		return out
	}
	if share := float64(out.Out) / float64(n); share > g.Live.Share {
		words := fmt.Sprintf("%s of answers are far from all seen before", phrase.Percent(share))
		if out.Outside == out.Out {
			words = fmt.Sprintf("%s of answers are outside what live.outliers allows", phrase.Percent(share))
		}
		out.Concern = &Concern{Words: words}
	}
	*seen = only(*seen, keep, dim)
	return out
}

// only are some people of a sample.
func only(o kedge.Observation, who []int, dim kedge.Dims) kedge.Observation {
	o.P = kedge.Pick(kedge.Block{Data: o.P, Width: dim.State}, who).Data
	o.D = kedge.Pick(kedge.Block{Data: o.D, Width: dim.Trait}, who).Data
	o.W, o.Who = at(o.W, who), at(o.Who, who)
	return o
}

// at are some entries of a list, nil of none.
func at[T any](list []T, which []int) []T {
	if list == nil {
		return nil
	}
	some := make([]T, len(which))
	for to, from := range which {
		some[to] = list[from]
	}
	return some
}

// Few are no more than so many people of a sample, at equal distances.
func Few(o kedge.Observation, most int, dim kedge.Dims) kedge.Observation {
	n := len(o.P) / dim.State
	if n <= most {
		return o
	}
	return only(o, kedge.Some(n, most), dim)
}

// Column is one entry of every row of some width; nil of none.
func Column(block []float64, width, entry int) (list []float64) {
	if len(block) > 0 { // without rows the width may be 0
		list = make([]float64, 0, len(block)/width)
	}
	for at := entry; at < len(block); at += width {
		list = append(list, block[at])
	}
	return list
}

// suspect tells whether somebody does not count, and the first entry for which.
func (g *Guard) suspect(p, d []float64, usual *reference) (s Suspect, bad bool) {
	for _, one := range []struct {
		what   string
		x      []float64
		within []float64
	}{{"p", p, g.Live.StateRange}, {"d", d, g.Live.TraitRange}} {
		if math.IsInf(one.within[0], -1) && math.IsInf(one.within[1], 1) {
			continue
		}
		for j, v := range one.x {
			if v < one.within[0] || v > one.within[1] {
				return Suspect{What: one.what, Entry: j, Value: v}, true
			}
		}
	}
	if usual == nil {
		return s, false
	}
	for at, j := range usual.entries {
		x, what, entry := p, "p", j
		if j >= len(p) {
			x, what, entry = d, "d", j-len(p)
		}
		v := x[entry]
		away := math.Abs(v - usual.centers[at])
		if away < usual.near[at] {
			continue
		}
		if off := away / usual.scales[at]; off > g.Live.Beyond {
			return Suspect{What: what, Entry: entry, Value: v, Off: off}, true
		}
	}
	return s, false
}

// reference is where people were at the last closes, and how far from there they may be at a deviation of 1: as far as they were from each
// other, or as far as they moved from close to close if that is more.
type reference struct {
	entries         []int // that are looked at: states first, then traits
	centers, scales []float64
	near            []float64 // a distance that is surely not too far, for there is no need to divide below it
}

// surely is what part of the distance that is too far surely is not, however that is rounded.
const surely = 0.999

// reference is nil while too little was seen.
func (g *Guard) reference() *reference {
	if len(g.Spread) < leastSpread || math.IsInf(g.Live.Beyond, 1) {
		return nil
	}
	n := len(g.Spread[0].Median)
	r := &reference{kedge.Some(g.Dims.State+g.Dims.Trait, mostEntries), make([]float64, n), make([]float64, n), make([]float64, n)}
	medians, offs := make([]float64, len(g.Spread)), make([]float64, len(g.Spread))
	for j := range n {
		for c, one := range g.Spread {
			medians[c], offs[c] = float64(one.Median[j]), float64(one.Deviation[j])
		}
		center := middleOf(medians)
		for c := range medians {
			medians[c] = math.Abs(medians[c] - center)
		}
		scale := max(middleOf(offs), ofNormal*middleOf(medians))
		if scale <= leastRelative*math.Abs(center) { // all alike: nobody knows what is far
			scale = math.Inf(1)
		}
		r.centers[j], r.scales[j], r.near[j] = center, scale, surely*g.Live.Beyond*scale
	}
	return r
}

// middleOf is the median of a few numbers, which are sorted.
func middleOf(x []float64) float64 {
	slices.Sort(x)
	if len(x)%2 == 1 {
		return x[len(x)/2]
	}
	return between(x[len(x)/2-1], x[len(x)/2])
}

// spread is how the entries of some people lie, nil if nothing is compared with it.
func (g *Guard) spread(seen *kedge.Observation, who []int) *Spreading {
	dim := g.Dims
	if len(who) == 0 || math.IsInf(g.Live.Beyond, 1) {
		return nil
	}
	if len(who) > mostLooked {
		who = at(who, kedge.Some(len(who), mostLooked))
	}
	w := at(seen.W, who)
	if w != nil && !slices.ContainsFunc(w, func(v float64) bool { return v > 0 }) {
		return nil
	}
	entries := kedge.Some(dim.State+dim.Trait, mostEntries)
	s := &Spreading{make([]float32, len(entries)), make([]float32, len(entries))}
	if w != nil || len(who) > mostTogether || !g.spreadTogether(s, seen, who, entries) {
		g.spreadEach(s, seen, who, entries, w)
	}
	return s
}

// entryOf is an entry of a person: of the state or, after those, of the trait.
func (g *Guard) entryOf(seen *kedge.Observation, i, entry int) float64 {
	if entry < g.Dims.State {
		return seen.P[i*g.Dims.State+entry]
	}
	return seen.D[i*g.Dims.Trait+entry-g.Dims.State]
}

// spreadEach looks at one entry after the other.
func (g *Guard) spreadEach(s *Spreading, seen *kedge.Observation, who, entries []int, w []float64) {
	x := make([]float64, len(who))
	for at, j := range entries {
		for to, i := range who {
			x[to] = g.entryOf(seen, i, j)
		}
		middle, off := spreadOf(x, w)
		s.Median[at], s.Deviation[at] = short(middle), short(off)
	}
}

// spreadTogether looks at all entries of people who count alike at once, to the same bits; false: it cannot.
func (g *Guard) spreadTogether(s *Spreading, seen *kedge.Observation, who, entries []int) bool {
	all := newSheaf(len(who), len(entries))
	for row, i := range who {
		for at, j := range entries {
			if !all.set(row, at, g.entryOf(seen, i, j)) {
				return false
			}
		}
	}
	all.sort()
	x := make([]float64, len(who))
	for at := range entries {
		all.column(x, at)
		middle, off := spreadOfSorted(x)
		s.Median[at], s.Deviation[at] = short(middle), short(off)
	}
	return true
}

// short is a number to seven digits, and no larger than can be written so.
func short(v float64) float32 { return float32(max(-math.MaxFloat32, min(v, math.MaxFloat32))) }

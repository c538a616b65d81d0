package guard

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Mixing is who answered at first, and how often in a row others did.
type Mixing struct {
	Edges   [][]float64 `json:"edges"`
	People  [][]float64 `json:"people"` // of each bin of each trait
	Closes  int         `json:"closes"`
	Strikes int         `json:"strikes,omitempty"`
}

const (
	firstMix   = 5  // closes that the mix is compared with
	mostValues = 10 // of a trait that are bins of their own; else there are five of equal weight
	strikes    = 2  // of which the second holds
)

// examineMix compares who answered with who did at first.
func (g *Guard) examineMix(o kedge.Observation, r *Report) {
	edges := [][]float64(nil)
	if g.Mixed != nil {
		edges = g.Mixed.Edges
	} else {
		for _, j := range g.watched() {
			if m := g.Declared[j]; m != nil {
				edges = append(edges, m.Edges)
				continue
			}
			edges = append(edges, edgesOf(g.column(o, j), o.W))
		}
		r.Seen.Edges = edges
	}
	for at, j := range g.watched() {
		r.Seen.Mix = append(r.Seen.Mix, binned(g.column(o, j), o.W, edges[at]))
	}
	strike, trait, p := g.strange(r.Seen.Mix)
	if strike && g.Mixed != nil && g.Mixed.Strikes+1 >= strikes {
		than := "at first"
		if g.Declared[trait] != nil {
			than = "the spec declares"
		}
		r.Mix = &Concern{Words: fmt.Sprintf("%s %s: the mix of trait %d would be so by chance %s", Others, than, trait, chance(p))}
	}
}

// Others begins what is said of a mix.
const Others = "others answer than"

func chance(p float64) string {
	if p < 1e-6 {
		return "less than once in a million closes"
	}
	return fmt.Sprintf("once in %s closes", phrase.Grouped(int(math.Round(1/p))))
}

// watched are the traits whose mix is watched.
func (g *Guard) watched() (traits []int) {
	for j, is := range g.Mix {
		if is {
			traits = append(traits, j)
		}
	}
	return traits
}

func (g *Guard) column(o kedge.Observation, j int) []float64 { return Column(o.D, g.Dims.Trait, j) }

// strange tells whether a mix is too unlikely beside the first, and of which trait and how.
func (g *Guard) strange(mix [][]float64) (yes bool, trait int, p float64) {
	p = 1
	for at, j := range g.watched() {
		q := 1.0
		if m := g.Declared[j]; m != nil {
			q = fits(m.Shares, mix[at])
		} else if g.Mixed != nil && g.Mixed.Closes >= firstMix {
			q = alike(g.Mixed.People[at], mix[at])
		}
		if q < p {
			p, trait = q, j
		}
	}
	return p < g.Live.MixAlpha, trait, p
}

// Mixture is who answered by one trait, beside who did at first.
type Mixture struct {
	Edges  []float64 // of the bins; whoever is outside of all is in the nearest
	Now    []float64 // shares of people
	First  []float64
	Chance float64 // that two samples of one crowd differ so much
}

// Mixture compares who answered by a trait with who did at first; nil of one whose mix is not watched or not known yet.
func (g *Guard) Mixture(o kedge.Observation, trait int) *Mixture {
	at := slices.Index(g.watched(), trait)
	if g.Mixed == nil || at < 0 || len(o.D) == 0 {
		return nil
	}
	edges := g.Mixed.Edges[at]
	first, now := slices.Clone(g.Mixed.People[at]), binned(g.column(o, trait), o.W, edges)
	m := &Mixture{Edges: framed(edges, o.D[trait]), Now: now, First: first, Chance: alike(first, now)}
	for _, list := range [][]float64{now, first} {
		all := 0.0
		for _, v := range list {
			all += v
		}
		for b := range list {
			list[b] /= all
		}
	}
	return m
}

// framed puts an outer edge on either side of those between bins, as far away as they are from each other; without any, around a value.
func framed(edges []float64, value float64) []float64 {
	n, far := len(edges), 1.0
	switch n {
	case 0:
		return []float64{value - far/2, value + far/2}
	case 1:
	default:
		far = (edges[n-1] - edges[0]) / float64(n-1)
	}
	return slices.Concat([]float64{edges[0] - far}, edges, []float64{edges[n-1] + far})
}

// foldMix remembers who answered.
func (g *Guard) foldMix(s *Seen) {
	if s.Mix == nil {
		return
	}
	if g.Mixed == nil {
		g.Mixed = &Mixing{Edges: s.Edges}
		for _, one := range s.Mix {
			g.Mixed.People = append(g.Mixed.People, make([]float64, len(one)))
		}
	}
	m := g.Mixed
	if strange, _, _ := g.strange(s.Mix); strange {
		m.Strikes++
	} else {
		m.Strikes = 0
	}
	if m.Closes < firstMix {
		for t, one := range s.Mix {
			rows.AddScaled(m.People[t], 1, one)
		}
		m.Closes++
	}
}

// edgesOf are the edges of bins: between values, if there are few, or with a fifth of people in each.
func edgesOf(x, w []float64) (edges []float64) {
	sorted := sort(x, w)
	values := slices.Compact(slices.Clone(sorted.x))
	if len(values) <= mostValues {
		for i := 1; i < len(values); i++ {
			edges = append(edges, values[i-1]+float64((values[i]-values[i-1])/2))
		}
		return edges
	}
	return slices.Compact(lists.Of([]float64{0.2, 0.4, 0.6, 0.8}, sorted.quantile))
}

// binned is how many people are in each bin, as many as they are worth together.
func binned(x, w []float64, edges []float64) []float64 {
	bins := make([]float64, len(edges)+1)
	all := 0.0
	for i, v := range x {
		at, _ := slices.BinarySearch(edges, v)
		bins[at] += rows.Weight(w, i)
		all += rows.Weight(w, i)
	}
	rows.Scale(bins, Worth(w, len(x))/all)
	return bins
}

// alike is how likely two samples of one crowd are at least so different, by χ².
func alike(a, b []float64) float64 {
	sumA, sumB := 0.0, 0.0
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	up, down := math.Sqrt(sumA/sumB), math.Sqrt(sumB/sumA)
	chi, filled := 0.0, 0
	for i := range a {
		if both := a[i] + b[i]; both > 0 {
			off := float64(up*b[i]) - float64(down*a[i])
			chi += off * off / both
			filled++
		}
	}
	return beyond(chi, filled)
}

// fits is how likely a sample of a crowd with some shares is at least so different from them, by χ².
func fits(shares, people []float64) float64 {
	all, sum := 0.0, 0.0
	for b, n := range people {
		all, sum = all+n, sum+shares[b]
	}
	chi, filled := 0.0, 0
	for b, n := range people {
		want := all * shares[b] / sum
		switch {
		case want > 0:
			chi += (n - want) * (n - want) / want
			filled++
		case n > 0:
			return 0
		}
	}
	return beyond(chi, filled)
}

// beyond is how likely χ² of so many bins is at least so large.
func beyond(chi float64, bins int) float64 {
	if bins < 2 || !finite(chi) {
		return 1
	}
	p := distuv.ChiSquared{K: float64(bins - 1)}.Survival(chi)
	return math.Round(1e12*p) / 1e12 // the library's last bits differ between targets
}

package guard

import (
	"cmp"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
)

// Gauged is a mean with its standard error and how many people it is worth.
type Gauged struct {
	Value float64 `json:"value"`
	SE    float64 `json:"se"`
	N     float64 `json:"n"`
}

// known is nil if not all of it is.
func (m Gauged) known() *Gauged {
	if !finite(m.Value, m.SE, m.N) {
		return nil
	}
	return &m
}

// Half is half of the width of where the mean of everybody is at a level of certainty; infinite of one person.
func (m Gauged) Half(level float64) float64 {
	if !(m.N > 1) {
		return math.Inf(1)
	}
	return folder.StudentHalf(m.SE, m.N, level)
}

// reading is the mean and where that of everybody is.
func (m Gauged) reading() reading { return around(m.Value, m.Half(certainty)) }

// reading is a number of a sample, and where that of everybody is with a certainty of 99 in 100; NaN for unknown.
type reading struct{ value, low, high float64 }

func around(value, half float64) reading { return reading{value, value - half, value + half} }

func unknown() reading { return around(math.NaN(), 0) }

const (
	certainty = 0.99
	normal99  = 2.5758293035489004 // half of the width of that, in standard errors of many
)

// Worth is how many people who count alike say as much as n with weights; 0 if nobody counts.
func Worth(w []float64, n int) float64 {
	if worth := kedge.EffectiveSize(w, n); !math.IsNaN(worth) {
		return worth
	}
	return 0
}

// MeanOf is the weighted mean; the error takes weights for given.
func MeanOf(x, w []float64) Gauged {
	m := Gauged{N: Worth(w, len(x))}
	all := 0.0
	for i, v := range x {
		m.Value += float64(rows.Weight(w, i) * v)
		all += rows.Weight(w, i)
	}
	m.Value /= all
	squares := 0.0
	for i, v := range x {
		one := rows.Weight(w, i)
		squares += float64(one * one * (v - m.Value) * (v - m.Value))
	}
	m.SE = math.Sqrt(squares) / all
	if m.N > 1 {
		m.SE *= math.Sqrt(m.N / (m.N - 1))
	}
	return m
}

// measure reads a statistic of people.
func measure(s live.Statistic, x, w []float64) reading {
	n := Worth(w, len(x))
	switch s.Of {
	case live.QuantileOf:
		if n*min(s.Level, 1-s.Level) < 1-1e-9 { // 1 − 0.9 is a little less than a tenth
			return unknown()
		}
		sorted := sort(x, w)
		off := float64(normal99 * math.Sqrt(s.Level*(1-s.Level)/n))
		return reading{sorted.quantile(s.Level), sorted.quantile(s.Level - off), sorted.quantile(s.Level + off)}
	case live.ShareOf:
		counts := make([]float64, len(x))
		for i, v := range x {
			if v > 0 || s.Equal && v == 0 {
				counts[i] = 1
			}
		}
		return wilson(MeanOf(counts, w).Value, n)
	}
	return MeanOf(x, w).reading()
}

// wilson reads a share that was seen of n.
func wilson(share, n float64) reading {
	const z2 = normal99 * normal99
	middle := (share + z2/(2*n)) / (1 + z2/n)
	half := float64(normal99 / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n)))
	return reading{share, middle - half, middle + half}
}

// weighted are numbers in their order, with the weight of all up to each.
type weighted struct{ x, upTo []float64 }

func sort(x, w []float64) weighted {
	if w == nil {
		return sortAlike(x)
	}
	order := kedge.Some(len(x), len(x))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	s := weighted{make([]float64, len(x)), make([]float64, len(x))}
	sum := 0.0
	for at, i := range order {
		sum += rows.Weight(w, i)
		s.x[at], s.upTo[at] = x[i], sum
	}
	return s
}

// sortAlike is sort of numbers that count alike.
func sortAlike(x []float64) weighted {
	s := weighted{slices.Clone(x), make([]float64, len(x))}
	slices.Sort(s.x)
	for i := range s.upTo {
		s.upTo[i] = float64(i + 1)
	}
	return s
}

// quantile is the least number that has so large a share of the weight up to it; infinite beyond all of it.
func (s weighted) quantile(level float64) float64 {
	switch {
	case level <= 0:
		return math.Inf(-1)
	case level >= 1:
		return math.Inf(1)
	}
	wanted := level * s.upTo[len(s.upTo)-1]
	at, _ := slices.BinarySearch(s.upTo, wanted)
	return s.x[min(at, len(s.x)-1)]
}

// median is the number in the middle, between two of them if as much weight is on either side.
func (s weighted) median() float64 {
	half := s.upTo[len(s.upTo)-1] / 2
	at, exact := slices.BinarySearch(s.upTo, half)
	if exact && at+1 < len(s.x) {
		return s.x[at] + float64((s.x[at+1]-s.x[at])/2)
	}
	return s.x[min(at, len(s.x)-1)]
}

const (
	ofNormal = 1.4826 // deviations of a normal law are so many of its median distances from the median
	edge     = 0.02   // on either side, where the tails begin
	tails    = 4.1075 // deviations that a normal law has between them
)

// spreadOf is the median, and how far numbers lie from it, as the deviation of a normal law: by the median of the distances or, of a law with
// several heaps or long tails, by what lies between the tails.
func spreadOf(x, w []float64) (middle, off float64) {
	sorted := sort(x, w)
	middle = sorted.median()
	away := make([]float64, len(x))
	for i, v := range x {
		away[i] = math.Abs(v - middle)
	}
	off = ofNormal * sort(away, w).median()
	return middle, max(off, (sorted.quantile(1-edge)-sorted.quantile(edge))/tails)
}

func finite(list ...float64) bool { return rows.Finite(list) }

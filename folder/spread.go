package folder

import "math"

// Spread is mean, minimum and maximum over trials.
type Spread struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Unknown is the spread of nothing: all NaN.
func Unknown() Spread { return Spread{math.NaN(), math.NaN(), math.NaN()} }

// SpreadOf returns the spread of x, nil when x is empty or holds a number that is not finite.
func SpreadOf(x []float64) *Spread {
	s := Spread{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, v := range x {
		s.Mean += v / float64(len(x))
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	if len(x) == 0 || math.IsNaN(s.Mean) || math.IsInf(s.Mean, 0) {
		return nil
	}
	return &s
}

// SpreadOfFinite returns the spread of the finite numbers among x, and how many there are.
func SpreadOfFinite(x []float64) (s Spread, count int) {
	s = Spread{Min: math.Inf(1), Max: math.Inf(-1)}
	sum := 0.0
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		sum += v
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
		count++
	}
	if count == 0 {
		return Unknown(), 0
	}
	// Rounding can push the mean of equal numbers past them.
	s.Mean = min(max(sum/float64(count), s.Min), s.Max)
	return s, count
}

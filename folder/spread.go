package folder

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

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

// Student returns the mean of x and half the width of its Student interval, NaN for fewer than two numbers.
func Student(x []float64, level float64) (mean, half float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	squares := 0.0
	for _, v := range x {
		squares += float64((v - mean) * (v - mean))
	}
	return mean, StudentHalf(math.Sqrt(squares/(n-1)/n), n, level)
}

// StudentHalf is half the width of the Student interval of a mean of n numbers with the given standard error, NaN where n is below 2.
func StudentHalf(deviation, n, level float64) float64 {
	if !(n >= 2) {
		return math.NaN()
	}
	// Rounded, because the library's last bits differ between targets.
	t := math.Round(1e9*distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+level)/2)) / 1e9
	return float64(t * deviation) // never fused with what it is added to
}

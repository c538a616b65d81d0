package optimum

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// extent is the box around a set; it may have no end.
type extent struct {
	lower, upper []float64
	from         []float64 // a decision of the set
	step         float64   // how far one goes where there is no end
}

func (e *extent) bounded() bool { return rows.Finite(e.lower) && rows.Finite(e.upper) }

func (e *extent) rescale(by float64) {
	from := append([]float64(nil), e.from...)
	e.from = from
	rows.Scale(e.from, by)
	rows.Scale(e.lower, by)
	rows.Scale(e.upper, by)
	e.step *= by
}

// spread returns point k of a sequence that fills the set evenly: entries of an additive recurrence, of random numbers where there are
// many, over the box around it and then projected, every other one drawn half way to the middle, because projections crowd the rim.
func (l *landscape) spread(e *extent, k int) ([]float64, error) {
	u := make([]float64, len(e.from))
	for i, share := range even(len(u), k) {
		u[i] = e.at(i, share)
	}
	if k%2 == 1 && len(u) > 1 {
		for i := range u {
			u[i] = (u[i] + e.at(i, .5)) / 2
		}
	}
	return u, l.project(u)
}

// at returns the number of axis i that has the share of its range below it. Without an end the range grows without bound.
func (e *extent) at(i int, share float64) float64 {
	lower, upper := e.lower[i], e.upper[i]
	switch {
	case !math.IsInf(lower, 0) && !math.IsInf(upper, 0):
		return lower + float64(share*(upper-lower))
	case !math.IsInf(lower, 0):
		return lower + float64(2*e.step*share/(1.02-share))
	case !math.IsInf(upper, 0):
		return upper - float64(2*e.step*(1-share)/(share+.02))
	}
	t := 2*share - 1
	return e.from[i] + float64(2*e.step*t/(1.02-float64(t*t)))
}

// mostEven is the largest number of axes for which the recurrence is even.
const mostEven = 12

// even returns point k of n numbers between 0 and 1 [roberts2018].
func even(n, k int) []float64 {
	out := make([]float64, n)
	if n > mostEven {
		s := stream.New(1, "spread", strconv.Itoa(k))
		for i := range out {
			out[i] = s.Float64()
		}
		return out
	}
	ratio := 2.0
	for range 60 { // of xⁿ⁺¹ = x + 1
		ratio = math.Pow(1+ratio, 1/float64(n+1))
	}
	step := 1.0
	for i := range out {
		step /= ratio
		_, out[i] = math.Modf(.5 + float64(k+1)*step)
	}
	return out
}

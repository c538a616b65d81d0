package optimum

import (
	"math"
	"strconv"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/stream"
)

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
		ratio = portable.Pow(1+ratio, 1/float64(n+1))
	}
	step := 1.0
	for i := range out {
		step /= ratio
		_, out[i] = math.Modf(.5 + float64(float64(k+1)*step))
	}
	return out
}

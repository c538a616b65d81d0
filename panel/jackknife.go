package panel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Jackknife takes the bias of short panels out of an estimate with effects of units: twice the whole less the mean of the estimates of the first
// and the second half of the times. The estimate of a lag within units is too small by about (1+β)/T; what is left of that is of order 1/T².
// Errors are those of the whole.
func Jackknife(t Table, m Design) (*Coefficients, error) {
	if len(m.Endogenous) > 0 {
		return nil, fmt.Errorf("the jackknife of halves is for columns without instruments")
	}
	whole, err := Fit(t, m)
	if err != nil {
		return nil, err
	}
	times := slices.Compact(slices.Sorted(slices.Values(t.Time)))
	if len(times) < 4 {
		return nil, &ScarceError{len(times), 4}
	}
	middle := times[len(times)/2]
	var halves [2][]int
	for i, at := range t.Time {
		half := 0
		if at >= middle {
			half = 1
		}
		halves[half] = append(halves[half], i)
	}
	for j := range whole.Value {
		whole.Value[j] *= 2
	}
	for _, rows := range halves {
		part, err := Fit(t.Rows(rows), m)
		if err != nil {
			return nil, fmt.Errorf("half of the times: %w", err)
		}
		for j, v := range part.Value {
			whole.Value[j] -= float64(v / 2)
		}
	}
	return whole, nil
}

// LongRun is what stays in the long run of a coefficient beside a lag, b/(1-lag), with its standard error by the first derivative.
func (e *Coefficients) LongRun(lag, b int) (value, err float64) {
	rest := 1 - e.Value[lag]
	value = e.Value[b] / rest
	gradient := mat.NewVecDense(len(e.Value), nil)
	gradient.SetVec(b, 1/rest)
	gradient.SetVec(lag, value/rest)
	return value, math.Sqrt(mat.Inner(gradient, e.Cov, gradient))
}

package transport

import (
	"errors"
	"math"
	"slices"
)

// shares returns the weights of n and m places as whole numbers that sum to the same whole.
func shares(a, b []float64, n, m int) (supply, demand []int64, whole int64, err error) {
	a, errA := weightsOf("a", a, "the left side of the costs", n)
	b, errB := weightsOf("b", b, "the right side of the costs", m)
	if err := errors.Join(errA, errB); err != nil {
		return nil, nil, 0, err
	}
	ma, errA := mass("a", a)
	mb, errB := mass("b", b)
	if err := errors.Join(errA, errB); err != nil {
		return nil, nil, 0, err
	}
	if uniform(a) && uniform(b) {
		whole = int64(n) / divisor(int64(n), int64(m)) * int64(m)
		return portions(whole, n), portions(whole, m), whole, nil
	}
	return rounded(a, ma), rounded(b, mb), wholeMass, nil
}

// wholeMass is the unit mass in units of 2⁻⁶².
const wholeMass = 1 << 62

// rounded returns a/mass in units of 2⁻⁶². What rounding leaves over goes to the largest.
func rounded(a []float64, mass float64) []int64 {
	out, rest, largest := make([]int64, len(a)), int64(wholeMass), 0
	for i, v := range a {
		out[i] = int64(math.Round(v / mass * wholeMass))
		rest -= out[i]
		if out[i] > out[largest] {
			largest = i
		}
	}
	out[largest] += rest
	return out
}

func uniform(a []float64) bool {
	return !slices.ContainsFunc(a, func(v float64) bool { return v != a[0] })
}

// portions parts a whole evenly.
func portions(whole int64, n int) []int64 { return slices.Repeat([]int64{whole / int64(n)}, n) }

// divisor is the greatest common one.
func divisor(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

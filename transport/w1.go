// Package transport measures how far one distribution is from another by what it costs to carry the mass over.
package transport

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// massTolerance is how far the weights of a probability vector may sum from 1.
const massTolerance = 1e-9

// W1 returns the Wasserstein distance of order one [he2025, Wasserstein distance] between two probability vectors on the
// ordered points 0, 1, …, n−1 with ground metric |i − j|. On a line it is the area between the distribution functions
// [vallender1974]:
//
//	W₁(a, b) = Σⱼ |Σ_{i≤j} (aᵢ/Σa − bᵢ/Σb)|
//
// Weights must be finite, not negative and sum to 1 within 1e-9; the rest of that tolerance is divided out. Sums are
// compensated [neumaier1974], so the error is a few units in the last place of W₁ + n|Σa − Σb|. W₁(a, b) and W₁(b, a)
// have the same bits and W₁(a, a) is 0. The arguments are not changed and success allocates nothing.
func W1(a, b []float64) (float64, error) {
	if err := kedge.CheckLen("b", b, len(a)); err != nil {
		return 0, err
	}
	if w, _, ok, _ := onePass(a, b, b); ok {
		return w, nil
	}
	return careful(a, b)
}

// W1Both returns W1(a, b) and W1(a, c), the same bits in about the time of one.
func W1Both(a, b, c []float64) (toB, toC float64, err error) {
	if err := errors.Join(kedge.CheckLen("b", b, len(a)), kedge.CheckLen("c", c, len(a))); err != nil {
		return 0, 0, err
	}
	toB, toC, okB, okC := onePass(a, b, c)
	var errB, errC error
	if !okB {
		toB, errB = careful(a, b)
	}
	if !okC {
		toC, errC = careful(a, c)
	}
	if err := errors.Join(errB, errC); err != nil {
		return 0, 0, err
	}
	return toB, toC, nil
}

// careful is W1 of vectors of one length, without a condition: it tells what is wrong with them, and keeps the digits of any
// difference however small.
func careful(a, b []float64) (float64, error) {
	ma, errA := mass("a", a)
	mb, errB := mass("b", b)
	if errA != nil || errB != nil {
		return 0, errors.Join(errA, errB)
	}
	var surplus rows.Total
	for i, v := range a {
		surplus = surplus.AddBoth(v, -b[i])
	}
	// With e = (Σa − Σb)/(Σa + Σb), each normalized difference is ½(1/Σa + 1/Σb) · [(aᵢ − bᵢ) − (aᵢ + bᵢ)e]: only a small
	// correction is rounded, and swapping a and b changes nothing but the sign.
	e := surplus.Value() / (ma + mb)
	var below, area rows.Total
	for i, v := range a {
		below = below.AddBoth(v, -b[i])
		below.Low -= float64((v + b[i]) * e)
		area = area.Add(math.Abs(below.Value()))
	}
	return area.Value() * ((1/ma + 1/mb) / 2), nil
}

// mass adds up the weights of a probability vector, or says why x is none.
func mass(arg string, x []float64) (float64, error) {
	if err := kedge.CheckFinite(arg, x); err != nil {
		return 0, err
	}
	var s rows.Total
	for i, w := range x {
		if w < 0 || w > 1+massTolerance {
			return 0, &kedge.RangeError{Arg: fmt.Sprintf("%s[%d]", arg, i), Got: w, Want: "a weight between 0 and 1"}
		}
		s = s.Add(w)
	}
	if math.Abs(s.Value()-1) > massTolerance {
		return 0, &kedge.RangeError{Arg: "the sum of " + arg, Got: s.Value(), Want: "1 within 1e-9"}
	}
	return s.Value(), nil
}

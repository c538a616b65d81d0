package panel

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The largest numbers that are taken are ±10¹⁵⁰, whose squares are numbers too.
func TestTheLargestNumbersThatAreTaken(t *testing.T) {
	if err := finite("x", []float64{1e150, -1e150, 0}, 3); err != nil {
		t.Error(err)
	}
	for _, v := range []float64{math.Nextafter(1e150, 1e151), math.Inf(1), math.NaN()} {
		if finite("x", []float64{0, v}, 2) == nil || finite("x", []float64{0, -v}, 2) == nil {
			t.Errorf("±%v is taken", v)
		}
	}
}

// A matrix whose eigenvalues are not found has no inverse, and says so by NaN.
func TestInversesThatAreNotThere(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if a := inverse(mat.NewSymDense(1, []float64{math.NaN()})); !math.IsNaN(a.At(0, 0)) {
			t.Errorf("the inverse of no number is %v", a.At(0, 0))
		}
		a := inverse(mat.NewSymDense(3, []float64{v, v, v, v, v, v, v, v, v}))
		has := false
		for _, x := range a.RawSymmetric().Data {
			has = has || math.IsNaN(x)
		}
		if !has {
			t.Errorf("the inverse of %vs is %v", v, a.RawSymmetric().Data)
		}
	}
}

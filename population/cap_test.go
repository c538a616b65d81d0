package population_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// someAxis is a unit vector that is no coordinate's, with a first entry of the given sign.
func someAxis(dim int, sign float64) []float64 {
	a := make([]float64, dim)
	norm := 0.0
	for j := range a {
		a[j] = float64(j+1) - 0.3*float64(dim)
		norm += a[j] * a[j]
	}
	a[0] = math.Copysign(a[0], sign)
	for j := range a {
		a[j] /= math.Sqrt(norm)
	}
	return a
}

var capAngles = []float64{1e-6, 0.1, 10, 45, 80, 89.9, 90, 90.1, 120, 179, 180}

// The angle from the axis has distribution function share(θ)/share(α), with the shares of [li2011].
func TestCapAngleLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	for _, dim := range []int{2, 3, 4, 5, 20, 200} {
		n := 6000 - 20*dim
		for k, alpha := range capAngles {
			axis := someAxis(dim, float64(k%2)-0.5)
			x := draw(t, population.Cap{Angle: alpha, Axis: axis}, n, dim)
			theta := make([]float64, n)
			for i := range theta {
				theta[i] = angle(kedge.Row(x, i, dim), axis)
			}
			what := fmt.Sprintf("%d dimensions, %v°", dim, alpha)
			if widest := slices.Max(theta); widest > alpha*(1+1e-8)+1e-13 {
				t.Errorf("%s: an individual at %v°", what, widest)
			}
			if alpha >= 0.1 { // below, the coordinates hold too few digits of the angle
				kolmogorov(t, what, theta, capCDF(dim, alpha))
			}
		}
	}
}

// In the plane a cap is an arc, on which the angle from the axis is uniform.
func TestArcsAreUniform(t *testing.T) {
	const n = 30_000
	axis := someAxis(2, 1)
	for _, alpha := range []float64{10, 90} {
		x := draw(t, population.Cap{Angle: alpha, Axis: axis}, n, 2)
		theta := make([]float64, n)
		for i := range theta {
			theta[i] = angle(kedge.Row(x, i, 2), axis)
		}
		kolmogorov(t, fmt.Sprintf("%v°", alpha), theta, func(v float64) float64 { return v / alpha })
	}
}

func TestCapPointsAreUnit(t *testing.T) {
	for _, dim := range []int{2, 3, 20, 200} {
		for _, alpha := range capAngles {
			x := draw(t, population.Cap{Angle: alpha}, 100, dim)
			for i := range 100 {
				s := 0.0
				for _, v := range kedge.Row(x, i, dim) {
					s += v * v
				}
				if math.Abs(s-1) > float64(dim+20)*0x1p-53 {
					t.Fatalf("%d dimensions, %v°: length² is 1%+g", dim, alpha, s-1)
				}
			}
		}
	}
}

// across is the part of x orthogonal to the axis, scaled to length 1.
func across(x, axis []float64) []float64 {
	w, norm, dot := slices.Clone(x), 0.0, 0.0
	for j, v := range x {
		dot += v * axis[j]
	}
	for j := range w {
		w[j] -= dot * axis[j]
		norm += w[j] * w[j]
	}
	for j := range w {
		w[j] /= math.Sqrt(norm)
	}
	return w
}

// Across the axis the direction is uniform on a sphere of one dimension less, whatever the angle.
func TestCapIsRoundTheAxis(t *testing.T) {
	const n = 5000
	for _, dim := range []int{2, 3, 4, 20} {
		for _, alpha := range []float64{10, 90, 120} {
			axis := someAxis(dim, -1)
			e := across(someAxis(dim, 1), axis)
			x := draw(t, population.Cap{Angle: alpha, Axis: axis}, n, dim)
			side := make([]float64, n)
			for i := range side {
				for j, v := range across(kedge.Row(x, i, dim), axis) {
					side[i] += v * e[j]
				}
			}
			what := fmt.Sprintf("%d dimensions, %v°", dim, alpha)
			if dim == 2 {
				meanOf(t, what, side, 0, 1)
				continue
			}
			kolmogorov(t, what, side, sphereCDF(dim-1))
		}
	}
}

// The axis of a cap without one is the same for all its individuals, random, and another for another seed.
func TestCapRandomAxis(t *testing.T) {
	const n, dim = 500, 3
	first := draw(t, population.Cap{Angle: 1}, n, dim)
	for i := range n {
		if a := angle(kedge.Row(first, i, dim), first[:dim]); a > 2 {
			t.Fatalf("individual %d is %v° from the first", i, a)
		}
	}
	heights := make([]float64, 2000)
	for seed := range heights {
		x, err := population.Draw(population.Cap{Angle: 1e-3}, 1, dim, stream.New(uint64(seed)))
		if err != nil {
			t.Fatal(err)
		}
		heights[seed] = x[2]
	}
	kolmogorov(t, "axis", heights, sphereCDF(dim))
}

// The axis's length does not matter, however large or small.
func TestCapAxisLength(t *testing.T) {
	want := draw(t, population.Cap{Angle: 50, Axis: []float64{1, -1, 1}}, 20, 3)
	for _, scale := range []float64{5e-324, 1e-200, 1e300, math.MaxFloat64} {
		got := draw(t, population.Cap{Angle: 50, Axis: []float64{scale, -scale, scale}}, 20, 3)
		if !slices.Equal(got, want) {
			t.Errorf("an axis of length %g draws other points", scale)
		}
	}
}

// A cap too narrow for float64 is its pole, and drawing from it ends.
func TestCapWithoutWidth(t *testing.T) {
	for _, dim := range []int{2, 3, 4, 20} {
		axis := someAxis(dim, -1)
		for _, alpha := range []float64{5e-324, 1e-300, 1e-160, 1e-100} {
			x := draw(t, population.Cap{Angle: alpha, Axis: axis}, 50, dim)
			for i := range 50 {
				if a := angle(kedge.Row(x, i, dim), axis); a > 1e-13 {
					t.Fatalf("%d dimensions, %g°: an individual at %g°", dim, alpha, a)
				}
			}
		}
	}
}

func TestBimodalLaw(t *testing.T) {
	const n, dim = 5000, 6
	axis := someAxis(dim, 1)
	for share, want := range map[float64]float64{0: 0.5, 0.2: 0.2, 1: 1} {
		x := draw(t, population.Bimodal{Angle: 30, Axis: axis, Share: share}, n, dim)
		near, theta := make([]float64, n), make([]float64, n)
		for i := range near {
			theta[i] = angle(kedge.Row(x, i, dim), axis)
			if theta[i] < 90 {
				near[i] = 1
			}
			theta[i] = min(theta[i], 180-theta[i])
		}
		meanOf(t, fmt.Sprintf("share %v", share), near, want, math.Sqrt(want*(1-want))+1e-300)
		kolmogorov(t, fmt.Sprintf("share %v", share), theta, capCDF(dim, 30))
	}
}

package transport

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Slices says how far two distributions are apart along random directions.
type Slices struct {
	Mean  float64 // estimate of the sliced distance
	Error float64 // its standard error; 0 for a single direction
	Max   float64 // the largest distance along one direction, below W₁
}

// Sliced estimates the sliced Wasserstein distance of order one [bonneel2015] between weights a at points x and weights b at
// points y of dim entries:
//
//	SW₁ = E W₁(⟨θ, x⟩, ⟨θ, y⟩), θ uniform on the unit sphere
//
// by so many directions, drawn from the seed. No slice is above the Euclidean W₁. Weights are as in Line.
func Sliced(x, a, y, b []float64, dim, directions int, seed uint64) (Slices, error) {
	if err := errors.Join(points("x", x, dim), points("y", y, dim)); err != nil {
		return Slices{}, err
	}
	if directions < 1 {
		return Slices{}, &kedge.RangeError{Arg: "the number of directions", Got: float64(directions), Want: "at least 1"}
	}
	s, all := stream.New(seed, "slices"), make([]float64, directions)
	along, px, py := make([]float64, dim), make([]float64, len(x)/dim), make([]float64, len(y)/dim)
	for k := range all {
		direction(s, along)
		project(px, x, along)
		project(py, y, along)
		d, err := Line(px, a, py, b)
		if err != nil {
			return Slices{}, err
		}
		all[k] = d
	}
	return summary(all), nil
}

// direction draws a point of the unit sphere.
func direction(s *stream.Stream, dst []float64) {
	for s.Normals(dst); rows.Norm(dst) == 0; s.Normals(dst) {
	}
	rows.Scale(dst, 1/rows.Norm(dst))
}

// project writes the component of every point along a direction.
func project(dst, x, along []float64) {
	for i := range dst {
		dst[i] = rows.Dot(along, x[i*len(along):(i+1)*len(along)])
	}
}

// summary computes mean, standard error and maximum in units of the maximum, so that no square overflows.
func summary(all []float64) (out Slices) {
	out.Max = slices.Max(all)
	n := float64(len(all))
	if out.Max == 0 || n == 1 {
		return Slices{Mean: out.Max, Max: out.Max}
	}
	mean, spread := 0.0, 0.0
	for _, d := range all {
		mean += d / out.Max / n
	}
	for _, d := range all {
		r := d/out.Max - mean
		spread += float64(r * r)
	}
	out.Mean, out.Error = min(1, mean)*out.Max, out.Max*math.Sqrt(spread/(n-1)/n)
	return out
}

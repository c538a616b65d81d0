package fit

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// point is a place of a search with what the log says there.
type point struct {
	theta  []float64
	loss   float64
	normal []float64 // JᵀJ
	slope  []float64 // of the loss, with its sign turned
	square []float64 // of errors, summed by entry of the state
}

func newPoint(theta []float64, k, m int) *point {
	return &point{theta: slices.Clone(theta), normal: make([]float64, k*k), slope: make([]float64, k), square: make([]float64, m)}
}

// add adds what other rows say.
func (s *point) add(other *point) {
	s.loss += other.loss
	add(s.normal, other.normal)
	add(s.slope, other.slope)
	add(s.square, other.square)
}

func add(dst, x []float64) {
	for i, v := range x {
		dst[i] += v
	}
}

// rescale turns to errors of which the unit is so many times smaller: without priors, and with one unit for all, the place stays the best.
func (s *point) rescale(by float64) {
	s.loss *= float64(by * by)
	for _, x := range [][]float64{s.normal, s.slope} {
		for i := range x {
			x[i] *= float64(by * by)
		}
	}
}

// gather adds a line of slopes with its error.
func (s *point) gather(slope []float64, times, r float64) {
	k := len(slope)
	rows.AddScaled(s.slope, times*r, slope)
	for a, v := range slope {
		if v != 0 {
			rows.AddScaled(s.normal[a*k+a:(a+1)*k], times*v, slope[a:])
		}
	}
}

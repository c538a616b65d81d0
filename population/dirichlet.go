package population

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Dirichlet is the law of gamma variables of shapes Concentration divided by their sum. Concentration has one entry for all
// coordinates or one for each, between 1e-8 and 1e8; none means 1, which is uniform on the simplex. Proportions too small
// for a float64 come out as 0.
type Dirichlet struct{ Concentration []float64 }

// Check demands fitting lengths and concentrations in their range.
func (l Dirichlet) Check(n, dim int) error {
	return errors.Join(checkSizes(n, dim), checkBetween("concentration", l.Concentration, dim, 1e-8, 1e8, "between 1e-8 and 1e8"))
}

// Fill draws every coordinate from the individual's own range. It works with logarithms, for gamma variables of small
// shapes are often too small for a float64 when their proportions are not.
func (l Dirichlet) Fill(dst []float64, dim, first int, s *stream.Stream) {
	eachRow(dst, dim, first, s, func(x []float64) {
		top := math.Inf(-1)
		for j := range x {
			x[j] = logGamma(entry(l.Concentration, j, 1), s)
			top = max(top, x[j])
		}
		for j, v := range x {
			x[j] = exp(v - top)
		}
		divide(x, rows.Sum(x))
	})
}

// logGamma returns the logarithm of a gamma variable [marsaglia2000]. For shapes below 1 it uses that the variable of shape
// a is that of shape a+1 times U^(1/a).
func logGamma(shape float64, s *stream.Stream) float64 {
	shift := 0.0
	if shape < 1 {
		shift = math.Log(1-s.Float64()) / shape
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-s.Float64()) < float64(x*x/2)+d-float64(d*v)+float64(d*math.Log(v)) {
			return math.Log(d*v) + shift
		}
	}
}

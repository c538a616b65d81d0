package online

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Scaling says what Adam divides a gradient by.
type Scaling int

const (
	// Joint divides all entries by the root mean square of the gradient. The direction stays, so every set keeps its answer.
	Joint Scaling = iota
	// Each divides every entry by its own root mean square [kingma2015]. On a set whose entries depend on each other, such as
	// a ball or a simplex, a decision that scaled steps do not leave need not be one that plain steps do not leave: take Each
	// for boxes and where there are no bounds.
	Each
)

// Adam replaces the gradient by its running average over the root of the running average of its square, m̂/(√v̂ + Epsilon),
// where the hats take out the start at 0 [kingma2015]. Divided gradients do not vanish with the gradient, so let the step size
// diminish.
type Adam struct {
	Beta1, Beta2, Epsilon float64 // usually 0.9, 0.999 and 1e-8
	Scaling               Scaling

	count              int // gradients averaged
	mean, square       []float64
	newMean, newSquare []float64 // pending
}

// Apply averages g into the memory and divides.
func (a *Adam) Apply(g []float64) {
	if a.mean == nil {
		a.mean, a.square, a.newMean, a.newSquare = make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g))
	}
	fresh1 := 1 - math.Pow(a.Beta1, float64(a.count+1))
	fresh2 := 1 - math.Pow(a.Beta2, float64(a.count+1))
	joint := float64(rows.Dot(g, g) / float64(len(g)))
	for i, v := range g {
		square := joint
		if a.Scaling == Each {
			square = float64(v * v)
		}
		a.newMean[i] = float64(a.Beta1*a.mean[i]) + float64((1-a.Beta1)*v)
		a.newSquare[i] = float64(a.Beta2*a.square[i]) + float64((1-a.Beta2)*square)
		g[i] = a.newMean[i] / fresh1 / (math.Sqrt(a.newSquare[i]/fresh2) + a.Epsilon)
	}
}

// Commit keeps the averages of the turn.
func (a *Adam) Commit(kedge.Observation) {
	a.mean, a.newMean = a.newMean, a.mean
	a.square, a.newSquare = a.newSquare, a.square
	a.count++
}

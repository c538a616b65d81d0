package proof

import (
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Paraboloid is a Function with the same Hessian everywhere, such as that of affine dynamics and a quadratic loss. Make one with
// NewParaboloid.
type Paraboloid struct {
	at       []float64
	value    interval.Span
	gradient []interval.Span
	hessian  []interval.Span // row-major
}

var _ Function = (*Paraboloid)(nil)

// accuracy is that of numbers that were computed with rounding, relative to the largest of their kind.
const accuracy = 1e-11

// NewParaboloid returns the function with the given value, gradient and row-major Hessian at a decision, each good to 11 digits.
func NewParaboloid(at []float64, value float64, gradient, hessian []float64) *Paraboloid {
	return &Paraboloid{at: at, value: rough([]float64{value})[0], gradient: rough(gradient), hessian: rough(hessian)}
}

// rough makes numbers spans; zeros are exact.
func rough(x []float64) []interval.Span {
	room := float64(accuracy * rows.MaxAbs(x))
	all := make([]interval.Span, len(x))
	for i, v := range x {
		if v != 0 {
			all[i] = interval.Between(v-room, v+room)
		}
	}
	return all
}

// Decisions is how many entries a decision has.
func (q *Paraboloid) Decisions() int { return len(q.at) }

// Convex is false: the Hessian shows what there is to show.
func (q *Paraboloid) Convex([]interval.Span) bool { return false }

// Enclose writes v + gᵀs + sᵀHs/2, g + Hs and H for the ways s from the decision to the points of the box.
func (q *Paraboloid) Enclose(dst interval.Jet, box []interval.Span) (work int) {
	n := len(q.at)
	jets := interval.Jets{Variables: n, Order: 2}
	value := q.value
	for i := range n {
		s, slope := box[i].Sub(interval.Point(q.at[i])), q.gradient[i]
		value = value.Add(s.Mul(slope)).Add(q.hessian[i*n+i].Mul(s.Sqr()).Scale(0.5))
		for k := range n {
			way := box[k].Sub(interval.Point(q.at[k]))
			slope = slope.Add(q.hessian[i*n+k].Mul(way))
			if k < i {
				value = value.Add(q.hessian[i*n+k].Mul(way).Mul(s))
			}
			if k <= i && len(dst) > 1+n {
				dst[jets.Hessian(i, k)] = q.hessian[i*n+k]
			}
		}
		if len(dst) > 1 {
			dst[1+i] = slope
		}
	}
	dst[0] = value
	return n * n
}

// FitParaboloid returns the paraboloid that has the values and gradients of a function which is one, by its gradients around a decision.
func FitParaboloid(gradient func(g, u []float64) (float64, error), at []float64) (*Paraboloid, error) {
	n, step := len(at), rows.MaxAbs(at)
	if step < 1e-200 {
		step = 1
	}
	slope, ahead, behind, hessian := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n)
	value, err := gradient(slope, at)
	if err != nil {
		return nil, err
	}
	for j := range n { // differences of a linear gradient are exact but for rounding
		u := append([]float64(nil), at...)
		u[j] += step
		if _, err := gradient(ahead, u); err != nil {
			return nil, err
		}
		u[j] = at[j] - step
		if _, err := gradient(behind, u); err != nil {
			return nil, err
		}
		for i := range n {
			hessian[i*n+j] = (ahead[i] - behind[i]) / (2 * step)
		}
	}
	return NewParaboloid(at, value, slope, hessian), nil
}

package certify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/objective"
)

// linearQuadratic is affine dynamics under a quadratic loss, where everything has a closed form.
type linearQuadratic struct {
	dim            kedge.Dims
	a, gain, carry *mat.Dense // A, G = (I−A)⁻¹B, F = (I−A)⁻¹E
	r, s, q        *mat.Dense
}

// asLinearQuadratic looks at a problem whose dynamics are known to settle.
func asLinearQuadratic(p problem) (*linearQuadratic, bool) {
	f, affine := p.Dynamics.(*dynamics.Affine)
	o, quadratic := p.Objective.(*objective.Quadratic)
	if !affine || !quadratic || f.Check() != nil || f.Dims().Decision == 0 || f.Dims().Trait == 0 {
		return nil, false
	}
	gain, _ := f.Gain() // without errors other than that of Check
	carry, _ := f.Carry()
	dim := f.Dims()
	n, m := dim.State, dim.Decision
	r, s, q := o.Hessian()
	return &linearQuadratic{
		dim: dim, a: mat.NewDense(n, n, f.A()), gain: mat.NewDense(n, m, gain), carry: mat.NewDense(n, dim.Trait, carry),
		r: mat.NewDense(m, m, r), s: mat.NewDense(m, n, s), q: mat.NewDense(n, n, q),
	}, true
}

// pull returns K = S + GᵀQ, by which states enter the gradient.
func (x *linearQuadratic) pull() *mat.Dense {
	var k mat.Dense
	k.Mul(x.gain.T(), x.q)
	k.Add(&k, x.s)
	return &k
}

// curvature returns the Hessian H = R + SG + GᵀSᵀ + GᵀQG of Φ̃ of a linear-quadratic problem.
func curvature(p problem) (h []float64, ok bool) {
	x, ok := asLinearQuadratic(p)
	if !ok {
		return nil, false
	}
	var sg, out mat.Dense
	sg.Mul(x.s, x.gain)
	out.Product(x.gain.T(), x.q, x.gain)
	out.Add(&out, x.r)
	out.Add(&out, &sg)
	out.Add(&out, sg.T())
	dense.Symmetrize(&out)
	return out.RawMatrix().Data, true
}

// spread returns the largest trace of K Cov(pₖ) Kᵀ over all turns, the variance of an individual's gradient. Apart from what is
// common to all, pₖ = Fd + Aᵏ(p₀ − Fd). The second part only shrinks in ‖·‖_P ≥ ‖·‖, so the search ends when what it can
// still add is nothing.
func (x *linearQuadratic) spread(states, traits kedge.Rows, metric []float64) float64 {
	d, n := centre(traits), x.dim.State
	count, _ := d.Dims()
	var rest, away, part mat.Dense // Fd and p₀ − Fd, one individual a column
	rest.Mul(x.carry, d.T())
	away.Sub(centre(states).T(), &rest)
	k, P := x.pull(), mat.NewDense(n, n, metric)
	part.Mul(k, &rest)
	settled, size, most := mat.Norm(&part, 2), mat.Norm(k, 2), 0.0
	for range 1_000_000 {
		var now, next mat.Dense
		now.Add(&rest, &away)
		part.Mul(k, &now)
		most = max(most, mat.Norm(&part, 2))
		next.Mul(P, &away)
		next.MulElem(&next, &away)
		if more := size * math.Sqrt(max(0, mat.Sum(&next))); settled+more <= most*(1+1e-9) || most == 0 && more == 0 {
			break
		}
		next.Reset()
		next.Mul(x.a, &away)
		away.Copy(&next)
	}
	most *= 1 + 1e-9
	return most * most / float64(count)
}

// centre copies rows and takes their mean from each.
func centre(r kedge.Rows) *mat.Dense {
	n, width := r.Size()
	data := make([]float64, n*width)
	copy(data, r.View(data, 0, n))
	for j := range width {
		mean := 0.0
		for i := range n {
			mean += data[i*width+j] / float64(n)
		}
		for i := range n {
			data[i*width+j] -= mean
		}
	}
	return mat.NewDense(n, width, data)
}

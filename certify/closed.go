package certify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/objective"
)

// addAffine finds the constants of p⁺ = Ap + Bu + Ed, Friedkin–Johnsen groups among them [he2025, linear dynamics]. The
// metric solves AᵀPA − P + Q = 0, in which A contracts by √(1 − λmin(P^−½QP^−½)), exactly; nil stands for Q = I. The steady states are
// affine, so that their constants are norms of (I−A)⁻¹B and (I−A)⁻¹E; the paper's ‖B‖√cond(P)/(1−L_f^p) is never smaller.
func (c *Constants) addAffine(f *dynamics.Affine, q []float64) error {
	if err := f.Check(); err != nil {
		return contracting(-1, err)
	}
	gain, _ := f.Gain() // without errors other than that of Check
	carry, _ := f.Carry()
	dim := f.Dims()
	n := dim.State
	metric, share, err := weightedMetric(f.A(), q, n)
	if err != nil {
		return err
	}
	c.Metric = metric
	least, most := dense.Eigenvalues(metric, n)
	if !(least > 0) {
		return &kedge.RangeError{Arg: "λmin(P)", Got: least, Want: "a number > 0"}
	}
	how, equation := "√(1 − 1/λmax(P)), ", "AᵀPA − P + I = 0"
	if q != nil {
		how, equation = "√(1 − λmin(P^−½QP^−½)), ", "AᵀPA − P + Q = 0"
	}
	c.put(LfP, math.Sqrt(1-share), Proof, how+equation)
	c.put(LfU, dense.Norm(f.B(), n, dim.Decision), Proof, "‖B‖")
	c.put(LfD, dense.Norm(f.E(), n, dim.Trait), Proof, "‖E‖")
	c.put(PMin, least, Proof, equation)
	c.put(PMax, most, Proof, equation)
	c.put(LhU, dense.Norm(gain, n, dim.Decision), Proof, "‖(I−A)⁻¹B‖")
	c.put(LhD, dense.Norm(carry, n, dim.Trait), Proof, "‖(I−A)⁻¹E‖")
	c.put(MhD, 0, Proof, "∇ᵤh is constant")
	return nil
}

// weightedMetric solves AᵀPA − P + Q = 0 and returns λmin(P^−½QP^−½), too. With Q = UᵀU and Ã = UAU⁻¹ it is the equation of Ã with the
// identity: P = UᵀP̃U, and the share is 1/λmax(P̃).
func weightedMetric(a, q []float64, n int) (metric []float64, share float64, err error) {
	if q == nil {
		if metric, err = Lyapunov(a, n); err != nil {
			return nil, 0, err
		}
		_, most := dense.Eigenvalues(metric, n)
		return metric, 1 / most, nil
	}
	u, err := factor(q, n)
	if err != nil {
		return nil, 0, err
	}
	var inverse, turned, p mat.Dense
	if err := inverse.Inverse(u); err != nil {
		return nil, 0, fmt.Errorf("certify: Q is %v, want a matrix that is positive definite, and far from being not", q)
	}
	turned.Product(u, mat.NewDense(n, n, a), &inverse)
	inner, err := Lyapunov(turned.RawMatrix().Data, n)
	if err != nil {
		return nil, 0, err
	}
	_, most := dense.Eigenvalues(inner, n)
	p.Product(u.T(), mat.NewDense(n, n, inner), u)
	dense.Symmetrize(&p)
	return p.RawMatrix().Data, 1 / most, nil
}

// factor returns U of Q = UᵀU.
func factor(q []float64, n int) (*mat.TriDense, error) {
	if err := kedge.CheckVector("Q", q, n*n); err != nil {
		return nil, err
	}
	if m := mat.NewDense(n, n, q); !mat.Equal(m, m.T()) {
		return nil, fmt.Errorf("certify: Q is %v, want a symmetric matrix", q)
	}
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(n, append([]float64(nil), q...))) {
		return nil, fmt.Errorf("certify: Q is %v, want a positive definite matrix", q)
	}
	u := new(mat.TriDense)
	c.UTo(u)
	return u, nil
}

// addChoice finds the constants of choice dynamics: f is affine in p and d, and the Jacobian of softmax has norm at most ½.
// The metric is the identity, and ∇ᵤh is the same for everybody.
func (c *Constants) addChoice(f dynamics.Choice) error {
	if err := f.Check(); err != nil {
		return err
	}
	rest, habit := 1-f.Lambda1, 1-(f.Lambda1+f.Lambda2)
	c.put(LfP, f.Lambda1, Proof, "λ₁")
	c.put(LfU, f.Epsilon*f.Lambda2/2, Proof, "ελ₂/2")
	c.put(LfD, habit, Proof, "1−λ₁−λ₂")
	c.addIdentity()
	c.put(LhU, f.Epsilon*f.Lambda2/(2*rest), Proof, "ελ₂/2(1−λ₁)")
	c.put(LhD, habit/rest, Proof, "(1−λ₁−λ₂)/(1−λ₁)")
	c.put(MhD, 0, Proof, "∇ᵤh does not depend on d")
	return nil
}

// tolerance is the largest residual of a Lyapunov equation that is accepted, relative to ‖P‖.
const tolerance = 1e-12

// Lyapunov returns the symmetric n×n matrix P with AᵀPA − P + I = 0, which exists when the spectral radius of A is below 1
// [he2025, linear dynamics].
func Lyapunov(a []float64, n int) ([]float64, error) {
	if err := kedge.CheckVector("A", a, n*n); err != nil {
		return nil, err
	}
	p, off := dense.Lyapunov(a, n)
	if !(off <= tolerance) {
		return nil, &kedge.NotConvergedError{What: "solution of AᵀPA − P + I = 0", Residual: off, Tolerance: tolerance, Steps: dense.Rounds}
	}
	return p, nil
}

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
// common to all, pₖ = Fd + Aᵏ(p₀ − Fd). The second part only shrinks in ‖·‖_P ≥ √λmin(P)‖·‖, so the search ends when what it
// can still add is nothing.
func (x *linearQuadratic) spread(states, traits kedge.Rows, metric []float64) float64 {
	d, n := centre(traits), x.dim.State
	count, _ := d.Dims()
	var rest, away, part mat.Dense // Fd and p₀ − Fd, one individual a column
	rest.Mul(x.carry, d.T())
	away.Sub(centre(states).T(), &rest)
	k, P := x.pull(), mat.NewDense(n, n, metric)
	part.Mul(k, &rest)
	least, _ := dense.Eigenvalues(metric, n)
	settled, size, most := mat.Norm(&part, 2), mat.Norm(k, 2)/math.Sqrt(min(1, least)), 0.0
	for range 1_000_000 {
		var now, next mat.Dense
		now.Add(&rest, &away)
		part.Mul(k, &now)
		most = max(most, mat.Norm(&part, 2))
		next.Mul(P, &away)
		next.MulElem(&next, &away)
		if more := float64(size * math.Sqrt(max(0, mat.Sum(&next)))); settled+more <= most*(1+1e-9) {
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

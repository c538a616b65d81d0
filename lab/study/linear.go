package study

import (
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"gonum.org/v1/gonum/mat"
)

// linear is a problem whose loop is known exactly: affine dynamics under a quadratic loss.
type linear struct {
	a, b, e *mat.Dense
	r, s, q *mat.Dense
	g, f    *mat.Dense // settled states are Gu + Fd
}

// linearOf reads the matrices of a problem with affine dynamics that settle and a quadratic loss.
func linearOf(p *problem.Problem) *linear {
	d, o, dim := p.Spec.Dynamics.Of.(*kind.AffineDynamics), p.Spec.Objective.(*kind.QuadraticObjective), p.Spec.Dims()
	m := &linear{a: matrix(d.A), b: matrix(d.B), e: matrix(d.E)}
	m.r = mat.NewDense(dim.Decision, dim.Decision, o.Decision.Dense(dim.Decision, dim.Decision))
	m.s = mat.NewDense(dim.Decision, dim.State, o.Cross.Dense(dim.Decision, dim.State))
	m.q = mat.NewDense(dim.State, dim.State, o.State.Dense(dim.State, dim.State))
	rest := dense.Identity(dim.State)
	rest.Sub(rest, m.a)
	m.g, m.f = new(mat.Dense), new(mat.Dense)
	check(m.g.Solve(rest, m.b))
	check(m.f.Solve(rest, m.e))
	return m
}

func matrix(rows form.RowList) *mat.Dense {
	return mat.NewDense(len(rows), rows.Columns(), rows.Flat())
}

// gains are what a rule multiplies states and decisions with: g = Kp + R_u u. Vanilla leaves out how settled states answer.
func (m *linear) gains(composite bool) (k, ru *mat.Dense) {
	k, ru = mat.DenseCopyOf(m.s), mat.DenseCopyOf(m.r)
	if composite {
		var answer, cross mat.Dense
		answer.Mul(m.g.T(), m.q)
		cross.Mul(m.g.T(), m.s.T())
		k.Add(k, &answer)
		ru.Add(ru, &cross)
	}
	return k, ru
}

// loop is the matrix of the closed loop on (p_{k−1}, u_k) with step η and everybody in the sample,
//
//	M(η) = [A, B; −ηKA, I − ηR_u − ηKB].
func (m *linear) loop(composite bool, eta float64) *mat.Dense {
	k, ru := m.gains(composite)
	n, width := m.b.Dims()
	var ka, kb mat.Dense
	ka.Mul(k, m.a)
	kb.Mul(k, m.b)
	ru.Add(ru, &kb)
	out := mat.NewDense(n+width, n+width, nil)
	out.Slice(0, n, 0, n).(*mat.Dense).Copy(m.a)
	out.Slice(0, n, n, n+width).(*mat.Dense).Copy(m.b)
	ka.Scale(-eta, &ka)
	out.Slice(n, n+width, 0, n).(*mat.Dense).Copy(&ka)
	ru.Scale(-eta, ru)
	ru.Add(ru, dense.Identity(width))
	out.Slice(n, n+width, n, n+width).(*mat.Dense).Copy(ru)
	return out
}

// rate is the factor by which the loop contracts, or grows, in a turn: the spectral radius of its matrix.
func (m *linear) rate(composite bool, eta float64) float64 {
	x := m.loop(composite, eta).RawMatrix()
	return dense.SpectralRadius(x.Data, x.Rows)
}

// critical is the step at which the loop loses stability, found between 0 and the given step.
func (m *linear) critical(composite bool, most float64) float64 {
	low, high := bisect(0, most, 60, func(eta float64) bool { return m.rate(composite, eta) > 1 })
	return (low + high) / 2
}

// bisect halves an interval so many times towards where a condition begins to hold.
func bisect(low, high float64, times int, holds func(float64) bool) (below, above float64) {
	for range times {
		middle := (low + high) / 2
		if holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low, high
}

// spread is the trace of the stationary covariance of the decision when batches are drawn anew from traits of covariance Σ:
// the trace of X = MXMᵀ + diag(0, η²KFΣFᵀKᵀ/n) over the decision, by doubling.
func (m *linear) spread(sigma *mat.Dense, eta float64, batch int) float64 {
	k, _ := m.gains(true)
	n, width := m.b.Dims()
	var kf, noise mat.Dense
	kf.Mul(k, m.f)
	noise.Product(&kf, sigma, kf.T())
	x := mat.NewDense(n+width, n+width, nil)
	noise.Scale(eta*eta/float64(batch), &noise)
	x.Slice(n, n+width, n, n+width).(*mat.Dense).Copy(&noise)
	power := m.loop(true, eta)
	for range 30 {
		var next, square mat.Dense
		next.Product(power, x, power.T())
		x.Add(x, &next)
		square.Mul(power, power)
		power.Copy(&square)
	}
	return mat.Trace(x.Slice(n, n+width, n, n+width))
}

// covariance is that of rows of some width, each as likely as the others.
func covariance(rows []float64, width int) *mat.Dense {
	n := len(rows) / width
	x := mat.NewDense(n, width, append([]float64(nil), rows...))
	for j := range width {
		column := mat.Col(nil, j, x)
		m := mean(column)
		for i := range n {
			x.Set(i, j, column[i]-m)
		}
	}
	out := new(mat.Dense)
	out.Mul(x.T(), x)
	out.Scale(1/float64(n), out)
	return out
}

// hessian is what decisions are multiplied with where the crowd has settled: R_u + KG, for composite the Hessian of Φ̃.
func (m *linear) hessian(composite bool) *mat.Dense {
	k, ru := m.gains(composite)
	var h mat.Dense
	h.Mul(k, m.g)
	ru.Add(ru, &h)
	return ru
}

// rest is the decision at which a rule comes to rest, −(R_u + KG)⁻¹KFμ with μ the mean of the traits: of composite the optimum, of
// vanilla the stable point. It is nil when there is none.
func (m *linear) rest(composite bool, traits []float64) []float64 {
	k, _ := m.gains(composite)
	_, width := m.e.Dims()
	var pull, u mat.Dense
	pull.Product(k, m.f, meanRow(traits, width))
	if err := u.Solve(m.hessian(composite), &pull); err != nil {
		return nil
	}
	u.Scale(-1, &u)
	return mat.Col(nil, 0, &u)
}

// pulled is KFμ of the composite rule, the part of ∇Φ̃ that does not depend on the decision, for traits of mean μ.
func (m *linear) pulled(mu *mat.Dense) *mat.Dense {
	k, _ := m.gains(true)
	out := new(mat.Dense)
	out.Product(k, m.f, mu)
	return out
}

// meanRow is the mean of rows of some width, as a column.
func meanRow(rows []float64, width int) *mat.Dense {
	mu := mat.NewDense(width, 1, nil)
	for i, v := range rows {
		mu.Set(i%width, 0, mu.At(i%width, 0)+v*float64(width)/float64(len(rows)))
	}
	return mu
}

// lawMean is the mean of the normal law that people are drawn from, as a column.
func lawMean(p *problem.Problem) *mat.Dense {
	width := p.Spec.Population.Dim
	return mat.NewDense(width, 1, p.Spec.Population.Law.(*kind.NormalLaw).Mean.Expand(width))
}

// lawSpread is tr KFΣFᵀKᵀ of that law: the variance of one individual's gradient.
func (m *linear) lawSpread(p *problem.Problem) (trace float64) {
	for j, s := range p.Spec.Population.Law.(*kind.NormalLaw).Deviation.Expand(p.Spec.Population.Dim) {
		unit := mat.NewDense(p.Spec.Population.Dim, 1, nil)
		unit.Set(j, 0, s)
		column := m.pulled(unit)
		trace += float64(mat.Dot(column.ColView(0), column.ColView(0)))
	}
	return trace
}

package objective

import (
	"errors"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Quadratic is the general quadratic loss
//
//	Φ(p, u) = ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp,   ∂Φ/∂p = Sᵀu + Qp + c,   ∂Φ/∂u = Ru + Sp + r.
//
// Under affine dynamics its stable and its optimal decision are known in closed form.
type Quadratic struct {
	dim              kedge.Dims
	uu, up, pp, u, p []float64 // R, S, Q, r, c
}

var _ kedge.RowObjective = (*Quadratic)(nil)

// NewQuadratic returns the quadratic loss with row-major R (Decision × Decision), S (Decision × State), Q (State × State)
// and vectors r and c; nil stands for zeros. Φ depends on the symmetric parts of R and Q only, and those are what is kept,
// ½(R + Rᵀ) and ½(Q + Qᵀ). The arguments are copied.
func NewQuadratic(dim kedge.Dims, R, S, Q, r, c []float64) (*Quadratic, error) {
	m, n := dim.Decision, dim.State
	if err := errors.Join(checkNumber("Decision", float64(m), 1), checkNumber("State", float64(n), 1)); err != nil {
		return nil, err
	}
	q := &Quadratic{dim: dim}
	err := errors.Join(
		copyTerm(&q.uu, "R", R, m*m), copyTerm(&q.up, "S", S, m*n), copyTerm(&q.pp, "Q", Q, n*n),
		copyTerm(&q.u, "r", r, m), copyTerm(&q.p, "c", c, n))
	if err != nil {
		return nil, err
	}
	symmetrize(q.uu, m)
	symmetrize(q.pp, n)
	return q, nil
}

func copyTerm(dst *[]float64, name string, x []float64, n int) error {
	*dst = make([]float64, n)
	if x == nil {
		return nil
	}
	copy(*dst, x)
	return kedge.CheckVector(name, x, n)
}

// symmetrize replaces the n × n matrix a by ½(A + Aᵀ), halving first so that nothing overflows.
func symmetrize(a []float64, n int) {
	for i := range n {
		for j := range i {
			mean := float64(a[i*n+j]/2) + float64(a[j*n+i]/2)
			a[i*n+j], a[j*n+i] = mean, mean
		}
	}
}

// Check says whether individuals of the given dimensions can be judged by q.
func (q *Quadratic) Check(dim kedge.Dims) error {
	return errors.Join(kedge.CheckDim("the decision", dim.Decision, q.dim.Decision), kedge.CheckDim("the state", dim.State, q.dim.State))
}

// Eval implements [kedge.Objective]. It does not read d.
func (q *Quadratic) Eval(gp, gu, p, u, _ []float64) float64 {
	mustBe("u", u, q.dim.Decision)
	mustBe("p", p, q.dim.State)
	mustFit(gp, gu, p, u)
	return q.own(gu, u, 1) + q.shared(gp, gu, p, u)
}

// EvalRows implements [kedge.RowObjective]. It does not read d. What depends on the decision alone is computed once for all
// rows, so that the sums may differ from those of Eval in their last bits.
func (q *Quadratic) EvalRows(gp, gu, p, u, _ []float64) float64 {
	mustBe("u", u, q.dim.Decision)
	mustFit(gp, gu, p, u)
	count := kedge.Count(p, q.dim.State)
	sum := 0.0
	for i := range count {
		var g []float64
		if gp != nil {
			g = kedge.Row(gp, i, q.dim.State)
		}
		sum += q.shared(g, gu, kedge.Row(p, i, q.dim.State), u)
	}
	times := float64(count)
	return sum + float64(times*q.own(gu, u, times))
}

// own returns ½uᵀRu + rᵀu and adds its gradient to gu so many times.
func (q *Quadratic) own(gu, u []float64, times float64) float64 {
	sum := 0.0
	for i, v := range u {
		ru := rows.Dot(u, kedge.Row(q.uu, i, len(u)))
		sum += float64(v * (float64(ru/2) + q.u[i]))
		if gu != nil {
			gu[i] += float64(times * (ru + q.u[i]))
		}
	}
	return sum
}

// shared returns uᵀSp + ½pᵀQp + cᵀp and adds its gradients.
func (q *Quadratic) shared(gp, gu, p, u []float64) float64 {
	sum := 0.0
	for i, v := range u {
		s := kedge.Row(q.up, i, len(p))
		sp := rows.Dot(p, s)
		sum += float64(v * sp)
		if gu != nil {
			gu[i] += sp
		}
		if gp != nil {
			rows.AddScaled(gp, v, s)
		}
	}
	for i, v := range p {
		qp := rows.Dot(p, kedge.Row(q.pp, i, len(p)))
		sum += float64(v * (float64(qp/2) + q.p[i]))
		if gp != nil {
			gp[i] += qp + q.p[i]
		}
	}
	return sum
}

// Hessian returns copies of the symmetric R, of S and of the symmetric Q, row-major.
func (q *Quadratic) Hessian() (R, S, Q []float64) {
	return slices.Clone(q.uu), slices.Clone(q.up), slices.Clone(q.pp)
}

package objective

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
)

// Affinity is the loss of a party that wants to be liked [he2025, affinity maximization],
//
//	Φ(p, u) = −pᵀu,   ∂Φ/∂p = −u,   ∂Φ/∂u = −p,
//
// over the leading len(u) entries of p.
type Affinity struct {
	State int // entries of a state row; 0 means as many as the decision has
}

var (
	_ kedge.RowObjective     = Affinity{}
	_ kedge.AlignedObjective = Affinity{}
)

// Check says whether individuals of the given dimensions can be judged by a.
func (a Affinity) Check(dim kedge.Dims) error { return checkWidth(a.State, dim.Decision, dim) }

// Eval implements [kedge.Objective]. It does not read d.
func (a Affinity) Eval(gp, gu, p, u, _ []float64) float64 {
	mustBe("p", p, width(a.State, len(u)))
	return a.EvalRows(gp, gu, p, u, nil)
}

// EvalRows implements [kedge.RowObjective]. It does not read d.
func (a Affinity) EvalRows(gp, gu, p, u, _ []float64) float64 {
	wide := width(a.State, len(u))
	mustFit(gp, gu, p, u)
	sum := 0.0
	for i := range kedge.Count(p, wide) {
		x := p[i*wide : i*wide+len(u)]
		if gp != nil {
			rows.AddScaled(gp[i*wide:i*wide+len(u)], -1, u)
		}
		if gu != nil {
			rows.AddScaled(gu, -1, x)
		}
		sum -= rows.Dot(u, x)
	}
	return sum
}

// EvalAligned implements [kedge.AlignedObjective].
func (a Affinity) EvalAligned(pu []float64) float64 { return -rows.Sum(pu) }

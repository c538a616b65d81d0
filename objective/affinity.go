package objective

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
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
	_ kedge.RowObjective    = Affinity{}
	_ kedge.SlopedObjective = Affinity{}
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
	count, sum := kedge.Count(p, wide), 0.0
	for i := range count {
		if gp != nil {
			rows.AddScaled(gp[i*wide:i*wide+len(u)], -1, u)
		}
		if gu != nil {
			rows.AddScaled(gu, -1, p[i*wide:i*wide+len(u)])
		}
	}
	for i := 0; i < count; i += together {
		sum = a.subtract(sum, p[i*wide:min(i+together, count)*wide], u, wide)
	}
	return sum
}

// together is how many products are taken together.
const together = 64

// subtract returns sum less pᵀu of a few rows of p, one after the other.
func (a Affinity) subtract(sum float64, p, u []float64, wide int) float64 {
	var room [together]float64
	pu := room[:len(p)/wide]
	if wide == len(u) {
		rows.Dots(pu, p, u, wide)
	} else {
		for i := range pu {
			pu[i] = rows.Dot(u, p[i*wide:])
		}
	}
	for _, v := range pu {
		sum -= v
	}
	return sum
}

// EvalAligned implements [kedge.AlignedObjective].
func (a Affinity) EvalAligned(pu []float64) float64 { return -rows.Sum(pu) }

// Slopes implements [kedge.SlopedObjective].
func (a Affinity) Slopes(dst, _ []float64) {
	for i := range dst {
		dst[i] = -1
	}
}

package transport

import (
	"context"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Regularization says how Entropic approximates.
type Regularization struct {
	// Strength is ε, in the unit of the costs, at least 1e-9 of the largest.
	Strength float64
	// Tolerance is how far the plan's sums may be from b before they are put right, Σⱼ|Σᵢ πᵢⱼ − bⱼ|; 1e-6 if zero.
	Tolerance float64
	// MaxSteps is how many steps it may take, 10,000 if zero.
	MaxSteps int
}

// Enclosure is two bounds on the cost of an optimal plan.
type Enclosure struct {
	// Lower is the dual value of Left and Right, Upper the cost of a plan with the right sums.
	Lower, Upper float64
	// Left and Right are potentials: uᵢ + vⱼ ≤ cᵢⱼ for all i and j, in exact arithmetic.
	Left, Right []float64
	// Bias is ε log min(n, m), by which entropy can raise the cost of the regularized plan above the least.
	Bias float64
	// Residual is how far the regularized plan's sums were from b, and Steps how many it took.
	Residual float64
	Steps    int
}

// Entropic encloses the cost of the optimal plan between weights a and b by Sinkhorn's method [cuturi2013] in potentials, which
// no ε underflows. With the plan
//
//	πᵢⱼ = aᵢbⱼ exp((fᵢ + gⱼ − cᵢⱼ)/ε), min Σ cᵢⱼπᵢⱼ + ε KL(π | a ⊗ b)
//
// it goes from a large ε down to Strength. The plan is then rounded to one with the right sums [altschuler2017], whose cost is
// Upper; Lower comes from g and its c-transform. Upper exceeds the least cost by at most Bias and twice Residual times the
// largest cost, as the mutual information of a plan is at most log min(n, m). Both bounds are subject to rounding of their sums.
//
// Where MaxSteps is too few, both bounds hold all the same and come with a *kedge.NotConvergedError. Weights and costs are
// subject to the conditions of Exact.
func Entropic(ctx context.Context, a, b []float64, c Cost, r Regularization) (Enclosure, error) {
	p, err := pose(ctx, a, b, c)
	if err != nil {
		return Enclosure{}, err
	}
	if r, err = r.checked(rows.MaxAbs(p.costs), p.scale); err != nil {
		return Enclosure{}, err
	}
	s := newSinkhorn(p.kept(), p.portions(p.supply), p.portions(p.demand))
	out := Enclosure{Bias: r.Strength * math.Log(float64(min(len(s.a), len(s.b)))) / p.scale}
	if out.Steps, out.Residual, err = s.solve(ctx, r); err != nil {
		return Enclosure{}, err
	}
	out.Lower, out.Upper = p.dual(s, &out)/p.scale, s.rounded()/p.scale
	scaleDown(out.Left, 1/p.scale)
	scaleDown(out.Right, 1/p.scale)
	if out.Residual > r.Tolerance {
		return out, &kedge.NotConvergedError{What: "the regularized plan", Residual: out.Residual, Tolerance: r.Tolerance, Steps: out.Steps}
	}
	return out, nil
}

// checked fills in defaults and scales the strength as the costs are, of which the largest is given.
func (r Regularization) checked(largest, scale float64) (Regularization, error) {
	if r.Tolerance == 0 {
		r.Tolerance = 1e-6
	}
	if r.MaxSteps == 0 {
		r.MaxSteps = 10_000
	}
	least := 1e-9 * largest / scale
	switch {
	case !(r.Strength > 0 && r.Strength >= least && r.Strength <= 1e300):
		want := fmt.Sprintf("above 0, at least %.3g (1e-9 of the largest cost) and at most 1e300", least)
		return r, &kedge.RangeError{Arg: "Strength", Got: r.Strength, Want: want}
	case !(r.Tolerance > 0 && r.Tolerance <= 2):
		return r, &kedge.RangeError{Arg: "Tolerance", Got: r.Tolerance, Want: "above 0 and at most 2"}
	case r.MaxSteps < 1:
		return r, &kedge.RangeError{Arg: "MaxSteps", Got: float64(r.MaxSteps), Want: "at least 1"}
	}
	r.Strength = min(r.Strength*scale, 1e300)
	return r, nil
}

// portions are masses as shares of the whole.
func (p program) portions(mass []int64) []float64 {
	out := make([]float64, len(mass))
	for i, v := range mass {
		out[i] = float64(v) / float64(p.whole)
	}
	return out
}

// dual completes the potentials g to feasible ones of all places, and returns what they are worth.
func (p program) dual(s *sinkhorn, out *Enclosure) float64 {
	out.Left, out.Right = p.feasible(s.g)
	var worth rows.Total
	for k, i := range p.left {
		worth = worth.Add(float64(s.a[k] * out.Left[i]))
	}
	for k, j := range p.right {
		worth = worth.Add(float64(s.b[k] * out.Right[j]))
	}
	return worth.Value()
}

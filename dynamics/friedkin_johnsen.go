package dynamics

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
)

// NewFriedkinJohnsen returns opinions that listen to each other, to the decision and to where they began
// [friedkin1990; proskurnikov2017; he2025, Friedkin–Johnsen model]:
//
//	p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d,
//
// with n agents, the row-major n×n weights W, non-negative and of row sums 1, and Λ₁, Λ₂ diagonal, given by their diagonals
// λ₁, λ₂ ≥ 0 with λ₁+λ₂ ≤ 1 for every agent. One individual of this dynamics is a whole group of n agents. Agents that only
// listen to each other (λ₁ = 1) may leave the group without a steady state; see Affine.Check.
func NewFriedkinJohnsen(w, lambda1, lambda2 []float64) (*Affine, error) {
	n := len(lambda1)
	err := errors.Join(
		kedge.CheckRange("len(λ₁)", float64(n), n >= 1, "one agent or more"),
		kedge.CheckFinite("λ₁", lambda1),
		kedge.CheckVector("λ₂", lambda2, n),
		kedge.CheckVector("W", w, n*n),
	)
	if err != nil {
		return nil, err
	}
	a, b, e := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	var mistakes []error
	for i := range n {
		l1, l2, listen := lambda1[i], lambda2[i], kedge.Row(w, i, n)
		mistakes = append(mistakes, checkAgent(i, l1, l2, listen))
		for j, v := range listen {
			a[i*n+j] = l1 * v
		}
		b[i*n+i], e[i*n+i] = l2, 1-(l1+l2)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}
	return NewAffine(kedge.Dims{Decision: n, State: n, Trait: n}, a, b, e)
}

// checkAgent checks what one agent listens to.
func checkAgent(i int, l1, l2 float64, listen []float64) error {
	sum, least := 0.0, 0.0
	for _, v := range listen {
		sum += v
		least = min(least, v)
	}
	return errors.Join(
		kedge.CheckRange(fmt.Sprintf("λ₁[%d]", i), l1, l1 >= 0, "λ₁ ≥ 0"),
		kedge.CheckRange(fmt.Sprintf("λ₂[%d]", i), l2, l2 >= 0, "λ₂ ≥ 0"),
		kedge.CheckRange(fmt.Sprintf("λ₁[%d]+λ₂[%d]", i, i), l1+l2, l1+l2 <= 1, "λ₁+λ₂ ≤ 1"),
		kedge.CheckRange(fmt.Sprintf("least weight of row %d of W", i), least, least >= 0, "weights ≥ 0"),
		kedge.CheckRange(fmt.Sprintf("sum of row %d of W", i), sum, math.Abs(sum-1) <= 1e-9, "1"),
	)
}

package sensitivity

import (
	"cmp"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
)

// Settled evaluates a sensitivity at the steady states h(u, d) instead of the states it is given. That is the ∇ᵤh of the
// theory [he2025, steady-state sensitivity]; at the current states it is the approximation of the published algorithm.
type Settled struct {
	Of      kedge.Sensitivity
	Settler kedge.RowSettler // of states with the entries that Of expects

}

var _ kedge.Sensitivity = (*Settled)(nil)

// PullRows implements [kedge.Sensitivity]. It reads p only where steady states depend on the start.
func (s *Settled) PullRows(gu, p, u, d, v []float64) error {
	borrowed := scratch.Borrow(len(v))
	defer borrowed.Return()
	if err := settleOn(s.Settler, borrowed.X, p, u, d); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return s.Of.PullRows(gu, borrowed.X, u, d, v)
}

// settleOn settles individuals from where they are, if that matters.
func settleOn(s kedge.RowSettler, dst, p, u, d []float64) error {
	from, depends := s.(kedge.StartedSettler)
	if !depends || len(p) != len(dst) {
		_, err := s.SettleRows(dst, u, d)
		return err
	}
	copy(dst, p)
	_, err := from.SettleFrom(dst, u, d)
	return err
}

// Differences differentiates steady states numerically,
//
//	(∇ᵤh v)ⱼ ≈ vᵀ(h(u + εeⱼ, d) − h(u − εeⱼ, d))/2ε,   ε = Step·max(1, |uⱼ|).
//
// It asks nothing of the dynamics but their steady states and settles every individual twice for each entry of the decision.
// With the default step about ten digits are right where h is smooth and settled to rounding.
type Differences struct {
	Settler kedge.RowSettler
	Step    float64 // relative step; 0 means 2⁻⁵²ᐟ³ ≈ 6.1e-6

}

var _ kedge.Sensitivity = (*Differences)(nil)

// Check says whether the step is in its range.
func (s *Differences) Check() error {
	return checkRange("Step", s.Step, 0, 1, "0 < Step ≤ 1, or 0 for the default")
}

// PullRows implements [kedge.Sensitivity]. It reads p only where steady states depend on the start.
func (s *Differences) PullRows(gu, p, u, d, v []float64) error {
	err := cmp.Or(s.Check(), kedge.CheckFinite("u", u))
	if err != nil {
		return err
	}
	mustBe("gu", gu, len(u))
	borrowed := scratch.Borrow(2*len(u) + 2*len(v))
	defer borrowed.Return()
	sum, moved, states := borrowed.X[:len(u)], borrowed.X[len(u):2*len(u)], borrowed.X[2*len(u):]
	copy(moved, u)
	for j := range sum {
		if sum[j], err = s.slope(states, p, moved, d, v, j); err != nil {
			return fmt.Errorf("settle beside u[%d]: %w", j, err)
		}
	}
	return commit(gu, sum, nil, u, d, v, kedge.Count(v, s.Settler.Dims().State))
}

// slope returns entry j of the product and leaves u as it was. It needs room for two blocks of states.
func (s *Differences) slope(states, p, u, d, v []float64, j int) (float64, error) {
	step := float64(cmp.Or(s.Step, portable.Cbrt(0x1p-52)) * max(1, math.Abs(u[j])))
	ahead, behind := states[:len(v)], states[len(v):]
	was := u[j]
	defer func() { u[j] = was }()
	high, low := was+step, was-step
	u[j] = high
	if err := settleOn(s.Settler, ahead, p, u, d); err != nil {
		return 0, err
	}
	u[j] = low
	if err := settleOn(s.Settler, behind, p, u, d); err != nil {
		return 0, err
	}
	rows.AddScaled(ahead, -1, behind)
	return rows.Dot(v, ahead) / (high - low), nil
}

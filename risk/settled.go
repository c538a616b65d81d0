package risk

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// SettledConstraint judges the settled population by a constraint, exactly: of CVaR by the mean of the worst losses themselves. It owns its
// workspace: one goroutine at a time.
type SettledConstraint struct {
	gauge   *Gauge    // with the weights of everybody
	shares  []float64 // of those who count
	fresh   func() SettlingCrowd
	settled SettlingCrowd
	rows    kedge.Rows // the traits of those who are there, who may change
	room    []float64  // to look at them
	traits  []float64
	states  []float64
}

// SettlingCrowd settles everybody under a decision, one individual a row, as steady.Objective does. It may own a workspace.
type SettlingCrowd interface {
	Settle(dst, u []float64) error
}

// NewSettled returns the constraint on a population with the given traits, which may change; fresh makes what settles it, with a workspace
// of its own. A constraint with a sensitivity has a gradient.
func NewSettled(c Constraint, fresh func() SettlingCrowd, traits kedge.Rows) (*SettledConstraint, error) {
	g, err := NewGauge(c)
	if err != nil {
		return nil, err
	}
	if _, width := traits.Size(); width != c.Dims.Trait {
		return nil, &kedge.DimError{Arg: "a trait", Got: width, Want: c.Dims.Trait}
	}
	s := assemble(g, fresh, traits)
	g.judge(s.states, make([]float64, c.Dims.Decision), s.traits, everybody)
	if len(g.losses) == 0 {
		return nil, fmt.Errorf("risk: constraint %s is on a group without people", c.Name)
	}
	return s, nil
}

// Weigh lets people count by weights that are not negative, one for each and of any scale; nil: all alike. Somebody of the group must count.
func (s *SettledConstraint) Weigh(weights []float64) error {
	n, _ := s.rows.Size()
	if s.gauge.given = nil; weights == nil {
		return nil
	}
	if err := s.gauge.weighable(weights); err != nil {
		return err
	}
	if _, err := kedge.ScaleWeights(weights, n); err != nil {
		return err
	}
	s.gauge.given = weights
	if s.gauge.judge(s.states, make([]float64, s.gauge.Dims.Decision), s.traits, everybody); len(s.gauge.who) == 0 {
		return fmt.Errorf("risk: constraint %s is on a group of people whose weights are all 0", s.gauge.Name)
	}
	return nil
}

func assemble(g *Gauge, fresh func() SettlingCrowd, traits kedge.Rows) *SettledConstraint {
	g.exact = true
	n, width := traits.Size()
	s := &SettledConstraint{gauge: g, fresh: fresh, settled: fresh(), rows: traits, states: make([]float64, n*g.Dims.State)}
	if _, inPlace := traits.(kedge.Block); !inPlace {
		s.room = make([]float64, n*width)
	}
	s.traits = traits.View(s.room, 0, n)
	return s
}

// Clone returns the same constraint with a workspace of its own.
func (s *SettledConstraint) Clone() *SettledConstraint {
	return assemble(&Gauge{Constraint: s.gauge.Constraint, gu: make([]float64, len(s.gauge.gu)), given: s.gauge.given}, s.fresh, s.rows)
}

// everybody says who is in a row where all are, in their order.
func everybody(i int) uint64 { return uint64(i) }

// Name returns the name of the constraint.
func (s *SettledConstraint) Name() string { return s.gauge.Name }

// Excess returns by how much the risk of the population settled under u exceeds the bound. A group that has lost its people exceeds nothing.
func (s *SettledConstraint) Excess(u []float64) (float64, error) {
	a := s.gauge
	if err := kedge.CheckVector("u", u, a.Dims.Decision); err != nil {
		return 0, err
	}
	if err := s.settled.Settle(s.states, u); err != nil {
		return 0, err
	}
	n, _ := s.rows.Size()
	s.traits = s.rows.View(s.room, 0, n)
	if a.judge(s.states, u, s.traits, everybody); len(a.losses) == 0 {
		return 0, nil
	}
	if !rows.Finite(a.losses) {
		return 0, kedge.CheckFinite("the losses of constraint "+a.Name, a.losses)
	}
	return a.measure() - a.Bound, nil
}

// Gradient returns the excess and writes its gradient to g.
func (s *SettledConstraint) Gradient(g, u []float64) (float64, error) {
	excess, err := s.Excess(u)
	if err != nil {
		return 0, err
	}
	clear(g)
	return excess, s.gauge.pullBack(g, s.states, u, s.traits)
}

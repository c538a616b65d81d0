package risk

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// SettledConstraint judges the settled population by a constraint, exactly: of CVaR by the mean of the worst losses themselves. It owns its
// workspace: one goroutine at a time.
type SettledConstraint struct {
	gauge   *Gauge
	settler kedge.RowSettler
	traits  []float64
	states  []float64
}

// NewSettled returns the constraint on the settled population of people with the given traits. A constraint with a sensitivity has
// a gradient.
func NewSettled(c Constraint, settler kedge.Settler, traits kedge.Rows) (*SettledConstraint, error) {
	g, err := NewGauge(c)
	if err != nil {
		return nil, err
	}
	n, width := traits.Size()
	if width != c.Dims.Trait {
		return nil, &kedge.DimError{Arg: "a trait", Got: width, Want: c.Dims.Trait}
	}
	g.exact = true
	s := &SettledConstraint{gauge: g, settler: kedge.BatchedSettler(settler), states: make([]float64, n*c.Dims.State)}
	s.traits = traits.View(make([]float64, n*width), 0, n)
	g.judge(s.states, make([]float64, c.Dims.Decision), s.traits)
	if len(g.losses) == 0 {
		return nil, fmt.Errorf("risk: constraint %s is on a group without people", c.Name)
	}
	return s, nil
}

// Clone returns the same constraint with a workspace of its own.
func (s *SettledConstraint) Clone() *SettledConstraint {
	return &SettledConstraint{
		gauge:   &Gauge{Constraint: s.gauge.Constraint, gu: make([]float64, len(s.gauge.gu)), exact: true},
		settler: s.settler, traits: s.traits, states: make([]float64, len(s.states)),
	}
}

// Name returns the name of the constraint.
func (s *SettledConstraint) Name() string { return s.gauge.Name }

// Excess returns by how much the risk of the population settled under u exceeds the bound.
func (s *SettledConstraint) Excess(u []float64) (float64, error) {
	a := s.gauge
	if err := kedge.CheckVector("u", u, a.Dims.Decision); err != nil {
		return 0, err
	}
	if _, err := s.settler.SettleRows(s.states, u, s.traits); err != nil {
		return 0, err
	}
	a.judge(s.states, u, s.traits)
	if !rows.Finite(a.losses) {
		return 0, kedge.CheckFinite("the losses of constraint "+a.Name, a.losses)
	}
	return a.Measure.Weigh(a.weights, a.losses) - a.Bound, nil
}

// True returns by how much the population settled under u exceeds the bound itself: of a chance constraint the share of people beyond
// the limit, not the smoothed one that has gradients. Of others it is the excess.
func (s *SettledConstraint) True(u []float64) (float64, error) {
	excess, err := s.Excess(u)
	chance, smoothed := s.gauge.Measure.(Chance)
	if err != nil || !smoothed {
		return excess, err
	}
	beyond := 0
	for _, l := range s.gauge.losses {
		if l > chance.Limit {
			beyond++
		}
	}
	return float64(beyond)/float64(len(s.gauge.losses)) - s.gauge.Bound, nil
}

// Smoothed tells whether True differs from Excess.
func (s *SettledConstraint) Smoothed() bool { _, ok := s.gauge.Measure.(Chance); return ok }

// Gradient returns the excess and writes its gradient to g.
func (s *SettledConstraint) Gradient(g, u []float64) (float64, error) {
	excess, err := s.Excess(u)
	if err != nil {
		return 0, err
	}
	clear(g)
	return excess, s.gauge.pullBack(g, s.states, u, s.traits)
}

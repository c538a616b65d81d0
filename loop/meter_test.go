package loop_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/steady"
)

var errBroken = errors.New("broken")

// halting settles nobody under one decision.
type halting struct {
	kedge.RowSettler
	at []float64
}

func (h halting) Settle(dst, u, d []float64) (r kedge.Residual, err error) {
	if slices.Equal(u, h.at) {
		return r, errBroken
	}
	return h.RowSettler.Settle(dst, u, d)
}

func (h halting) SettleRows(dst, u, d []float64) (r kedge.Residual, err error) {
	if slices.Equal(u, h.at) {
		return r, errBroken
	}
	return h.RowSettler.SettleRows(dst, u, d)
}

// answerless is a sensitivity that fails.
type answerless struct{}

func (answerless) PullRows(_, _, _, _, _ []float64) error { return errBroken }

// What fails while a turn is measured is told, whatever else is measured; with nothing broken the Wasserstein distances are those between the population, the one
// settled under the decision and the one settled under the optimum, in that order.
func TestMetersTellErrors(t *testing.T) {
	q := newLQ2(t)
	u, states := []float64{0.5, 0.5}, make([]float64, len(q.crowd.Traits()))
	objective := func(settler kedge.Settler, h kedge.Sensitivity) *steady.Objective {
		f, err := steady.New(kedge.Model{Settler: settler, Objective: q.loss, Sensitivity: h, Traits: kedge.Block{Data: q.crowd.Traits(), Width: 2}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	sound := objective(q.model, q.sensitivity(t))
	own, optimal := make([]float64, len(states)), make([]float64, len(states))
	if err := errors.Join(sound.Settle(own, u), sound.Settle(optimal, lq2Optimal)); err != nil {
		t.Fatal(err)
	}
	w1 := func(p, a, b []float64) (float64, float64, error) {
		if !slices.Equal(p, states) || !slices.Equal(a, own) || !slices.Equal(b, optimal) {
			t.Errorf("W1 is asked about %v, %v and %v", p, a, b)
		}
		return 1.5, 2.5, nil
	}
	lost := func(p, a, b []float64) (float64, float64, error) { return 0, 0, errBroken }
	best := loop.Target{Decision: lq2Optimal, Loss: 6057.0 / 7328}
	unanswered, unsettled, endless := objective(q.model, answerless{}), objective(halting{q.model, u}, q.sensitivity(t)), objective(halting{q.model, lq2Optimal}, q.sensitivity(t))
	for name, c := range map[string]struct {
		meter loop.Meter
		want  error
	}{
		"sound":                          {loop.Meter{Steady: sound, Gradient: true, W1: w1}, nil},
		"no gradient":                    {loop.Meter{Steady: unanswered, Gradient: true}, errBroken},
		"no gradient beside W1":          {loop.Meter{Steady: unanswered, Gradient: true, W1: w1}, errBroken},
		"no value":                       {loop.Meter{Steady: unsettled}, errBroken},
		"no population settled under u":  {loop.Meter{Steady: unsettled, W1: w1}, errBroken},
		"no population of the optimum":   {loop.Meter{Steady: endless, W1: w1}, errBroken},
		"no distance between population": {loop.Meter{Steady: sound, W1: lost}, errBroken},
	} {
		c.meter.Optimum = best
		row := make([]float64, 8)
		err := c.meter.Measure(t.Context(), row, &kedge.Turn{U: u, States: states})
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if got := named(row, &c.meter); c.want == nil && (got["w1_own"] != 1.5 || got["w1_optimal"] != 2.5) {
			t.Errorf("W1 is noted as %v and %v, want 1.5 and 2.5", got["w1_own"], got["w1_optimal"])
		}
	}
}

package steady_test

import (
	"errors"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

var errWeary = errors.New("weary")

// weary settles people and answers for them so many times.
type weary struct {
	kedge.RowSettler
	kedge.Sensitivity
	left *int
}

func (w weary) call() error {
	if *w.left--; *w.left == -1 { // once: what is not told then is never told
		return errWeary
	}
	return nil
}

func (w weary) Settle(dst, u, d []float64) (r kedge.Residual, err error) {
	return w.SettleRows(dst, u, d)
}

func (w weary) SettleRows(dst, u, d []float64) (r kedge.Residual, err error) {
	if err := w.call(); err != nil {
		return r, err
	}
	return w.RowSettler.SettleRows(dst, u, d)
}

func (w weary) PullRows(gu, p, u, d, v []float64) error {
	if err := w.call(); err != nil {
		return err
	}
	return w.Sensitivity.PullRows(gu, p, u, d, v)
}

// Whatever is asked of a settled crowd of several chunks may fail at any time, and is told: of people alone, of those who see their mean, and of how far they lag.
func TestSettledCrowdsTellErrors(t *testing.T) {
	const n, m = 300, 3
	f := dynamics.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
	traits := kedge.Block{Data: draw(t, population.Dirichlet{Concentration: []float64{2}}, n, m), Width: m}
	left := 1 << 40
	w := weary{f, &sensitivity.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}, &left}
	alone, err := steady.New(kedge.Model{Settler: w, Sensitivity: w, Objective: objective.Revenue{Entropy: 0.1}, Traits: traits})
	check(t, err)
	c := affineCircle(t)
	round := weary{c.settler, c.answer, &left}
	social, err := steady.New(kedge.Model{Settler: round, Objective: c.loss, Sensitivity: round, Traits: kedge.Block{Data: c.people(t, n, 1), Width: c.dim.Trait}, Social: true})
	check(t, err)
	lag := &steady.Lag{Model: kedge.Model{Dynamics: f, Settler: w, Sensitivity: w, Objective: objective.Revenue{Entropy: 0.1}, Traits: traits}}
	u, g, all := []float64{0.5, -1, 2}, make([]float64, m), make([]float64, n*m)
	v := c.decision()
	for name, ask := range map[string]func() error{
		"value":           func() error { _, err := alone.Value(u); return err },
		"gradient":        func() error { _, err := alone.Gradient(g, u); return err },
		"partial":         func() error { _, err := alone.Partial(g, u); return err },
		"settle":          func() error { return alone.Settle(all, u) },
		"settled":         func() error { _, err := alone.Settled(all, u); return err },
		"bend":            func() error { return steady.Bend(alone.Gradient, append(g[:0], 1, 0, 0), u, 1e-3) },
		"social value":    func() error { _, err := social.Value(v); return err },
		"social gradient": func() error { _, err := social.Gradient(g[:2], v); return err },
		"social settle":   func() error { return social.Settle(all[:2*n], v) },
		"social mean":     func() error { return social.Mean(g[:2], v) },
		"lag":             func() error { _, err := lag.Measure(g, u, traits.Data); return err },
	} {
		left = 1 << 40
		check(t, ask())
		calls := 1<<40 - left
		if calls < 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
		for k := 0; k < calls; k += 1 + k/8 {
			if left = k; !errors.Is(ask(), errWeary) {
				t.Errorf("%s: nothing is told after %d of %d calls", name, k, calls)
			}
		}
		left = 1 << 40
		if err := ask(); err != nil {
			t.Errorf("%s: once rested %v", name, err)
		}
	}
}

package risk_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/risk"
)

// Constraints on people with whole weights are those on people who are there so many times, with their gradients.
func TestWeightedConstraintsAreThoseOfRepeatedPeople(t *testing.T) {
	w := lq2(t)
	times := []int{2, 0, 5, 1, 3}
	traits, weights := drawn(3, len(times)), []float64{}
	var repeated []float64
	for i, k := range times {
		weights = append(weights, float64(k))
		for range k {
			repeated = append(repeated, kedge.Row(traits, i, 2)...)
		}
	}
	kinds := append(w.everyKind(), w.constraint(risk.CVaR{Level: 0}, 0), w.constraint(risk.CVaR{Level: .93}, 0))
	for _, c := range kinds {
		c.Loss = w.loss
		c.Among = nil
		got, err := risk.NewSettled(c, w.crowd(kedge.Block{Data: traits, Width: 2}), kedge.Block{Data: traits, Width: 2})
		must(t, err)
		must(t, got.Weigh(weights))
		want, err := risk.NewSettled(c, w.crowd(kedge.Block{Data: repeated, Width: 2}), kedge.Block{Data: repeated, Width: 2})
		must(t, err)
		u, g, h := []float64{.3, -.4}, make([]float64, 2), make([]float64, 2)
		x, err := got.Clone().Gradient(g, u)
		must(t, err)
		y, err := want.Gradient(h, u)
		must(t, err)
		p, err := got.True(u)
		must(t, err)
		q, err := want.True(u)
		must(t, err)
		if !(math.Abs(x-y) <= 1e-12) || !(math.Abs(p-q) <= 1e-12) || !(math.Abs(g[0]-h[0])+math.Abs(g[1]-h[1]) <= 1e-12) {
			t.Errorf("%#v: excess %v, true %v, gradient %v; want %v, %v, %v", c.Measure, x, p, g, y, q, h)
		}
	}
}

// Of weights 1, 3, 1 the worst 0.6 are three fifths: all of the first, 2 of the three of the second. By hand (9 + 2·4)/3.
func TestCVaRByShares(t *testing.T) {
	w := []float64{7, 7, 7}
	got := (risk.CVaR{Level: .4}).WeighShares(w, []float64{9, 4, 1}, []float64{.2, .6, .2})
	if !(math.Abs(got-17./3) <= 1e-14) || !(math.Abs(w[0]-1./3) <= 1e-15) || !(math.Abs(w[1]-2./3) <= 1e-15) || w[2] != 0 {
		t.Errorf("CVaR %v with weights %v", got, w)
	}
}

type plain struct{ risk.Mean }

func (plain) WeighShares() {} // another than a ShareMeasure has

func TestConstraintsThatCannotBeWeighed(t *testing.T) {
	w := lq2(t)
	traits := kedge.Block{Data: []float64{1, 0, -1, 0}, Width: 2}
	weigh := func(c risk.Constraint, weights ...float64) error {
		s, err := risk.NewSettled(c, w.crowd(traits), traits)
		must(t, err)
		return s.Weigh(weights)
	}
	group := w.constraint(risk.Mean{}, 0)
	group.Among = func(d []float64) bool { return d[0] > 0 }
	for name, err := range map[string]error{
		"a measure without shares": weigh(w.constraint(plain{}, 0), 1, 1), "a group that weighs nothing": weigh(group, 0, 1),
		"a weight too many": weigh(group, 1, 1, 1), "a negative weight": weigh(group, 1, -1),
	} {
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := weigh(group, 1, 0); err != nil {
		t.Errorf("a group that counts is refused: %v", err)
	}
}

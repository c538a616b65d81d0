package risk_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/risk"
)

// The quantile between 2 and 3 is 5/2 whether four people count alike or have the weight 1 each, and the risk 7/2, as TestQuantilesFollowSamples has it by hand. Of weights 2, 1, 1 at 1, 3 and 4 the
// worst half are the last two; the quantile is between 1 and 3, and the risk 2 + 2·(1 + 2)/4 = 7/2.
func TestQuantilesOfWeightedPeople(t *testing.T) {
	w := lq2(t)
	for _, c := range []struct{ losses, weights []float64 }{{[]float64{2, 4, 1, 3}, nil}, {[]float64{2, 4, 1, 3}, []float64{1, 1, 1, 1}}, {[]float64{3, 1, 4}, []float64{1, 2, 1}}} {
		gauge, err := risk.NewGauge(w.constraint(risk.CVaR{Level: 0.5}, 0))
		must(t, err)
		o := people(c.losses...)
		o.W = c.weights
		excess, err := gauge.Assess(make([]float64, 2), o)
		must(t, err)
		if !(math.Abs(excess-3.5) <= 1e-14) {
			t.Errorf("losses %v with weights %v: the risk is %v, want 7/2", c.losses, c.weights, excess)
		}
	}
}

// A measure that takes everybody alike serves where nobody has a weight: the mean of 1 and 2 is 3/2. With weights it is refused.
func TestMeasuresWithoutShares(t *testing.T) {
	w := lq2(t)
	gauge, err := risk.NewGauge(w.constraint(plain{}, 0))
	must(t, err)
	o := people(1, 2)
	excess, err := gauge.Assess(make([]float64, 2), o)
	if err != nil || excess != 1.5 {
		t.Errorf("without weights: %v, %v, want 3/2", excess, err)
	}
	o.W = []float64{1, 1}
	if _, err := gauge.Assess(make([]float64, 2), o); err == nil {
		t.Error("weights were taken")
	}
}

// The gradient of an evened chance is what differences give, for people at several distances from the limit who count differently and answer differently.
func TestGradientsOfEvenedChances(t *testing.T) {
	w := lq2(t)
	traits := kedge.Block{Data: drawn(5, 6), Width: 2}
	for _, loss := range []*objective.Quadratic{w.first, w.loss} {
		c := w.constraint(risk.Chance{Limit: .2, Width: .3}, .4)
		c.Loss = loss
		s, err := risk.NewSettled(c, w.crowd(traits), traits)
		must(t, err)
		must(t, s.Weigh([]float64{1, 2, 3, 1, 5, 2}))
		u, g, none := []float64{.3, -.4}, make([]float64, 2), make([]float64, 2)
		_, err = s.Even(g, u)
		must(t, err)
		const h = 1e-5
		for i := range u {
			at := func(step float64) float64 {
				v := []float64{u[0], u[1]}
				v[i] += step
				value, err := s.Even(none, v)
				must(t, err)
				return value
			}
			if want := (at(h) - at(-h)) / (2 * h); !(math.Abs(g[i]-want) <= 1e-8*max(1, math.Abs(want))) || want == 0 {
				t.Errorf("entry %d of the gradient is %v, differences give %v", i, g[i], want)
			}
		}
	}
}

// Losses beyond all numbers are told, by everything that looks at them, and not taken for a risk: 1e308 a unit of p₁, which is about 10⁹.
func TestLossesBeyondNumbersAreTold(t *testing.T) {
	w := lq2(t)
	huge, err := objective.NewQuadratic(dims, nil, nil, nil, nil, []float64{1e308, 0})
	must(t, err)
	c := w.constraint(risk.Chance{Limit: .2, Width: .3}, .4)
	c.Loss = huge
	traits := kedge.Block{Data: []float64{1e9, 0, 0, 0}, Width: 2}
	s, err := risk.NewSettled(c, w.crowd(traits), traits)
	must(t, err)
	u, g := []float64{0, 0}, make([]float64, 2)
	for name, look := range map[string]func() error{
		"excess":   func() error { _, err := s.Excess(u); return err },
		"gradient": func() error { _, err := s.Gradient(g, u); return err },
		"even":     func() error { _, err := s.Even(g, u); return err },
		"true":     func() error { _, err := s.True(u); return err },
	} {
		if err := look(); err == nil || !strings.Contains(err.Error(), "losses of constraint p₁") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// broken is a sensitivity that fails.
type broken struct {
	kedge.Sensitivity
	err error
}

func (b broken) PullRows(_, _, _, _, _ []float64) error { return b.err }

// Of a sensitivity that is singular a sample goes on with the gradient without it; any other error is told. A constraint without dimensions is refused.
func TestErrorsOfSensitivitiesAreTold(t *testing.T) {
	w := lq2(t)
	other := errors.New("of another kind")
	for _, err := range []error{other, kedge.ErrSingular} {
		c := w.constraint(risk.Mean{}, 0)
		c.Sensitivity = broken{c.Sensitivity, err}
		gauge, made := risk.NewGauge(c)
		must(t, made)
		if _, got := gauge.Assess(make([]float64, 2), people(1, 2)); errors.Is(got, other) != (err == other) || err != other && got != nil {
			t.Errorf("%v came back as %v", err, got)
		}
	}
	for _, d := range []kedge.Dims{{State: 2, Trait: 2}, {Decision: 2, Trait: 2}} {
		c := w.constraint(risk.Mean{}, 0)
		c.Dims = d
		if _, err := risk.NewGauge(c); err == nil || !strings.Contains(err.Error(), "dimensions") {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

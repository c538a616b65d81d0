package optimum_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// Settled people are at d, so that the loss |u − d|²/2 is best at the mean trait, whose standard error is the deviation of the traits over √n:
// along a bound, and on a ball across it, not at all.
func TestSamplingErrorsOfAMean(t *testing.T) {
	m, err := formula.Compile(formula.Source{Decision: "u[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.5*d", Minimize: "0.5*norm(u - p)^2"})
	if err != nil {
		t.Fatal(err)
	}
	traits := []float64{3, 4, 5, 0, 1, 2, 3, 6, 8, 3} // means 4 and 3, deviations √7 and √5
	model := kedge.Model{Dynamics: m.Dynamics(), Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: traits, Width: 2}}
	first, second := math.Sqrt(7.0/5), math.Sqrt(5.0/5)
	// On the ball of radius 5/2 the optimum is (2, 1.5), half of the way: it moves along the circle alone, half as far, by −0.6 of the first
	// mean and 0.8 of the second. Both deviate by as much as the traits do along it.
	across := func(a, b float64) float64 {
		sum := 0.0
		for i := range 5 {
			along := a*(traits[2*i]-4) + b*(traits[2*i+1]-3)
			sum += along * along
		}
		return math.Sqrt(sum / 4 / 5)
	}
	for name, c := range map[string]struct {
		set  kedge.Set
		u    []float64
		want []float64
	}{
		"free":  {nil, []float64{4, 3}, []float64{first, second}},
		"bound": {&set.Box{Lower: []float64{0, 0}, Upper: []float64{2, 9}}, []float64{2, 3}, []float64{0, second}},
		// On Σ|u| ≤ 5 it is (3, 2), one less each, and moves along the face alone.
		"face":   {&set.L1Ball{Radius: 5}, []float64{3, 2}, []float64{across(0.5, -0.5), across(-0.5, 0.5)}},
		"circle": {&set.Ball{Center: []float64{0, 0}, Radius: 2.5}, []float64{2, 1.5}, []float64{0.6 * across(-0.6, 0.8) / 2, 0.8 * across(-0.6, 0.8) / 2}},
	} {
		s, err := optimum.SamplingOf(t.Context(), model, c.set, c.u)
		if err != nil {
			t.Fatal(name, err)
		}
		for i, want := range c.want {
			if !(math.Abs(s.Decision[i]-want) <= 1e-6) {
				t.Errorf("%s: entry %d has the standard error %.9f, want %.9f", name, i, s.Decision[i], want)
			}
		}
	}
	weighted := model
	weighted.Weights = []float64{1, 1, 1, 1, 1}
	even, _ := optimum.SamplingOf(t.Context(), model, nil, []float64{4, 3})
	same, err := optimum.SamplingOf(t.Context(), weighted, nil, []float64{4, 3})
	if err != nil || !(math.Abs(same.Decision[0]-even.Decision[0]) <= 1e-12) || same.People != 5 {
		t.Errorf("equal weights give %v (%v), want %v", same, err, even)
	}
}

// By hand, with weights w of sum 10 and Σw² = 26: a weighted mean has the variance Σw²(x − mean)²/10² · n/(n − 1) with n = 10²/26, whatever the unit of weights.
func TestSamplingErrorsOfAWeightedMean(t *testing.T) {
	m, err := formula.Compile(formula.Source{Decision: "u[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.5*d", Minimize: "0.5*norm(u - p)^2"})
	if err != nil {
		t.Fatal(err)
	}
	model := kedge.Model{Dynamics: m.Dynamics(), Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: []float64{3, 4, 5, 0, 1, 2, 3, 6, 8, 3}, Width: 2}}
	model.Weights = []float64{0.5, 1, 0.5, 2, 1}
	s, err := optimum.SamplingOf(t.Context(), model, nil, []float64{4.2, 3.6})
	if err != nil {
		t.Fatal(err)
	}
	for what, x := range map[string][2]float64{
		"the first entry": {s.Decision[0], math.Sqrt(95.04 / 74)}, "the second": {s.Decision[1], math.Sqrt(148.16 / 74)}, "the loss": {s.Loss, math.Sqrt(86.96 / 74)},
		"as many people": {s.People, 100. / 26},
	} {
		if !(math.Abs(x[0]-x[1]) <= 1e-6) {
			t.Errorf("%s: %.9f, want %.9f", what, x[0], x[1])
		}
	}
	whole := set.Lattice{Lower: []float64{0, 0}, Upper: []float64{9, 9}}
	if jumps, err := optimum.SamplingOf(t.Context(), model, whole, []float64{4.2, 3.6}); err != nil || jumps.Decision != nil || jumps.Loss != s.Loss {
		t.Errorf("of whole numbers: %+v (%v), want the loss alone", jumps, err)
	}
}

func TestSamplingSaysWhyThereIsNone(t *testing.T) {
	m, err := formula.Compile(formula.Source{Decision: "u[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.5*d", Minimize: "(u[0] - p[0])^2"})
	if err != nil {
		t.Fatal(err)
	}
	model := kedge.Model{Dynamics: m.Dynamics(), Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: []float64{1, 2, 3, 4}, Width: 2}}
	if _, err := optimum.SamplingOf(t.Context(), model, nil, []float64{2, 3}); err == nil || !strings.Contains(err.Error(), "flat") {
		t.Errorf("where the second entry decides nothing: %v", err)
	}
	edge := &set.Box{Lower: []float64{0, 0}, Upper: []float64{2, 9}}
	if _, err := optimum.SamplingOf(t.Context(), model, edge, []float64{2, 3}); err == nil || !strings.Contains(err.Error(), "edge") {
		t.Errorf("where a bound meets the optimum: %v", err)
	}
	one := model
	one.Traits = kedge.Block{Data: []float64{1, 2}, Width: 2}
	if _, err := optimum.SamplingOf(t.Context(), one, nil, []float64{1, 2}); err == nil {
		t.Error("one individual has a sampling error")
	}
}

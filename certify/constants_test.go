package certify

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/set"
)

// near fails unless got is want within half a unit of the last printed digit.
func near(t *testing.T, what string, got, want, half float64) {
	t.Helper()
	if !(math.Abs(got-want) <= half) {
		t.Errorf("%s = %.8g, want %v ± %.2g", what, got, want, half)
	}
}

// polarizedModel is the first case study with a single individual, which its closed forms do not look at.
func polarizedModel(lambda, sigma float64) kedge.Model {
	return kedge.Model{
		Dynamics: dynamics.Polarized{Dim: 3, Lambda: lambda, Sigma: sigma}, Objective: objective.Affinity{},
		Set: set.Ball{Radius: 1}, Traits: kedge.Block{Data: []float64{1, 0, 0}, Width: 3},
	}
}

// The four published settings. Numbers are those of an independent NumPy study with SciPy's Nelder–Mead for suprema, to the
// digits it printed. Its L_f^p is what the rim attains; ours is the proven bound above it.
func TestPolarizedConstants(t *testing.T) {
	for _, w := range []struct{ lambda, sigma, cone, attained, lh, ld, turn, half float64 }{
		{0.4, 0.5, 24.62, 0.9203, 5, 6, 65.6, 0.05},
		{0.4, 0.4, 19.47, 0.8112, 2, 3, 12.0, 0.05},
		{0.3, 0.5, 20.92, 0.8113, 2.5, 3.5, 17.6, 0.05},
		{0.3, 0.4, 16.60, 0.7062, 4. / 3, 7. / 3, 6.22, 0.005},
	} {
		c, err := Derive(polarizedModel(w.lambda, w.sigma), 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "ω★", c.Value(Cone), w.cone, 0.005)
		near(t, "attained L_f^p", attained(w.lambda, w.sigma, c.Value(Cone)*math.Pi/180), w.attained, 5e-5)
		near(t, "L_h^u", c.Value(LhU), w.lh, 1e-12)
		near(t, "L_h^d", c.Value(LhD), w.ld, 1e-12)
		near(t, "M_h^d", c.Value(MhD), w.turn, w.half)
		near(t, "L_p", c.Value(Lp), 1, 0)
		near(t, "L", c.Value(L), c.Value(MhD), 0)
		if lf := c.Value(LfP); !(lf >= w.attained && lf < 1.01*w.attained) {
			t.Errorf("L_f^p = %v is not a close bound of %v", lf, w.attained)
		}
	}
}

// The cone keeps only who starts in it: one who stands across from the trait is named, one on the rim is not.
func TestPolarizedStartsOutsideTheCone(t *testing.T) {
	p := polarizedModel(0.4, 0.5)
	p.Traits = kedge.Block{Data: []float64{1, 0, 0, 0, 1, 0}, Width: 3}
	rim := math.Asin(0.5/1.2) * (1 - 1e-9)
	p.States = kedge.Block{Data: []float64{math.Cos(rim), 0, math.Sin(rim), 0, 1, 0}, Width: 3}
	if _, err := Derive(p, 0); err != nil {
		t.Errorf("on the rim: %v", err)
	}
	p.States = kedge.Block{Data: []float64{1, 0, 0, 1, 0, 0}, Width: 3}
	var out *kedge.RangeError
	if _, err := Derive(p, 0); !errors.As(err, &out) || !(math.Abs(out.Got-90) <= 1e-9) {
		t.Errorf("individual 1 starts at a right angle to its trait: %v", err)
	}
	for beyond, want := range map[float64]bool{-1: true, 0: true, 0.9e-6: true, 1.1e-6: false, 1.9e-6: false, 1: false} { // degrees that rounding may bring and those that it may not
		sin, cos := math.Sincos((30 + beyond) * math.Pi / 180)
		p.States = kedge.Block{Data: []float64{1, 0, 0, sin, cos, 0}, Width: 3}
		if err := insideCone(problem{Model: p}, 30); (err == nil) != want {
			t.Errorf("%v degrees out of the cone: %v", beyond, err)
		}
	}
}

// The rational problem LQ2; its constants by an independent NumPy study, to the digits it printed.
func TestAffineConstants(t *testing.T) {
	c, err := Derive(lq2(t).Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "L_f^p", c.Value(LfP), 0.63246, 5e-6)
	near(t, "L_h^u", c.Value(LhU), 1.64039, 5e-6)
	near(t, "L", c.Value(L), 2.42535, 5e-6)
	near(t, "ρ₁", c.Value(Rho1), 0.7, 1e-12)
	near(t, "ρ₂", c.Value(Rho2), 4.18580, 5e-6)
	near(t, "λmax(P)", c.Value(PMax), 5./3, 1e-12)
	for _, x := range c.List {
		if x.Known != Proof && x.Key != Radius {
			t.Errorf("%s is an %v, want a proof", x.Symbol(), x.Known)
		}
	}
}

func lq2(t *testing.T) problem {
	t.Helper()
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	f, err := dynamics.NewAffine(dim, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	one := []float64{1, 0, 0, 1}
	phi, err := objective.NewQuadratic(dim, []float64{2, 0, 0, 2}, one, one, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	four := kedge.Block{Data: []float64{2, -0.5, 2, -1.5, 0, -0.5, 0, -1.5}, Width: 2}
	return problem{Model: kedge.Model{Dynamics: f, Objective: phi, Traits: four}}
}

// The second case study's constants in closed form, with the least entry of the published user's habit.
func TestChoiceConstants(t *testing.T) {
	d := make([]float64, 100)
	for i := range d {
		d[i] = (1 - 3.1893e-4) / 99
	}
	d[7] = 3.1893e-4 // times 0.375 is 1.196e-4
	c, err := Derive(kedge.Model{
		Dynamics: dynamics.Choice{Dim: 100, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}, Objective: objective.Revenue{Entropy: 0.1},
		Set: set.CappedSimplex{Sum: 250, Upper: 5}, Traits: kedge.Block{Data: d, Width: 100},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "L_f^p", c.Value(LfP), 0.2, 0)
	near(t, "L_h^u", c.Value(LhU), 0.15625, 1e-15)
	near(t, "L_h^d", c.Value(LhD), 0.375, 1e-15)
	near(t, "M_Φ^p", c.Value(MPhiP), 836, 0.5)
	near(t, "ρ₁", c.Value(Rho1), 0.52, 1e-15)
	near(t, "ρ₂", c.Value(Rho2), 1.058e-3, 5e-7)
	near(t, "L", c.Value(L), 131.6, 0.05)
	near(t, "R", c.Value(Radius), math.Sqrt(50)*5, 1e-12)
}

// The second case study's steps, by the same study. It followed the paper in taking one L for both constants, the second time
// with the entries of p near the optimum; its last figure is without noise and with the curvature of Φ̃ there.
func TestChoiceSteps(t *testing.T) {
	x := Theory{Bias: 131.6, Smooth: 131.6, Rho1: 0.52, Rho2: 1.058e-3, Batch: 1, Turns: 6000}
	near(t, "paper's step", x.LargestStepPaper(), 2.5e-5, 5e-7)
	x.Bias, x.Smooth = 1.104, 1.104
	near(t, "paper's step, local", x.LargestStepPaper(), 2.9e-3, 5e-5)
	x.Rho2, x.Smooth = 0, 0.00873
	near(t, "tight step", x.LargestStep(), 28.6, 0.05)
}

// What does not contract gets an error that says by how much, and no numbers.
func TestNotContracting(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 1}, []float64{1.03, 0, 0, 0.5}, []float64{1, 0}, []float64{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	one := kedge.Block{Data: []float64{1}, Width: 1}
	two := kedge.Block{Data: []float64{1, 1}, Width: 2}
	_, err = Derive(kedge.Model{Dynamics: f, Objective: objective.Affinity{State: 2}, States: two, Traits: one}, 0)
	wantError(t, err, "not certified: spectral radius 1.03, want less than 1")
	_, err = Derive(polarizedModel(0.6, 0.5), 0)
	wantError(t, err, "not certified: λ + σR² 1.1, want less than 1")
	_, err = Derive(polarizedModel(0.7, 0.28), 0)
	wantError(t, err, "not certified: L_f^p over the cone 1.00599, want less than 1")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	var e *NotContractingError
	if !errors.As(err, &e) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

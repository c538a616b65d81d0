package certify

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// published returns the first case study as its authors ran it: their generator, their individuals, their first decision.
func published(t *testing.T, lambda, sigma float64) problem {
	t.Helper()
	g := stream.NewNumPy(20)
	u, d := make([]float64, 20), make([]float64, 20_000)
	for i := range u {
		u[i] = g.Normal()
	}
	rows.Scale(u, 1/rows.Norm(u))
	if err := population.PublishedHemisphere(d, 20, g); err != nil {
		t.Fatal(err)
	}
	return problem{
		kedge.Model{
			Dynamics: dynamics.Polarized{Dim: 20, Lambda: lambda, Sigma: sigma}, Objective: objective.Affinity{},
			Sensitivity: &sensitivity.Polarized{Dim: 20, Lambda: lambda, Sigma: sigma},
			Set:         set.Ball{Radius: 1}, Start: u, Traits: kedge.Block{Data: d, Width: 20},
		},
		Premises{Sampled: true, Step: 5e-3, Batch: 50, Horizon: 8000, Tau: 0.05},
	}
}

// The table of the four published settings, by an independent NumPy study, to the digits it printed. It took what the rim
// attains for L_f^p, M where the crowd has settled under the first decision, and L_Φ̃ of the crowd for the tight columns. Its
// slopes of Ĥ(u, p)u (low) are no suprema: SciPy's Nelder–Mead from 30 starts finds those of psi, as the package does.
func TestPublishedTable(t *testing.T) {
	for _, w := range []struct {
		lambda, sigma, rho1, rho2, v0, gap, m, step, over, rhs, read, exact, slope, rhsExact, bend, crowd, honest, low, psi float64
	}{
		{0.4, 0.5, 0.9235, 255.6, 0.321, 0.311, 9.2, 7.9e-7, 6346, 400, 2.0e-4, 4.6e-3, 0.379, 0.177, 69.4, 4.86, 3.6e-3, 22.30, 24.5},
		{0.4, 0.4, 0.8290, 12.76, 0.215, 0.245, 4.9, 2.9e-5, 174, 8.5, 5.3e-3, 3.1e-2, 0.247, 0.097, 12.4, 3.30, 2.0e-2, 4.82, 5.06},
		{0.3, 0.5, 0.8291, 19.96, 0.243, 0.262, 5.7, 1.6e-5, 319, 16.8, 3.4e-3, 2.5e-2, 0.281, 0.112, 18.5, 3.82, 1.35e-2, 6.32, 6.61},
		{0.3, 0.4, 0.7494, 2.651, 0.167, 0.215, 3.7, 1.5e-4, 34, 1.46, 2.1e-2, 8.2e-2, 0.187, 0.096, 6.30, 2.35, 4.0e-2, 2.85, 2.91},
	} {
		p := published(t, w.lambda, w.sigma)
		p.Optimum, p.AtState = bestOf(t, p), true
		c, err := Certify(context.Background(), p.Model, p.Premises)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := c.theory(p, false)
		lf := attained(w.lambda, w.sigma, c.Value(Cone)*math.Pi/180)
		x.Rho1 = (1 + lf*lf) / 2
		x.Rho2 = (1 + lf*lf) / (1 - lf*lf) * lf * lf * c.Value(LhU) * c.Value(LhU)
		x.Noise, x.Growth = settledVariance(t, p), 0
		near(t, "ρ₁", x.Rho1, w.rho1, 5e-5)
		near(t, "ρ₂", x.Rho2, w.rho2, half(w.rho2, 4))
		near(t, "V₀", x.Start, w.v0, 5e-4)
		near(t, "Δ", x.Gap, w.gap, 5e-4)
		near(t, "M", x.Noise, w.m, 0.05)
		near(t, "‖∇Φ̃(u₀)‖²", c.Value(Slope0), w.slope, 5e-4)
		near(t, "L_Φ̃ of one", c.Value(Smooth), w.bend, half(w.bend, 3))
		near(t, "paper's step", x.LargestStepPaper(), w.step, half(w.step, 2))
		near(t, "excess", p.Step/x.LargestStepPaper(), w.over, 0.5)
		near(t, "paper's bound", x.GradientPaper(x.LargestStepPaper()), w.rhs, half(w.rhs, 2))
		x.Bias = c.Value(Lp)
		near(t, "honest step", x.LargestStep(), w.honest, half(w.honest, 2))
		x.Smooth = w.crowd
		near(t, "tight step", x.LargestStep(), w.exact, half(w.exact, 2))
		near(t, "tight bound", x.Gradient(x.LargestStep()), w.rhsExact, 5e-4)
		near(t, "L_Ψ", c.Value(LPsi), 1+w.psi, half(w.psi, 3))
		x.Bias = 1 + w.low
		near(t, "tight step, Ĥ", x.LargestStep(), w.read, half(w.read, 2))
	}
}

// half returns half a unit of the last of so many digits.
func half(x float64, digits int) float64 {
	return 0.5 * math.Pow(10, math.Floor(math.Log10(x))-float64(digits-1))
}

// bestOf goes up the settled affinity from the first decision.
func bestOf(t *testing.T, p problem) []float64 {
	t.Helper()
	p, err := p.ready()
	if err != nil {
		t.Fatal(err)
	}
	u, h := slices.Clone(p.Start), make([]float64, 20_000)
	d := some(p.Traits, 1000)
	for range 40 {
		if _, err := kedge.BatchedSettler(p.Settler).SettleRows(h, u, d); err != nil {
			t.Fatal(err)
		}
		p.AtState = true
		g, err := p.look(u, h, d)
		if err != nil {
			t.Fatal(err)
		}
		rows.AddScaled(u, -5, g.mean)
		if err := p.Set.Project(u); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// settledVariance is M where the crowd has settled under the first decision.
func settledVariance(t *testing.T, p problem) float64 {
	t.Helper()
	h, d := make([]float64, 20_000), some(p.Traits, 1000)
	if _, err := p.Dynamics.(dynamics.Polarized).SettleRows(h, p.Start, d); err != nil {
		t.Fatal(err)
	}
	p.AtState = true
	g, err := p.look(p.Start, h, d)
	if err != nil {
		t.Fatal(err)
	}
	return g.variance
}

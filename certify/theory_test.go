package certify

import "testing"

// Every right-hand side at two problems whose constants have no factor in common, so that none can stand in for another. The numbers come from
// a program of its own that was written from the statements of the theorems, term by term; the two problems take either side of each minimum.
func TestRightHandSides(t *testing.T) {
	a := Theory{Bias: 3, Smooth: 5, Rho1: 0.75, Rho2: 2, Start: 7, Gap: 11, Noise: 13, Growth: 17, Sigma: 1.5, Batch: 4, Turns: 19}
	b := Theory{Bias: 0.5, Smooth: 9, Rho1: 0.25, Rho2: 0.125, Start: 3, Gap: 2, Noise: 5, Growth: 6, Sigma: 0.75, Batch: 8, Turns: 10}
	halved := func(step float64) StepSums {
		return SumSteps(3, func(k int) float64 { return step / float64(int(1)<<k) })
	}
	for _, c := range []struct {
		name          string
		of            func(t Theory, step, tau float64) float64
		first, second float64
	}{
		{"largest step", func(t Theory, _, _ float64) float64 { return t.LargestStep() }, 0.009523809523809525, 0.015873015873015872},
		{"of the paper", func(t Theory, _, _ float64) float64 { return t.LargestStepPaper() }, 0.0021849117511482073, 0.0050194883494736175},
		{"in probability", func(t Theory, _, _ float64) float64 { return t.LargestStepProbable() }, 0.005899936045039905, 0.005856069741052554},
		{"projected", func(t Theory, _, _ float64) float64 { return t.LargestStepProjected() }, 0.05892556509887897, 0.05555555555555555},
		{"start of the shift", func(t Theory, _, _ float64) float64 { a, _ := t.Shift(); return a }, 196, 12},
		{"steps of the shift", func(t Theory, _, _ float64) float64 { _, b := t.Shift(); return b }, 8, 0.16666666666666666},
		{"Theorem 5 of the paper", func(t Theory, step, _ float64) float64 { return t.GradientPaper(step) }, 695.0886591478697, 14.142857142857142},
		{"Corollary 6 of the paper", func(t Theory, step, _ float64) float64 { return t.TransientPaper(step) }, 1838.510547201337, 33.70595238095238},
		{"Theorem 7 of the paper", func(t Theory, step, _ float64) float64 { return t.DistancePaper(step) }, 4.99073157020757, 3.2924878421151673},
		{"Theorem 5", func(t Theory, step, _ float64) float64 { return t.Gradient(step) }, 720.6661184210527, 14.136393229166666},
		{"Theorem 7", func(t Theory, step, _ float64) float64 { return t.Distance(step) }, 33.40702081726038, 1.4173507135983734},
		{"Corollary 6", func(t Theory, step, _ float64) float64 { return t.Transient(step) }, 21529.85495476974, 29.27722798100224},
		{"Theorem 8", func(t Theory, step, tau float64) float64 { return t.GradientProbable(step, tau) }, 1577.810550411727, 237.62346405398335},
		{"Theorem 9", func(t Theory, step, tau float64) float64 { return t.DistanceProbable(step, tau) }, 6.480021044572022, 13.3830008865554},
		{"projected steps", func(t Theory, step, _ float64) float64 { return t.Projected(step) }, 1245.7368421052633, 27.1},
		{"steps that are halved", func(t Theory, step, _ float64) float64 { return t.Weighted(halved(step)) }, 7481.061104910715, 52.79760451543899},
	} {
		near(t, c.name, c.of(a, 0.125, 0.1)/c.first, 1, 1e-14)
		near(t, c.name, c.of(b, 0.25, 0.02)/c.second, 1, 1e-14)
	}
}

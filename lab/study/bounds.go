package study

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/sensitivity"
)

// theoryOf collects the constants of a linear problem, and of its first rule, that steps and bounds are computed from.
func theoryOf(ctx context.Context, p *problem.Problem) (certify.Theory, error) {
	m, err := linearOf(p)
	if err != nil {
		return certify.Theory{}, err
	}
	q := p.Alone()
	if q.Sensitivity, err = sensitivity.NewAffine(p.Spec.Dims(), m.g.RawMatrix().Data); err != nil {
		return certify.Theory{}, err
	}
	rule := p.Spec.Algorithms[0]
	run := certify.Premises{Step: rule.Step, Batch: rule.Batch, Horizon: p.Spec.Iterations, Tau: 0.05, Seed: p.Spec.Seed}
	c, err := certify.Certify(ctx, q, run)
	if err != nil {
		return certify.Theory{}, err
	}
	return certify.Theory{
		Bias: c.Value(certify.L), Smooth: c.Value(certify.Smooth), Rho1: c.Value(certify.Rho1), Rho2: c.Value(certify.Rho2),
		Start: c.Value(certify.V0), Gap: c.Value(certify.Gap), Noise: c.Value(certify.M), Growth: c.Value(certify.MV),
		Batch: float64(run.Batch), Turns: float64(run.Horizon),
	}, nil
}

// bounds draws the right-hand side of a theorem over the horizons of a track whose step is c/√T, and claims that what was
// measured stays below it.
func (w *work) bounds(name string, of track, c float64, bound func(t certify.Theory, step float64) float64, by statistic) (Series, error) {
	s, most := Series{Name: name, Theory: true, Like: of.name}, 0.0
	for _, one := range of.list {
		p, err := w.horizonProblem(c, int(one.x))
		if err != nil {
			return s, err
		}
		t, err := theoryOf(w.ctx, p)
		if err != nil {
			return s, err
		}
		y := bound(t, c/math.Sqrt(one.x))
		s.X, s.Y = append(s.X, one.x), append(s.Y, y)
		most = max(most, by(one.x, one.values)/y)
	}
	w.claim(Claim{What: "Largest measurement as a share of the " + name, Measured: most, Low: most, High: most, Theory: 1, Sure: true})
	return s, nil
}

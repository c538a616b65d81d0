package study

import (
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/sensitivity"
)

// theory collects the constants of a linear problem, and of its first rule, that steps and bounds are computed from.
func (w *work) theory(p *problem.Problem) certify.Theory {
	q := p.Alone()
	q.Sensitivity = must(sensitivity.NewAffine(p.Spec.Dims(), linearOf(p).g.RawMatrix().Data))
	return w.certified(p, q).Theory(certify.L, p.Spec.Algorithms[0].Batch, p.Spec.Iterations)
}

// bounds draws the right-hand side of a theorem over the horizons of a track whose step is c/√T, and claims that what was
// measured stays below it.
func (w *work) bounds(name string, of track, c float64, bound func(t certify.Theory, step float64) float64, by statistic) Series {
	s, most := Series{Name: name, Theory: true, Like: of.name}, 0.0
	for _, one := range of.list {
		y := bound(w.theory(w.horizonProblem(c, int(one.x))), c/math.Sqrt(one.x))
		s.X, s.Y = append(s.X, one.x), append(s.Y, y)
		most = max(most, by(one.x, one.values)/y)
	}
	w.claim(Claim{What: "Largest measurement as a share of the " + name, Measured: most, Low: most, High: most, Theory: 1, Sure: true})
	return s
}

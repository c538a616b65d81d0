package study

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// rateDistribution asks how fast the crowd comes to rest [he2025, distance bound].
func rateDistribution() Study {
	return Study{
		Name: "rate-distribution", Title: "The rate of the distribution", Theorems: []string{"Theorem 7"},
		Question: "How fast does the crowd's distance from the one settled under the decision in force fall as the horizon T grows, when the step is c/√T?",
		Theory: "The mean over the turns of E W₁ is at most of the order T^(−1/4). The same proof, with nothing thrown away, bounds even the root of " +
			"the mean of E W₁² by the order T^(−1/2).",
		run: func(w *work) {
			horizons := doubling(400, w.size(6, 4))
			w.result.Design = fmt.Sprintf("The composite rule on lq2, four people sampled with replacement in every turn, T = %d … %d. After every turn W₁ between "+
				"all people as they are and as they would settle is computed exactly, in the metric ‖p − p′‖_P + ‖d − d′‖.", horizons[0], horizons[len(horizons)-1])
			var tracks []track
			var shown []Series
			for _, c := range steps() {
				means, squares := w.overHorizons(c.step, horizons, w.trials(20, 10), w.distance)
				first, second := track{"mean, " + c.name, means}, track{"root mean square, " + c.name, squares}
				w.claim(fitPower(means, average, w.stream("fit", first.name)).claimed("Exponent of mean W₁ in T, "+c.name, -0.25))
				w.claim(fitPower(squares, rootMean, w.stream("fit", second.name)).claimed("Exponent of root mean square W₁ in T, "+c.name+" (tight bound)", -0.5))
				bound := w.bounds("tight bound, "+c.name, first, c.step, certify.Theory.Distance, average)
				tracks, shown = append(tracks, first, second), append(shown, marks(first), bound)
			}
			published := w.bounds("published bound, "+steps()[0].name, tracks[0], steps()[0].step, certify.Theory.DistancePaper, average)
			published.Like = ""
			w.draw(Chart{
				Name: "distance", Title: "Distance from the settled crowd", X: "horizon T", Y: "mean Wasserstein distance", LogX: true, LogY: true,
				Series:  append(shown, published),
				Caption: "The mean over turns of W₁ between the crowd and the one settled under the decision in force. Dashed: the published bound, of slope −1/4, and the tight ones, of slope −1/2.",
			})
			w.tabulate("T", tracks...)
		},
	}
}

// rootMean is the root of the mean of squares.
func rootMean(_ float64, squares []float64) float64 { return math.Sqrt(mean(squares)) }

// distance is the mean over the turns of W₁ and of W₁² between the crowd after it answered a decision and the crowd that
// would settle under it.
func (w *work) distance(p *problem.Problem, t int) (first, second float64) {
	far, count, before := w.ruler(p), float64(p.Spec.Iterations), make([]float64, len(p.Start))
	for turn := range w.turns(p, t) {
		if turn.k > 0 {
			d := far(before, turn.states)
			first, second = first+d/count, second+d*d/count
		}
		copy(before, turn.u)
	}
	return first, second
}

// ruler returns how W₁ between the crowd in some states and the one settled under u is measured.
func (w *work) ruler(p *problem.Problem) func(u, states []float64) float64 {
	dim := p.Spec.Dims()
	metric := must(certify.Lyapunov(p.Spec.Dynamics.Of.(*kind.AffineDynamics).A.Flat(), dim.State))
	traits, _ := traitsOf(p)
	far, settled := w.jointly(p, metric), make([]float64, p.Individuals()*dim.State)
	return func(u, states []float64) float64 {
		copy(settled, states)
		check(p.Settle(settled, u, traits))
		return far(states, settled)
	}
}

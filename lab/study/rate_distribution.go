package study

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/transport"
)

// rateDistribution asks how fast the crowd comes to rest [he2025, distance bound].
func rateDistribution() Study {
	return Study{
		Name: "rate-distribution", Title: "The rate of the distribution",
		Question: "How fast does the crowd's distance from the one settled under the decision in force fall as the horizon T grows, when the step is c/√T?",
		Theory: "The mean over the turns of E W₁ is at most of the order T^(−1/4). The same proof, with nothing thrown away, bounds even the root of " +
			"the mean of E W₁² by the order T^(−1/2).",
		run: func(w *work) error {
			horizons := doubling(400, w.size(6, 4))
			w.result.Design = fmt.Sprintf("The composite rule on lq2, four people sampled with replacement in every turn, T = %d … %d. After every turn W₁ between "+
				"all people as they are and as they would settle is computed exactly, in the metric ‖p − p′‖_P + ‖d − d′‖.", horizons[0], horizons[len(horizons)-1])
			var tracks []track
			var shown []Series
			for _, c := range steps() {
				means, squares, err := w.distances(c.step, horizons)
				if err != nil {
					return err
				}
				first, second := track{"mean, " + c.name, means}, track{"root mean square, " + c.name, squares}
				w.claim(fitPower(means, average, w.stream("fit", first.name)).claimed("Exponent of mean W₁ in T, "+c.name, -0.25))
				w.claim(fitPower(squares, rootMean, w.stream("fit", second.name)).claimed("Exponent of root mean square W₁ in T, "+c.name+" (tight bound)", -0.5))
				bound, err := w.bounds("tight bound, "+c.name, first, c.step, certify.Theory.Distance, average)
				if err != nil {
					return err
				}
				tracks, shown = append(tracks, first, second), append(shown, marks(first), bound)
			}
			published, err := w.bounds("published bound, "+steps()[0].name, tracks[0], steps()[0].step, certify.Theory.DistancePaper, average)
			if err != nil {
				return err
			}
			published.Like = ""
			w.draw(Chart{
				Name: "distance", Title: "Distance from the settled crowd", X: "horizon T", Y: "mean Wasserstein distance", LogX: true, LogY: true,
				Series:  append(shown, published),
				Caption: "The mean over turns of W₁ between the crowd and the one settled under the decision in force. Dashed: the published bound, of slope −1/4, and the tight ones, of slope −1/2.",
			})
			w.tabulate("T", tracks...)
			return nil
		},
	}
}

// rootMean is the root of the mean of squares.
func rootMean(_ float64, squares []float64) float64 { return math.Sqrt(mean(squares)) }

// distances measures the mean of W₁ and of W₁² over the turns, trial by trial, for every horizon.
func (w *work) distances(step float64, horizons []int) (means, squares []sample, err error) {
	trials := w.trials(20, 10)
	squares = emptySamples(horizons, trials)
	means, err = w.overHorizons(step, horizons, trials, func(p *problem.Problem, i, t int) (first float64, err error) {
		first, squares[i].values[t], err = w.distance(p, t)
		return first, err
	})
	return means, squares, err
}

// distance is the mean over the turns of W₁ and of W₁² between the crowd after it answered a decision and the crowd that
// would settle under it.
func (w *work) distance(p *problem.Problem, t int) (first, second float64, err error) {
	far, err := w.ruler(p)
	if err != nil {
		return 0, 0, err
	}
	turns, before := float64(p.Spec.Iterations), make([]float64, len(p.Start))
	err = w.follow(p, t, func(k int, u, states []float64) error {
		defer copy(before, u)
		if k == 0 {
			return nil
		}
		d, err := far(before, states)
		first, second = first+d/turns, second+d*d/turns
		return err
	})
	return first, second, err
}

// ruler returns how W₁ between the crowd in some states and the one settled under u is measured.
func (w *work) ruler(p *problem.Problem) (func(u, states []float64) (float64, error), error) {
	dim := p.Spec.Dims()
	metric, err := certify.Lyapunov(p.Spec.Dynamics.Of.(*kind.AffineDynamics).A.Flat(), dim.State)
	if err != nil {
		return nil, err
	}
	traits, width := traitsOf(p)
	own, err := transport.Euclidean(traits, traits, width)
	if err != nil {
		return nil, err
	}
	settled := make([]float64, len(traits)/width*dim.State)
	return func(u, states []float64) (float64, error) {
		if err := p.Settle(settled, u, traits); err != nil {
			return 0, err
		}
		between, err := transport.Weighted(metric, states, settled, dim.State)
		if err != nil {
			return 0, err
		}
		cost, err := transport.Mixed(between, own)
		if err != nil {
			return 0, err
		}
		plan, err := transport.Assignment(w.ctx, cost)
		return plan.Value, err
	}, nil
}

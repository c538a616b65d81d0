package study

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/sensitivity"
)

// batch asks what larger samples are worth [he2025, second moment].
func batch() Study {
	return Study{
		Name: "batch", Title: "What a larger batch is worth",
		Question: "How does the noise fall when more people are sampled in a turn: that of the gradient, and that of the decision in the long run?",
		Theory:   "The variance of a mini-batch gradient is that of one person divided by the batch n, and so is, for a linear loop, the stationary variance of the decision.",
		run: func(w *work) error {
			sizes := doubling(1, w.size(8, 6))
			w.result.Design = "The gradient: the composite estimate of the polarized case at its first decision with the crowd settled, a thousand people " +
				"sampled with replacement. The decision: the composite rule with step 0.05 on lq2, after its transient."
			noise, err := w.gradientNoise(sizes)
			if err != nil {
				return err
			}
			spread, exact, err := w.decisionSpread(sizes)
			if err != nil {
				return err
			}
			w.judgeBatch(noise, spread, exact)
			return nil
		},
	}
}

func (w *work) judgeBatch(noise, spread []sample, exact []float64) {
	w.claim(fitPower(noise, average, w.stream("fit", "gradient")).claimed("Exponent of the gradient's variance in n", -1).exactly())
	w.claim(fitPower(spread, average, w.stream("fit", "decision")).claimed("Exponent of the decision's stationary variance in n", -1).exactly())
	w.claim(meanClaimed("Stationary variance of the decision, as a multiple of the exact one", multiples(spread, exact), 1).exactly())
	tracks := []track{{"gradient, polarized", noise}, {"decision, lq2", spread}}
	shown := []Series{marks(tracks[0]), marks(tracks[1])}
	theory := Series{Name: "exact stationary variance", X: shown[1].X, Y: exact, Theory: true, Like: "decision, lq2"}
	w.draw(Chart{
		Name: "variance", Title: "Variance over the batch", X: "people sampled in a turn, n", Y: "variance", LogX: true, LogY: true,
		Series:  append(shown, slopeLine("slope −1", shown[0], -1), theory),
		Caption: "Dashed: a line of slope −1, and the exact stationary variance of lq2 from its covariance equation.",
	})
	w.tabulate("batch", tracks...)
}

// gradientNoise measures ‖ĝ − ∇Φ̃‖² of batch gradients of the polarized case at a settled crowd; a value is the mean of a few draws.
func (w *work) gradientNoise(sizes []int) ([]sample, error) {
	const people, dim, draws = 1000, 20, 50
	traits, err := population.Draw(population.Cap{Angle: 90}, people, dim, w.stream("population"))
	if err != nil {
		return nil, err
	}
	u, states := make([]float64, dim), make([]float64, len(traits))
	population.Sphere{}.Fill(u, dim, 0, w.stream("decision"))
	f := dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	if _, err := f.SettleRows(states, u, traits); err != nil {
		return nil, err
	}
	estimate := func(g, p, d []float64) error {
		e := online.Composite{Objective: objective.Affinity{}, Sensitivity: &sensitivity.Polarized{Dim: dim, Lambda: f.Lambda, Sigma: f.Sigma}, Dims: f.Dims()}
		return e.Estimate(g, kedge.Observation{U: u, P: p, D: d})
	}
	truth := make([]float64, dim)
	if err := estimate(truth, states, traits); err != nil {
		return nil, err
	}
	return w.measure(sizes, w.trials(40, 20), func(i, t int) (square float64, err error) {
		n, s, g := sizes[i], w.stream("batch", fmt.Sprint(sizes[i], t)), make([]float64, dim)
		p, d := make([]float64, n*dim), make([]float64, n*dim)
		for range draws {
			for j := range n {
				from := s.Intn(people)
				copy(kedge.Row(p, j, dim), kedge.Row(states, from, dim))
				copy(kedge.Row(d, j, dim), kedge.Row(traits, from, dim))
			}
			if err := estimate(g, p, d); err != nil {
				return 0, err
			}
			off := rows.Distance(g, truth)
			square += off * off / draws
		}
		return square, nil
	})
}

// decisionSpread measures E‖u − E u‖² of the composite rule on lq2 in the long run, beside the exact number.
func (w *work) decisionSpread(sizes []int) (list []sample, exact []float64, err error) {
	const step, warmUp = 0.05, 300
	exact = make([]float64, len(sizes))
	problems := make([]*problem.Problem, len(sizes))
	var best []float64
	for i, n := range sizes {
		problems[i], err = w.problem("lq2", fmt.Sprintf(`
iterations: %d
population: {sampling: with-replacement}
algorithms: [{name: composite, step: %v, batch: %d}]`, w.size(8000, 2000), step, n))
		if err != nil {
			return nil, nil, err
		}
		if best, exact[i], err = stationary(problems[i], step, n); err != nil {
			return nil, nil, err
		}
	}
	w.show(problems[0])
	list, err = w.measure(sizes, w.trials(40, 20), func(i, t int) (square float64, err error) {
		turns := float64(problems[i].Spec.Iterations - warmUp)
		err = w.follow(problems[i], t, func(k int, u, _ []float64) error {
			if off := rows.Distance(u, best); k > warmUp {
				square += off * off / turns
			}
			return nil
		})
		return square, err
	})
	return list, exact, err
}

// stationary returns the optimum of a linear problem and the variance of the decision around it.
func stationary(p *problem.Problem, step float64, n int) (best []float64, variance float64, err error) {
	m, err := linearOf(p)
	if err != nil {
		return nil, 0, err
	}
	traits, width := traitsOf(p)
	return m.rest(true, traits), m.spread(covariance(traits, width), step, n), nil
}

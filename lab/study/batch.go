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
		Name: "batch", Title: "What a larger batch is worth", Theorems: []string{"Lemma 1"},
		Question: "How does the noise fall when more people are sampled in a turn: that of the gradient, and that of the decision in the long run?",
		Theory:   "The variance of a mini-batch gradient is that of one person divided by the batch n, and so is, for a linear loop, the stationary variance of the decision.",
		run: func(w *work) {
			sizes := doubling(1, w.size(8, 6))
			w.result.Design = "The gradient: the composite estimate of the polarized case at its first decision with the crowd settled, a thousand people " +
				"sampled with replacement. The decision: the composite rule with step 0.05 on lq2, after its transient."
			noise := w.gradientNoise(sizes)
			spread, exact := w.decisionSpread(sizes)
			w.judgeBatch(noise, spread, exact)
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
func (w *work) gradientNoise(sizes []int) []sample {
	const people, dim, draws = 1000, 20, 50
	traits := must(population.Draw(population.Cap{Angle: 90}, people, dim, w.stream("population")))
	u, states := make([]float64, dim), make([]float64, len(traits))
	population.Sphere{}.Fill(u, dim, 0, w.stream("decision"))
	f := dynamics.Polarized{Dim: dim, Lambda: 0.4, Sigma: 0.5}
	must(f.SettleRows(states, u, traits))
	estimate := func(g, p, d []float64) {
		e := online.Composite{Objective: objective.Affinity{}, Sensitivity: &sensitivity.Polarized{Dim: dim, Lambda: f.Lambda, Sigma: f.Sigma}, Dims: f.Dims()}
		check(e.Estimate(g, kedge.Observation{U: u, P: p, D: d}))
	}
	truth := make([]float64, dim)
	estimate(truth, states, traits)
	return measure(w, sizes, w.trials(40, 20), func(i, t int) (square float64) {
		n, s, g := sizes[i], w.stream("batch", fmt.Sprint(sizes[i], t)), make([]float64, dim)
		p, d := make([]float64, n*dim), make([]float64, n*dim)
		for range draws {
			for j := range n {
				from := s.Intn(people)
				copy(kedge.Row(p, j, dim), kedge.Row(states, from, dim))
				copy(kedge.Row(d, j, dim), kedge.Row(traits, from, dim))
			}
			estimate(g, p, d)
			off := rows.Distance(g, truth)
			square += off * off / draws
		}
		return square
	})
}

// decisionSpread measures E‖u − E u‖² of the composite rule on lq2 in the long run, beside the exact number.
func (w *work) decisionSpread(sizes []int) (list []sample, exact []float64) {
	const step, warmUp = 0.05, 300
	exact = make([]float64, len(sizes))
	problems := make([]*problem.Problem, len(sizes))
	var best []float64
	for i, n := range sizes {
		problems[i] = w.problem("lq2", fmt.Sprintf(`
iterations: %d
population: {sampling: with-replacement}
algorithms: [{name: composite, step: %v, batch: %d}]`, w.size(8000, 2000), step, n))
		best, exact[i] = stationary(problems[i], step, n)
	}
	w.show(problems[0])
	list = measure(w, sizes, w.trials(40, 20), func(i, t int) (square float64) {
		turns := float64(problems[i].Spec.Iterations - warmUp)
		for turn := range w.turns(problems[i], t) {
			if off := rows.Distance(turn.u, best); turn.k > warmUp {
				square += off * off / turns
			}
		}
		return square
	})
	return list, exact
}

// stationary returns the optimum of a linear problem and the variance of the decision around it.
func stationary(p *problem.Problem, step float64, n int) (best []float64, variance float64) {
	m := linearOf(p)
	traits, width := traitsOf(p)
	return m.rest(true, traits), m.spread(covariance(traits, width), step, n)
}

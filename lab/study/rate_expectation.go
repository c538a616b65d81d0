package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/problem"
)

// rateExpectation asks how fast the gradient falls with the horizon, on average [he2025, gradient bound].
func rateExpectation() Study {
	return Study{
		Name: "rate-expectation", Title: "The rate in expectation",
		Question: "How fast does the mean squared gradient of the settled value fall as the horizon T grows, when the step is c/√T?",
		Theory:   "The mean over the turns of E‖∇Φ̃(u_k)‖² is at most of the order T^(−1/2).",
		run: func(w *work) error {
			horizons := doubling(400, w.size(8, 5))
			w.result.Design = fmt.Sprintf("The composite rule on the linear-quadratic problem lq2, four people sampled with replacement in "+
				"every turn, T = %d … %d, every horizon from scratch.", horizons[0], horizons[len(horizons)-1])
			var tracks []track
			var shown []Series
			for _, c := range steps() {
				list, err := w.gradients(c.step, horizons, w.trials(40, 20))
				if err != nil {
					return err
				}
				one := track{c.name, list}
				w.claim(fitPower(list, average, w.stream("fit", c.name)).claimed("Exponent of mean ‖∇Φ̃‖² in T, "+c.name, -0.5))
				bound, err := w.bounds("bound, "+c.name, one, c.step, certify.Theory.Gradient, average)
				if err != nil {
					return err
				}
				tracks, shown = append(tracks, one), append(shown, line(one), bound)
			}
			w.draw(Chart{
				Name: "rate", Title: "Mean squared gradient over the horizon", X: "horizon T", Y: "mean squared gradient",
				LogX: true, LogY: true, Series: shown,
				Caption: "Every point is a run of its own length with a step that fits it. Dashed are the bounds of the theory, with all their terms, which have slope −1/2.",
			})
			w.tabulate("T", tracks...)
			return nil
		},
	}
}

// stepped is a step size c of c/√T with a name.
type stepped struct {
	name string
	step float64
}

// steps are the largest step that the theorem allows for lq2 [he2025, step bound], rounded down, and one as practice would choose
// it, which from T = 400 on is below the largest step of the tight form.
func steps() []stepped {
	return []stepped{{"certified step", 0.0295}, {"practical step", 0.5}}
}

// doubling lists n numbers, each twice the one before.
func doubling(first, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = first << i
	}
	return list
}

// horizonProblem is lq2 with one rule and the step c/√T.
func (w *work) horizonProblem(step float64, horizon int) (*problem.Problem, error) {
	return w.problem("lq2", fmt.Sprintf(`
iterations: %d
population: {sampling: with-replacement}
algorithms: [{name: composite, step: %v, schedule: horizon, batch: 4}]`, horizon, step))
}

// gradients measures the mean of ‖∇Φ̃(u_k)‖² over the turns k < T, trial by trial, for every horizon.
func (w *work) gradients(step float64, horizons []int, trials int) ([]sample, error) {
	return w.overHorizons(step, horizons, trials, func(p *problem.Problem, _, t int) (float64, error) {
		f, err := p.Steady()
		if err != nil {
			return 0, err
		}
		f = f.Clone() // with room of its own
		g, sum := make([]float64, f.Dims().Decision), 0.0
		err = w.follow(p, t, func(k int, u, _ []float64) error {
			if k == p.Spec.Iterations {
				return nil
			}
			_, err := f.Gradient(g, u)
			square := 0.0
			for _, v := range g {
				square += float64(v * v)
			}
			sum += square
			return err
		})
		return sum / float64(p.Spec.Iterations), err
	})
}

// overHorizons measures a number of every trial t at every horizon, which is the i-th.
func (w *work) overHorizons(step float64, horizons []int, trials int, of func(p *problem.Problem, i, t int) (float64, error)) ([]sample, error) {
	problems := make([]*problem.Problem, len(horizons))
	for i, horizon := range horizons {
		var err error
		if problems[i], err = w.horizonProblem(step, horizon); err != nil {
			return nil, err
		}
	}
	w.show(problems[0])
	return w.measure(horizons, trials, func(i, t int) (float64, error) { return of(problems[i], i, t) })
}

package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem"
)

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
func (w *work) horizonProblem(step float64, horizon int) *problem.Problem {
	return w.problem("lq2", fmt.Sprintf(`
iterations: %d
population: {sampling: with-replacement}
algorithms: [{name: composite, step: %v, schedule: horizon, batch: 4}]`, horizon, step))
}

// gradients measures the mean of ‖∇Φ̃(u_k)‖² over the turns k < T, trial by trial, for every horizon.
func (w *work) gradients(step float64, horizons []int, trials int) []sample {
	list, _ := w.overHorizons(step, horizons, trials, func(p *problem.Problem, t int) (average, none float64) {
		f := must(p.Steady()).Clone() // with room of its own
		g, sum := make([]float64, f.Dims().Decision), 0.0
		for turn := range w.turns(p, t) {
			if turn.k == p.Spec.Iterations {
				break
			}
			must(f.Gradient(g, turn.u))
			square := 0.0
			for _, v := range g {
				square += float64(v * v)
			}
			sum += square
		}
		return sum / float64(p.Spec.Iterations), 0
	})
	return list
}

// overHorizons measures two numbers of every trial t at every horizon.
func (w *work) overHorizons(step float64, horizons []int, trials int, of func(p *problem.Problem, t int) (first, second float64)) (firsts, seconds []sample) {
	problems := lists.Of(horizons, func(horizon int) *problem.Problem { return w.horizonProblem(step, horizon) })
	w.show(problems[0])
	return measureBoth(w, horizons, trials, func(i, t int) (first, second float64) { return of(problems[i], t) })
}

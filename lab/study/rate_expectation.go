package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/certify"
)

// rateExpectation asks how fast the gradient falls with the horizon, on average [he2025, gradient bound].
func rateExpectation() Study {
	return Study{
		Name: "rate-expectation", Title: "The rate in expectation", Theorems: []string{"Theorem 5"},
		Question: "How fast does the mean squared gradient of the settled value fall as the horizon T grows, when the step is c/√T?",
		Theory:   "The mean over the turns of E‖∇Φ̃(u_k)‖² is at most of the order T^(−1/2).",
		run: func(w *work) {
			horizons := doubling(400, w.size(8, 5))
			w.result.Design = fmt.Sprintf("The composite rule on the linear-quadratic problem lq2, four people sampled with replacement in "+
				"every turn, T = %d … %d, every horizon from scratch.", horizons[0], horizons[len(horizons)-1])
			var tracks []track
			var shown []Series
			for _, c := range steps() {
				one := track{c.name, w.gradients(c.step, horizons, w.trials(40, 20))}
				w.claim(fitPower(one.list, average, w.stream("fit", c.name)).claimed("Exponent of mean ‖∇Φ̃‖² in T, "+c.name, -0.5))
				bound := w.bounds("bound, "+c.name, one, c.step, certify.Theory.Gradient, average)
				tracks, shown = append(tracks, one), append(shown, line(one), bound)
			}
			w.draw(Chart{
				Name: "rate", Title: "Mean squared gradient over the horizon", X: "horizon T", Y: "mean squared gradient",
				LogX: true, LogY: true, Series: shown,
				Caption: "Every point is a run of its own length with a step that fits it. Dashed are the bounds of the theory, with all their terms, which have slope −1/2.",
			})
			w.tabulate("T", tracks...)
		},
	}
}

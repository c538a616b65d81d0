package study

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// rateProbability asks how unlucky a run can be [he2025, gradient bound in probability].
func rateProbability() Study {
	return Study{
		Name: "rate-probability", Title: "The rate with high probability", Theorems: []string{"Theorem 8"},
		Question: "How large is the mean squared gradient of an unlucky run: of the worst share τ of all runs, as τ becomes small and the horizon T grows?",
		Theory:   "With probability 1 − τ the mean over the turns of ‖∇Φ̃(u_k)‖² is at most of the order T^(−1/2)·(1 + ln(2/τ)).",
		run: func(w *work) {
			horizons, few, many := doubling(400, w.size(5, 4)), w.trials(200, 100), w.size(10, 4)
			w.result.Design = fmt.Sprintf("The composite rule on lq2 with step 0.5/√T, four people sampled with replacement in every turn: %d runs at each of T = %d … %d "+
				"for the rate in T, and %d runs at T = %d for the tail. The step is beyond what the theorem allows, so only the form of its bound is tested.", few, horizons[0], horizons[len(horizons)-1], few*many, horizons[0])
			step := steps()[1].step
			list, runs := w.gradients(step, horizons, few), w.gradients(step, horizons[:1], few*many)
			w.judgeUnlucky("mean ‖∇Φ̃‖²", -0.5, 1, list, tails(runs[0].values))
			w.tabulate("T", track{"runs", list})
		},
	}
}

// shares are the shares of unlucky runs to look at.
func shares() []float64 { return []float64{0.5, 0.2, 0.1, 0.05, 0.02, 0.01} }

// tails puts runs at the places ln(2/τ), where upper can find τ again.
func tails(values []float64) []sample {
	return lists.Of(shares(), func(tau float64) sample { return sample{portable.Log(2 / tau), values} })
}

// upper is the quantile that a share τ of values is above, at x = ln(2/τ).
func upper(x float64, values []float64) float64 {
	return rows.Quantile(slices.Sorted(slices.Values(values)), 1-2*portable.Exp(-x))
}

// unlucky is the quantile that one value in twenty is above.
func unlucky(_ float64, values []float64) float64 { return upper(portable.Log(2/0.05), values) }

// judgeUnlucky claims the exponents of what unlucky runs have, in T and in ln(2/τ), and draws both.
func (w *work) judgeUnlucky(what string, inT, inTau float64, list, tail []sample) {
	w.claim(fitPower(list, unlucky, w.stream("fit", "T")).claimed("Exponent in T of the "+what+" that 95 % of runs stay below", inT))
	w.claim(fitPower(tail, upper, w.stream("fit", "tau")).claimed("Exponent in ln(2/τ) of the "+what+" that a share 1 − τ stays below", inTau))
	rate, luck := Series{Name: "95 % of runs are below"}, Series{Name: "a share 1 − τ of runs is below"}
	middle := Series{Name: "half of the runs are below"}
	for _, one := range list {
		rate.X, rate.Y = append(rate.X, one.x), append(rate.Y, unlucky(one.x, one.values))
		middle.X, middle.Y = append(middle.X, one.x), append(middle.Y, upper(portable.Log(4), one.values))
	}
	for _, one := range tail {
		luck.X, luck.Y = append(luck.X, one.x), append(luck.Y, upper(one.x, one.values))
	}
	w.draw(Chart{
		Name: "horizon", Title: "Unlucky runs over the horizon", X: "horizon T", Y: what, LogX: true, LogY: true,
		Series:  []Series{rate, middle, slopeLine("slope "+phrase.Shortest(inT), rate, inT)},
		Caption: "The " + what + " that 95 % and that half of all runs stay below. The dashed line has the slope of the theory.",
	})
	w.draw(Chart{
		Name: "tail", Title: "How unlucky a run can be", X: "ln(2/τ)", Y: what, LogX: true, LogY: true,
		Series:  []Series{luck, slopeLine("slope "+phrase.Shortest(inTau), luck, inTau)},
		Caption: "The " + what + " that all but a share τ of the runs stay below. The bound grows at most with the slope of the dashed line here.",
	})
}

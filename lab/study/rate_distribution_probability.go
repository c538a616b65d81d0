package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/certify"
)

// rateDistributionProbability asks how far an unlucky run leaves the crowd from rest [he2025, distance bound in probability].
func rateDistributionProbability() Study {
	return Study{
		Name: "rate-distribution-probability", Title: "The distribution with high probability", Theorems: []string{"Theorem 9"},
		Question: "How far from settled is the crowd of an unlucky run: of the worst share τ of all runs, as τ becomes small and the horizon T grows?",
		Theory:   "With probability 1 − τ the mean over the turns of W₁ is at most of the order T^(−1/4)·√(1 + ln(1/τ)).",
		run: func(w *work) {
			horizons, few, many := doubling(400, w.size(5, 3)), w.trials(100, 40), w.size(10, 4)
			w.result.Design = fmt.Sprintf("The composite rule on lq2, four people sampled with replacement in every turn: %d runs at each of T = %d … %d for the rate in T, with the step that "+
				"the theorem allows and with 0.5/√T, and %d runs at T = %d with the second for the tail. W₁ is computed exactly after every turn.",
				few, horizons[0], horizons[len(horizons)-1], few*many, horizons[0])
			certified, step := stepped{"certified step", probableStep}, steps()[1]
			within, _ := w.overHorizons(certified.step, horizons, few, w.distance)
			list, _ := w.overHorizons(step.step, horizons, few, w.distance)
			runs, _ := w.overHorizons(step.step, horizons[:1], few*many, w.distance)
			w.judgeUnlucky("mean W₁", -0.25, 0.5, list, tails(runs[0].values))
			w.claim(fitPower(within, unlucky, w.stream("fit", "certified")).claimed("Exponent in T of the mean W₁ that 95 % of runs stay below, certified step", -0.25))
			w.bounds("bound, certified step", track{certified.name, within}, certified.step, probableDistance, unlucky)
			w.tabulate("T", track{"certified step", within}, track{"practical step", list})
		},
	}
}

// probableStep is c of the largest step c/√T that the theorems in probability allow for lq2 [he2025, step bound in probability],
// rounded down.
const probableStep = 0.0208

// probableDistance is the bound that one run in twenty may exceed.
func probableDistance(t certify.Theory, step float64) float64 { return t.DistanceProbable(step, 0.05) }

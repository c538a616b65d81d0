package study

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/steady"
)

// shift asks how far the crowd strays along a run, beside the steps that made it [he2025, coupling recursion, distribution shift,
// gradient bias].
func shift() Study {
	return Study{
		Name: "shift", Title: "How far a run moves the crowd", Theorems: []string{"Lemma 2", "Theorem 3", "Lemma 4"},
		Question: "Along a run, how far is the crowd from the one settled under the decision in force, summed over the turns, and what does that do to the gradient?",
		Theory: "W₁ ≤ V, and V contracts but for the steps of the decision (Lemma 2). ΣW₁² ≤ V₀²/(1−ρ₁) + ρ₂/(1−ρ₁)·Σ‖Δu‖² (Theorem 3; printed with V₀ in place of V₀², " +
			"which is false). The error of the gradient is at most L·W₁ (Lemma 4).",
		run: func(w *work) {
			w.result.Design = "The composite rule on lq2 and on 40 polarized people in 3 dimensions, four people sampled with replacement in every turn. W₁ of all people and " +
				"traits is computed exactly after every turn, and every inequality is tried at every turn of every run. " +
				"The steps of the second are projected, which Theorem 3 does not mind."
			var tracks []track
			for _, c := range []struct{ name, spec string }{
				{"lq2", "population: {sampling: with-replacement}\nalgorithms: [{name: composite, step: 0.1, batch: 4}]"},
				{"polarized", "population: {size: 40, dim: 3}\nalgorithms: [{name: composite, step: 0.1, batch: 4, at: settled}]"},
			} {
				tracks = append(tracks, w.shifts(c.name, fmt.Sprintf("iterations: %d\n", w.size(800, 200))+c.spec)...)
			}
			w.result.Reasons = append(w.result.Reasons, printedShift())
			w.tabulate("turns", tracks...)
		},
	}
}

// printedShift is the counter-example to Theorem 3 as printed: one state that shrinks by 0.9 under a constant decision.
func printedShift() string {
	sum, start := 0.0, 10.0
	for v := start; v > 1e-9; v *= 0.9 {
		sum += float64(v * v)
	}
	rho := (1 + 0.9*0.9) / 2
	return fmt.Sprintf("As printed, Theorem 3 is false: one state that shrinks by 0.9 a turn from V₀ = 10 under a constant decision has ΣW₁² = %.0f, V₀/(1−ρ₁) is %.0f and V₀²/(1−ρ₁) %.0f.",
		sum, start/(1-rho), start*start/(1-rho))
}

// stray is what the theory speaks of in one turn, and the two sides of Theorem 3 up to it.
type stray struct {
	v, w1, bias float64
	recursion   float64 // what Lemma 2 bounds v by
	sum, bound  float64
}

// shifts measures all runs of a problem, claims the inequalities and draws the first run.
func (w *work) shifts(name, spec string) []track {
	p := w.problem(name, spec)
	w.show(p)
	trials := w.trials(20, 5)
	c := w.certified(p, p.Alone())
	runs := make([][]stray, trials)
	w.each(trials, func(t int) { runs[t] = w.strays(p, c, t) })
	for _, claim := range []struct {
		what string
		of   func(s stray) (measured, bound float64)
	}{
		{"Theorem 3, largest ΣW₁² as a share of its bound", func(s stray) (float64, float64) { return s.sum, s.bound }},
		{"Lemma 2, largest W₁ as a share of V", func(s stray) (float64, float64) { return s.w1, s.v }},
		{"Lemma 2, largest V as a share of its recursion", func(s stray) (float64, float64) { return s.v, s.recursion }},
		{"Lemma 4, largest error of the gradient as a share of L·W₁", func(s stray) (float64, float64) { return s.bias, c.Value(certify.L) * s.w1 }},
	} {
		most := largestShare(runs, claim.of)
		w.claim(Claim{What: claim.what + ", " + name, Measured: most, Low: most, High: most, Theory: 1, Sure: true})
	}
	return w.drawStrays(name, runs)
}

// largestShare is the largest part of its bound that a measurement is in any turn of any run. What is too small to tell from rounding
// is not counted, and a share that rounding alone lifts above 1 is 1.
func largestShare(runs [][]stray, of func(s stray) (measured, bound float64)) (most float64) {
	const rounding = 1e-9
	for _, run := range runs {
		for _, s := range run {
			if measured, bound := of(s); measured > rounding {
				most = max(most, measured/bound)
			}
		}
	}
	if most > 1 && most < 1+rounding {
		return 1
	}
	return most
}

// strays follows one run. As in the paper the first crowd of the sum is the one that has not answered yet.
func (w *work) strays(p *problem.Problem, c *certify.Certificate, t int) []stray {
	lag := roomyLag(p, c.Metric)
	far := w.jointly(p, c.Metric)
	v := c.Value
	grow, lf := v(certify.Rho2)/(1-v(certify.Rho1)), v(certify.LfP)
	before := stray{v: v(certify.V0), sum: v(certify.V0) * v(certify.V0)}
	before.bound = before.sum / (1 - v(certify.Rho1))
	list, e, last := []stray(nil), make([]float64, len(p.Start)), append([]float64(nil), p.Start...)
	for turn := range w.turns(p, t) {
		if turn.k == p.Spec.Iterations {
			break
		}
		step := rows.Distance(turn.u, last)
		copy(last, turn.u)
		now := stray{v: must(lag.Measure(e, turn.u, turn.states)), w1: far(lag.Answered, lag.Settled), bias: rows.Norm(e)}
		now.recursion = lf * (before.v + float64(v(certify.LhU)*math.Sqrt(v(certify.PMax))*step))
		now.sum, now.bound = before.sum+float64(now.w1*now.w1), before.bound+float64(grow*step*step)
		list, before = append(list, now), now
	}
	return list
}

// roomyLag measures V and e, and leaves where everybody is and would settle.
func roomyLag(p *problem.Problem, metric []float64) *steady.Lag {
	lag := p.Lag()
	lag.Weight, lag.Workers = metric, 1
	states := p.Individuals() * p.Spec.Dims().State
	lag.Answered, lag.Settled = make([]float64, states), make([]float64, states)
	return lag
}

// drawStrays shows both sides of Theorem 3 along the runs, at turns that double.
func (w *work) drawStrays(name string, runs [][]stray) []track {
	sum, bound := track{name: "ΣW₁², " + name}, track{name: "bound of Theorem 3, " + name}
	for k := 1; k <= len(runs[0]); k *= 2 {
		a, b := sample{x: float64(k)}, sample{x: float64(k)}
		for _, run := range runs {
			a.values, b.values = append(a.values, run[k-1].sum), append(b.values, run[k-1].bound)
		}
		sum.list, bound.list = append(sum.list, a), append(bound.list, b)
	}
	measured, above := marks(sum), line(bound)
	measured.Name = "ΣW₁², measured"
	above.Name, above.Theory, above.Like, above.Low, above.High = "bound by the steps taken", true, measured.Name, nil, nil
	w.draw(Chart{
		Name: "sum-" + name, Title: "Theorem 3 along the run: " + name, X: "turns", Y: "sum of squared distances", LogX: true, LogY: true,
		Series:  []Series{measured, above},
		Caption: "ΣW₁² over the turns so far, below V₀²/(1−ρ₁) + ρ₂/(1−ρ₁)·Σ‖Δu‖² of the same turns. Means over runs with their 95 % intervals.",
	})
	return []track{sum, bound}
}

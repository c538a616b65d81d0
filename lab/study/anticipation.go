package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"gonum.org/v1/gonum/mat"
)

// anticipation asks what it costs to take the crowd for given.
func anticipation() Study {
	return Study{
		Name: "anticipation", Title: "The price of not looking ahead",
		Question: "What does a rule lose that takes the crowd for given, as the crowd answers decisions more strongly?",
		Theory: "Vanilla settles at the stable point −(R + SG)⁻¹SFμ, composite at the optimum −H⁻¹(S + GᵀQ)Fμ. The two differ in proportion to a weak " +
			"coupling, so that the loss Φ̃ − Φ̃★ of vanilla grows with its square.",
		run: func(w *work) {
			couplings := []float64{0.0625, 0.125, 0.25, 0.5, 1, 2}
			w.result.Design = "lq2 with its matrix B multiplied by the coupling, four people sampled with replacement in every turn, step 0.05. The decision is " +
				"the mean over the later half of a run, judged by the settled crowd; for the numbers below two parts of a run are multiplied, so that noise cancels."
			composite, _, _ := w.prices("composite", couplings)
			vanilla, clean, exact := w.prices("vanilla", couplings)
			w.judgePrices(clean, exact)
			w.drawPrices(exact, track{"composite", composite}, track{"vanilla", vanilla})
		},
	}
}

// coupled is lq2 with a crowd that answers as many times as strongly.
func (w *work) coupled(rule string, coupling float64) *problem.Problem {
	return w.problem("lq2", fmt.Sprintf(`
iterations: %d
population: {sampling: with-replacement}
dynamics: {b: [[%v, 0], [%v, %v]]}
algorithms: [{name: %s, step: 0.05, batch: 4}]`, w.size(20_000, 4000), coupling/2, coupling/4, coupling/2, rule))
}

// prices measures Φ̃ − Φ̃★ of where both rules settle, and what vanilla must lose by the theory. The second list of a rule is free
// of what noise adds.
func (w *work) prices(rule string, couplings []float64) (shown, clean []sample, exact []float64) {
	var losses []loss
	var problems []*problem.Problem
	for _, c := range couplings {
		p := w.coupled(rule, c)
		l := lossOf(p)
		problems, losses, exact = append(problems, p), append(losses, l), append(exact, l.between(l.stable, l.stable))
	}
	w.show(problems[0])
	shown, clean = measureBoth(w, couplings, w.trials(40, 20), func(i, t int) (shown, clean float64) {
		u, v := w.settledDecisions(problems[i], t)
		return losses[i].between(v, v), losses[i].between(u, v)
	})
	return shown, clean, exact
}

// settledDecisions are the mean decisions over two later parts of a run, so far apart that their noise is independent.
func (w *work) settledDecisions(p *problem.Problem, t int) (first, second []float64) {
	const apart = 200
	quarter := p.Spec.Iterations / 4
	first, second = make([]float64, len(p.Start)), make([]float64, len(p.Start))
	for turn := range w.turns(p, t) {
		switch k := turn.k; {
		case k > 2*quarter+apart:
			rows.AddScaled(second, 1/float64(p.Spec.Iterations-2*quarter-apart), turn.u)
		case k > quarter && k <= 2*quarter:
			rows.AddScaled(first, 1/float64(quarter), turn.u)
		}
	}
	return first, second
}

// loss is Φ̃ − Φ̃★ of a linear problem.
type loss struct {
	hessian      *mat.Dense
	best, stable []float64
}

func lossOf(p *problem.Problem) loss {
	m := linearOf(p)
	traits, _ := traitsOf(p)
	return loss{m.hessian(true), m.rest(true, traits), m.rest(false, traits)}
}

// between is ½(u − u★)ᵀH(v − u★): for u = v the loss. For u and v with independent noise it is on average the loss of their mean
// without noise.
func (l loss) between(u, v []float64) float64 {
	best := mat.NewVecDense(len(u), l.best)
	var a, b mat.VecDense
	a.SubVec(mat.NewVecDense(len(u), u), best)
	b.SubVec(mat.NewVecDense(len(v), v), best)
	return mat.Inner(&a, l.hessian, &b) / 2
}

// judgePrices compares what vanilla loses with what the stable point does.
func (w *work) judgePrices(vanilla []sample, exact []float64) {
	at := map[float64]float64{}
	for i, one := range vanilla {
		at[one.x] = exact[i]
	}
	weak := vanilla[:4]
	theory := fitted(weak, func(c float64) float64 { return at[c] })
	w.claim(fitPower(weak, average, w.stream("fit")).claimed("Exponent of vanilla's loss in the coupling, up to ½ (2 as it vanishes)", theory).exactly())
	w.claim(meanClaimed("Vanilla's loss as a multiple of the stable point's", multiples(vanilla, exact), 1).exactly())
}

func (w *work) drawPrices(exact []float64, tracks ...track) {
	composite, vanilla := marks(tracks[0]), marks(tracks[1])
	w.draw(Chart{
		Name: "price", Title: "What vanilla loses", X: "coupling (1 is lq2)", Y: "loss against the optimum", LogX: true, LogY: true,
		Series: []Series{vanilla, {Name: "stable point", X: vanilla.X, Y: exact, Theory: true, Like: "vanilla"}, composite},
		Caption: "The settled value lost by where either rule comes to rest. What composite loses is what is left of the noise; vanilla loses what the stable point does, " +
			"however long it runs.",
	})
	w.tabulate("coupling", tracks...)
}

package study

import (
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
)

// timescale asks how large a step may be before the loop loses stability, as the crowd answers ever more slowly.
func timescale() Study {
	return Study{
		Name: "timescale", Title: "Steps against the time scale of the crowd",
		Question: "How large may the step η be before the loop of rule and crowd loses stability, and how does that depend on how slowly the crowd answers?",
		Theory: "For affine dynamics and a quadratic loss the loop is linear: it is stable as long as the spectral radius of its matrix M(η) is below 1. " +
			"For lq2 the critical steps are 0.436181137 (composite) and 0.860453416 (vanilla).",
		run: func(w *work) {
			w.result.Design = "lq2 slowed down, p⁺ = (1−s)p + s(Ap + Bu + Ed), which leaves every settled state where it is and " +
				"changes the contraction of the crowd to 1 − s/2. Everybody is sampled, so nothing is random. The critical step is found by " +
				"halving, by whether ‖u⁺ − u‖ shrinks or grows in the end. Steps under which it changes by less than a factor e over the " +
				"whole run count as neither and make the interval."
			w.result.Trials = 1
			edges := w.edges()
			w.judgeEdges(edges)
			w.drawEdges(edges)
			w.drawRates()
		},
	}
}

// rules are the two rules that are compared, by name.
func rules() []string { return []string{"composite", "vanilla"} }

// largestStep is beyond every critical step here.
const largestStep = 3.0

// edge is where the loop of a rule loses stability.
type edge struct {
	rule      string
	memory    float64 // by how much the crowd contracts in a step
	low, high float64 // the measured critical step lies between
	exact     float64
	certified float64 // the largest step of the tight bound, of composite
}

// memories are the contractions to look at; lq2's own, ½, is among them.
func (w *work) memories() []float64 {
	if w.Quick {
		return []float64{0.2, 0.5, 0.8}
	}
	return []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}
}

// slowed is lq2 with another contraction, one rule and one step.
func (w *work) slowed(rule string, memory, step float64) *problem.Problem {
	s := 2 * (1 - memory)
	return w.problem("lq2", fmt.Sprintf(`
iterations: %d
dynamics: {a: [[%v, %v], [0, %v]], b: [[%v, 0], [%v, %v]], e: [[%v, 0], [0, %v]]}
algorithms: [{name: %s, step: %v, batch: 4}]`,
		w.size(10_000, 3000), memory, s/4, memory, s/2, s/4, s/2, s/2, s/2, rule, step))
}

// edges finds the critical steps of both rules at every contraction.
func (w *work) edges() (list []edge) {
	for _, rule := range rules() {
		for _, memory := range w.memories() {
			list = append(list, edge{rule: rule, memory: memory})
		}
	}
	w.each(len(list), func(i int) { w.find(&list[i]) })
	return list
}

func (w *work) find(e *edge) {
	p := w.slowed(e.rule, e.memory, 1)
	e.exact, e.certified = linearOf(p).critical(e.rule == "composite", largestStep), w.theory(p).LargestStep()
	grows := func(sign float64) func(float64) bool {
		return func(step float64) bool {
			rate, turns := w.rate(e.rule, e.memory, step)
			return rate > sign/turns
		}
	}
	e.low, _ = bisect(0, largestStep, w.size(16, 12), grows(-1))
	_, e.high = bisect(0, largestStep, w.size(16, 12), grows(1))
}

// rate is the mean growth of log ‖u⁺ − u‖ in a turn over the later half of a run. A run that has shrunk to rounding, or left
// what numbers can hold, ends there.
func (w *work) rate(rule string, memory, step float64) (rate, turns float64) {
	const rounding, vast = -30, 200 // logarithms of 1e-13 and 1e87
	p := w.slowed(rule, memory, step)
	last := make([]float64, len(p.Start))
	var moves [][2]float64
	for turn := range w.turns(p, 0) {
		move := portable.Log(rows.Distance(turn.u, last))
		copy(last, turn.u)
		if turn.k > 2 && (move < rounding || move > vast) {
			break
		}
		if turn.k > 0 {
			moves = append(moves, [2]float64{float64(turn.k), move})
		}
	}
	rate, _ = leastSquares(moves[len(moves)/2:])
	return rate, float64(p.Spec.Iterations)
}

// judgeEdges compares measured with exact critical steps.
func (w *work) judgeEdges(edges []edge) {
	held, share := 0, 0.0
	for _, e := range edges {
		if e.low <= e.exact && e.exact <= e.high {
			held++
		}
		if e.rule == "composite" {
			share = max(share, e.certified/e.exact)
		}
		if e.memory == 0.5 {
			w.claim(Claim{What: "Critical step of " + e.rule + " on lq2", Measured: (e.low + e.high) / 2, Low: e.low, High: e.high, Sure: true, Theory: e.exact, Exact: true})
		}
	}
	n := float64(len(edges))
	w.claim(Claim{What: "Largest certified step of composite as a share of the critical one", Measured: share, Low: share, High: share, Theory: 1, Sure: true})
	w.claim(Claim{What: "Loops whose measured interval holds the exact critical step", Measured: float64(held), Low: float64(held), High: float64(held), Theory: n, Exact: true})
}

// drawEdges shows the critical steps over the contraction and keeps them in the table.
func (w *work) drawEdges(edges []edge) {
	c := Chart{
		Name: "critical", Title: "Where the loop loses stability", X: "contraction of the crowd (0 answers at once, 1 never)", Y: "critical step η", LogY: true,
		Caption: "Above a line the loop of rule and crowd diverges. Points are simulated, dashed lines are where the spectral radius of the loop's matrix is 1. The grey line is the largest step that the theory certifies.",
	}
	certified := Series{Name: "certified, composite", Theory: true}
	for _, rule := range rules() {
		s, exact := Series{Name: rule, Points: true}, Series{Name: rule + ", exact", Theory: true, Like: rule}
		for _, e := range edges {
			if e.rule != rule {
				continue
			}
			s.X, s.Y = append(s.X, e.memory), append(s.Y, (e.low+e.high)/2)
			exact.Y = append(exact.Y, e.exact)
			if rule == "composite" {
				certified.X, certified.Y = append(certified.X, e.memory), append(certified.Y, e.certified)
			}
		}
		exact.X = s.X
		c.Series = append(c.Series, s, exact)
	}
	c.Series = append(c.Series, certified)
	w.draw(c)
	t := folder.TableOf[edge]{Rows: edges}
	t.Text("rule", func(e edge) string { return e.rule })
	t.Number("contraction", func(e edge) float64 { return e.memory })
	t.Number("critical_low", func(e edge) float64 { return e.low })
	t.Number("critical_high", func(e edge) float64 { return e.high })
	t.Number("critical_exact", func(e edge) float64 { return e.exact })
	t.Number("certified", func(e edge) float64 { return e.certified })
	w.result.Table = t.Table
}

// drawRates shows by which factor errors shrink or grow in a turn on lq2, over the step.
func (w *work) drawRates() {
	c := Chart{
		Name: "rates", Title: "How fast errors shrink, and from where they grow", X: "step η", Y: "factor by which errors change in a turn",
		Caption: "On lq2, whose crowd contracts by one half. The loop is fastest where a curve is lowest and diverges where it is above 1. Points are simulated, dashed lines are spectral radii.",
	}
	for i, rule := range rules() {
		most := []float64{0.5, 1}[i]
		s, exact := Series{Name: rule, Points: true, X: make([]float64, 12), Y: make([]float64, 12)}, Series{Name: rule + ", exact", Theory: true, Like: rule}
		p := w.slowed(rule, 0.5, 1)
		w.show(p)
		m := linearOf(p)
		for j := 1; j <= 100; j++ {
			eta := most * float64(j) / 100
			exact.X, exact.Y = append(exact.X, eta), append(exact.Y, m.rate(rule == "composite", eta))
		}
		w.each(len(s.X), func(j int) {
			s.X[j] = most * float64(j+1) / float64(len(s.X))
			rate, _ := w.rate(rule, 0.5, s.X[j])
			s.Y[j] = portable.Exp(rate)
		})
		c.Series = append(c.Series, s, exact)
	}
	w.draw(c)
}

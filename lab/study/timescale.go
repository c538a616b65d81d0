package study

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/columns"
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
		run: func(w *work) error {
			w.result.Design = "lq2 slowed down, p⁺ = (1−s)p + s(Ap + Bu + Ed), which leaves every settled state where it is and " +
				"changes the contraction of the crowd to 1 − s/2. Everybody is sampled, so nothing is random. The critical step is found by " +
				"halving, by whether ‖u⁺ − u‖ shrinks or grows in the end. Steps under which it changes by less than a factor e over the " +
				"whole run count as neither and make the interval."
			w.result.Trials = 1
			edges, err := w.edges()
			if err != nil {
				return err
			}
			w.judgeEdges(edges)
			w.drawEdges(edges)
			return w.drawRates()
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

func (e edge) holds() bool { return e.low <= e.exact && e.exact <= e.high }

// memories are the contractions to look at; lq2's own, ½, is among them.
func (w *work) memories() []float64 {
	if w.Quick {
		return []float64{0.2, 0.5, 0.8}
	}
	return []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}
}

// slowed is lq2 with another contraction, one rule and one step.
func (w *work) slowed(rule string, memory, step float64) (*problem.Problem, error) {
	s := 2 * (1 - memory)
	return w.problem("lq2", fmt.Sprintf(`
iterations: %d
dynamics: {a: [[%v, %v], [0, %v]], b: [[%v, 0], [%v, %v]], e: [[%v, 0], [0, %v]]}
algorithms: [{name: %s, step: %v, batch: 4}]`,
		w.size(10_000, 3000), memory, s/4, memory, s/2, s/4, s/2, s/2, s/2, rule, step))
}

// edges finds the critical steps of both rules at every contraction.
func (w *work) edges() ([]edge, error) {
	var list []edge
	for _, rule := range rules() {
		for _, memory := range w.memories() {
			list = append(list, edge{rule: rule, memory: memory})
		}
	}
	return list, w.each(len(list), func(i int) error { return w.find(&list[i]) })
}

func (w *work) find(e *edge) error {
	p, err := w.slowed(e.rule, e.memory, 1)
	if err != nil {
		return err
	}
	m, err := linearOf(p)
	if err != nil {
		return err
	}
	t, err := theoryOf(w.ctx, p)
	if err != nil {
		return err
	}
	e.exact, e.certified = m.critical(e.rule == "composite", largestStep), t.LargestStep()
	var failed error
	grows := func(sign float64) func(float64) bool {
		return func(step float64) bool {
			rate, turns, err := w.rate(e.rule, e.memory, step)
			failed = errors.Join(failed, err)
			return failed != nil || rate > sign/turns
		}
	}
	e.low, _ = bisect(0, largestStep, w.size(16, 12), grows(-1))
	_, e.high = bisect(0, largestStep, w.size(16, 12), grows(1))
	return failed
}

// errEnough ends a run that has shown what it had to.
var errEnough = errors.New("enough was seen")

// rate is the mean growth of log ‖u⁺ − u‖ in a turn over the later half of a run. A run that has shrunk to rounding, or left
// what numbers can hold, ends there.
func (w *work) rate(rule string, memory, step float64) (rate, turns float64, err error) {
	const rounding, vast = -30, 200 // logarithms of 1e-13 and 1e87
	p, err := w.slowed(rule, memory, step)
	if err != nil {
		return 0, 0, err
	}
	last := make([]float64, len(p.Start))
	var moves [][2]float64
	err = w.follow(p, 0, func(k int, u, _ []float64) error {
		move := math.Log(rows.Distance(u, last))
		copy(last, u)
		if k > 2 && (move < rounding || move > vast) {
			return errEnough
		}
		if k > 0 {
			moves = append(moves, [2]float64{float64(k), move})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, 0, err
	}
	rate, _ = leastSquares(moves[len(moves)/2:])
	return rate, float64(p.Spec.Iterations), nil
}

// judgeEdges compares measured with exact critical steps.
func (w *work) judgeEdges(edges []edge) {
	held, share := 0, 0.0
	for _, e := range edges {
		if e.holds() {
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
	t := make([]columns.Column, 6)
	for i, name := range []string{"rule", "contraction", "critical_low", "critical_high", "critical_exact", "certified"} {
		t[i].Name = name
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
			t[0].Text = append(t[0].Text, rule)
			for i, v := range []float64{e.memory, e.low, e.high, e.exact, e.certified} {
				t[i+1].Numbers = append(t[i+1].Numbers, v)
			}
		}
		exact.X = s.X
		c.Series = append(c.Series, s, exact)
	}
	c.Series = append(c.Series, certified)
	w.draw(c)
	w.result.Table = columns.Table{Columns: t}
}

// drawRates shows by which factor errors shrink or grow in a turn on lq2, over the step.
func (w *work) drawRates() error {
	c := Chart{
		Name: "rates", Title: "How fast errors shrink, and from where they grow", X: "step η", Y: "factor by which errors change in a turn",
		Caption: "On lq2, whose crowd contracts by one half. The loop is fastest where a curve is lowest and diverges where it is above 1. Points are simulated, dashed lines are spectral radii.",
	}
	for i, rule := range rules() {
		most := []float64{0.5, 1}[i]
		s, exact := Series{Name: rule, Points: true, X: make([]float64, 12), Y: make([]float64, 12)}, Series{Name: rule + ", exact", Theory: true, Like: rule}
		p, err := w.slowed(rule, 0.5, 1)
		if err != nil {
			return err
		}
		w.show(p)
		m, err := linearOf(p)
		if err != nil {
			return err
		}
		for j := 1; j <= 100; j++ {
			eta := most * float64(j) / 100
			exact.X, exact.Y = append(exact.X, eta), append(exact.Y, m.rate(rule == "composite", eta))
		}
		err = w.each(len(s.X), func(j int) error {
			s.X[j] = most * float64(j+1) / float64(len(s.X))
			rate, _, err := w.rate(rule, 0.5, s.X[j])
			s.Y[j] = math.Exp(rate)
			return err
		})
		if err != nil {
			return err
		}
		c.Series = append(c.Series, s, exact)
	}
	w.draw(c)
	return nil
}

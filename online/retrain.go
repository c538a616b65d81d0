package online

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Retrain is repeated risk minimization [perdomo2020]: with the step size 1 the next decision is the best one for the sampled
// population as it stands, u⁺ = argmin over the set of mean Φ(p, ·). A smaller step goes only part of the way there, which
// tames a population that answers too strongly.
//
// It settles at the stable point if the population answers less than the loss curves, εβ < γ; otherwise it may swing between
// decisions or diverge. Held until the population has settled it is delayed retraining [brown2022].
type Retrain struct {
	objective kedge.RowObjective
	dims      kedge.Dims
	minimizer
}

// NewRetrain returns the estimator for a loss over a set, the set of the rule.
func NewRetrain(objective kedge.RowObjective, dims kedge.Dims, set kedge.Set) *Retrain {
	return &Retrain{
		objective: objective, dims: dims,
		minimizer: newMinimizer(dims.Decision, set, "the decision that is best for the sample", 1e-12),
	}
}

// Estimate writes u − argmin mean Φ(p, ·). A minimum that is not found is a *kedge.NotConvergedError.
func (e *Retrain) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(e.dims)
	if err != nil {
		return err
	}
	scale := 1 / o.Total(n)
	return e.step(g, func(g, u []float64) float64 {
		o.U = u
		sum := judge(e.objective, nil, g, o)
		rows.Scale(g, scale)
		return sum * scale
	})
}

// risk is a function of the decision: it returns the value at u and writes the gradient to g.
type risk func(g, u []float64) float64

const (
	memory     = 10   // values that the next must not exceed all
	sufficient = 1e-4 // of the decrease that the slope promises
	longStep   = 1e10 // where the curvature is not positive
	farthest   = 1e6  // beyond it x is running away, and no slope is small beside it
	mostSteps  = 10_000
)

// minimizer finds minima of smooth risks over a set by the spectral projected gradient method [birgin2000]. It keeps its
// memory from one search to the next.
type minimizer struct {
	set  kedge.Set
	what string
	tol  float64 // largest entry of Π(x − ∇) − x, relative to ‖x‖∞ between 1 and farthest

	from                    []float64 // where searches begin
	x, g, move, next, gnext []float64
	past                    [memory]float64
}

func newMinimizer(n int, set kedge.Set, what string, tol float64) minimizer {
	v := func() []float64 { return make([]float64, n) }
	return minimizer{set: set, what: what, tol: tol, from: v(), x: v(), g: v(), move: v(), next: v(), gnext: v()}
}

// Follow begins the next search at the iterate.
func (m *minimizer) Follow(u []float64) { copy(m.from, u) }

// step writes how far the iterate is from a minimum: the step that a rule of step size 1 takes to it.
func (m *minimizer) step(g []float64, f risk) error {
	copy(m.x, m.from)
	if err := m.run(f, m.x); err != nil {
		return err
	}
	copy(g, m.from)
	rows.AddScaled(g, -1, m.x)
	return nil
}

// run moves x to a minimum. On an error x is undefined.
func (m *minimizer) run(f risk, x []float64) error {
	value := f(m.g, x)
	for i := range m.past {
		m.past[i] = value
	}
	length, left := 1.0, math.Inf(1)
	for k := range mostSteps {
		var err error
		if left, err = m.residual(x); err != nil || left <= m.tol {
			return err
		}
		if err := m.aim(x, length); err != nil {
			return err
		}
		value = m.search(f, x)
		m.past[(k+1)%memory] = value
		length = m.advance(x)
	}
	return &kedge.NotConvergedError{What: m.what, Residual: left, Tolerance: m.tol, Steps: mostSteps}
}

// residual returns how far x is from Π(x − ∇).
func (m *minimizer) residual(x []float64) (float64, error) {
	err := m.aim(x, 1)
	return rows.MaxAbs(m.move) / min(max(1, rows.MaxAbs(x)), farthest), err
}

// aim writes Π(x − length·∇) − x to move.
func (m *minimizer) aim(x []float64, length float64) error {
	copy(m.move, x)
	rows.AddScaled(m.move, -length, m.g)
	if err := m.set.Project(m.move); err != nil {
		return err
	}
	rows.AddScaled(m.move, -1, x)
	return nil
}

// search writes the first of x + move, x + move/2, … that is low enough to next and returns the value there. What rounding
// hides counts as low enough.
func (m *minimizer) search(f risk, x []float64) float64 {
	slope, worst := rows.Dot(m.g, m.move), m.past[0]
	for _, v := range m.past {
		worst = math.Max(worst, v)
	}
	part := 1.0
	var value float64
	for range 60 {
		copy(m.next, x)
		rows.AddScaled(m.next, part, m.move)
		value = f(m.gnext, m.next)
		if value <= worst+float64(sufficient*part*slope)+float64(1e-14*math.Abs(worst)) {
			break
		}
		part /= 2
	}
	return value
}

// advance moves x to next and returns the length of the step to try then, sᵀs/sᵀy [birgin2000].
func (m *minimizer) advance(x []float64) float64 {
	ss, sy := 0.0, 0.0
	for i := range x {
		s := m.next[i] - x[i]
		ss += float64(s * s)
		sy += float64(s * (m.gnext[i] - m.g[i]))
	}
	copy(x, m.next)
	m.g, m.gnext = m.gnext, m.g
	if !(sy > 0) {
		return longStep
	}
	return min(max(ss/sy, 1/longStep), longStep)
}

package optimum

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Constrained is a decision that is best among those that keep constraints, with the evidence: its Residual is the largest of
// what the Karush–Kuhn–Tucker conditions leave, ‖Π(u − ∇f − Σ λⱼ∇cⱼ) − u‖, the excess cⱼ and |λⱼcⱼ|.
type Constrained struct {
	Point
	Multipliers []float64 // λ
	Excess      []float64 // c(u), at most 0 where a constraint is kept
}

// Constrain minimizes f over the decisions of the set with all constraints c ≤ 0, from one start, by augmented Lagrangians
// [hestenes1969, powell1969], each minimized by spectral projected gradients. Where the tolerance is not reached the error is a
// *kedge.NotConvergedError; it says so when no decision was found that keeps the constraints.
func Constrain(ctx context.Context, f Function, constraints []Function, set kedge.Set, start []float64, o Effort) (*Constrained, error) {
	o = o.filled()
	a := newAugmented(f, constraints, len(start))
	u, steps := start, 0
	for range outerRounds {
		w, err := a.minimize(ctx, set, u, o)
		if err != nil {
			return nil, err
		}
		u, steps = w.u, steps+w.steps
		found, err := a.judge(set, u)
		if err != nil {
			return nil, err
		}
		found.Steps = steps
		if found.Residual <= o.Tolerance {
			return found, nil
		}
		a.update()
	}
	return nil, a.failure(o, steps)
}

// FindConstrained is Constrain from every start. It returns the best point, with how far starts disagree.
func FindConstrained(ctx context.Context, f Function, constraints []Function, set kedge.Set, starts [][]float64, o Effort) (*Constrained, *Search, error) {
	if len(starts) == 0 {
		return nil, nil, errors.New("optimum: there is no start")
	}
	var best *Constrained
	s, worst := &Search{}, math.Inf(-1)
	for i, start := range starts {
		c, err := Constrain(ctx, f, constraints, set, start, o)
		if err != nil {
			return nil, nil, fmt.Errorf("constrained optimum from start %d: %w", i, err)
		}
		s.Found = append(s.Found, c.Point)
		s.Residue, worst = max(s.Residue, c.Residual), max(worst, c.Loss)
		if best == nil || c.Loss < best.Loss {
			best = c
		}
	}
	s.Point = best.Point
	s.Spread = (worst - best.Loss) / max(1, math.Abs(best.Loss))
	return best, s, nil
}

const (
	outerRounds  = 60
	firstPenalty = 10
	mostPenalty  = 1e8
)

// augmented is f + Σ (max(0, λⱼ + ρcⱼ)² − λⱼ²)/2ρ.
type augmented struct {
	f           Function
	constraints []Function
	penalty     float64 // ρ
	multipliers []float64
	excess      []float64
	worst       float64 // the largest excess of the round before
	g           []float64
	residual    float64
}

func newAugmented(f Function, constraints []Function, n int) *augmented {
	j := len(constraints)
	return &augmented{
		f: f, constraints: constraints, penalty: firstPenalty, worst: math.Inf(1),
		multipliers: make([]float64, j), excess: make([]float64, j), g: make([]float64, n),
	}
}

// Gradient implements Function.
func (a *augmented) Gradient(g, u []float64) (float64, error) {
	loss, err := a.f.Gradient(g, u)
	if err != nil {
		return 0, err
	}
	for j, c := range a.constraints {
		if a.excess[j], err = c.Gradient(a.g, u); err != nil {
			return 0, err
		}
		was := a.multipliers[j]
		pressed := max(0, was+float64(a.penalty*a.excess[j]))
		rows.AddScaled(g, pressed, a.g)
		loss += (float64(pressed*pressed) - float64(was*was)) / (2 * a.penalty)
	}
	return loss, nil
}

// minimize goes as far downhill as it can; a walk that stops early is no failure, because the next round goes on from there.
func (a *augmented) minimize(ctx context.Context, set kedge.Set, start []float64, o Effort) (*walk, error) {
	w := newWalk(a, set, o, start)
	if err := w.begin(); err != nil {
		return nil, err
	}
	for w.residual > w.Tolerance/4 && w.steps < w.MaxSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.advance(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// judge works out how well u and the multipliers that it speaks for meet the conditions.
func (a *augmented) judge(set kedge.Set, u []float64) (*Constrained, error) {
	g, moved := make([]float64, len(u)), append([]float64(nil), u...)
	c := &Constrained{Multipliers: make([]float64, len(a.constraints)), Excess: make([]float64, len(a.constraints))}
	loss, err := a.f.Gradient(g, u)
	if err != nil {
		return nil, err
	}
	for j, one := range a.constraints {
		if a.excess[j], err = one.Gradient(a.g, u); err != nil {
			return nil, err
		}
		c.Excess[j], c.Multipliers[j] = a.excess[j], max(0, a.multipliers[j]+float64(a.penalty*a.excess[j]))
		rows.AddScaled(g, c.Multipliers[j], a.g)
		c.Residual = max(c.Residual, c.Excess[j], math.Abs(c.Multipliers[j]*c.Excess[j]))
	}
	rows.AddScaled(moved, -1, g)
	if err := set.Project(moved); err != nil {
		return nil, fmt.Errorf("project a step: %w", err)
	}
	a.residual = max(c.Residual, rows.Distance(moved, u))
	c.Point = Point{Decision: append([]float64(nil), u...), Loss: loss, Residual: a.residual}
	return c, nil
}

// update moves the multipliers, and presses harder where the excess did not fall.
func (a *augmented) update() {
	worst := 0.0
	for j, e := range a.excess {
		a.multipliers[j] = max(0, a.multipliers[j]+float64(a.penalty*e))
		worst = max(worst, e)
	}
	if worst > a.worst/4 {
		a.penalty = min(mostPenalty, a.penalty*10)
	}
	a.worst = worst
}

// failure says what is missing.
func (a *augmented) failure(o Effort, steps int) error {
	what := "constrained optimum"
	if a.worst > math.Sqrt(o.Tolerance) {
		what, a.residual = "a decision that keeps the constraints", a.worst
	}
	return &kedge.NotConvergedError{What: what, Residual: a.residual, Tolerance: o.Tolerance, Steps: steps}
}

package optimum

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/steady"
)

// SamplingErrors are how much an optimum owes to who happened to be in the crowd: were people drawn anew from the many that they stand for, it
// would move by about this much.
type SamplingErrors struct {
	Decision []float64 // standard errors of the entries; none where the set has gaps
	Loss     float64   // of the optimal loss
	People   float64   // as many as count alike give errors as large
}

const (
	mostSampled     = 4096 // people who are looked at; the errors of errors are about 1 % then
	mostMoved       = 64   // entries of a decision whose errors are worked out
	perturbation    = 1e-5 // of decisions, as a part of their scale
	mostFold        = 1e-3 // by how much slopes of a projection to both sides may differ
	leastPivotShare = 1e-9
)

// SamplingOf works out the sampling errors of the optimum u of a model over a set, from how people differ in their gradients there and
// how the optimum answers a gradient: what solves u = Π(u − ∇Φ̃(u)) moves by −(I − J + JH)⁻¹Jδ when δ is added to ∇Φ̃, with the Hessian H
// of Φ̃ and the derivative J of the projection, wherever both exist. It is the sandwich formula of M-estimation [huber1967], along the set.
// The error says why there is none. Of a set with gaps it is the error of the loss alone: the decision either stays or jumps.
func SamplingOf(ctx context.Context, m kedge.Model, set kedge.Set, u []float64) (*SamplingErrors, error) {
	switch n, _ := m.Traits.Size(); {
	case m.Social:
		return nil, errors.New("people see each other, so that nobody counts alone")
	case m.Sensitivity == nil:
		return nil, errors.New("no gradient is known")
	case n < 2:
		return nil, errors.New("there is one individual only")
	case len(u) > mostMoved:
		return nil, errors.New("the decision has too many entries")
	}
	whole, err := steady.New(m)
	if err != nil {
		return nil, err
	}
	g := make([]float64, len(u))
	if _, err := whole.Gradient(g, u); err != nil {
		return nil, err
	}
	part, err := thinned(m)
	if err != nil {
		return nil, err
	}
	f, err := steady.New(part)
	if err != nil {
		return nil, err
	}
	spread, err := scatterOf(ctx, part, u)
	if err != nil {
		return nil, err
	}
	n, _ := m.Traits.Size()
	people := kedge.EffectiveSize(m.Weights, n)
	out := &SamplingErrors{People: people, Loss: math.Sqrt(spread[0] / people)}
	if hasGaps(set) {
		return out, nil
	}
	answer, err := answerOf(ctx, f, set, u, g)
	if err != nil {
		return nil, err
	}
	k := len(u)
	for i := range k {
		row, variance := kedge.Row(answer, i, k), 0.0
		for a, left := range row {
			for b, right := range row {
				variance += float64(float64(left*right) * spread[(1+a)*(1+k)+1+b])
			}
		}
		out.Decision = append(out.Decision, math.Sqrt(max(0, variance)/people))
	}
	return out, nil
}

// thinned is the model with so many people at equal distances that their differences are known well.
func thinned(m kedge.Model) (kedge.Model, error) {
	n, _ := m.Traits.Size()
	state := m.Dims().State
	most := max(256, min(mostSampled, 1<<24/(1+state*state)))
	if n <= most {
		return m, nil
	}
	some := kedge.Some(n, most)
	m.Traits = kedge.Pick(m.Traits, some)
	if m.States != nil {
		m.States = kedge.Pick(m.States, some)
	}
	if m.Weights == nil {
		return m, nil
	}
	var err error
	m.Weights, err = kedge.ScaleWeights(lists.Of(some, func(i int) float64 { return m.Weights[i] }), most)
	return m, err
}

// scatterOf is the covariance of loss and gradient over people at a decision, a matrix with one more row than it has entries.
func scatterOf(ctx context.Context, m kedge.Model, u []float64) ([]float64, error) {
	n, _ := m.Traits.Size()
	k, weights := 1+len(u), m.Weights
	if weights == nil {
		weights = slices.Repeat([]float64{1}, n)
	}
	all, mean, total := make([]float64, n*k), make([]float64, k), 0.0
	one := m
	one.Weights = nil
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one.Traits = kedge.Pick(m.Traits, []int{i})
		if m.States != nil {
			one.States = kedge.Pick(m.States, []int{i})
		}
		f, err := steady.New(one)
		if err != nil {
			return nil, err
		}
		row := kedge.Row(all, i, k)
		if row[0], err = f.Gradient(row[1:], u); err != nil {
			return nil, err
		}
		rows.AddScaled(mean, weights[i], row)
		total += weights[i]
	}
	rows.Scale(mean, 1/total)
	spread, squares := make([]float64, k*k), 0.0
	for i := range n {
		row, weight := kedge.Row(all, i, k), weights[i]
		rows.AddScaled(row, -1, mean)
		for a, v := range row {
			rows.AddScaled(kedge.Row(spread, a, k), float64(float64(weight*weight)*v), row)
		}
		squares += float64(weight * weight)
	}
	people := kedge.EffectiveSize(m.Weights, n)
	rows.Scale(spread, people/(people-1)/squares)
	return spread, kedge.CheckFinite("the covariance of gradients", spread)
}

// answerOf is how the optimum u answers what is added to its gradient g, a square matrix.
func answerOf(ctx context.Context, f *steady.Objective, set kedge.Set, u, g []float64) ([]float64, error) {
	k := len(u)
	step := perturbation * max(1, rows.MaxAbs(u))
	bent := make([]float64, k*k) // column j of H in row j; H is symmetric
	for j := range k {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := kedge.Row(bent, j, k)
		row[j] = 1
		if err := steady.Bend(f.Gradient, row, u, step); err != nil {
			return nil, err
		}
	}
	largest := rows.MaxAbs(bent)
	if largest == 0 {
		return nil, errors.New("the loss does not bend at the optimum")
	}
	// In units in which H is about 1, J is taken where a step of the right length leads.
	rows.Scale(bent, 1/largest)
	at := append([]float64(nil), u...)
	rows.AddScaled(at, -1/largest, g)
	slope, err := slopeOf(set, at, step)
	if err != nil {
		return nil, err
	}
	left := make([]float64, k*k) // I − J + JH
	for i := range k {
		row := kedge.Row(left, i, k)
		row[i] = 1
		rows.AddScaled(row, -1, kedge.Row(slope, i, k))
		for j := range k {
			rows.AddScaled(row, slope[i*k+j], kedge.Row(bent, j, k))
		}
	}
	if least := dense.Eliminate(left, slope, k, dense.Last); !(least > leastPivotShare) {
		return nil, errors.New("the loss is flat along some direction at the optimum")
	}
	rows.Scale(slope, 1/largest)
	return slope, nil
}

// slopeOf is the derivative of the projection onto a set at a point, wherever it has one.
func slopeOf(set kedge.Set, at []float64, step float64) ([]float64, error) {
	k := len(at)
	slope := make([]float64, k*k)
	sides := [3][]float64{make([]float64, k), make([]float64, k), make([]float64, k)}
	for j := range k {
		for i, by := range [3]float64{-step, 0, step} {
			copy(sides[i], at)
			sides[i][j] += by
			if set == nil {
				continue
			}
			if err := set.Project(sides[i]); err != nil {
				return nil, err
			}
		}
		for i := range k {
			back, ahead := (sides[1][i]-sides[0][i])/step, (sides[2][i]-sides[1][i])/step
			if math.Abs(ahead-back) > mostFold {
				return nil, errors.New("the optimum lies where the set has an edge that decides nothing")
			}
			slope[i*k+j] = (ahead + back) / 2
		}
	}
	return slope, nil
}

package transport

import (
	"context"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// sinkhorn is the state of Sinkhorn's method. The plan's rows always sum to a: row i is aᵢ times the softmax of
// (gⱼ − cᵢⱼ)/ε + log bⱼ, and f need not be known.
type sinkhorn struct {
	costs, a, b, logB []float64
	g                 []float64
	epsilon           float64
	offset            []float64 // g + ε log b
	row, reduced      []float64 // of the plan, and of c − offset
	columns           []float64 // sums of the plan
}

func newSinkhorn(costs, a, b []float64) *sinkhorn {
	m := len(b)
	s := &sinkhorn{costs: costs, a: a, b: b, logB: make([]float64, m), g: make([]float64, m), offset: make([]float64, m),
		row: make([]float64, m), reduced: make([]float64, m), columns: make([]float64, m)}
	for j, w := range b {
		s.logB[j] = math.Log(w)
	}
	return s
}

// solve halves ε from the largest cost down to the strength, with at most ten steps at each but the last.
func (s *sinkhorn) solve(ctx context.Context, r Regularization) (steps int, residual float64, err error) {
	s.epsilon = max(r.Strength, rows.MaxAbs(s.costs))
	for here := 0; ; here++ {
		if steps > 0 && s.epsilon > r.Strength && (here == 10 || residual <= r.Tolerance) {
			s.epsilon, here = max(s.epsilon/2, r.Strength), 0
		}
		if steps++; steps >= r.MaxSteps {
			s.epsilon = r.Strength
		}
		residual = s.sums()
		if err := context.Cause(ctx); err != nil {
			return steps, residual, err
		}
		if s.epsilon == r.Strength && (residual <= r.Tolerance || steps >= r.MaxSteps) {
			return steps, residual, nil
		}
		s.update()
	}
}

// sums adds up the columns of the plan, and returns how far they are from b.
func (s *sinkhorn) sums() (residual float64) {
	for j, v := range s.g {
		s.offset[j] = v + float64(s.epsilon*s.logB[j])
	}
	clear(s.columns)
	for i, a := range s.a {
		s.planRow(i)
		rows.AddScaled(s.columns, a, s.row)
	}
	for j, b := range s.b {
		residual += math.Abs(s.columns[j] - b)
	}
	return residual
}

// planRow computes row i of the plan, for mass 1.
func (s *sinkhorn) planRow(i int) {
	m := len(s.b)
	for j, c := range s.costs[i*m : (i+1)*m] {
		s.reduced[j] = c - s.offset[j]
	}
	rows.Softmax(s.row, s.reduced, 1/s.epsilon)
}

// update moves g such that the columns would sum to b if f stayed. A sum that underflows moves it as far as numbers go.
func (s *sinkhorn) update() {
	for j, b := range s.b {
		s.g[j] += float64(s.epsilon * (s.logB[j] - math.Log(max(s.columns[j], 1e-300*b))))
	}
}

// rounded returns the cost of the plan after it got the right sums: columns are cut to b, and what then is missing in rows and
// columns is carried in proportion to both [altschuler2017].
func (s *sinkhorn) rounded() float64 {
	keep, missing := make([]float64, len(s.b)), slices.Clone(s.b)
	for j, b := range s.b {
		keep[j] = min(1, b/s.columns[j])
		missing[j] = max(0, b-s.columns[j])
	}
	all := rows.Sum(missing)
	var cost rows.Total
	for i, a := range s.a {
		s.planRow(i)
		row := s.costs[i*len(s.b) : (i+1)*len(s.b)]
		for j, k := range keep {
			s.row[j] *= k
		}
		cost = cost.Add(float64(a * rows.Dot(s.row, row)))
		if short := max(0, 1-rows.Sum(s.row)); all > 0 {
			cost = cost.Add(float64(a * short * (rows.Dot(missing, row) / all)))
		}
	}
	return cost.Value()
}

package study

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// cell is what was measured with n people in t turns, one value a trial.
type cell struct {
	n, t   float64
	values []float64
}

// surface is a law y = a·n^α + b·t^β, as (ln a, α, ln b, β).
type surface [4]float64

// at is the law with n people and t turns.
func (s surface) at(n, t float64) float64 { return s.people(n) + s.turns(t) }

func (s surface) people(n float64) float64 { return portable.Exp(s[0] + float64(s[1]*portable.Log(n))) }
func (s surface) turns(t float64) float64  { return portable.Exp(s[2] + float64(s[3]*portable.Log(t))) }

// level is a height measured with n people in t turns, and how much it counts.
type level struct{ n, t, y, weight float64 }

// levels are the means of cells. Their logarithms count by what is known of them: by the inverse of their variance, to which that of
// two percent is added, so that a surface that is not quite one is still fitted everywhere.
func levels(cells []cell) []level {
	list := make([]level, len(cells))
	for i, c := range cells {
		y := mean(c.values)
		e := deviation(c.values) / y
		list[i] = level{c.n, c.t, y, 1 / (float64(e*e)/float64(len(c.values)) + 0.02*0.02)}
	}
	return list
}

// off is the weighted sum of squared differences of logarithms, infinite where a height is not positive.
func (s surface) off(list []level) (sum float64) {
	for _, l := range list {
		d := portable.Log(s.at(l.n, l.t)) - portable.Log(l.y)
		sum += float64(l.weight * d * d)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// fitted is the surface of least squares of logarithms, by Levenberg's and Marquardt's steps from this one. It is never worse.
func (s surface) fitted(list []level) surface {
	damping, off := 1e-3, s.off(list)
	for range 100 {
		next := s.step(list, damping)
		if now := next.off(list); now < off {
			if off-now < 1e-12*off {
				return next
			}
			s, off, damping = next, now, damping/4
		} else if damping *= 4; damping > 1e6 {
			break
		}
	}
	return s
}

// step solves the damped normal equations.
func (s surface) step(list []level, damping float64) surface {
	normal, right := mat.NewDense(4, 4, nil), mat.NewVecDense(4, nil)
	for _, l := range list {
		a, b, y := s.people(l.n), s.turns(l.t), s.at(l.n, l.t)
		slope := mat.NewVecDense(4, []float64{a / y, a / y * portable.Log(l.n), b / y, b / y * portable.Log(l.t)})
		normal.RankOne(normal, l.weight, slope, slope)
		right.AddScaledVec(right, l.weight*(portable.Log(l.y)-portable.Log(y)), slope)
	}
	for i := range 4 {
		normal.Set(i, i, float64(normal.At(i, i)*(1+damping))+1e-12)
	}
	var by mat.VecDense
	if err := by.SolveVec(normal, right); err != nil {
		return s
	}
	for i := range s {
		s[i] += by.AtVec(i)
	}
	return s
}

// fitSurface fits the surface and, for the intervals of its exponents, again to data whose trials are drawn anew in every cell. So
// intervals cover chance; that the law is not quite such a surface is told by its misfit.
func fitSurface(cells []cell, r *stream.Stream) (s surface, people, turns power) {
	list := levels(cells)
	s = guess(list).fitted(list)
	people, turns = power{exponent: s[1]}, power{exponent: s[3]}
	for range resamples {
		again := s.fitted(levels(redrawTrials(cells, r)))
		people.again, turns.again = append(people.again, again[1]), append(turns.again, again[3])
	}
	slices.Sort(people.again)
	slices.Sort(turns.again)
	return s, people, turns
}

// redrawTrials draws trials with replacement in every cell.
func redrawTrials(cells []cell, r *stream.Stream) []cell {
	out := slices.Clone(cells)
	for i, c := range cells {
		out[i].values = make([]float64, len(c.values))
		for j := range out[i].values {
			out[i].values[j] = c.values[r.Intn(len(c.values))]
		}
	}
	return out
}

// misfit is by what share of a height the surface is off at most.
func (s surface) misfit(list []level) (most float64) {
	for _, l := range list {
		most = max(most, math.Abs(s.at(l.n, l.t)/l.y-1))
	}
	return most
}

// guess is where fits begin: each part half as high as the lowest place that it alone could explain.
func guess(list []level) surface {
	a, b := math.Inf(1), math.Inf(1)
	for _, l := range list {
		a, b = min(a, l.y*l.n), min(b, l.y*math.Sqrt(l.t))
	}
	return surface{portable.Log(a / 2), -1, portable.Log(b / 2), -0.5}
}

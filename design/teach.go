package design

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
)

// stay is the decision as it is, turn by turn.
func (e *Experiment) stay() [][]float64 {
	return clone(slices.Repeat([][]float64{e.Base}, e.Turns))
}

func clone(x [][]float64) [][]float64 {
	return lists.Of(x, slices.Clone[[]float64])
}

// allowed brings decisions into the set, within the limit from turn to turn and the budget. The set is convex and has the decision as it is.
func (e *Experiment) allowed(x [][]float64) [][]float64 {
	before := e.Base
	for t := range x {
		if e.Set.Project(x[t]) != nil {
			copy(x[t], before)
		}
		if far := rows.Farthest(x[t], before); far > e.Change {
			towards(x[t], before, e.Change/far)
		}
		before = x[t]
	}
	if e.lost(x) <= e.Budget {
		return x
	}
	low, high := 0.0, 1.0
	for range 40 {
		half := (low + high) / 2
		y := clone(x)
		for t := range y {
			towards(y[t], e.Base, half)
		}
		if e.lost(y) <= e.Budget {
			low = half
		} else {
			high = half
		}
	}
	for t := range x {
		towards(x[t], e.Base, low)
	}
	return x
}

// towards moves u to a part of its way from another.
func towards(u, from []float64, part float64) {
	for j := range u {
		u[j] = from[j] + float64(part*(u[j]-from[j]))
	}
}

// lost is what decisions lose over all turns against the one that is changed.
func (e *Experiment) lost(x [][]float64) (sum float64) {
	n := len(e.Base)
	off := make([]float64, n)
	for _, u := range x {
		rows.Sub(off, u, e.Base)
		for j, by := range off {
			sum += float64(by * (e.Slope[j] + float64(rows.Dot(e.Curve[j*n:(j+1)*n], off)/2)))
		}
	}
	return sum
}

// after is the mean regret that is left when these decisions have been seen.
func (e *Experiment) after(x [][]float64) float64 { return e.regret(e.posterior(x)) }

// regret is the mean of a turn when numbers are as uncertain as a covariance has it.
func (e *Experiment) regret(cov []float64) (sum float64) {
	for i, w := range e.Weight {
		sum += float64(w * cov[i])
	}
	return sum / 2
}

// posterior is the covariance of the numbers when these decisions have been seen: (C⁻¹ + F)⁻¹ = L (I + LᵀFL)⁻¹ Lᵀ with C = LLᵀ.
func (e *Experiment) posterior(x [][]float64) []float64 {
	k := len(e.Drawn)
	l := slices.Clone(e.Cov)
	for j := range k {
		l[j*k+j] += float64(1e-12*e.Cov[j*k+j]) + 1e-300
	}
	dense.Cholesky(l, k, 0)
	for i := range k {
		for j := i + 1; j < k; j++ {
			l[i*k+j] = 0
		}
	}
	f := e.information(x)
	inner := dense.Product(dense.Transposed(l, k), dense.Product(f, l, k), k)
	for j := range k {
		inner[j*k+j]++
	}
	inverse := make([]float64, k*k)
	if !dense.InvertDefinite(inverse, inner, k) {
		return slices.Clone(e.Cov)
	}
	return dense.Product(l, dense.Product(inverse, dense.Transposed(l, k), k), k)
}

// information is what people who are seen every turn tell of the numbers: the squares of how what comes next depends on them, along the way that the model expects.
func (e *Experiment) information(x [][]float64) []float64 {
	f := e.Model
	people := len(e.States) / f.States
	traits, k := len(e.Traits)/people, len(e.Drawn)
	out := make([]float64, k*k)
	states, beside, next := slices.Clone(e.States), make([]float64, people*f.Beside), make([]float64, people*f.Width())
	for i := range people {
		copy(beside[i*f.Beside:], e.Traits[i*traits:(i+1)*traits])
	}
	for _, u := range x {
		for i := range people {
			copy(beside[i*f.Beside+traits:(i+1)*f.Beside], u)
		}
		f.Rows(next, states, e.At, beside)
		for i := range people {
			row := next[i*f.Width() : (i+1)*f.Width()]
			copy(states[i*f.States:], row[:f.States])
			for s := range f.States {
				slope := row[f.States+s*f.Unknowns : f.States+(s+1)*f.Unknowns]
				for a, p := range e.Drawn {
					for b, q := range e.Drawn {
						out[a*k+b] += float64(slope[p]*slope[q]) / (e.Noise * e.Noise)
					}
				}
			}
		}
	}
	return out
}

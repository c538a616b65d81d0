package online

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// fit is a population that answers as a location–scale family: p = Gu + b + (Ku + c)∘r for the individuals that were seen.
type fit struct {
	dims    kedge.Dims
	mean    affine    // G, b
	scale   affine    // K, c
	weights []float64 // of the individuals; nil: all 1
	rest    []float64 // r
	at      []float64 // means or scales under one decision
	stretch []float64
}

// affine is a function of the decision, a row for every entry of the state: slopes, then the value at 0.
type affine struct {
	width int
	rows  []float64
}

func (a affine) row(j int) (slopes []float64, value float64) {
	r := kedge.Row(a.rows, j, a.width+1)
	return r[:a.width], r[a.width]
}

// apply writes the values under u.
func (a affine) apply(dst, u []float64) {
	for j := range dst {
		slopes, value := a.row(j)
		dst[j] = rows.Dot(slopes, u) + value
	}
}

// fitResponse fits what was seen, sizes[i] individuals under row i of the decisions, who count by weights unless those are nil.
func fitResponse(family Family, dims kedge.Dims, decisions []float64, sizes []int, p, weights []float64) (fit, error) {
	f := fit{dims: dims, weights: weights, at: make([]float64, dims.State), stretch: make([]float64, dims.State), rest: make([]float64, len(p))}
	means, deviations := moments(dims.State, sizes, p, weights)
	var err error
	if f.mean, err = regress(dims, decisions, means); err != nil {
		return f, err
	}
	if family == LocationScale {
		f.scale, err = regress(dims, decisions, deviations)
	} else {
		f.scale = affine{dims.Decision, make([]float64, dims.State*(dims.Decision+1))}
	}
	f.repairScale(decisions)
	f.standardize(decisions, sizes, p)
	return f, err
}

// moments returns means and standard deviations of the states seen under each decision, one a row.
func moments(width int, sizes []int, p, weights []float64) (means, deviations []float64) {
	means, deviations = make([]float64, len(sizes)*width), make([]float64, len(sizes)*width)
	for i, n := range sizes {
		block, mean, deviation := p[:n*width], kedge.Row(means, i, width), kedge.Row(deviations, i, width)
		p = p[n*width:]
		var o kedge.Observation
		if weights != nil {
			o.W, weights = weights[:n], weights[n:]
		}
		meanRow(mean, block, o.W)
		total := o.Total(n)
		for k, v := range block {
			off := v - mean[k%width]
			deviation[k%width] += float64(o.Weight(k/width) * off * off / total)
		}
		for j, v := range deviation {
			deviation[j] = math.Sqrt(v)
		}
	}
	return means, deviations
}

// regress fits the rows of y by an affine function of the decisions, by least squares.
func regress(dims kedge.Dims, decisions, y []float64) (affine, error) {
	m, n := dims.Decision, dims.State
	center, level, normal := make([]float64, m), make([]float64, n), newSquare(m)
	meanRow(center, decisions, nil)
	meanRow(level, y, nil)
	out := affine{m, make([]float64, n*(m+1))}
	for i := range kedge.Count(decisions, m) {
		u := kedge.Row(decisions, i, m)
		normal.addOuter(u, center, 1)
		for j, v := range kedge.Row(y, i, n) {
			slopes, _ := out.row(j)
			for k := range slopes {
				slopes[k] += float64((v - level[j]) * (u[k] - center[k]))
			}
		}
	}
	if err := normal.factor(0); err != nil {
		return out, fmt.Errorf("the decisions that were tried: %w", err)
	}
	for j, v := range level {
		slopes, _ := out.row(j)
		normal.solve(slopes)
		out.rows[j*(m+1)+m] = v - rows.Dot(slopes, center)
	}
	return out, nil
}

// repairScale makes the scale of an entry 1 where the fit is not positive at all decisions that were tried, as where nobody
// differs.
func (f *fit) repairScale(decisions []float64) {
	for i := range kedge.Count(decisions, f.dims.Decision) {
		f.scale.apply(f.at, kedge.Row(decisions, i, f.dims.Decision))
		for j, v := range f.at {
			if !(v > 1e-12) {
				r := kedge.Row(f.scale.rows, j, f.dims.Decision+1)
				clear(r)
				r[f.dims.Decision] = 1
			}
		}
	}
}

// standardize writes (p − Gu − b)/(Ku + c) to rest.
func (f *fit) standardize(decisions []float64, sizes []int, p []float64) {
	k, width := 0, f.dims.State
	for i, n := range sizes {
		u := kedge.Row(decisions, i, f.dims.Decision)
		f.mean.apply(f.at, u)
		f.scale.apply(f.stretch, u)
		for range n * width {
			f.rest[k] = (p[k] - f.at[k%width]) / f.stretch[k%width]
			k++
		}
	}
}

// move writes where the individuals are under u.
func (f *fit) move(dst, u []float64) {
	f.mean.apply(f.at, u)
	f.scale.apply(f.stretch, u)
	for k, r := range f.rest {
		j := k % f.dims.State
		dst[k] = f.at[j] + float64(f.stretch[j]*r)
	}
}

// pullBack adds Σᵢ (∂pᵢ/∂u)ᵀvᵢ to g.
func (f *fit) pullBack(g, v []float64) {
	clear(f.at)
	clear(f.stretch)
	for k, x := range v {
		j := k % f.dims.State
		f.at[j] += x
		f.stretch[j] += float64(x * f.rest[k])
	}
	for j := range f.at {
		location, _ := f.mean.row(j)
		scale, _ := f.scale.row(j)
		rows.AddScaled(g, f.at[j], location)
		rows.AddScaled(g, f.stretch[j], scale)
	}
}

package optimum

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

const (
	heavyPenalty = 1e3 // by which decisions that keep the constraints come before those that do not
	largePenalty = 1e6 // beyond which no multiplier is looked for
)

// fenced is f + ρ Σ max(0, cⱼ) in the landscape's units, with the constraints as they truly are: where ρ is larger than all multipliers its minima are those
// under the constraints, at kinks where these bind.
type fenced struct {
	of     *augmented
	weight float64 // ρ
	g      []float64
	broken []bool // which constraints were not kept at the last decision
}

func (a *augmented) fenced(weight float64) *fenced {
	return &fenced{of: a, weight: weight, g: make([]float64, len(a.g)), broken: make([]bool, len(a.constraints))}
}

// Gradient implements Function in the landscape's units.
func (p *fenced) Gradient(g, u []float64) (float64, error) {
	loss := p.of.land.eval(g, u)
	if math.IsInf(loss, 1) {
		return 0, errors.New("optimum: no value")
	}
	for j := range p.of.constraints {
		v, err := p.of.form(j, true, p.g, u)
		if err != nil {
			return 0, err
		}
		if p.broken[j] = v > 0; p.broken[j] {
			rows.AddScaled(g, p.weight, p.g)
			loss += float64(p.weight * v)
		}
	}
	return loss, nil
}

// penalized is the landscape of the exact penalty.
func (a *augmented) penalized(weight float64) *landscape {
	return newLandscape(a.land.ctx, a.fenced(weight), a, len(a.g))
}

// pressures are the multipliers that the gradients within a radius speak for: those of the smallest mean.
func (a *augmented) pressures(u []float64, radius, weight float64) []float64 {
	p, random := a.fenced(weight), stream.New(1, "pressures")
	b := &bundle{place: place{u: u, radius: radius}, land: newLandscape(a.land.ctx, p, a, len(u)), d: make([]float64, len(u)), next: make([]float64, len(u))}
	var broken [][]bool
	for range 4*len(u) + 8 {
		v, g := beside(u, radius, random), make([]float64, len(u))
		if b.land.project(v) == nil && !math.IsInf(b.land.eval(g, v), 1) {
			b.gradients, broken = append(b.gradients, g), append(broken, append([]bool(nil), p.broken...))
		}
	}
	out := make([]float64, len(a.constraints))
	if len(b.gradients) == 0 {
		return out
	}
	_, shares := smallestMean(b.gradients, b.normals())
	for i, share := range shares {
		for j, is := range broken[i] {
			if is {
				out[j] += float64(share * weight)
			}
		}
	}
	return out
}

package certify

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// addPolarized finds the constants of polarized dynamics under decisions of norm R, with s = σR² and k = 1−λ, provided
// λ + s < 1. The metric is the identity.
//
// The cone. Since (pᵀu)u = (‖u‖²/2)(p + w) with a unit vector w, the mirror image of p,
//
//	p̃ = (λ + s/2)p + kd + (s/2)w,
//
// and kd + (s/2)w lies within ω★ = arcsin(s/2k) of d. So a state that starts there stays there, whatever the decisions.
//
// L_f^p. Unit vectors x/‖x‖ and y/‖y‖ are at most ‖x−y‖/min(‖x‖, ‖y‖) apart, and p̃ changes by at most λ+s times p. The least
// ‖p̃‖ in the cone is taken with w opposite to the rest and the state on the rim. A state on the rim that moves along a u
// orthogonal to it and to d attains (λ+s)/‖λp+kd‖. That is the supremum at the published settings (0.9203 against a proof of
// 0.9266 at λ = 0.4, σ = 0.5) but not everywhere: it is exceeded at λ = 0.1, σ = 0.85 (0.9638 against 0.9603). So only the
// first is taken for a bound. It may be 1 or more although λ+s < 1; then nothing is certified.
//
// L_h. The singular values of ∇ᵤh and ∇_d h are at most σR/D and k/D with D = c−λ−σ(‖u‖²−(hᵀu)²) ≥ k−s; both are attained
// where d is orthogonal to u.
func (c *Constants) addPolarized(f dynamics.Polarized) error {
	if err := f.Check(); err != nil {
		return err
	}
	r := c.Value(Radius)
	if f.Sigma == 0 {
		r = 0
	}
	s, k := float64(f.Sigma*r*r), 1-f.Lambda
	if !(f.Lambda+s < 1) {
		return &NotContractingError{What: "λ + σR²", Value: f.Lambda + s, Trait: -1}
	}
	cone := portable.Asin(s / (2 * k))
	c.derive(Cone, cone*180/math.Pi, "arcsin(σR²/2(1−λ))", Radius)
	least := leastStretch(f.Lambda, s, cone)
	if !(f.Lambda+s < least) {
		return &NotContractingError{What: "L_f^p over the cone", Value: (f.Lambda + s) / least, Trait: -1}
	}
	c.derive(LfP, (f.Lambda+s)/least, fmt.Sprintf("(λ + σR²)/min‖p̃‖ over the cone; %.4f is attained", attained(f.Lambda, s, cone)), Radius)
	c.derive(LfU, 2*f.Sigma*r/least, "2σR/min‖p̃‖ over the cone", Radius)
	c.derive(LfD, k/least, "(1−λ)/min‖p̃‖ over the cone", Radius)
	c.addIdentity()
	c.derive(LhU, f.Sigma*r/(k-s), "σR/(1−λ−σR²)", Radius)
	c.derive(LhD, k/(k-s), "(1−λ)/(1−λ−σR²)", Radius)
	c.put(MhD, polarizedTurn(f, r), Estimate, "largest found over the angle of d and u and the length of u")
	return nil
}

// insideCone wants everybody to start within so many degrees of the trait: the cone keeps who is in it, and nobody else.
func insideCone(p problem, degrees float64) (err error) {
	_, width := p.Traits.Size()
	room := make([]float64, chunk*width)
	eachChunk(p.States, func(first int, states []float64) {
		traits := p.Traits.View(room, first, first+len(states)/width)
		for i := range len(states) / width {
			angle := degreesBetween(kedge.Row(states, i, width), kedge.Row(traits, i, width))
			if err == nil && !(angle <= degrees+1e-6) {
				arg := fmt.Sprintf("the angle between the first state and the trait of individual %d", first+i)
				err = &kedge.RangeError{Arg: arg, Got: angle, Want: fmt.Sprintf("at most %.4g degrees, where bounds are known", degrees)}
			}
		}
	})
	return err
}

// degreesBetween returns the angle between two unit vectors, by their distance, which keeps the digits of small angles.
func degreesBetween(p, d []float64) float64 {
	return 2 * portable.Asin(min(1, rows.Distance(p, d)/2)) * 180 / math.Pi
}

// leastStretch returns min‖p̃‖ over unit states within the cone and decisions with σ‖u‖² ≤ s.
func leastStretch(lambda, s, cone float64) float64 {
	a, k := lambda+s/2, 1-lambda
	return math.Sqrt(float64(a*a)+float64(k*k)+float64(2*a*k*portable.Cos(cone))) - s/2
}

// attained returns the contraction of a state on the rim that moves along a u orthogonal to it and to d.
func attained(lambda, s, cone float64) float64 {
	sin := portable.Sin(cone / 2)
	return (lambda + s) / math.Sqrt(1-float64(4*lambda*(1-lambda)*sin*sin))
}

package certify

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/transport"
)

// Generalization says how far decisions found on N individuals can be wrong about the law these were drawn from.
//
// The theorem's bound [he2025, generalization bound] has constants of [fournier2015] that nobody can compute, so only its
// rate is given: N^(−2/max(r, 2)) for the squared distance in r dimensions, with a logarithm at r = 2. The paper's N^(−2/r) is
// wrong for r = 1 and carries no logarithm at r = 2.
//
// Where traits lie in a set of known diameter D, halves A and B of the sample give a number: with probability 1−τ
//
//	W₁(μ, μᴺ) ≤ W₁(A, B) + D√(2 ln(2/τ)/n) + D√(ln(2/τ)/2N),
//
// n individuals being in A and B together, because E W₁(μ, μᴺ) ≤ E W₁(A, B) and one individual changes the two sides by at
// most D/N and 2D/n [mcdiarmid1989]. It holds for traits drawn independently.
type Generalization struct {
	Individuals int     // N
	Rate        float64 // of the squared error: it falls like N to this power
	Logarithm   bool    // times a logarithm
	Split       float64 // W₁(A, B), NaN where the diameter is not known
	Distance    float64 // bound on W₁(μ, μᴺ)
	Gradient    float64 // bound on ‖∇Φ̃ − ∇Φ̃ᴺ‖: L(L_h^d √λmax(P) + 1) times that
	Known       Known   // of Gradient; Distance is a proof
}

// halves is how many individuals the split takes at most, since its cost grows with their cube.
const halves = 1000

// generalize returns nil for traits that are no sample, or one too small to be split.
func generalize(ctx context.Context, p problem, c *Constants) (*Generalization, error) {
	n, r := p.Traits.Size()
	if n < 4 || r < 1 || !p.Sampled {
		return nil, nil
	}
	g := &Generalization{
		Individuals: n, Rate: -2 / max(float64(r), 2), Logarithm: r == 2,
		Split: math.NaN(), Distance: math.NaN(), Gradient: math.NaN(), Known: Unknown,
	}
	diameter := traitDiameter(p.Dynamics)
	if math.IsNaN(diameter) {
		return g, nil
	}
	half := min(n, halves) / 2
	data := some(p.Traits, 2*half)
	a, b := alternate(data, r)
	cost, err := transport.Euclidean(a, b, r)
	if err != nil {
		return nil, err
	}
	plan, err := transport.Assignment(ctx, cost)
	if err != nil {
		return nil, err
	}
	log := portable.Log(2 / p.Tau)
	g.Split = plan.Value
	g.Distance = plan.Value + float64(diameter*math.Sqrt(2*log/float64(2*half))) + float64(diameter*math.Sqrt(log/float64(2*n)))
	g.Gradient = c.Value(L) * (float64(c.Value(LhD)*math.Sqrt(c.Value(PMax))) + 1) * g.Distance
	g.Known = c.weakest(L, LhD, PMax)
	return g, nil
}

// traitDiameter returns the diameter of where traits live by the meaning of the dynamics: 2 on the sphere, √2 among
// probabilities, NaN elsewhere.
func traitDiameter(f kedge.Dynamics) float64 {
	switch f.(type) {
	case dynamics.Polarized:
		return 2
	case dynamics.Choice:
		return math.Sqrt2
	}
	return math.NaN()
}

// alternate deals rows out to two hands.
func alternate(data []float64, width int) (a, b []float64) {
	for i := range kedge.Count(data, width) {
		if row := kedge.Row(data, i, width); i%2 == 0 {
			a = append(a, row...)
		} else {
			b = append(b, row...)
		}
	}
	return a, b
}

package objective

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// EntropySign says which way the entropy term of Revenue pulls.
type EntropySign int

const (
	// AsPrinted rewards +ρ Σ pᵢ log pᵢ, the sign of the published formula and of the published records. It favors few items,
	// although the text beside the formula speaks of diversity.
	AsPrinted EntropySign = iota
	// Diverse rewards −ρ Σ pᵢ log pᵢ, the entropy itself. It favors many items.
	Diverse
)

// Revenue is the loss of a seller who sets prices u for items chosen with probabilities p [he2025, revenue with entropy],
//
//	Φ(p, u) = −(pᵀu ± ρ Σᵢ pᵢ log pᵢ),   ∂Φ/∂p = −u ∓ ρ(1 + log p),   ∂Φ/∂u = −p,
//
// over the leading len(u) entries of p, with 0·log 0 = 0.
//
// The slope is infinite at pᵢ = 0. There, and below the smallest normal number, log pᵢ is taken as log 2⁻¹⁰²² ≈ −708.4: the
// gradient stays finite, continuous and of the right sign. A negative pᵢ has no entropy: the loss and that entry of gp are
// NaN, unless ρ = 0.
type Revenue struct {
	Entropy float64     // ρ
	Sign    EntropySign // of the entropy term
	State   int         // entries of a state row; 0 means as many as the decision has
}

var _ kedge.RowObjective = Revenue{}

// Check says whether ρ is a finite number ≥ 0, whether the sign is known and whether individuals of the given dimensions
// can be judged by r.
func (r Revenue) Check(dim kedge.Dims) error {
	sign := kedge.CheckRange("Sign", float64(r.Sign), r.Sign == AsPrinted || r.Sign == Diverse, "AsPrinted or Diverse")
	return errors.Join(checkNumber("Entropy", r.Entropy, 0), sign, checkWidth(r.State, dim.Decision, dim))
}

// Eval implements [kedge.Objective]. It does not read d.
func (r Revenue) Eval(gp, gu, p, u, _ []float64) float64 {
	mustBe("p", p, width(r.State, len(u)))
	mustFit(gp, gu, p, u)
	x := p[:len(u)]
	if gp != nil {
		rows.AddScaled(gp[:len(u)], -1, u)
	}
	if gu != nil {
		rows.AddScaled(gu, -1, x)
	}
	return r.entropy(gp, x) - rows.Dot(u, x)
}

// entropy returns the entropy term of the loss and adds its gradient to gp.
func (r Revenue) entropy(gp, p []float64) float64 {
	if r.Entropy == 0 {
		return 0
	}
	weight := r.Entropy
	if r.Sign == AsPrinted {
		weight = -weight
	}
	sum := 0.0
	for i := 0; i < len(p); i += block {
		sum += addEntropy(gp, p, weight, i, min(i+block, len(p)))
	}
	return weight * sum
}

// block is how many logarithms are taken together.
const block = 128

// addEntropy returns Σ pᵢ log pᵢ over the entries lo … hi−1 and adds its weighted gradient to gp.
func addEntropy(gp, p []float64, weight float64, lo, hi int) float64 {
	var room [block]float64
	l := room[:hi-lo]
	sum := rows.Entropy(l, p[lo:hi])
	if gp != nil {
		g := gp[lo:hi]
		for i, v := range l {
			g[i] += float64(weight * (1 + v))
		}
	}
	return sum
}

// EvalRows implements [kedge.RowObjective]. It does not read d.
func (r Revenue) EvalRows(gp, gu, p, u, _ []float64) float64 {
	return sumRows(r, width(r.State, len(u)), 0, gp, gu, p, u, nil)
}

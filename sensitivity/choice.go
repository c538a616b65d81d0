package sensitivity

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
)

// Choice is the sensitivity of the choice dynamics p⁺ = λ₁p + λ₂z + (1−λ₁−λ₂)d with z = softmax(−εu)
// [he2025, softmax sensitivity],
//
//	∇ᵤh v = −ελ₂/(1−λ₁) (z∘v − z(zᵀv)).
//
// It depends neither on p nor on d, so that the rows of v are added up first.
type Choice struct {
	Dim              int     // entries of the decision and of a state
	Lambda1, Lambda2 float64 // λ₁ in [0, 1) and λ₂ in [0, 1−λ₁]
	Epsilon          float64 // ε

}

var _ kedge.Sensitivity = (*Choice)(nil)

// Check says whether the parameters are in their ranges.
func (s *Choice) Check() error {
	return errors.Join(
		checkDim(s.Dim),
		checkRange("Lambda1", s.Lambda1, 0, math.Nextafter(1, 0), "0 ≤ λ₁ < 1"),
		checkRange("Lambda2", s.Lambda2, 0, 1, "0 ≤ λ₂ ≤ 1"),
		checkRange("Lambda1 + Lambda2", s.Lambda1+s.Lambda2, 0, 1, "λ₁ + λ₂ ≤ 1"),
		checkRange("Epsilon", s.Epsilon, math.Inf(-1), math.Inf(1), "a finite number"))
}

// PullRows implements [kedge.Sensitivity]. It reads neither p nor d.
func (s *Choice) PullRows(gu, _, u, _, v []float64) error {
	if err := s.Check(); err != nil {
		return err
	}
	if !rows.Finite(u) {
		return kedge.CheckFinite("u", u)
	}
	mustBe("gu", gu, s.Dim)
	mustBe("u", u, s.Dim)
	borrowed := scratch.Borrow(2 * s.Dim)
	defer borrowed.Return()
	z, sum := borrowed.X[:s.Dim], borrowed.X[s.Dim:]
	count := sumRows(sum, v)
	s.answer(z, sum, u)
	return commit(gu, sum, nil, u, nil, v, count)
}

// answer replaces v by ∇ᵤh v and writes softmax(−εu) to z.
func (s *Choice) answer(z, v, u []float64) {
	shift(v, v[softmax(z, u, -s.Epsilon)])
	mean, gain := rows.Dot(z, v), -s.Epsilon*s.Lambda2/(1-s.Lambda1)
	for i, x := range z {
		v[i] = gain * x * (v[i] - mean)
	}
}

// sumRows adds up the rows of a block and returns how many there are.
func sumRows(dst, block []float64) int {
	count := kedge.Count(block, len(dst))
	for i := range count {
		rows.AddScaled(dst, 1, kedge.Row(block, i, len(dst)))
	}
	return count
}

// shift subtracts x from every entry of v. That changes no product, since ∇ᵤh·1 = 0; but with the entry of the likeliest
// item at 0 nothing cancels when one item is chosen almost surely.
func shift(v []float64, x float64) {
	for i := range v {
		v[i] -= x
	}
}

// softmax writes exp(kuᵢ)/Σⱼ exp(kuⱼ) to z and returns where it is largest. No exponent is above 0.
func softmax(z, u []float64, k float64) (likeliest int) {
	for i, x := range u {
		z[i] = k * x
		if z[i] > z[likeliest] {
			likeliest = i
		}
	}
	shift(z, z[likeliest])
	rows.Exp(z)
	rows.Scale(z, 1/rows.Sum(z))
	return likeliest
}

// Affine is the sensitivity of dynamics whose steady states answer every decision by the same gain, as those of
// p⁺ = Ap + Bu + Ed do with G = (I−A)⁻¹B [he2025, linear dynamics],
//
//	∇ᵤh v = Gᵀv.
type Affine struct {
	dim  kedge.Dims
	gain []float64
}

var _ kedge.Sensitivity = (*Affine)(nil)

// NewAffine returns the sensitivity with the row-major gain G, one row a state entry and one column a decision entry. The
// gain is copied.
func NewAffine(dim kedge.Dims, gain []float64) (*Affine, error) {
	inf := math.Inf(1)
	sizes := errors.Join(
		checkRange("Decision", float64(dim.Decision), 1, inf, "a number ≥ 1"),
		checkRange("State", float64(dim.State), 1, inf, "a number ≥ 1"))
	if err := cmp.Or(sizes, kedge.CheckVector("gain", gain, dim.State*dim.Decision)); err != nil {
		return nil, err
	}
	return &Affine{dim: dim, gain: slices.Clone(gain)}, nil
}

// PullRows implements [kedge.Sensitivity]. It reads v only.
func (s *Affine) PullRows(gu, _, _, _, v []float64) error {
	mustBe("gu", gu, s.dim.Decision)
	borrowed := scratch.Borrow(s.dim.State + s.dim.Decision)
	defer borrowed.Return()
	total, sum := borrowed.X[:s.dim.State], borrowed.X[s.dim.State:]
	count := sumRows(total, v)
	rows.AddMulT(sum, s.gain, total)
	return commit(gu, sum, nil, nil, nil, v, count)
}

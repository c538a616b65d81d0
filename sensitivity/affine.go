package sensitivity

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Affine is the sensitivity of dynamics whose steady states answer every decision by the same gain, as those of
// p⁺ = Ap + Bu + Ed do with G = (I−A)⁻¹B [he2025, linear dynamics],
//
//	∇ᵤh v = Gᵀv.
type Affine struct {
	dim  kedge.Dims
	gain []float64
	room room
}

var _ kedge.Sensitivity = (*Affine)(nil)

// NewAffine returns the sensitivity with the row-major gain G, one row a state entry and one column a decision entry. The
// gain is copied.
func NewAffine(dim kedge.Dims, gain []float64) (*Affine, error) {
	inf := math.Inf(1)
	err := errors.Join(
		checkRange("Decision", float64(dim.Decision), 1, inf, "a number ≥ 1"),
		checkRange("State", float64(dim.State), 1, inf, "a number ≥ 1"))
	if err == nil {
		err = kedge.CheckVector("gain", gain, dim.State*dim.Decision)
	}
	if err != nil {
		return nil, err
	}
	return &Affine{dim: dim, gain: slices.Clone(gain)}, nil
}

// PullRows implements [kedge.Sensitivity]. It reads v only.
func (s *Affine) PullRows(gu, _, _, _, v []float64) error {
	mustBe("gu", gu, s.dim.Decision)
	borrowed := s.room.borrow(s.dim.State + s.dim.Decision)
	defer s.room.giveBack(borrowed)
	total, sum := (*borrowed)[:s.dim.State], (*borrowed)[s.dim.State:]
	count := sumRows(total, v)
	rows.AddMulT(sum, s.gain, total)
	return commit(gu, sum, nil, nil, nil, v, count)
}

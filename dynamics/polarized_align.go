package dynamics

import (
	"cmp"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

var _ kedge.Aligner = Polarized{}

// AlignRows writes hᵢᵀu for the steady states hᵢ = h(u, dᵢ) to dst: the component along û = u/‖u‖ of a settled opinion depends
// on the cosine dᵀû alone, by the scalar equation of Settle, so nobody's opinion is worked out. Traits are checked as in
// Settle, and the errors are the same.
func (f Polarized) AlignRows(dst, u, d []float64) (kedge.Residual, error) {
	if err := cmp.Or(f.Check(), kedge.CheckVector("u", u, f.Dim), kedge.CheckLen("d", d, len(dst)*f.Dim)); err != nil {
		return kedge.Residual{}, err
	}
	norm := rows.Norm(u)
	for i := 0; i < len(dst); i += blockRows {
		hi := min(i+blockRows, len(dst))
		if !f.align(dst[i:hi], u, d[i*f.Dim:hi*f.Dim], norm) {
			if err := f.alignOneByOne(dst[:hi], u, d[:hi*f.Dim], i); err != nil {
				return kedge.Residual{}, err
			}
		}
	}
	return kedge.Residual{Norm: rootResidual}, nil
}

// blockRows is how many individuals are aligned at once: few enough that their cosines stay in the fastest cache.
const blockRows = 128

// rootResidual is what an aligned steady state misses its equation by at most: the root is found to a few units in the last
// place, as TestAlignRowsKeepsItsClaim shows.
const rootResidual = 0x1p-48

// align does a block at once. It gives up on anything out of the ordinary: an individual that is indifferent or off the
// sphere, λ = 1, a decision without direction.
func (f Polarized) align(dst, u, d []float64, norm float64) bool {
	k, s := 1-f.Lambda, float64(f.Sigma*float64(norm*norm))
	if !inMiddle(norm) || !inMiddle(s) || k == 0 {
		return false
	}
	off, least := rows.Cosines(dst, d, u, 1/norm)
	if !(off <= offSphere && least >= 1e-100) || rows.SettleCosines(dst, k, s) != 0 {
		return false
	}
	rows.Scale(dst, norm)
	return true
}

// alignOneByOne works every steady state out from individual first on.
func (f Polarized) alignOneByOne(dst, u, d []float64, first int) error {
	h := make([]float64, f.Dim)
	for i := first; i < len(dst); i++ {
		if _, err := f.Settle(h, u, kedge.Row(d, i, f.Dim)); err != nil {
			return inRow(i, err)
		}
		dst[i] = rows.Dot(h, u)
	}
	return nil
}

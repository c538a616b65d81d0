package dynamics

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
)

var _ kedge.Aligner = Polarized{}

// AlignRows writes hᵢᵀu for the steady states hᵢ = h(u, dᵢ) to dst: the component along û = u/‖u‖ of a settled opinion depends
// on the cosine dᵀû alone, by the scalar equation of Settle, so nobody's opinion is worked out. Traits are checked as in
// Settle, and the errors are the same.
func (f Polarized) AlignRows(dst, u, d []float64) (kedge.Residual, error) {
	if err := f.Check(); err != nil {
		return kedge.Residual{}, err
	}
	if err := kedge.CheckVector("u", u, f.Dim); err != nil {
		return kedge.Residual{}, err
	}
	if err := kedge.CheckLen("d", d, len(dst)*f.Dim); err != nil {
		return kedge.Residual{}, err
	}
	norm := rows.Norm(u)
	var own [64]float64
	for i := 0; i < len(dst); i += len(own) {
		hi := min(i+len(own), len(dst))
		if !f.align(dst[i:hi], own[:hi-i], u, d[i*f.Dim:hi*f.Dim], norm) {
			if err := f.alignOneByOne(dst[:hi], u, d[:hi*f.Dim], i); err != nil {
				return kedge.Residual{}, err
			}
		}
	}
	return kedge.Residual{Norm: rootResidual}, nil
}

// rootResidual is what an aligned steady state misses its equation by at most: the root is found to a few units in the last
// place, as TestAlignRowsKeepsItsClaim shows.
const rootResidual = 0x1p-48

// align does a block at once. It gives up on anything out of the ordinary: an individual that is indifferent or off the
// sphere, λ = 1, a decision without direction.
func (f Polarized) align(dst, own, u, d []float64, norm float64) bool {
	k, s := 1-f.Lambda, float64(f.Sigma*float64(norm*norm))
	if !inMiddle(norm) || !inMiddle(s) || k == 0 {
		return false
	}
	rows.Products(dst, own, d, u)
	rows.Scale(dst, 1/norm)
	ordinary := true
	for i, c := range dst {
		off, size := own[i]-1, math.Abs(c)
		if size > 1 {
			dst[i] = math.Copysign(1, c)
		}
		ordinary = ordinary && off <= offSphere && off >= -offSphere && size >= 1e-100
	}
	if !ordinary {
		return false
	}
	if rows.SettleCosines(dst, k, s) != 0 {
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

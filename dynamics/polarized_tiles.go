package dynamics

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

var _ kedge.TileDynamics = Polarized{}

// Tiles implements [kedge.TileDynamics].
func (f Polarized) Tiles() bool { return rows.HasTiles() }

// AlignsTraits tells whether all traits have unit length.
func (f Polarized) AlignsTraits(d []float64) bool {
	if f.Check() != nil {
		return false
	}
	var room [blockRows]float64
	none := make([]float64, f.Dim)
	for rest := d; len(rest) > 0; {
		n := min(blockRows, len(rest)/f.Dim)
		if off, _ := rows.Cosines(room[:n], rest[:n*f.Dim], none, 0); !(off <= offSphere) {
			return false
		}
		rest = rest[n*f.Dim:]
	}
	return true
}

// AlignsUnder tells whether u has a direction and a strength that roots are found for at once.
func (f Polarized) AlignsUnder(u []float64) bool {
	_, _, ok := f.force(rows.Norm(u))
	return ok
}

// force returns k and s of Settle, and whether many roots can be found at once.
func (f Polarized) force(norm float64) (k, s float64, ok bool) {
	k, s = 1-f.Lambda, float64(f.Sigma*float64(norm*norm))
	return k, s, inMiddle(norm) && inMiddle(s) && k != 0
}

// NextTiles implements [kedge.TileDynamics].
func (f Polarized) NextTiles(dst, p, u, d []float64) bool {
	least, most := rows.StepTiles(dst, p, d, u, f.Lambda, 1-f.Lambda, f.Sigma)
	return inMiddle(least) && inMiddle(most)
}

// AlignTiles implements [kedge.TileDynamics]. Traits and u must be as AlignsTraits and AlignsUnder demand.
func (f Polarized) AlignTiles(dst, pu, p, u, d []float64) (moved, aligned bool, worst kedge.Residual) {
	norm := rows.Norm(u)
	k, s, ok := f.force(norm)
	least, most, nearest := rows.AlignTiles(dst, pu, p, d, u, f.Lambda, 1-f.Lambda, f.Sigma, 1/norm)
	moved = inMiddle(least) && inMiddle(most)
	if !ok || !(nearest >= fromIndifference) || math.IsInf(nearest, 0) || rows.SettleCosines(pu, k, s) != 0 {
		return moved, false, worst
	}
	rows.Scale(pu, norm)
	return moved, true, kedge.Residual{Norm: rootResidual}
}

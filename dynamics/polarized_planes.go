package dynamics

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

var _ kedge.PlaneSettler = Polarized{}

// offPlane is how far ‖d‖² may lie from 1 for an individual to be settled by its cosine alone, which takes it for 1.
const offPlane = 0x1p-40

// SettlePlanes implements [kedge.PlaneSettler]. With e and x = kC/e of Settle, the steady state along·û + across·(d − Cû) is
//
//	h = (k/(e+s))d + (xs/((e+s)‖u‖))u,   hᵀu = ‖u‖x,
//
// because x − kC/(e+s) is xs/(e+s), and nothing cancels. The residual is that of AlignRows, and how far lengths of traits are from 1.
func (f Polarized) SettlePlanes(h kedge.Planes, u, d []float64) (kedge.Residual, bool) {
	norm := rows.Norm(u)
	k, s, ok := f.force(norm)
	if !ok || f.Check() != nil || len(u) != f.Dim || len(d) != len(h.PU)*f.Dim {
		return kedge.Residual{}, false
	}
	off, least := rows.Cosines(h.PU, d, u, 1/norm)
	if !(off <= offPlane && least >= 1e-100) {
		return kedge.Residual{}, false
	}
	copy(h.Across, h.PU)
	if rows.SettleCosines(h.PU, k, s) != 0 {
		return kedge.Residual{}, false
	}
	by := s / norm
	along, across := h.Along[:len(h.PU)], h.Across[:len(h.PU)]
	for i, x := range h.PU {
		e := float64(k*across[i]) / x
		inverse := 1 / (e + s)
		along[i], across[i], h.PU[i] = x*by*inverse, k*inverse, x*norm
	}
	return kedge.Residual{Norm: rootResidual + off}, true
}

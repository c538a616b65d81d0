package sensitivity

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

var _ kedge.PlaneSensitivity = (*Polarized)(nil)

const (
	nearSplit = 1e-3    // D below which PullRows is left to say what it makes of it
	unsettled = 0x1p-40 // by how much a plane may miss being steady, as a part of its larger number
)

// PullPlanes implements [kedge.PlaneSensitivity]. A steady state h = along·u + across·d has ρ = (1−λ)/across and ρ·along = σa, by which it is
// known for one, and with b = ‖u‖² − a² and D = ρ − σb
//
//	h + Ĥu = (1 + (σ/D)(b − a²))h + (σa/D)u.
func (s *Polarized) PullPlanes(h kedge.Planes, u []float64) bool {
	if s.Check() != nil || len(u) != s.Dim {
		return false
	}
	uu, home, floor := rows.Dot(u, u), 1-s.Lambda, max(nearSplit, s.floor())
	along, across := h.Along[:len(h.PU)], h.Across[:len(h.PU)]
	for i, a := range h.PU {
		rho, aa := home/across[i], float64(a*a)
		b := uu - aa
		margin := rho - float64(s.Sigma*b)
		gain := s.Sigma / margin
		steady, pull := float64(rho*along[i]), float64(s.Sigma*a)
		if !(math.Abs(steady-pull) <= unsettled*math.Abs(pull)) || !(margin > floor) {
			return false
		}
		scale := 1 + float64(gain*(b-aa))
		along[i], across[i] = float64(scale*along[i])+float64(gain*a), scale*across[i]
	}
	return true
}

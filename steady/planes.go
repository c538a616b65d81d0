package steady

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// planes are the parts of a model that has gradients without settled states; nil where it has none.
type planes struct {
	settler kedge.PlaneSettler
	slopes  kedge.SlopedObjective
	answer  kedge.PlaneSensitivity
}

func (p *planes) init(m kedge.Model) {
	p.settler, p.slopes = m.Planar()
	p.answer, _ = m.Sensitivity.(kedge.PlaneSensitivity)
}

// planeChunk adds the losses of individuals first … last−1 with the traits d to part[0] and their gradients to part[1:], from where they settle in the plane of
// decision and trait. With slopes φ′ of the losses these are Σφ′h, and Σφ′(h + ∇ᵤh u) with the answer of the crowd: one weighted sum of
// traits, and a multiple of u. It tells whether it did; otherwise part is as it was.
func (s *Objective) planeChunk(part, d []float64, w *desk, first, last int) bool {
	n := last - first
	h := kedge.Planes{PU: w.planes[:n], Along: w.planes[n : 2*n], Across: w.planes[2*n : 3*n]}
	slopes := w.planes[3*n : 4*n]
	res, ok := s.planes.settler.SettlePlanes(h, s.task.u, d)
	if !ok || s.task.total && (s.planes.answer == nil || !s.planes.answer.PullPlanes(h, s.task.u)) {
		return false
	}
	w.worst = w.worst.Worst(res)
	s.judgeAligned(part, h.PU, first)
	s.planes.slopes.Slopes(slopes, h.PU)
	if s.model.Weights != nil {
		rows.Mul(slopes, slopes, s.model.Weights[first:])
	}
	rows.Mul(h.Across, h.Across, slopes)
	rows.AddMulT(part[1:], d, h.Across)
	rows.AddScaled(part[1:], rows.Dot(h.Along, slopes), s.task.u)
	return true
}

// alignChunk adds the losses of individuals with the traits d to part[0] by their settled states' products with u alone.
func (s *Objective) alignChunk(part, pu, d []float64, w *desk, first int) error {
	var res kedge.Residual
	known := false
	if s.task.ahead {
		res, known = s.Crowd.AlignPeople(pu, first)
	}
	if !known {
		var err error
		if res, err = s.aligner.AlignRows(pu, s.task.u, d); err != nil {
			return err
		}
	}
	w.worst = w.worst.Worst(res)
	s.judgeAligned(part, pu, first)
	return nil
}

// judgeAligned adds the losses of individuals from the given one on by their settled states' products with u.
func (s *Objective) judgeAligned(part, pu []float64, first int) {
	if s.model.Weights == nil {
		part[0] = s.aligned.EvalAligned(pu)
		return
	}
	for i := range pu {
		part[0] += float64(s.model.Weights[first+i] * s.aligned.EvalAligned(pu[i:i+1]))
	}
}

package online

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Clip shortens gradients longer than Norm to that length.
type Clip struct{ Norm float64 }

// Apply shortens g.
func (c Clip) Apply(g []float64) {
	if n := rows.Norm(g); n > c.Norm {
		rows.Scale(g, c.Norm/n)
	}
}

// Momentum replaces the gradient by a running average, m⁺ = βm + (1−β)g, with 0 ≤ β < 1.
type Momentum struct {
	Beta float64

	mean, pending []float64
}

// Apply averages g into the memory.
func (m *Momentum) Apply(g []float64) {
	if m.mean == nil {
		m.mean, m.pending = make([]float64, len(g)), make([]float64, len(g))
	}
	for i, v := range g {
		m.pending[i] = float64(m.Beta*m.mean[i]) + float64((1-m.Beta)*v)
	}
	copy(g, m.pending)
}

// Commit keeps the average of the turn.
func (m *Momentum) Commit(kedge.Observation) { m.mean, m.pending = m.pending, m.mean }

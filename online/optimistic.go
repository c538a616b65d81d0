package online

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Optimistic steps by the gradient as it will be next if it goes on changing as it did: 2gₖ − gₖ₋₁ [popov1980]. Players who do so
// anticipate that the others go on as they have begun, which calms games in which plain gradients circle for ever.
type Optimistic struct{ last, pending []float64 }

var _ wire.Described = (*Optimistic)(nil)

// Apply replaces g by 2g − g of the turn before; the first turn has none.
func (t *Optimistic) Apply(g []float64) {
	t.pending = append(t.pending[:0], g...)
	if len(t.last) > 0 {
		rows.Scale(g, 2)
		rows.AddScaled(g, -1, t.last)
	}
}

// Commit remembers the gradient.
func (t *Optimistic) Commit(kedge.Observation) { t.last, t.pending = t.pending, t.last }

// Describe gives the gradient of the turn before.
func (t *Optimistic) Describe(f *wire.Fields) {
	f.Floats(&t.last)
	if n, want := len(t.last), len(t.pending); n > 0 && want > 0 && n != want {
		f.Fail("a gradient of %d numbers, want %d", n, want)
	}
	f.Finite("the saved gradient", t.last)
}

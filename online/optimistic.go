package online

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Optimistic steps by the gradient as it will be next if it goes on changing as it did: 2gₖ − gₖ₋₁ [popov1980]. Players who do so
// anticipate that the others go on as they have begun, which calms games in which plain gradients circle for ever.
type Optimistic struct{ last, pending []float64 }

var _ wire.State = (*Optimistic)(nil)

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

const optimisticKind = "online.Optimistic/1"

// AppendBinary appends the gradient of the turn before.
func (t *Optimistic) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, optimisticKind)
	w.Floats(t.last)
	return w.Finish()
}

// UnmarshalBinary makes t go on from the saved gradient. On an error t is unchanged.
func (t *Optimistic) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, optimisticKind)
	last := r.Floats()
	if n := len(t.pending); len(last) > 0 && n > 0 && len(last) != n {
		r.Fail("a gradient of %d numbers, want %d", len(last), n)
	}
	if err := r.Finish(); err != nil {
		return err
	}
	if err := kedge.CheckFinite("the saved gradient", last); err != nil {
		return err
	}
	t.last = append(t.last[:0], last...)
	return nil
}

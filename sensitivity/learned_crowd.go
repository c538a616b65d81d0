package sensitivity

import "github.com/kedge-opt/kedge/internal/wire"

// Remembered are the traits that a Learned sensitivity saw first, as a state of their own: up to 16,384 of them, which never change, so that who saves the
// sensitivity every turn (online.Descent.AppendLean) writes them while they become more and never again.
type Remembered struct{ of *past }

var _ wire.State = Remembered{}

// Kept returns the traits that are remembered; nil where none ever are.
func (l *Learned) Kept() wire.State {
	if l.config.Controls != Alignment || l.config.Form != Mean {
		return nil
	}
	return Remembered{&l.past}
}

const rememberedKind = "sensitivity.Remembered/1"

// AppendBinary appends the traits and their weights.
func (r Remembered) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(b, rememberedKind, r.of.describeTraits)
}

// UnmarshalBinary makes the sensitivity remember saved traits. On an error it is unchanged.
func (r Remembered) UnmarshalBinary(data []byte) error {
	return wire.Restore(data, rememberedKind, r.of.describeTraits)
}

// describeTraits gives the remembered traits and their weights.
func (h *past) describeTraits(f *wire.Fields) {
	f.Floats(&h.crowd)
	f.Floats(&h.counts)
	f.Finite("a remembered trait or its weight", h.crowd, h.counts)
	rows := h.seen()
	if rows*h.t != len(h.crowd) || rows > crowded || len(h.counts) != 0 && len(h.counts) != rows {
		f.Fail("%d entries of remembered traits and %d weights", len(h.crowd), len(h.counts))
	}
	for _, w := range h.counts {
		if !(w > 0) {
			f.Fail("a remembered trait has the weight %v", w)
		}
	}
}

// describeCrowd gives the remembered traits, so many, with a state that holds all. A lean one was saved with at most as many as are there already, of
// which it takes the first.
func (h *past) describeCrowd(f *wire.Fields, seen int) {
	if !f.Lean() {
		h.describeTraits(f)
	}
	held := h.seen()
	if seen > held || !f.Lean() && seen != held {
		f.Fail("%d remembered traits belong to it, and %d are there: restore those that are kept apart first", seen, held)
	} else if f.Reading() {
		f.Then(func() {
			h.crowd = h.crowd[:seen*h.t]
			h.counts = h.counts[:min(len(h.counts), seen)]
		})
	}
}

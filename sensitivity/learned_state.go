package sensitivity

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

var _ wire.State = (*Learned)(nil)

const learnedKind = "sensitivity.Learned/1"

// lists returns everything that a turn changes, in the order in which it is saved.
func (l *Learned) lists() [][]float64 {
	p := &l.past
	return append(l.fit.memory(), p.quick, p.slow, p.trend, p.before, p.mean, p.u, l.gain)
}

// AppendBinary appends all that was learned.
func (l *Learned) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, learnedKind)
	w.Int(l.past.turns)
	w.Int(l.past.seen)
	w.Int(l.fit.count)
	w.Float(l.fit.weight)
	w.Float(l.trust)
	for _, x := range l.lists() {
		w.Floats(x)
	}
	for _, x := range [...][]float64{l.past.crowd, l.past.p, l.past.d, l.past.step} {
		w.Floats(x)
	}
	w.Int(len(l.past.moved))
	for _, x := range l.past.moved {
		w.Bool(x)
	}
	return w.Finish()
}

// UnmarshalBinary makes l go on where the saved sensitivity was. On an error l is unchanged.
func (l *Learned) UnmarshalBinary(data []byte) error {
	fresh, err := NewLearned(l.config)
	if err != nil {
		return err
	}
	r := wire.Read(data, learnedKind)
	fresh.past.turns, fresh.past.seen, fresh.fit.count = r.Int(math.MaxInt), r.Int(math.MaxInt), r.Int(math.MaxInt)
	fresh.fit.weight, fresh.trust = r.Float(), r.Float()
	for _, x := range fresh.lists() {
		r.Fill(x)
	}
	for _, x := range [...]*[]float64{&fresh.past.crowd, &fresh.past.p, &fresh.past.d, &fresh.past.step} {
		*x = r.Floats()
	}
	fresh.past.moved = make([]bool, r.Count(8))
	for i := range fresh.past.moved {
		fresh.past.moved[i] = r.Bool()
	}
	if err := fresh.sound(r); err != nil {
		return err
	}
	l.past, l.fit, l.gain, l.trust = fresh.past, fresh.fit, fresh.gain, fresh.trust
	l.past.layout, l.past.config, l.fit.layout, l.fit.config = &l.layout, &l.config, &l.layout, &l.config
	return nil
}

// sound refuses what no sensitivity can have saved.
func (l *Learned) sound(r *wire.Reader) error {
	p := &l.past
	n := len(p.p) / l.config.Dims.State
	if len(p.step) != len(p.p) || len(p.d) != n*l.config.Dims.Trait || len(p.moved) != n || n*l.config.Dims.State != len(p.p) {
		r.Fail("individuals of different numbers")
	}
	if m := len(p.crowd); m != 0 && m != crowded*l.config.Dims.Trait {
		r.Fail("%d entries of remembered traits", m)
	}
	if !(l.trust >= 0 && l.trust <= 1) || !(l.fit.weight >= 0) {
		r.Fail("a trust of %v and a weight of %v", l.trust, l.fit.weight)
	}
	if err := r.Finish(); err != nil {
		return err
	}
	for _, x := range append(l.lists(), p.crowd, p.p, p.d, p.step) {
		if err := kedge.CheckFinite("what was saved", x); err != nil {
			return err
		}
	}
	return nil
}

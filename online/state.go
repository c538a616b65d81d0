package online

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/wire"
)

var (
	_ wire.State = (*Descent)(nil)
	_ wire.State = (*DerivativeFree)(nil)
	_ wire.State = (*Momentum)(nil)
)

const (
	descentKind        = "online.Descent/1"
	derivativeFreeKind = "online.DerivativeFree/1"
	momentumKind       = "online.Momentum/1"
)

// AppendBinary appends the turn, the iterate and what the parts of the rule remember. A part that remembers turns and is no
// wire.State is an error.
func (d *Descent) AppendBinary(b []byte) ([]byte, error) {
	parts, err := d.memory()
	if err != nil {
		return b, err
	}
	w := wire.Write(b, descentKind)
	w.Int(d.k)
	w.Floats(d.u)
	w.Int(len(parts))
	for _, part := range parts {
		w.State(part)
	}
	return w.Finish()
}

// UnmarshalBinary makes d, a rule of the same parts, go on where the saved one was. On an error d is unchanged.
func (d *Descent) UnmarshalBinary(data []byte) error {
	parts, err := d.memory()
	if err != nil {
		return err
	}
	r := wire.Read(data, descentKind)
	k := r.Int(math.MaxInt)
	r.Fill(d.next)
	if n := r.Int(math.MaxInt); n != len(parts) {
		r.Fail("%d parts have memory, in this rule %d", n, len(parts))
	}
	saved := make([][]byte, len(parts))
	for i := range saved {
		saved[i] = r.Bytes()
	}
	if err := r.Finish(); err != nil {
		return err
	}
	if err := kedge.CheckFinite("the saved decision", d.next); err != nil {
		return err
	}
	if err := wire.RestoreAll(parts, saved); err != nil {
		return err
	}
	d.k, d.u, d.next = k, d.next, d.u
	return nil
}

// memory lists the parts of the rule that remember turns.
func (d *Descent) memory() (list []wire.State, err error) {
	parts := []any{d.rule.Gradient}
	for _, t := range d.rule.Transforms {
		parts = append(parts, t)
	}
	for _, part := range parts {
		s, saves := part.(wire.State)
		if _, remembers := part.(committer); remembers && !saves {
			return nil, fmt.Errorf("online: a %T remembers turns but cannot be saved: it is no wire.State", part)
		}
		if saves {
			list = append(list, s)
		}
	}
	return list, nil
}

// AppendBinary appends the last loss, this turn's direction if there is one already, and the source's state.
func (e *DerivativeFree) AppendBinary(b []byte) ([]byte, error) {
	source, err := e.sourceState()
	if err != nil {
		return b, err
	}
	w := wire.Write(b, derivativeFreeKind)
	w.Float(e.previous)
	w.Bool(e.drawn)
	if e.drawn {
		w.Floats(e.direction)
	}
	w.State(source)
	return w.Finish()
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *DerivativeFree) UnmarshalBinary(data []byte) error {
	source, err := e.sourceState()
	if err != nil {
		return err
	}
	r := wire.Read(data, derivativeFreeKind)
	previous, drawn := r.Float(), r.Bool()
	direction := make([]float64, len(e.direction))
	if drawn {
		r.Fill(direction)
	}
	from := r.Bytes()
	if math.IsInf(previous, 0) {
		r.Fail("the last loss is %v", previous)
	}
	if err := r.Finish(); err != nil {
		return err
	}
	if err := kedge.CheckFinite("the saved direction", direction); err != nil {
		return err
	}
	if err := source.UnmarshalBinary(from); err != nil {
		return err
	}
	e.previous, e.drawn, e.direction = previous, drawn, direction
	return nil
}

func (e *DerivativeFree) sourceState() (wire.State, error) {
	if s, ok := e.source.(wire.State); ok {
		return s, nil
	}
	return nil, fmt.Errorf("online: the source of directions, a %T, cannot be saved: it is no wire.State", e.source)
}

// AppendBinary appends the average.
func (m *Momentum) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, momentumKind)
	w.Floats(m.mean)
	return w.Finish()
}

// UnmarshalBinary makes m go on from the saved average. On an error m is unchanged.
func (m *Momentum) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, momentumKind)
	mean := r.Floats()
	if m.mean != nil && len(mean) != len(m.mean) {
		r.Fail("an average of %d numbers, want %d", len(mean), len(m.mean))
	}
	if err := r.Finish(); err != nil {
		return err
	}
	if err := kedge.CheckFinite("the saved average", mean); err != nil {
		return err
	}
	if len(mean) > 0 { // before the first turn there is none
		m.mean, m.pending = mean, make([]float64, len(mean))
	}
	return nil
}

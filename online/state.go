package online

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State = (*Descent)(nil)
	_ wire.State = (*Momentum)(nil)
	_ wire.State = (*Adam)(nil)
)

const (
	descentKind  = "online.Descent/2"
	momentumKind = "online.Momentum/1"
	adamKind     = "online.Adam/1"

	mostTurns = 1 << 53 // that a saved rule has taken
)

// AppendBinary appends the turn, the iterate, what is deployed, the average and what the parts of the rule remember. A part that remembers turns and is no
// wire.State is an error.
func (d *Descent) AppendBinary(b []byte) ([]byte, error) {
	parts, err := d.memory()
	if err != nil {
		return b, err
	}
	w := wire.Write(b, descentKind)
	w.Int(d.k)
	w.Int(d.deployment)
	w.Int(d.turn)
	for _, x := range [][]float64{d.u, d.deployed, d.mean} {
		w.Floats(x)
	}
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
	k, deployment, turn := r.Int(mostTurns), r.Int(mostTurns), r.Int(longest)
	deployed, mean := make([]float64, len(d.deployed)), make([]float64, len(d.mean))
	for _, x := range [][]float64{d.next, deployed, mean} {
		r.Fill(x)
	}
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
	for _, x := range [][]float64{d.next, deployed, mean} {
		if err := kedge.CheckFinite("the saved decision", x); err != nil {
			return err
		}
	}
	if err := wire.RestoreAll(parts, saved); err != nil {
		return err
	}
	d.k, d.deployment, d.turn, d.u, d.next = k, deployment, turn, d.next, d.u
	copy(d.deployed, deployed)
	copy(d.mean, mean)
	return nil
}

// memory lists the parts of the rule that remember turns.
func (d *Descent) memory() ([]wire.State, error) {
	parts := []any{d.rule.Gradient}
	for _, t := range d.rule.Transforms {
		parts = append(parts, t)
	}
	return memories(parts...)
}

// memories lists those of the parts that remember turns.
func memories(parts ...any) (list []wire.State, err error) {
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

// AppendBinary appends the averages and how many gradients are in them.
func (a *Adam) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, adamKind)
	w.Int(a.count)
	w.Floats(a.mean)
	w.Floats(a.square)
	return w.Finish()
}

// UnmarshalBinary makes a go on from the saved averages. On an error a is unchanged.
func (a *Adam) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, adamKind)
	count, mean, square := r.Int(mostTurns), r.Floats(), r.Floats()
	if len(mean) != len(square) || a.mean != nil && len(mean) != len(a.mean) {
		r.Fail("averages of %d and %d numbers, want %d", len(mean), len(square), len(a.mean))
	}
	if err := r.Finish(); err != nil {
		return err
	}
	if err := errors.Join(kedge.CheckFinite("the saved average", mean), kedge.CheckFinite("the saved square", square)); err != nil {
		return err
	}
	a.count = count
	if len(mean) > 0 {
		a.mean, a.square = mean, square
		a.newMean, a.newSquare = make([]float64, len(mean)), make([]float64, len(mean))
	}
	return nil
}

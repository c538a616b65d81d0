package population

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State = (*Crowd)(nil)
	_ wire.State = WithReplacement{}
	_ wire.State = (*WithoutReplacement)(nil)
	_ wire.State = Everyone{}
)

const (
	doublesKind  = "population.Crowd float64/1"
	singlesKind  = "population.Crowd float32/1"
	everyoneKind = "population.Everyone/1"
)

// AppendBinary appends everybody's state and the picker's, and of a crowd with motion or noise the step and everybody's home.
// Traits that stay and dynamics are not state: a crowd is restored into one of the same config. A picker that is no wire.State
// is an error.
func (c *Crowd) AppendBinary(b []byte) ([]byte, error) {
	picked, err := c.savePick()
	if err != nil {
		return b, err
	}
	w := wire.Write(slices.Grow(b, c.states.bytes()/2+c.moving.saved()+len(picked)+1024), c.kind())
	c.write(w, picked)
	return w.Finish()
}

// Save writes the bytes that AppendBinary would append, without having them all in memory.
func (c *Crowd) Save(to io.Writer) error {
	picked, err := c.savePick()
	if err != nil {
		return err
	}
	size := 8 + 8 + c.states.bytes()/2 + 8 + len(picked)
	if c.unsettled() {
		size += 8 + c.moving.saved()
	}
	w := wire.Stream(to, c.kind(), size)
	c.write(w, picked)
	_, err = w.Finish()
	return err
}

func (c *Crowd) write(w *wire.Writer, picked []byte) {
	w.Int(c.size)
	c.states.write(w)
	w.Bytes(picked)
	if c.unsettled() {
		w.Int(c.steps)
		c.moving.write(w)
	}
}

// unsettled tells whether it matters how many steps the crowd has taken.
func (c *Crowd) unsettled() bool { return c.moving != nil || c.noise != nil }

// kind is that of the saved state.
func (c *Crowd) kind() string {
	switch {
	case c.moving != nil:
		return "moving " + c.states.kind()
	case c.noise != nil:
		return "noisy " + c.states.kind()
	}
	return c.states.kind()
}

// saved is how many bytes write writes.
func (m *Moving) saved() int {
	if m == nil {
		return 0
	}
	return 8 + 8 + 8*len(m.homes.Data)
}

func (m *Moving) write(w *wire.Writer) {
	if m != nil {
		w.Int(m.step)
		w.Floats(m.homes.Data)
	}
}

// read returns a saved step and saved homes.
func (m *Moving) read(r *wire.Reader) (step int, homes []float64) {
	if m == nil {
		return 0, nil
	}
	step, homes = r.Int(math.MaxInt), make([]float64, len(m.homes.Data))
	r.Fill(homes)
	return step, homes
}

// restore makes saved homes those of the step.
func (m *Moving) restore(step int, homes []float64) {
	if m == nil {
		return
	}
	m.step = step
	copy(m.homes.Data, homes)
	n, _ := m.Size()
	m.swing(0, n)
}

func (c *Crowd) savePick() ([]byte, error) {
	pick, err := stateOf("picker", c.pick)
	if err != nil {
		return nil, err
	}
	return pick.AppendBinary(nil)
}

// UnmarshalBinary puts everybody into the saved states, and the picker. On an error nobody has moved.
func (c *Crowd) UnmarshalBinary(data []byte) error {
	pick, err := stateOf("picker", c.pick)
	if err != nil {
		return err
	}
	r := wire.Read(data, c.kind())
	if n := r.Int(c.size); n != c.size {
		r.Fail("%d individuals, the crowd has %d", n, c.size)
	}
	c.states.read(r)
	picked := r.Bytes()
	steps, step, homes := c.readSteps(r)
	if err := r.Finish(); err != nil {
		return err
	}
	if err := errors.Join(c.checkNext(), checkRows("traits", homes, 0, max(1, c.dim.Trait))); err != nil {
		return err
	}
	if err := pick.UnmarshalBinary(picked); err != nil {
		return err
	}
	c.states.swap()
	c.steps = steps
	c.moving.restore(step, homes)
	return nil
}

// readSteps reads what is saved of an unsettled crowd besides states. Traits are at most one step ahead.
func (c *Crowd) readSteps(r *wire.Reader) (steps, step int, homes []float64) {
	if !c.unsettled() {
		return c.steps, 0, nil
	}
	steps = r.Int(math.MaxInt)
	step, homes = c.moving.read(r)
	if c.moving != nil && step != steps && step != steps-1 {
		r.Fail("traits of step %d after %d steps", step, steps)
	}
	return steps, step, homes
}

// checkNext tells whether the states that were read are finite.
func (c *Crowd) checkNext() error {
	c.states.swap()
	defer c.states.swap()
	c.furnish(1)
	for first := 0; first < c.size; first += chunk {
		p := c.states.View(c.desks[0].p, first, min(first+chunk, c.size))
		if err := checkRows("states", p, first, c.dim.State); err != nil {
			return err
		}
	}
	return nil
}

// stateOf returns the part of a crowd as a state.
func stateOf(what string, part any) (wire.State, error) {
	if s, ok := part.(wire.State); ok {
		return s, nil
	}
	return nil, fmt.Errorf("the %s, a %T, cannot be saved: it is no wire.State", what, part)
}

func (s *doubles) kind() string { return doublesKind }

func (s *doubles) write(w *wire.Writer) { w.Floats(s.now.Data) }

func (s *doubles) read(r *wire.Reader) { r.Fill(s.then.Data) }

func (s *singles) kind() string { return singlesKind }

func (s *singles) write(w *wire.Writer) { w.Singles(s.data) }

func (s *singles) read(r *wire.Reader) { r.FillSingles(s.then) }

// AppendBinary appends the source's state.
func (w WithReplacement) AppendBinary(b []byte) ([]byte, error) { return appendSource(b, w.Source) }

// UnmarshalBinary restores the source.
func (w WithReplacement) UnmarshalBinary(data []byte) error { return restoreSource(data, w.Source) }

// AppendBinary appends the source's state; the picker's own memory does not outlast a pick.
func (w *WithoutReplacement) AppendBinary(b []byte) ([]byte, error) { return appendSource(b, w.Source) }

// UnmarshalBinary restores the source.
func (w *WithoutReplacement) UnmarshalBinary(data []byte) error { return restoreSource(data, w.Source) }

func appendSource(b []byte, s Source) ([]byte, error) {
	state, err := stateOf("source of random numbers", s)
	if err != nil {
		return b, err
	}
	return state.AppendBinary(b)
}

func restoreSource(data []byte, s Source) error {
	state, err := stateOf("source of random numbers", s)
	if err != nil {
		return err
	}
	return state.UnmarshalBinary(data)
}

// AppendBinary appends an empty state: there is nothing to remember.
func (Everyone) AppendBinary(b []byte) ([]byte, error) { return wire.Write(b, everyoneKind).Finish() }

// UnmarshalBinary checks that the state is one of Everyone.
func (Everyone) UnmarshalBinary(data []byte) error { return wire.Read(data, everyoneKind).Finish() }

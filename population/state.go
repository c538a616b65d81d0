package population

import (
	"io"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State     = (*Crowd)(nil)
	_ wire.Described = WithReplacement{}
	_ wire.Described = (*WithoutReplacement)(nil)
	_ wire.Described = Everyone{}
	_ wire.Described = (*Rotating)(nil)
)

const (
	doublesKind = "population.Crowd float64/2"
	singlesKind = "population.Crowd float32/2"
)

// AppendBinary appends everybody's state and the picker's, and of a crowd with motion or noise the step and everybody's home.
// Traits that stay and dynamics are not state: a crowd is restored into one of the same config. A picker that is no wire.State
// is an error.
func (c *Crowd) AppendBinary(b []byte) ([]byte, error) {
	return wire.Append(slices.Grow(b, c.states.bytes()/2+1024), c.kind(), c.fields)
}

// Save writes the bytes that AppendBinary would append, without having them all in memory.
func (c *Crowd) Save(to io.Writer) error { return wire.Save(to, c.kind(), c.fields) }

// UnmarshalBinary puts everybody into the saved states, and the picker. On an error nobody has moved.
func (c *Crowd) UnmarshalBinary(data []byte) error { return wire.Restore(data, c.kind(), c.fields) }

func (c *Crowd) fields(f *wire.Fields) {
	f.Same("individuals", c.size)
	if c.states.fields(f); f.Reading() {
		f.Check(c.checkStates())
	}
	f.Part("picker", c.pick)
	if c.unsettled() {
		f.Int(&c.steps, math.MaxInt)
	}
	if c.moving != nil {
		c.moving.fields(f, c.steps)
	}
}

// unsettled tells whether it matters how many steps the crowd has taken.
func (c *Crowd) unsettled() bool { return c.moving != nil || c.noise != nil || c.stir != nil }

// kind is that of the saved state.
func (c *Crowd) kind() string {
	switch {
	case c.moving != nil:
		return "moving " + c.states.kind()
	case c.noise != nil || c.stir != nil:
		return "noisy " + c.states.kind()
	}
	return c.states.kind()
}

// fields are the homes of a step, at most one ahead of the crowd's.
func (m *Moving) fields(f *wire.Fields, steps int) {
	if f.Int(&m.step, math.MaxInt); m.step != steps && m.step != steps-1 {
		f.Fail("traits of step %d after %d steps", m.step, steps)
	}
	f.Fixed(m.homes.Data)
	f.Finite("a saved trait", m.homes.Data)
	f.Then(func() {
		n, _ := m.Size()
		m.swing(0, n)
	})
}

// checkStates tells whether everybody's state is finite.
func (c *Crowd) checkStates() error {
	c.furnish(1)
	for first := 0; first < c.size; first += chunk {
		p := c.states.View(c.desks[0].p, first, min(first+chunk, c.size))
		if err := checkRows("states", p, first, c.dim.State); err != nil {
			return err
		}
	}
	return nil
}

func (s *doubles) kind() string { return doublesKind }

func (s *doubles) fields(f *wire.Fields) { wire.Swap(f, &s.now.Data, &s.then.Data) }

func (s *singles) kind() string { return singlesKind }

func (s *singles) fields(f *wire.Fields) { wire.Swap(f, &s.data, &s.then) }

package stream

import (
	"math"

	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State = (*Stream)(nil)
	_ wire.State = (*NumPy)(nil)
)

const (
	streamKind = "stream.Stream/1"
	numpyKind  = "stream.NumPy/1"
)

// AppendBinary appends the stream's name and place.
func (s *Stream) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, streamKind, s.fields) }

// UnmarshalBinary makes s the stream that was saved, at its place. On an error s is unchanged.
func (s *Stream) UnmarshalBinary(data []byte) error { return wire.Restore(data, streamKind, s.fields) }

func (s *Stream) fields(f *wire.Fields) {
	for i := range s.key {
		f.Uint64(&s.key[i])
	}
	for i := range s.counter {
		f.Uint64(&s.counter[i])
	}
	f.Int(&s.used, 4)
	spareFields(f, &s.spare, &s.spared)
	f.Then(func() {
		if s.used < 4 { // some of the last block is still to be handed out
			last := s.counter
			last[0]--
			s.out = philox(s.key, last)
		}
	})
}

// AppendBinary appends the generator's state.
func (g *NumPy) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, numpyKind, g.fields) }

// UnmarshalBinary makes g go on where the saved generator was. On an error g is unchanged.
func (g *NumPy) UnmarshalBinary(data []byte) error { return wire.Restore(data, numpyKind, g.fields) }

func (g *NumPy) fields(f *wire.Fields) {
	for i := range g.state {
		f.Uint32(&g.state[i])
	}
	f.Int(&g.index, 624)
	spareFields(f, &g.spare, &g.spared)
	if g.dead() {
		f.Fail("the words are all zero, from which only zeros would follow")
	}
}

// dead tells whether all bits that later ones depend on are zero.
func (g *NumPy) dead() bool {
	words := g.state
	words[0] &= 0x80000000
	return words == [624]uint32{}
}

// spareFields are the second normal number of a pair, 0 when it has been handed out.
func spareFields(f *wire.Fields, spare *float64, spared *bool) {
	if f.Bool(spared); !f.Reading() && !*spared {
		spare = new(float64)
	}
	if f.Float(spare); math.IsNaN(*spare) || math.IsInf(*spare, 0) || !*spared && math.Float64bits(*spare) != 0 {
		f.Fail("the spare normal number is %v", *spare)
	}
}

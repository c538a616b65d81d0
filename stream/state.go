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
func (s *Stream) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, streamKind)
	for _, v := range s.key {
		w.Uint64(v)
	}
	for _, v := range s.counter {
		w.Uint64(v)
	}
	w.Int(s.used)
	writeSpare(w, s.spare, s.spared)
	return w.Finish()
}

// UnmarshalBinary makes s the stream that was saved, at its place. On an error s is unchanged.
func (s *Stream) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, streamKind)
	var saved Stream
	for i := range saved.key {
		saved.key[i] = r.Uint64()
	}
	for i := range saved.counter {
		saved.counter[i] = r.Uint64()
	}
	saved.used = r.Int(4)
	saved.spare, saved.spared = readSpare(r)
	if err := r.Finish(); err != nil {
		return err
	}
	if saved.used < 4 { // some of the last block is still to be handed out
		last := saved.counter
		last[0]--
		saved.out = philox(saved.key, last)
	}
	*s = saved
	return nil
}

// AppendBinary appends the generator's state.
func (g *NumPy) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, numpyKind)
	for _, v := range g.state {
		w.Uint64(uint64(v))
	}
	w.Int(g.index)
	writeSpare(w, g.spare, g.spared)
	return w.Finish()
}

// UnmarshalBinary makes g go on where the saved generator was. On an error g is unchanged.
func (g *NumPy) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, numpyKind)
	var saved NumPy
	for i := range saved.state {
		v := r.Uint64()
		if saved.state[i] = uint32(v); v > math.MaxUint32 {
			r.Fail("word %d has more than 32 bits", i)
		}
	}
	saved.index = r.Int(624)
	saved.spare, saved.spared = readSpare(r)
	if saved.dead() {
		r.Fail("the words are all zero, from which only zeros would follow")
	}
	if err := r.Finish(); err != nil {
		return err
	}
	*g = saved
	return nil
}

// dead tells whether all bits that later ones depend on are zero.
func (g *NumPy) dead() bool {
	words := g.state
	words[0] &= 0x80000000
	return words == [624]uint32{}
}

// writeSpare writes the second normal number of a pair, 0 when it has been handed out.
func writeSpare(w *wire.Writer, spare float64, spared bool) {
	if !spared {
		spare = 0
	}
	w.Bool(spared)
	w.Float(spare)
}

func readSpare(r *wire.Reader) (spare float64, spared bool) {
	spared, spare = r.Bool(), r.Float()
	if math.IsNaN(spare) || math.IsInf(spare, 0) || !spared && math.Float64bits(spare) != 0 {
		r.Fail("the spare normal number is %v", spare)
	}
	return spare, spared
}

package stream

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
)

// source is what both generators can do.
type source interface {
	wire.State
	Intn(n int) int
	Float64() float64
	Normal() float64
	Normals(dst []float64)
}

// draw takes one number in a way that depends on i.
func draw(s source, i int) float64 {
	switch i % 5 {
	case 0:
		return float64(s.Intn(1000))
	case 1:
		return s.Float64()
	case 2:
		var many [37]float64
		s.Normals(many[:1+i%37])
		return many[i%37]
	default:
		return s.Normal()
	}
}

func pairs() map[string]func() (run, fresh source) {
	return map[string]func() (run, fresh source){
		streamKind: func() (run, fresh source) { return New(7, "state"), new(Stream) },
		numpyKind:  func() (run, fresh source) { return NewNumPy(7), NewNumPy(8) },
	}
}

// After any number of draws a saved generator goes on with the same numbers, and saving draws none.
func TestSavedGeneratorsGoOn(t *testing.T) {
	for name, make := range pairs() {
		run, _ := make()
		for i := range 700 {
			_, fresh := make()
			state, err := run.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := fresh.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			for j := i; j < i+9; j++ {
				if got, want := draw(fresh, j), draw(run, j); got != want {
					t.Fatalf("%s saved after %d draws gives %v, want %v", name, i, got, want)
				}
			}
		}
	}
}

func TestTornAndForeignStatesAreRefused(t *testing.T) {
	for name, make := range pairs() {
		run, fresh := make()
		run.Normal()
		state, _ := run.AppendBinary(nil)
		before, _ := fresh.AppendBinary(nil)
		for n := range state {
			flipped := bytes.Clone(state)
			flipped[n] ^= 0x10
			for _, bad := range [][]byte{state[:n], flipped} {
				var e *wire.Error
				if err := fresh.UnmarshalBinary(bad); !errors.As(err, &e) {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		for other := range pairs() {
			if other != name && fresh.UnmarshalBinary(wire.Seal(other, nil)) == nil {
				t.Errorf("%s took the state of a %s", name, other)
			}
		}
		if after, _ := fresh.AppendBinary(nil); !bytes.Equal(after, before) {
			t.Errorf("%s: what was refused left traces", name)
		}
	}
}

// A normal number that is said to be handed out, and is there all the same, is refused.
func TestSparesThatAreHandedOut(t *testing.T) {
	for name, make := range pairs() {
		run, fresh := make()
		run.Normal()
		state, _ := run.AppendBinary(nil)
		content := bytes.Clone(state[1+len(name)+8 : len(state)-4])
		if fresh.UnmarshalBinary(wire.Seal(name, content)) != nil {
			t.Fatalf("%s: a state of its own is refused", name)
		}
		content[len(content)-16] = 0 // in the eight bytes before the number is whether it is to be handed out
		if err := fresh.UnmarshalBinary(wire.Seal(name, content)); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}

// Any content under a right checksum: refused without a trace, or taken and written again byte for byte.
func FuzzUnmarshal(f *testing.F) {
	for name, make := range pairs() {
		run, _ := make()
		run.Normal()
		state, _ := run.AppendBinary(nil)
		f.Add(state[1+len(name)+8 : len(state)-4])
	}
	f.Add(make([]byte, 8*(624+3))) // MT19937 without a bit
	f.Fuzz(func(t *testing.T, content []byte) {
		for name, make := range pairs() {
			s, _ := make()
			before, _ := s.AppendBinary(nil)
			data := wire.Seal(name, content)
			if err := s.UnmarshalBinary(data); err == nil {
				before = data
			}
			if after, _ := s.AppendBinary(nil); !bytes.Equal(after, before) {
				t.Errorf("%s: % x became % x", name, before, after)
			}
			s.Normal()
		}
	})
}

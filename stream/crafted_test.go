package stream

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
)

// untempered is the word of the state that Uint32 makes y of: what it does, backwards.
func untempered(y uint32) uint32 {
	y ^= y >> 18
	y ^= y << 15 & 0xefc60000
	x := y
	for range 5 { // each time seven more bits are right
		x = y ^ x<<7&0x9d2c5680
	}
	y = x
	for range 3 {
		x = y ^ x>>11
	}
	return x
}

// Of points of the square those in the middle and on the circle are left out, which come to one in 2¹⁰⁶; the next is taken. By hand of (½, ½): √(−2·log ½/½)·½ = √log 2, twice.
func TestPointsThatAreLeftOut(t *testing.T) {
	g := new(NumPy)
	const middle, quarter = 1 << 31, 3 << 30 // of a number ½, which becomes 0, and of ¾, which becomes ½
	for i, word := range []uint32{middle, 0, middle, 0, 0, 0, middle, 0, middle, 0, 0, 0, quarter, 0, quarter, 0, 77} {
		g.state[i] = untempered(word)
	}
	want := math.Sqrt(math.Ln2)
	for range 2 {
		if got := g.Normal(); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if got := g.Uint32(); got != 77 {
		t.Errorf("the next word is %d, want 77", got)
	}
}

// By hand, of a third of 2⁶⁴: the words 0 and 0xaaaaaaaaaaaaaaab times 3 leave 0 and 1, of which 2⁶⁴ mod 3 = 1 is the first that counts; the second gives 2.
func TestTheFirstWordThatCounts(t *testing.T) {
	s := &Stream{out: [4]uint64{0, 0xaaaaaaaaaaaaaaab, 0, 0}}
	if got := s.Intn(3); got != 2 || s.used != 2 {
		t.Errorf("%d after %d words, want 2 after 2", got, s.used)
	}
}

// Places beyond the last word, and words of which nothing but zeros would come, are refused; the last place and the least of other words are not.
func TestPlacesAndWordsThatCannotBe(t *testing.T) {
	place := func(words, at int, v uint64) []byte {
		content := make([]byte, 8*words)
		binary.LittleEndian.PutUint64(content[8*at:], v)
		return content
	}
	for used, want := range map[uint64]bool{0: true, 4: true, 5: false} {
		if err := new(Stream).UnmarshalBinary(wire.Seal(streamKind, place(9, 6, used))); (err == nil) != want {
			t.Errorf("a stream with %d words handed out: %v", used, err)
		}
	}
	for _, c := range []struct {
		at   int
		word uint64
		want bool
	}{{0, 1 << 31, true}, {0, 1<<31 - 1, false}, {0, 1, false}, {1, 1, true}, {623, 1, true}, {624, 7, false}} {
		if err := new(NumPy).UnmarshalBinary(wire.Seal(numpyKind, place(627, c.at, c.word))); (err == nil) != c.want {
			t.Errorf("word %d is %d, all others 0: %v", c.at, c.word, err)
		}
	}
	for index, want := range map[uint64]bool{624: true, 625: false} {
		content := place(627, 624, index)
		content[8] = 1
		if err := new(NumPy).UnmarshalBinary(wire.Seal(numpyKind, content)); (err == nil) != want {
			t.Errorf("a generator at place %d: %v", index, err)
		}
	}
}

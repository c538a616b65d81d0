// Package stream gives named streams of random numbers from one seed. A stream is Philox4x64-10 [salmon2011] under a key
// hashed from the seed and the stream's name, so a new consumer never shifts another's draws, and Seek gives every
// individual a range of its own, so results do not depend on who draws first.
//
// All draws, normals included, are the same bits on every architecture. math/rand's normals change with the compiler's
// settings.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Stream is one stream of random numbers. It is not safe for concurrent use.
type Stream struct {
	key     [2]uint64
	counter [4]uint64
	out     [4]uint64
	used    int // words of out already handed out
	spare   float64
	spared  bool
}

// New returns the stream of the given name under a seed.
func New(seed uint64, name ...string) *Stream {
	text := binary.LittleEndian.AppendUint64(nil, seed)
	for _, s := range name {
		text = append(binary.LittleEndian.AppendUint64(text, uint64(len(s))), s...)
	}
	sum := sha256.Sum256(text)
	return &Stream{
		key:  [2]uint64{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])},
		used: 4,
	}
}

// Seek moves to the start of range i: 2⁶⁴ blocks that no other range shares.
func (s *Stream) Seek(i uint64) {
	s.counter = [4]uint64{0, i, 0, 0}
	s.used, s.spared = 4, false
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 {
	if s.used == 4 {
		s.out = philox(s.key, s.counter)
		s.used = 0
		s.counter[0]++
	}
	v := s.out[s.used]
	s.used++
	return v
}

// Float64 returns a number in [0, 1) with 53 random bits.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// Intn returns a uniform integer in [0, n), without bias [lemire2019]. It panics when n < 1.
func (s *Stream) Intn(n int) int {
	if n < 1 {
		panic("stream: Intn of a range with no number in it")
	}
	m := uint64(n)
	hi, lo := bits.Mul64(s.Uint64(), m)
	if lo < m {
		for floor := -m % m; lo < floor; {
			hi, lo = bits.Mul64(s.Uint64(), m)
		}
	}
	return int(hi)
}

// Normal returns a standard normal number: words are taken in pairs and made pairs of numbers by rows.Gauss.
func (s *Stream) Normal() float64 {
	if s.spared {
		s.spared = false
		return s.spare
	}
	words := [2]uint64{s.Uint64(), s.Uint64()}
	var pair [2]float64
	rows.Gauss(pair[:], words[:])
	s.spare, s.spared = pair[1], true
	return pair[0]
}

// Normals fills dst with what as many calls of Normal would return, several times faster.
func (s *Stream) Normals(dst []float64) {
	if s.spared && len(dst) > 0 {
		dst[0], dst = s.Normal(), dst[1:]
	}
	var words [128]uint64
	for len(dst) > 1 {
		n := min(len(dst)&^1, len(words))
		s.fill(words[:n])
		rows.Gauss(dst[:n], words[:n])
		dst = dst[n:]
	}
	for i := range dst {
		dst[i] = s.Normal()
	}
}

// fill fills dst with what as many calls of Uint64 would return.
func (s *Stream) fill(dst []uint64) {
	for s.used < 4 && len(dst) > 0 {
		dst[0], dst = s.Uint64(), dst[1:]
	}
	whole := len(dst) &^ 3
	rows.Philox(dst[:whole], s.key, s.counter)
	s.counter[0] += uint64(whole / 4)
	dst = dst[whole:]
	for i := range dst {
		dst[i] = s.Uint64()
	}
}

// philox is one block.
func philox(key [2]uint64, counter [4]uint64) (block [4]uint64) {
	rows.Philox(block[:], key, counter)
	return block
}

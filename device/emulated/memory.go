package emulated

import (
	"cmp"
	"slices"
	"unsafe"
)

// segment is a piece of memory.
type segment struct {
	from   uint64
	data   []byte
	isHost bool
	whole  []uint64 // with what is kept clear on both sides
}

// clearance is how many words beside a segment nobody else has, so that who goes beyond it comes to nobody's memory.
const clearance = 1 << 10

func (d *GPUs) take(bytes int, isHost bool) (from uint64) {
	words := (bytes+7)/8 + 2*clearance
	whole, used := d.spare[words]
	if delete(d.spare, words); !used || !isHost {
		whole = make([]uint64, words)
	}
	start := unsafe.Pointer(&whole[clearance])
	s := segment{uint64(uintptr(start)), unsafe.Slice((*byte)(start), bytes), isHost, whole}
	if !isHost {
		d.taken += bytes
		flood(s.data, leftover)
	}
	place, _ := d.find(s.from)
	d.memory = slices.Insert(d.memory, place, s)
	return s.from
}

// find returns where a segment is, or would be, that begins at an address.
func (d *GPUs) find(from uint64) (int, bool) {
	return slices.BinarySearchFunc(d.memory, from, func(s segment, from uint64) int { return cmp.Compare(s.from, from) })
}

func (d *GPUs) giveBack(from uint64, isHost bool) (code int) {
	place, there := d.find(from)
	if !there || d.memory[place].isHost != isHost {
		return codeInvalid
	}
	if s := d.memory[place]; isHost {
		d.spare[len(s.whole)] = s.whole
	} else {
		d.taken -= len(s.data)
	}
	d.memory = slices.Delete(d.memory, place, place+1)
	return 0
}

// reach returns bytes from an address on, and the segment that they belong to; nil where they are not there.
func (d *GPUs) reach(from uint64, bytes int) (data []byte, of segment) {
	place, exact := d.find(from)
	if !exact {
		place--
	}
	if place < 0 {
		return nil, segment{}
	}
	return d.memory[place].part(from, bytes), d.memory[place]
}

// part returns bytes of a segment; nil where it has not all of them.
func (s *segment) part(from uint64, bytes int) []byte {
	if offset := from - s.from; offset <= uint64(len(s.data)) && uint64(bytes) <= uint64(len(s.data))-offset {
		return s.data[offset:][:bytes]
	}
	return nil
}

func (d *GPUs) fill(from uint64, with byte, bytes int) (code int) {
	data, of := d.reach(from, bytes)
	if data == nil || of.isHost {
		return codeInvalid
	}
	flood(data, with)
	return 0
}

// leftover is what others left in memory.
const leftover = 0xa5

func flood(data []byte, with byte) {
	for i := range data {
		data[i] = with
	}
}

func (d *GPUs) move(to, from uint64, bytes int, toHost, fromHost bool) (code int) {
	dst, into := d.reach(to, bytes)
	src, out := d.reach(from, bytes)
	if dst == nil || src == nil || into.isHost != toHost || out.isHost != fromHost {
		return codeInvalid
	}
	copy(dst, src)
	return 0
}

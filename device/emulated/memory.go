package emulated

import (
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
		for i := range s.data {
			s.data[i] = 0xa5 // what was there before
		}
	}
	place, _ := d.find(s.from)
	d.memory = slices.Insert(d.memory, place, s)
	return s.from
}

// find returns where a segment is, or would be, that begins at an address.
func (d *GPUs) find(from uint64) (int, bool) {
	return slices.BinarySearchFunc(d.memory, from, func(s segment, from uint64) int {
		switch {
		case s.from < from:
			return -1
		case s.from > from:
			return 1
		}
		return 0
	})
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

// reach returns bytes from an address on, and to which segment they belong; nil where they are not there.
func (d *GPUs) reach(from uint64, bytes int) (data []byte, isHost bool) {
	place, exact := d.find(from)
	if !exact {
		place--
	}
	if place < 0 {
		return nil, false
	}
	s := &d.memory[place]
	if offset := from - s.from; offset <= uint64(len(s.data)) && uint64(bytes) <= uint64(len(s.data))-offset {
		return s.data[offset:][:bytes], s.isHost
	}
	return nil, false
}

func (d *GPUs) fill(from uint64, with byte, bytes int) (code int) {
	data, isHost := d.reach(from, bytes)
	if data == nil || isHost {
		return codeInvalid
	}
	for i := range data {
		data[i] = with
	}
	return 0
}

func (d *GPUs) move(to, from uint64, bytes int, toHost, fromHost bool) (code int) {
	dst, dstHost := d.reach(to, bytes)
	src, srcHost := d.reach(from, bytes)
	if dst == nil || src == nil || dstHost != toHost || srcHost != fromHost {
		return codeInvalid
	}
	copy(dst, src)
	return 0
}

package columns

import (
	"encoding/binary"
	"math"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/parquet-go/parquet-go/format"
)

// values reads the bytes of one value after the other from a page; ok is false when the page does not hold it.
type values interface {
	next() (b []byte, ok bool)
}

// plain are values one after the other: numbers of one width, or, where that is 0, texts, each after its length.
type plain struct {
	rest  []byte
	width int
}

func (p *plain) next() ([]byte, bool) {
	n := uint64(p.width)
	if n == 0 {
		if len(p.rest) < 4 {
			return nil, false
		}
		n = uint64(binary.LittleEndian.Uint32(p.rest))
		p.rest = p.rest[4:]
	}
	if n > uint64(len(p.rest)) {
		return nil, false
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b, true
}

// split are numbers whose first bytes come first, then all second bytes, and so on.
type split struct {
	all   []byte
	count int
	at    int
	value [8]byte
	width int
}

func (s *split) next() ([]byte, bool) {
	if s.at >= s.count {
		return nil, false
	}
	for i := range s.width {
		s.value[i] = s.all[i*s.count+s.at]
	}
	s.at++
	return s.value[:s.width], true
}

// dictionary are the values that a column refers to by number.
type dictionary struct {
	all   []byte
	width int      // of numbers, 0 for texts
	ends  []uint32 // of texts: where each ends; the file was measured for their room
	count int
}

// open checks the dictionary of a page.
func (d *dictionary) open(body []byte, count, width int) {
	*d = dictionary{all: body, width: width, count: count, ends: d.ends[:0]}
	switch {
	case width > 0 && count > len(body)/width:
		refuse("dictionary of %d numbers in %d bytes", count, len(body))
	case width > 0:
		return
	case count > len(body)/4:
		refuse("dictionary of %d texts in %d bytes", count, len(body))
	}
	t := plain{rest: body}
	for range count {
		if _, ok := t.next(); !ok {
			refuse("dictionary of %d texts that ends early", count)
		}
		d.ends = append(d.ends, uint32(len(body)-len(t.rest)))
	}
}

func (d *dictionary) at(i uint32) ([]byte, bool) {
	if int64(i) >= int64(d.count) {
		return nil, false
	}
	if d.width > 0 {
		return d.all[int(i)*d.width:][:d.width], true
	}
	first := 4
	if i > 0 {
		first += int(d.ends[i-1])
	}
	return d.all[first:d.ends[i]], true
}

// references are values by their numbers in a dictionary.
type references struct {
	of      *dictionary
	numbers hybrid
}

func (r *references) next() ([]byte, bool) {
	i, ok := r.numbers.next()
	if !ok {
		return nil, false
	}
	return r.of.at(i)
}

// hybrid reads small numbers, in runs of equal ones and in packed groups of eight [parquet, encodings].
type hybrid struct {
	rest   []byte
	width  uint // bits of a number
	run    uint64
	value  uint32 // of the run
	packed []byte // groups
	bit    uint64 // in packed
}

func (h *hybrid) next() (uint32, bool) {
	for {
		switch {
		case h.run > 0:
			h.run--
			return h.value, true
		case h.bit < 8*uint64(len(h.packed)):
			return h.unpack(), true
		case !h.head():
			return 0, false
		}
	}
}

// head reads what the next run or groups are.
func (h *hybrid) head() bool {
	v, n := binary.Uvarint(h.rest)
	if n <= 0 {
		return false
	}
	h.rest = h.rest[n:]
	size := uint64(h.width+7) / 8
	groups := v&1 == 1
	if groups {
		if v>>1 > math.MaxInt32 {
			return false
		}
		size = (v >> 1) * uint64(h.width)
	}
	if size > uint64(len(h.rest)) {
		return false
	}
	body := h.rest[:size]
	h.rest = h.rest[size:]
	switch {
	case groups && h.width == 0: // numbers without bits are zeros
		h.run, h.value = 8*(v>>1), 0
		return true
	case groups:
		h.packed, h.bit = body, 0
		return true
	}
	var word [8]byte
	copy(word[:], body)
	h.run, h.value = v>>1, binary.LittleEndian.Uint32(word[:])
	return true
}

func (h *hybrid) unpack() uint32 {
	var word [8]byte
	copy(word[:], h.packed[h.bit/8:])
	v := binary.LittleEndian.Uint64(word[:]) >> (h.bit % 8)
	h.bit += uint64(h.width)
	return uint32(v & (1<<h.width - 1))
}

// number gives a number of the file as float64; ok is false if no float64 holds it.
func (l *leaf) number(b []byte) (v float64, ok bool) {
	switch l.physical {
	case format.Double:
		return intake.Float64(b)
	case format.Float:
		return intake.Float32(b)
	case format.Int32:
		if l.unsigned {
			return intake.Uint32(b)
		}
		return intake.Int32(b)
	}
	if l.unsigned {
		return intake.Uint64(b)
	}
	return intake.Int64(b)
}

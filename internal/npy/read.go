package npy

import (
	"io"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Read reads one array and leaves the reader right behind it. It takes the types <f8, <f4, <i8 and <i4 in C or Fortran order
// and gives float64 in C order; an integer that no float64 holds exactly is refused. NaN and infinities are kept.
func Read(r io.Reader, lim intake.Limits) (a Array, err error) {
	defer intake.Catch(&err)
	e := begin(r, lim, kindOf)
	chunks := fetch(r, e.size())
	e.keep()
	for _, c := range chunks {
		e.add(c)
	}
	return e.array(), nil
}

// entries turns the bytes of an array into numbers. Without data it only checks them.
type entries struct {
	header
	kind
	walk
	count int
	data  []float64
	texts *Texts
}

// begin reads a header and checks what it says.
func begin(r io.Reader, lim intake.Limits, known func(descr string) kind) *entries {
	h := readHeader(r)
	k := known(h.descr)
	n := count(h.shape, min(lim.Most(), math.MaxInt/8)/int64(k.width))
	if k.value == nil && len(h.shape) != 1 {
		refuse("texts of the shape %v, want a list of them", h.shape)
	}
	return &entries{header: h, kind: k, walk: newWalk(h, n), count: n}
}

// size is the number of bytes that the entries take in the file.
func (e *entries) size() int { return e.count * e.width }

func (e *entries) array() Array { return Array{e.header.shape, e.data, e.texts} }

// keep takes memory for the entries.
func (e *entries) keep() {
	if e.value == nil {
		e.texts = &Texts{raw: make([]byte, 0, e.size()), width: e.width, isWide: e.descr[1] == 'U'}
		return
	}
	e.data = make([]float64, e.count)
}

// add takes the next entries and puts each where C order has it.
func (e *entries) add(c []byte) {
	if e.value == nil {
		if e.texts != nil {
			e.texts.raw = append(e.texts.raw, c...)
		}
		return
	}
	for ; len(c) > 0; c = c[e.width:] {
		v, ok := e.value(c)
		if !ok {
			refuse("entry %d: no float64 holds it", e.at)
		}
		if e.data != nil {
			e.data[e.at] = v
		}
		e.next()
	}
}

// chunkSize is how far reading may run ahead of the data; no entry straddles two chunks.
const chunkSize = 64 << 10

// fetch reads n bytes in chunks, so that a file that promises more than it holds costs no more than it holds.
func fetch(r io.Reader, n int) (chunks [][]byte) {
	for n > 0 {
		c := make([]byte, min(n, chunkSize))
		fill(r, c, "entries")
		chunks = append(chunks, c)
		n -= len(c)
	}
	return chunks
}

// walk goes through an array in the order of the file; at is the entry's place in C order.
type walk struct {
	at                   int
	shape, stride, index []int
}

func newWalk(h header, n int) walk {
	if !h.fortran {
		return walk{shape: []int{n}, stride: []int{1}, index: []int{0}}
	}
	w := walk{shape: h.shape, stride: make([]int, len(h.shape)), index: make([]int, len(h.shape))}
	step := 1
	for i := len(h.shape) - 1; i >= 0; i-- {
		w.stride[i] = step
		step *= h.shape[i]
	}
	return w
}

func (w *walk) next() {
	for i, size := range w.shape {
		w.index[i]++
		w.at += w.stride[i]
		if w.index[i] < size {
			return
		}
		w.at -= size * w.stride[i]
		w.index[i] = 0
	}
}

// kind is an entry type: its size in bytes and how to read one; ok is false for bytes that no float64 can stand for. Texts have no value.
type kind struct {
	width int
	value func(b []byte) (v float64, ok bool)
}

var kinds = map[string]kind{
	"<f8": {8, intake.Float64}, "<f4": {4, intake.Float32}, "<i8": {8, intake.Int64}, "<i4": {4, intake.Int32},
}

func kindOf(descr string) kind {
	k, ok := kinds[descr]
	switch {
	case ok:
	case strings.Contains(descr, "O"):
		refuse("type %q: object arrays are not read, they are programs", descr)
	case strings.HasPrefix(descr, ">"):
		refuse("type %q: big-endian arrays are not read", descr)
	default:
		refuse("type %q, want <f8, <f4, <i8 or <i4; astype(float) makes one of them", descr)
	}
	return k
}

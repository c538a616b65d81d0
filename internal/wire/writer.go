package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// Writer writes one frame. Its first error is kept until Finish.
type Writer struct {
	b     []byte // what has not gone to the sink
	start int    // of the frame in b
	begin int    // of the content in b
	err   error

	sink io.Writer // nil: everything stays in b
	sum  uint32    // of what has gone
	left int       // bytes of the content that are still to come
}

// Write begins a frame of the given kind, at most 255 bytes long, at the end of b.
func Write(b []byte, kind string) *Writer {
	w := &Writer{b: b, start: len(b)}
	w.header(kind, 0) // the length is known when the frame is finished
	return w
}

// Stream begins a frame that goes to a sink piece by piece and whose content is known to have the given size.
func Stream(to io.Writer, kind string, size int) *Writer {
	w := &Writer{sink: to, left: size}
	w.header(kind, size)
	w.left += len(w.b)
	return w
}

func (w *Writer) header(kind string, size int) {
	w.b = append(append(w.b, byte(len(kind))), kind...)
	w.Int(size)
	w.begin = len(w.b)
}

// Finish ends the frame. It returns what Write was given and the frame, or nil if the frame went to a sink.
func (w *Writer) Finish() ([]byte, error) {
	if w.sink != nil {
		return nil, w.finishStream()
	}
	if w.err != nil {
		return w.b[:w.start], w.err
	}
	binary.LittleEndian.PutUint64(w.b[w.begin-8:], uint64(len(w.b)-w.begin))
	return binary.LittleEndian.AppendUint32(w.b, checksum(w.b[w.start:])), nil
}

func (w *Writer) finishStream() error {
	w.flush()
	if w.err == nil && w.left != 0 {
		w.err = fmt.Errorf("wire: a content lacks %d of the bytes that were announced", w.left)
	}
	if w.err == nil {
		_, w.err = w.sink.Write(binary.LittleEndian.AppendUint32(nil, w.sum))
	}
	return w.err
}

// flush hands what there is to the sink.
func (w *Writer) flush() {
	w.sum = crc32.Update(w.sum, crc32.MakeTable(crc32.Castagnoli), w.b)
	w.left -= len(w.b)
	if w.err == nil {
		_, w.err = w.sink.Write(w.b)
	}
	w.b = w.b[:0]
}

// Seal returns a frame of the given kind around any content. Tests of states use it for content that no Writer would write.
func Seal(kind string, content []byte) []byte {
	w := Write(nil, kind)
	w.b = append(w.b, content...)
	b, _ := w.Finish()
	return b
}

// Uint64 writes a number.
func (w *Writer) Uint64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

// Int writes a number that is not negative.
func (w *Writer) Int(v int) { w.Uint64(uint64(v)) }

// Bool writes 1 or 0.
func (w *Writer) Bool(v bool) {
	n := uint64(0)
	if v {
		n = 1
	}
	w.Uint64(n)
}

// Float writes a number's bits.
func (w *Writer) Float(v float64) { w.Uint64(math.Float64bits(v)) }

// Floats writes a list of numbers.
func (w *Writer) Floats(x []float64) {
	w.Int(len(x))
	for some := range slices.Chunk(x, piece) {
		room := w.room(8 * len(some))
		for i, v := range some {
			binary.LittleEndian.PutUint64(room[8*i:], math.Float64bits(v))
		}
	}
}

// Singles writes a list of numbers in single precision.
func (w *Writer) Singles(x []float32) {
	w.Int(len(x))
	for some := range slices.Chunk(x, piece) {
		room := w.room(4 * len(some))
		for i, v := range some {
			binary.LittleEndian.PutUint32(room[4*i:], math.Float32bits(v))
		}
	}
}

// piece is how many numbers of a list are written at a time: few enough to stay in the fastest caches.
const piece = 4096

// room makes room for n bytes at the end.
func (w *Writer) room(n int) []byte {
	if w.sink != nil {
		w.flush()
	}
	from := len(w.b)
	w.b = slices.Grow(w.b, n)[:from+n]
	return w.b[from:]
}

// Bytes writes a list of bytes.
func (w *Writer) Bytes(x []byte) {
	w.Int(len(x))
	w.b = append(w.b, x...)
}

// State writes another frame within this one.
func (w *Writer) State(s State) {
	at := len(w.b)
	w.Int(0)
	b, err := s.AppendBinary(w.b)
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	w.b = b
	binary.LittleEndian.PutUint64(w.b[at:], uint64(len(w.b)-at-8))
}

package wire

import (
	"encoding/binary"
	"math"
	"slices"
)

// Writer writes one frame. Its first error is kept until Finish.
type Writer struct {
	b     []byte
	start int // of the frame
	begin int // of the content
	err   error
}

// Write begins a frame of the given kind, at most 255 bytes long, at the end of b.
func Write(b []byte, kind string) *Writer {
	w := &Writer{b: b, start: len(b)}
	w.b = append(append(w.b, byte(len(kind))), kind...)
	w.Uint64(0) // the length, known when the frame is finished
	w.begin = len(w.b)
	return w
}

// Finish ends the frame and returns everything.
func (w *Writer) Finish() ([]byte, error) {
	if w.err != nil {
		return w.b[:w.start], w.err
	}
	binary.LittleEndian.PutUint64(w.b[w.begin-8:], uint64(len(w.b)-w.begin))
	return binary.LittleEndian.AppendUint32(w.b, checksum(w.b[w.start:])), nil
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
	room := w.list(len(x), 8)
	for i, v := range x {
		binary.LittleEndian.PutUint64(room[8*i:], math.Float64bits(v))
	}
}

// Singles writes a list of numbers in single precision.
func (w *Writer) Singles(x []float32) {
	room := w.list(len(x), 4)
	for i, v := range x {
		binary.LittleEndian.PutUint32(room[4*i:], math.Float32bits(v))
	}
}

// list writes a count and returns room for as many items.
func (w *Writer) list(n, size int) []byte {
	w.Int(n)
	from := len(w.b)
	w.b = slices.Grow(w.b, n*size)[:from+n*size]
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

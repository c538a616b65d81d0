package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// writer writes one frame. Its first error is kept until finish.
type writer struct {
	b     []byte // what has not gone to the sink
	start int    // of the frame in b
	begin int    // of the content in b
	err   error

	sink io.Writer // nil: everything stays in b
	sum  uint32    // of what has gone
	left int       // bytes of the content that are still to come

	counts bool // only counts: numbers of lists do not go to b
	lists  int  // bytes of these numbers
}

// size is how many bytes have been written by a writer that counts.
func (w *writer) size() int { return len(w.b) + w.lists }

// write begins a frame of the given kind, at most 255 bytes long, at the end of b.
func write(b []byte, kind string) *writer {
	w := &writer{b: b, start: len(b)}
	w.header(kind, 0) // the length is known when the frame is finished
	return w
}

// stream begins a frame that goes to a sink piece by piece and whose content is known to have the given size.
func stream(to io.Writer, kind string, size int) *writer {
	w := &writer{sink: to, left: size}
	w.header(kind, size)
	w.left += len(w.b)
	return w
}

func (w *writer) header(kind string, size int) {
	w.b = append(append(w.b, byte(len(kind))), kind...)
	w.int(size)
	w.begin = len(w.b)
}

// finish ends the frame. It returns what write was given and the frame, or nil if the frame went to a sink.
func (w *writer) finish() ([]byte, error) {
	if w.sink != nil {
		return nil, w.finishStream()
	}
	if w.err != nil {
		return w.b[:w.start], w.err
	}
	binary.LittleEndian.PutUint64(w.b[w.begin-8:], uint64(len(w.b)-w.begin))
	return binary.LittleEndian.AppendUint32(w.b, checksum(w.b[w.start:])), nil
}

func (w *writer) finishStream() error {
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
func (w *writer) flush() {
	w.sum = crc32.Update(w.sum, crc32.MakeTable(crc32.Castagnoli), w.b)
	w.left -= len(w.b)
	if w.err == nil {
		_, w.err = w.sink.Write(w.b)
	}
	w.b = w.b[:0]
}

// Seal returns a frame of the given kind around any content. Tests of states use it for content that no description would write.
func Seal(kind string, content []byte) []byte {
	w := write(nil, kind)
	w.b = append(w.b, content...)
	b, _ := w.finish()
	return b
}

// uint64 writes a number.
func (w *writer) uint64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

// int writes a number that is not negative.
func (w *writer) int(v int) { w.uint64(uint64(v)) }

// bool writes 1 or 0.
func (w *writer) bool(v bool) {
	n := 0
	if v {
		n = 1
	}
	w.int(n)
}

// float writes a number's bits.
func (w *writer) float(v float64) { w.uint64(math.Float64bits(v)) }

// real is a number in double or single precision.
type real interface{ float32 | float64 }

// bytesOf is how many bytes a number takes.
func bytesOf[T real]() int { return binary.Size(T(0)) }

// writeList writes a list of numbers.
func writeList[T real](w *writer, x []T) {
	if w.int(len(x)); w.counts {
		w.lists += bytesOf[T]() * len(x)
		return
	}
	for some := range slices.Chunk(x, piece) {
		if w.sink != nil {
			w.flush()
		}
		w.b, _ = binary.Append(w.b, binary.LittleEndian, some) // numbers have no error
	}
}

// ints writes a list of numbers that are not negative.
func (w *writer) ints(x []int) {
	w.int(len(x))
	for _, v := range x {
		w.int(v)
	}
}

// piece is how many numbers of a list are written at a time: few enough to stay in the fastest caches.
const piece = 4096

// bytes writes a list of bytes.
func (w *writer) bytes(x []byte) {
	w.int(len(x))
	w.b = append(w.b, x...)
}

func (w *writer) text(s string) { w.bytes([]byte(s)) }

// state writes another frame within this one.
func (w *writer) state(s State) {
	at := len(w.b)
	w.int(0)
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

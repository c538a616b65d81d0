package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Write writes a as NumPy's own save does: format 1.0, <f8, C order, entries from a multiple of 64 bytes on.
func Write(w io.Writer, a Array) error {
	if err := a.check(); err != nil {
		return err
	}
	if _, err := io.WriteString(w, preamble(a.Shape)); err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	buf := make([]byte, 0, min(8*len(a.Data), chunkSize))
	for data := a.Data; len(data) > 0; buf = buf[:0] {
		part := data[:min(len(data), chunkSize/8)]
		data = data[len(part):]
		for _, v := range part {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		if _, err := w.Write(buf); err != nil {
			return fmt.Errorf("write entries: %w", err)
		}
	}
	return nil
}

// check tells whether the shape fits the data.
func (a Array) check() (err error) {
	defer intake.Catch(&err)
	if n := count(a.Shape, math.MaxInt/8); n != len(a.Data) {
		refuse("shape %v has %d entries, the data %d", a.Shape, n, len(a.Data))
	}
	return nil
}

// preamble is everything before the entries.
func preamble(shape []int) string {
	var b strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&b, "%d, ", n)
	}
	tuple := strings.TrimSuffix(b.String(), " ")
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	dict := "{'descr': '<f8', 'fortran_order': False, 'shape': (" + tuple + "), }"
	fixed := len(magic) + 4
	pad := 63 - (fixed+len(dict))%64
	size := len(dict) + pad + 1
	return magic + "\x01\x00" + string([]byte{byte(size), byte(size >> 8)}) + dict + strings.Repeat(" ", pad) + "\n"
}

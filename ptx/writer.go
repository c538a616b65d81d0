package ptx

import (
	"fmt"
	"strings"
)

// Tile is how many individuals stand together in a device's memory: entry j of individual i is number
// (i/Tile)·Tile·m + j·Tile + i mod Tile of all. It is also how many a block of threads has, and how many losses are summed before others.
const Tile = 128

// Precision is how the numbers of a kind are kept.
type Precision uint8

// Numbers of eight bytes, and of four.
const (
	Float64 Precision = iota
	Float32
)

// Bytes are those of a number.
func (f Precision) Bytes() int { return 8 >> f }

// writer prints one kernel.
type writer struct {
	text           strings.Builder
	code           *OpList
	states, traits Precision
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.text, "\t"+format+"\n", args...)
}

// letters are those of registers, by kind, and types their types.
var (
	letters = [...]string{double: "d", single: "s", bits: "b", truth: "p"}
	types   = [...]string{double: "f64", single: "f32", bits: "b64", truth: "pred"}
)

func (w *writer) register(v Scalar) string {
	return fmt.Sprintf("%%%s%d", letters[w.code.kinds[v]], v)
}

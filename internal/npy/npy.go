// Package npy reads and writes NumPy arrays, single ones (.npy) and archives of named ones (.npz) [kern2007].
//
// A reader never trusts what a file says of itself. Headers are capped, sizes are checked for overflow, and memory is taken
// only for data that is there: at most four times the file's size plus 1 MB. A compressed archive is unpacked once to check
// all of it before memory is taken for its arrays, and only so far. Nothing is unpickled, so object arrays are refused.
package npy

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Array is an array in C order: the last index runs fastest. A nil Shape is a single number.
type Array struct {
	Shape []int
	Data  []float64
	Texts *Texts // instead of Data; only ReadMixed gives them
}

// Named is an array with its name in an archive, without ".npy".
type Named struct {
	Name string
	Array
}

func wrong(format string, args ...any) error { return because(fmt.Sprintf(format, args...), nil) }

// because is wrong with a cause that another package found.
func because(what string, err error) error {
	return &intake.FormatError{Of: "npy", What: what, Err: err}
}

// refuse ends the reading of a file that is wrong; [intake.Catch] makes that an error.
func refuse(format string, args ...any) { panic(wrong(format, args...)) }

// maxRank is the largest number of dimensions, that of NumPy before version 2.
const maxRank = 32

// count returns the number of entries of a shape, if that is at most limit.
func count(shape []int, limit int64) int {
	if len(shape) > maxRank {
		refuse("%d dimensions, at most %d are read", len(shape), maxRank)
	}
	n := int64(1)
	if slices.Contains(shape, 0) {
		n = 0
	}
	for _, size := range shape {
		if size < 0 {
			refuse("shape %v has a negative size", shape)
		}
		if size > 0 && n > limit/int64(size) {
			refuse("shape %v has more than %d entries", shape, limit)
		}
		n *= int64(size)
	}
	return int(n)
}

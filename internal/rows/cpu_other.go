//go:build !amd64

package rows

// There are no vector kernels for this processor; the plain twins do the work, with the same bits.
func hasAVX2() bool   { return false }
func hasAVX512() bool { return false }
func hasIFMA() bool   { return false }

const noKernel = "rows: no vector kernel for this processor"

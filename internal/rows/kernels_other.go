//go:build !amd64

package rows

// There are no vector kernels for this processor; the plain twins do the work, with the same bits.
func hasAVX2() bool   { return false }
func hasAVX512() bool { return false }
func hasIFMA() bool   { return false }

func dotAVX2(x, y *float64, n int) float64                                           { panic(noKernel) }
func addScaledAVX2(dst *float64, a float64, x *float64, n int)                       { panic(noKernel) }
func finiteAVX2(x *float64, n int) float64                                           { panic(noKernel) }
func blendAVX2(dst, norm2, p, d, u *float64, n, m int, stay, home, pull float64)     { panic(noKernel) }
func productsAVX2(along, own, d, u *float64, n, m int)                               { panic(noKernel) }
func cosinesAVX2(dst, d, u *float64, n, m int, inverse float64) (off, least float64) { panic(noKernel) }
func secularAVX2(x *float64, n int, k, s float64, single float32, limit int) int     { panic(noKernel) }
func secularAVX512(x *float64, n int, k, s float64, single float32, limit int) int   { panic(noKernel) }
func logAVX2(x *float64, n int)                                                      { panic(noKernel) }
func expAVX2(x *float64, n int)                                                      { panic(noKernel) }
func scaleAVX2(x *float64, a float64, n int)                                         { panic(noKernel) }
func distance2AVX2(x, y *float64, n int) float64                                     { panic(noKernel) }
func maxAbsAVX2(x *float64, n int) float64                                           { panic(noKernel) }
func extentAVX2(x *float64, n int) (sum, least, most float64)                        { panic(noKernel) }
func cutAVX2(x *float64, n int, low, atLow, top float64)                             { panic(noKernel) }
func aboveAVX2(high, lost, x *float64, n int, low, start float64)                    { panic(noKernel) }
func mixAVX2(dst, x, y, z *float64, n int, a, b, c float64)                          { panic(noKernel) }
func restAVX2(dst, x, y *float64, n int, a, b, c float64) (miss, size float64)       { panic(noKernel) }
func softmaxAVX2(dst, u *float64, n int, k float64)                                  { panic(noKernel) }
func entropyAVX2(logs, x *float64, n int) float64                                    { panic(noKernel) }
func gaussAVX2(dst *float64, words *uint64, n int)                                   { panic(noKernel) }
func philoxAVX512(dst *uint64, blocks int, k0, k1, w, x, y, z uint64)                { panic(noKernel) }
func expAVX512(x *float64, n int)                                                    { panic(noKernel) }
func softmaxAVX512(dst, u *float64, n int, k float64)                                { panic(noKernel) }
func logAVX512(x *float64, n int)                                                    { panic(noKernel) }
func entropyAVX512(logs, x *float64, n int) float64                                  { panic(noKernel) }
func gaussAVX512(dst *float64, words *uint64, n int)                                 { panic(noKernel) }
func gapsAVX2(sums, a, b, c *float64, steps, last int)                               { panic(noKernel) }

const noKernel = "rows: no vector kernel for this processor"

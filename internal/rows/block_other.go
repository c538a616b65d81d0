//go:build !amd64

package rows

func scaleRowsAVX2(dst, c, x *float64, n, m, stepC, stepX int)              { panic(noKernel) }
func addScaledRowsAVX2(dst, c, x *float64, n, m, stepC, stepX int)          { panic(noKernel) }
func dotsAVX2(dst, x, y *float64, n, m, stepX, stepY int)                   { panic(noKernel) }
func combine2AVX2(dst, a, x, b, y *float64, n, m, step, sa, sx, sb, sy int) { panic(noKernel) }
func combine3AVX2(dst, a, x, b, y, c, z *float64, n, m, step, sa, sx, sb, sy, sc, sz int) {
	panic(noKernel)
}

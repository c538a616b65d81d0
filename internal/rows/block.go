package rows

// Kernels on the rows of a block of len(dst)/m rows of m entries, or len(dst) for Dots. An operand that has as many entries
// as one row needs is the same for all rows. Every row gets the bits of the kernel for one.

// ScaleRows does dstᵢ = cᵢ·xᵢ.
func ScaleRows(dst, c, x []float64, m int) {
	n, stepC, stepX := steps(dst, c, x, m)
	if hasAVX2() && n > 0 {
		scaleRowsAVX2(&dst[0], &c[0], &x[0], n, m, stepC, stepX)
		return
	}
	scaleRowsPlain(dst, c, x, n, m, stepC, stepX)
}

func scaleRowsPlain(dst, c, x []float64, n, m, stepC, stepX int) {
	for i := range n {
		a, row := c[i*stepC], x[i*stepX:i*stepX+m]
		for j, v := range row {
			dst[i*m+j] = a * v
		}
	}
}

// AddScaledRows does dstᵢ += cᵢ·xᵢ.
func AddScaledRows(dst, c, x []float64, m int) {
	n, stepC, stepX := steps(dst, c, x, m)
	if hasAVX2() && n > 0 {
		addScaledRowsAVX2(&dst[0], &c[0], &x[0], n, m, stepC, stepX)
		return
	}
	addScaledRowsPlain(dst, c, x, n, m, stepC, stepX)
}

func addScaledRowsPlain(dst, c, x []float64, n, m, stepC, stepX int) {
	for i := range n {
		addScaledPlain(dst[i*m:(i+1)*m], c[i*stepC], x[i*stepX:i*stepX+m])
	}
}

// Combine2 writes aᵢ·xᵢ + bᵢ·yᵢ to dst, added in this order.
func Combine2(dst, a, x, b, y []float64, m int) {
	n, stepA, stepX := steps(dst, a, x, m)
	_, stepB, stepY := steps(dst, b, y, m)
	if hasAVX2() && n > 0 {
		combine2AVX2(&dst[0], &a[0], &x[0], &b[0], &y[0], n, m, 8*m, 8*stepA, 8*stepX, 8*stepB, 8*stepY)
		return
	}
	scaleRowsPlain(dst, a, x, n, m, stepA, stepX)
	addScaledRowsPlain(dst, b, y, n, m, stepB, stepY)
}

// Combine3 writes aᵢ·xᵢ + bᵢ·yᵢ + cᵢ·zᵢ to dst, added in this order.
func Combine3(dst, a, x, b, y, c, z []float64, m int) {
	n, stepA, stepX := steps(dst, a, x, m)
	_, stepB, stepY := steps(dst, b, y, m)
	_, stepC, stepZ := steps(dst, c, z, m)
	if hasAVX2() && n > 0 {
		combine3AVX2(&dst[0], &a[0], &x[0], &b[0], &y[0], &c[0], &z[0], n, m,
			8*m, 8*stepA, 8*stepX, 8*stepB, 8*stepY, 8*stepC, 8*stepZ)
		return
	}
	scaleRowsPlain(dst, a, x, n, m, stepA, stepX)
	addScaledRowsPlain(dst, b, y, n, m, stepB, stepY)
	addScaledRowsPlain(dst, c, z, n, m, stepC, stepZ)
}

// Dots writes xᵢᵀyᵢ to dst, each the bits of Dot.
func Dots(dst, x, y []float64, m int) {
	n := len(dst)
	stepX, stepY := step(x, n, m), step(y, n, m)
	if hasAVX2() && n > 0 && m > 0 {
		if four := n / 4; stepX == 0 && four > 0 {
			fourDotsAVX2(&dst[0], &x[0], &y[0], four, m, stepY)
			if dst, y = dst[4*four:], y[4*four*stepY:]; len(dst) == 0 {
				return
			}
			n = len(dst)
		}
		dotsAVX2(&dst[0], &x[0], &y[0], n, m, stepX, stepY)
		return
	}
	dotsPlain(dst, x, y, m, stepX, stepY)
}

func dotsPlain(dst, x, y []float64, m, stepX, stepY int) {
	for i := range dst {
		dst[i] = dotPlain(x[i*stepX:i*stepX+m], y[i*stepY:i*stepY+m])
	}
}

// steps returns the number of rows and how far the operands move from one to the next.
func steps(dst, c, x []float64, m int) (n, stepC, stepX int) {
	if m == 0 {
		return 0, 0, 0
	}
	n = len(dst) / m
	if n*m != len(dst) {
		panic("rows: a block has a broken row")
	}
	return n, step(c, n, 1), step(x, n, m)
}

// step returns 0 for an operand that all n rows share and m for one that has a row for each.
func step(x []float64, n, m int) int {
	switch len(x) {
	case n * m:
		return m
	case m:
		return 0
	}
	panic("rows: an operand has neither one row nor one for each")
}

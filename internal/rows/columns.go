package rows

// Arithmetic entry by entry. dst may be x or y.

// Mul writes xᵢ·yᵢ to dst.
func Mul(dst, x, y []float64) {
	mustCover(x, dst)
	mustCover(y, dst)
	if hasAVX2() && len(dst) >= 8 {
		productAVX2(&dst[0], &x[0], &y[0], len(dst))
		return
	}
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// Add writes xᵢ + yᵢ to dst.
func Add(dst, x, y []float64) {
	mustCover(x, dst)
	mustCover(y, dst)
	if hasAVX2() && len(dst) >= 8 {
		sumAVX2(&dst[0], &x[0], &y[0], len(dst))
		return
	}
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// Sub writes xᵢ − yᵢ to dst.
func Sub(dst, x, y []float64) {
	mustCover(x, dst)
	mustCover(y, dst)
	if hasAVX2() && len(dst) >= 8 {
		differenceAVX2(&dst[0], &x[0], &y[0], len(dst))
		return
	}
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

package rows

// Widen writes x to dst.
func Widen(dst []float64, x []float32) {
	dst = dst[:len(x)]
	if whole := len(x) &^ 15; hasAVX2() && whole > 0 {
		widenAVX2(&dst[0], &x[0], whole)
		dst, x = dst[whole:], x[whole:]
	}
	widenPlain(dst, x)
}

func widenPlain(dst []float64, x []float32) {
	for i, v := range x {
		dst[i] = float64(v)
	}
}

// Narrow writes x to dst, rounded to single precision, and leaves the rounded numbers in x.
func Narrow(dst []float32, x []float64) {
	dst = dst[:len(x)]
	if whole := len(x) &^ 15; hasAVX2() && whole > 0 {
		narrowAVX2(&dst[0], &x[0], whole)
		dst, x = dst[whole:], x[whole:]
	}
	narrowPlain(dst, x)
}

func narrowPlain(dst []float32, x []float64) {
	for i, v := range x {
		short := float32(v)
		dst[i], x[i] = short, float64(short)
	}
}

package formula

import "github.com/kedge-opt/kedge/internal/rows"

// softmax writes e^(x−largest) by their sum.
func softmax(dst, x []float64) {
	addRight(dst, x, -x[largest(x)])
	rows.Exp(dst)
	rows.Scale(dst, 1/rows.Sum(dst))
}

// largest returns where the largest entry stands, the first of equals, or the first NaN.
func largest(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] || v != v && x[best] == x[best] {
			best = i
		}
	}
	return best
}

// smallest returns where the smallest entry stands, the first of equals, or the first NaN.
func smallest(x []float64) int {
	best := 0
	for i, v := range x {
		if v < x[best] || v != v && x[best] == x[best] {
			best = i
		}
	}
	return best
}

// mark writes a unit vector.
func mark(dst []float64, at int) {
	clear(dst)
	dst[at] = 1
}

func outer(dst, x, y []float64) {
	for i, v := range x {
		scaleTo(dst[i*len(y):(i+1)*len(y)], v, y)
	}
}

func transpose(dst, x []float64, from shape) {
	for i := range from.rows {
		for j := range from.cols {
			dst[j*from.rows+i] = x[i*from.cols+j]
		}
	}
}

// matMat writes A·B; row i of it is row i of A times B.
func matMat(dst, a, b []float64, of shape) {
	clear(dst)
	width := len(dst) / of.rows
	for i := range of.rows {
		rows.AddMulT(dst[i*width:(i+1)*width], b, a[i*of.cols:(i+1)*of.cols])
	}
}

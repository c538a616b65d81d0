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

func outer(_ *node, dst, x, y []float64) {
	for i, v := range x {
		scaleTo(dst[i*len(y):(i+1)*len(y)], v, y)
	}
}

func transpose(of *node, dst, x, _ []float64) {
	from := of.args[0].shape
	for i := range from.rows {
		for j := range from.cols {
			dst[j*from.rows+i] = x[i*from.cols+j]
		}
	}
}

func matVec(_ *node, dst, a, x []float64) {
	clear(dst)
	rows.AddMul(dst, a, x)
}

func vecMat(_ *node, dst, x, a []float64) {
	clear(dst)
	rows.AddMulT(dst, a, x)
}

// matMat writes A·B; row i of it is row i of A times B.
func matMat(of *node, dst, a, b []float64) {
	clear(dst)
	s := of.args[0].shape
	width := len(dst) / s.rows
	for i := range s.rows {
		rows.AddMulT(dst[i*width:(i+1)*width], b, a[i*s.cols:(i+1)*s.cols])
	}
}

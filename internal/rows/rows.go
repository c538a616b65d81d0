// Package rows is arithmetic on vectors and row-major blocks. Nothing here allocates, and every sum has one fixed order,
// so that the same inputs give the same bits on any number of workers. Products are rounded before they are added
// (float64(a*b) + c), because compilers otherwise fuse the two on some targets and not on others; where fusing pays it is
// said (math.FMA).
package rows

import (
	"math"
	"slices"
)

// Dot returns xᵀy over the entries of x, summed in four interleaved lanes: entry i goes to lane i mod 4, and the lanes are added as (0+2) + (1+3).
func Dot(x, y []float64) float64 {
	mustCover(y, x)
	if hasAVX2() && len(x) >= 8 {
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dotPlain(x, y)
}

// mustCover panics unless y has an entry for every entry of x.
func mustCover(y, x []float64) {
	if len(y) < len(x) {
		panic("rows: a vector is too short")
	}
}

func dotPlain(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	switch len(x) {
	case 3:
		s2 += float64(x[2] * y[2])
		fallthrough
	case 2:
		s1 += float64(x[1] * y[1])
		fallthrough
	case 1:
		s0 += float64(x[0] * y[0])
	}
	return (s0 + s2) + (s1 + s3)
}

// Sum returns the sum of x by pairwise halving, whose error grows like log n.
func Sum(x []float64) float64 {
	switch n := len(x); {
	case n == 16: // what whole blocks come down to
		return eight((*[8]float64)(x)) + eight((*[8]float64)(x[8:]))
	case n > 8:
		return Sum(x[:n/2]) + Sum(x[n/2:])
	}
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func eight(x *[8]float64) float64 { return 0 + x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] }

// Weight is an entry of weights; where there are none, all are 1.
func Weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// Norm returns the Euclidean norm of x without overflow or underflow in between.
func Norm(x []float64) float64 {
	s := Dot(x, x)
	if s > 1e-280 && s < 1e280 {
		return math.Sqrt(s)
	}
	return scaledNorm(len(x), func(i int) float64 { return x[i] })
}

// scaledNorm returns the norm of n entries by dividing them by the largest.
func scaledNorm(n int, entry func(i int) float64) float64 {
	m := 0.0
	for i := range n {
		m = max(m, math.Abs(entry(i)))
	}
	if m == 0 || math.IsInf(m, 1) {
		return m
	}
	s := 0.0 // NaN where there is one
	for i := range n {
		r := entry(i) / m
		s += float64(r * r)
	}
	return m * math.Sqrt(s)
}

// Distance returns ‖x − y‖, summed as Dot sums.
func Distance(x, y []float64) float64 {
	mustCover(y, x)
	s := distance2(x, y)
	if s > 1e-280 && s < 1e280 {
		return math.Sqrt(s)
	}
	return scaledNorm(len(x), func(i int) float64 { return x[i] - y[i] })
}

func distance2(x, y []float64) float64 {
	if hasAVX2() && len(x) >= 8 {
		return distance2AVX2(&x[0], &y[0], len(x))
	}
	return distance2Plain(x, y)
}

func distance2Plain(x, y []float64) float64 {
	var s [4]float64
	for i, v := range x {
		r := v - y[i]
		s[i%4] += float64(r * r)
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// MaxAbs returns max |xᵢ|, NaN if there is one.
func MaxAbs(x []float64) float64 {
	if hasAVX2() && len(x) >= 8 {
		return maxAbsAVX2(&x[0], len(x))
	}
	return maxAbsPlain(x)
}

// Farthest returns max |xᵢ − yᵢ|, NaN if there is one.
func Farthest(x, y []float64) (most float64) {
	for i, v := range x {
		most = max(most, math.Abs(v-y[i]))
	}
	return most
}

func maxAbsPlain(x []float64) float64 {
	// Without their sign, numbers are ordered as their bits are, and a NaN comes above all.
	m := uint64(0)
	for _, v := range x {
		m = max(m, math.Float64bits(v)<<1)
	}
	return math.Float64frombits(m >> 1)
}

// Quantile interpolates between the order statistics of sorted numbers, NaN where there are none.
func Quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := float64(share * float64(len(sorted)-1))
	i := int(at)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + float64((at-float64(i))*(sorted[j]-sorted[i]))
}

// Finite tells whether x holds neither NaN nor infinity.
func Finite(x []float64) bool {
	if hasAVX2() && len(x) >= 8 {
		return finiteAVX2(&x[0], len(x)) == 0
	}
	return finitePlain(x)
}

func finitePlain(x []float64) bool {
	s := 0.0
	for _, v := range x {
		s += v * 0
	}
	return s == 0
}

// SameBits tells whether x and y have the same length and bits.
func SameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// AddScaled does dst += a·x over the entries of x.
func AddScaled(dst []float64, a float64, x []float64) {
	mustCover(dst, x)
	if hasAVX2() && len(x) >= 8 {
		addScaledAVX2(&dst[0], a, &x[0], len(x))
		return
	}
	addScaledPlain(dst[:len(x)], a, x)
}

func addScaledPlain(dst []float64, a float64, x []float64) {
	for i, v := range x {
		dst[i] += float64(a * v)
	}
}

// Scale does x *= a.
func Scale(x []float64, a float64) {
	if hasAVX2() && len(x) >= 8 {
		scaleAVX2(&x[0], a, len(x))
		return
	}
	scalePlain(x, a)
}

func scalePlain(x []float64, a float64) {
	for i := range x {
		x[i] *= a
	}
}

// AddMul does dst += A·x for the row-major matrix A of len(dst) rows and len(x) columns.
func AddMul(dst, a, x []float64) {
	n := len(x)
	for i := range dst {
		dst[i] += Dot(x, a[i*n:(i+1)*n])
	}
}

// AddMulT does dst += Aᵀ·x for the row-major matrix A of len(x) rows and len(dst) columns.
func AddMulT(dst, a, x []float64) {
	n := len(dst)
	a = a[:len(x)*n]
	if hasAVX2() && len(a) > 0 {
		addRowsAVX2(&dst[0], &x[0], &a[0], len(x), n)
		return
	}
	addMulTPlain(dst, a, x)
}

func addMulTPlain(dst, a, x []float64) {
	n := len(dst)
	for i, v := range x {
		addScaledPlain(dst, v, a[i*n:(i+1)*n])
	}
}

// AddTree adds up the blocks parts[0:n], parts[n:2n], … in a fixed binary tree, leaves the total in parts[0:n] and destroys
// the rest. Partial sums of fixed row chunks reduced this way do not depend on who computed which.
func AddTree(parts []float64, n int) {
	if n == 0 {
		return
	}
	count := len(parts) / n
	for gap := 1; gap < count; gap *= 2 {
		for i := 0; i+gap < count; i += 2 * gap {
			AddScaled(parts[i*n:(i+1)*n], 1, parts[(i+gap)*n:(i+gap+1)*n])
		}
	}
}

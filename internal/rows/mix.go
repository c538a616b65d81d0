package rows

import "math"

// Extent returns the sum of x, as Dot sums, and its smallest and largest entry, ±Inf when it has none. The sum is not finite
// unless all entries are; for least and most what is not a number does not count.
func Extent(x []float64) (sum, least, most float64) {
	if hasAVX2() && len(x) >= 8 {
		return extentAVX2(&x[0], len(x))
	}
	return extentPlain(x)
}

func extentPlain(x []float64) (sum, least, most float64) {
	var s [4]float64
	low, high := filled(math.Inf(1)), filled(math.Inf(-1))
	for i, v := range x {
		s[i%4] += v
		low[i%4], high[i%4] = lesser(v, low[i%4]), greater(v, high[i%4])
	}
	return (s[0] + s[2]) + (s[1] + s[3]),
		lesser(lesser(low[0], low[2]), lesser(low[1], low[3])), greater(greater(high[0], high[2]), greater(high[1], high[3]))
}

func filled(v float64) [4]float64 { return [4]float64{v, v, v, v} }

// lesser and greater return y where the two cannot be told apart, as vector instructions do.
func lesser(x, y float64) float64 {
	if x < y {
		return x
	}
	return y
}

func greater[F float32 | float64](x, y F) F {
	if x > y {
		return x
	}
	return y
}

// Cut replaces every x by (x − low) + atLow, clamped to 0 and top.
func Cut(x []float64, low, atLow, top float64) {
	if hasAVX2() && len(x) >= 8 {
		cutAVX2(&x[0], len(x), low, atLow, top)
		return
	}
	cutPlain(x, low, atLow, top)
}

func cutPlain(x []float64, low, atLow, top float64) {
	for i, v := range x {
		x[i] = lesser(greater((v-low)+atLow, 0), top)
	}
}

// Above returns start + Σ(x − low) over the entries of each lane, and what the additions lost, which is exact if no x − low is
// negative or above start.
func Above(x []float64, low, start float64) (high, lost [4]float64) {
	if hasAVX2() && len(x) >= 8 {
		aboveAVX2(&high[0], &lost[0], &x[0], len(x), low, start)
		return high, lost
	}
	return abovePlain(x, low, start)
}

func abovePlain(x []float64, low, start float64) (high, lost [4]float64) {
	high = filled(start)
	for i, v := range x {
		run(&high[i%4], &lost[i%4], v-low)
	}
	return high, lost
}

// Mix writes a·x + b·y + c·z to dst, which may be one of them.
func Mix(dst []float64, a float64, x []float64, b float64, y []float64, c float64, z []float64) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	if hasAVX2() && len(dst) >= 8 {
		mixAVX2(&dst[0], &x[0], &y[0], &z[0], len(dst), a, b, c)
		return
	}
	mixPlain(dst, a, x, b, y, c, z)
}

func mixPlain(dst []float64, a float64, x []float64, b float64, y []float64, c float64, z []float64) {
	for i := range dst {
		dst[i] = float64(a*x[i]) + float64(b*y[i]) + float64(c*z[i])
	}
}

// Rest writes the h that solves h = c·h + (a·x + b·y) to dst, which may be x or y. It returns by how much an entry misses
// its equation at most, and the largest |h|; what is not a number counts for neither.
func Rest(dst []float64, a float64, x []float64, b float64, y []float64, c float64) (miss, size float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if hasAVX2() && len(dst) >= 8 {
		return restAVX2(&dst[0], &x[0], &y[0], len(dst), a, b, c)
	}
	return restPlain(dst, a, x, b, y, c)
}

func restPlain(dst []float64, a float64, x []float64, b float64, y []float64, c float64) (miss, size float64) {
	for i := range dst {
		in := float64(a*x[i]) + float64(b*y[i])
		h := in / (1 - c)
		miss = greater(math.Abs(float64(c*h)+in-h), miss)
		size = greater(math.Abs(h), size)
		dst[i] = h
	}
	return miss, size
}

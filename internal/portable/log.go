package portable

import "math"

// 1/ln 10 as a pair.
const perLn10, perLn10Rest = 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57

// Log returns the natural logarithm.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return logBeyond(x)
	}
	if v, ok := shortLog(x).settled(shortError); ok {
		return v
	}
	return longLog(x).value()
}

// Log10 returns the logarithm to base ten.
func Log10(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return logBeyond(x)
	}
	if v, ok := shortLog(x).times(pair{perLn10, perLn10Rest}).settled(2 * shortError); ok {
		return v
	}
	return longLog(x).times(pair{perLn10, perLn10Rest}).value()
}

// Log1p returns log(1 + x) without losing the digits of a small x.
func Log1p(x float64) float64 {
	const linear, near = 0x1p-54, 0x1p-8 // up to the first it rounds to x
	a := math.Abs(x)
	switch {
	case a < linear || math.IsNaN(x):
		return x
	case !(x > -1 && x <= math.MaxFloat64):
		return logBeyond(x + 1)
	}
	y := sum(1, x)
	var short pair
	if a < near {
		short = shortLog1p(whole(x), whole(x), 0)
	} else {
		short = shortLog(y.hi)
		short = ordered(short.hi, short.lo+y.lo/y.hi)
	}
	if v, ok := short.settled(2 * shortError); ok {
		return v
	}
	return log(y).value()
}

// longLog is ln x to about 100 bits for a finite x > 0.
func longLog(x float64) pair {
	if x < 0x1p-1022 {
		return log(whole(float64(x * 0x1p54))).minus(ln2Times(54))
	}
	return log(whole(x))
}

// logBeyond is the logarithm of what is not a finite number above 0.
func logBeyond(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	return x
}

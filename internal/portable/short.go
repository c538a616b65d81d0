package portable

import "math"

// The relative error of the short forms is below shortError for logarithms, and for exponentials of exact arguments.
const shortError = 0x1p-64

// Tables of the short forms, made by the series.
var (
	roots    = rootsOf2()  // 2^(j/64)
	inverses = inverseOf() // 128/j, rounded
	logs     = logsOf()    // −ln of that
)

// The tables of logarithms begin below 128√½ and end above 128√2.
const firstLog, lastLog = 90, 182

func rootsOf2() (t [64]pair) {
	for j := range t {
		e, k := expm1(ln2Times(float64(j) / 64))
		t[j] = whole(1).plus(e).scaled(math.Ldexp(1, k))
	}
	return t
}

func inverseOf() (t [lastLog - firstLog + 1]float64) {
	for j := range t {
		t[j] = 128 / float64(firstLog+j)
	}
	return t
}

func logsOf() (t [lastLog - firstLog + 1]pair) {
	for j, v := range inverseOf() {
		t[j] = pair{}.minus(log(whole(v)))
	}
	return t
}

// shortExp returns p and k with eˣ = 2ᵏp and 0.99 < p < 2.01, for |x| below 2¹⁰.
func shortExp(x pair) (p pair, k int) {
	n := math.Floor(float64(x.hi*(64*perLn2)) + 0.5)
	r := sum(x.hi-float64(n*(ln2a/64)), -float64(n*(ln2b/64)))
	r.lo += x.lo - float64(n*(ln2c/64))
	h := r.hi
	s := 1.0/5040 + float64(h*(1.0/40320))
	s = 1.0/720 + float64(h*s)
	s = 1.0/120 + float64(h*s)
	s = 1.0/24 + float64(h*s)
	s = 1.0/6 + float64(h*s)
	s = 1.0/2 + float64(h*s)
	rest := r.lo + float64(h*r.lo) + float64(float64(h*h)*s) // eʳ − 1 − h
	j := int(n)
	t := roots[j&63]
	p = product(t.hi, h)
	rest = p.lo + (t.lo + (float64(t.hi*rest) + float64(t.lo*h)))
	p = ordered(t.hi, p.hi)
	return ordered(p.hi, p.lo+rest), j >> 6
}

// shortLog is ln x for a finite x > 0.
func shortLog(x float64) pair {
	k := 0
	if x < 0x1p-1022 {
		x, k = float64(x*0x1p54), -54
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, k = m/2, k+1
	}
	j := int(float64(m*128)+0.5) - firstLog
	p := product(m, inverses[j])
	r := sum(p.hi-1, p.lo)
	far := sum(float64(float64(k)*ln2a), logs[j].hi)
	near := sum(far.hi, r.hi)
	return shortLog1p(near, r, far.lo+(float64(float64(k)*ln2b)+logs[j].lo))
}

// shortLog1p is sum + rest + ln(1 + r) − r for |r| < 2⁻⁷; sum has r already.
func shortLog1p(total, r pair, rest float64) pair {
	h := r.hi
	s := 1.0/9 - float64(h*(1.0/10))
	s = 1.0/8 - float64(h*s)
	s = 1.0/7 - float64(h*s)
	s = 1.0/6 - float64(h*s)
	s = 1.0/5 - float64(h*s)
	s = 1.0/4 - float64(h*s)
	s = 1.0/3 - float64(h*s)
	square := product(h, h)
	p := sum(total.hi, -float64(square.hi*0.5))
	rest += float64(float64(square.hi*h)*s) - float64(square.lo*0.5)
	rest += r.lo - float64(h*r.lo)
	return ordered(p.hi, p.lo+(total.lo+rest))
}

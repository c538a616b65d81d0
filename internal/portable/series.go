package portable

import "math"

// ln 2 as a sum of two numbers of 36 bits, whose products with whole numbers below 2¹⁷ are exact, and two of 53.
const (
	ln2a = 0x1.62e42fefa0000p-1
	ln2b = 0x1.cf79abc9e0000p-40
	ln2c = 0x1.d9cc01f97b57ap-79
	ln2d = 0x1.e6864ce5316c6p-137

	perLn2 = 0x1.71547652b82fep+0 // 1/ln 2
)

// coefficients are those of the first terms of a series.
type coefficients [23]pair

var (
	overNextFactorial = overFactorials(1, 1) // 1/(n+1)!
	overOddFactorial  = overFactorials(1, 2) // 1/(2n+1)!
	overEvenFactorial = overFactorials(0, 2) // 1/(2n)!
	overOdd           = overOddNumbers()     // 1/(2n+1)
)

// overFactorials are 1/(from + n·step)!.
func overFactorials(from, step int) (c coefficients) {
	for n := range c {
		c[n] = whole(1)
		for k := 2; k <= from+n*step; k++ {
			c[n] = c[n].over(whole(float64(k)))
		}
	}
	return c
}

func overOddNumbers() (c coefficients) {
	for n := range c {
		c[n] = whole(1).over(whole(float64(2*n + 1)))
	}
	return c
}

// polynomial is c[0] + c[1]x + c[2]x² + … of this many terms.
func polynomial(x pair, c coefficients, terms int) pair {
	s := c[terms-1]
	for n := terms - 2; n >= 0; n-- {
		s = s.times(x).plus(c[n])
	}
	return s
}

// ln2Times is k ln 2.
func ln2Times(k float64) pair {
	return sum(float64(k*ln2a), float64(k*ln2b)).plus(product(k, ln2c))
}

// expm1 returns e and k with eˣ = 2ᵏ(1 + e), |e| < 0.42, for |x| below 2¹⁰. k is 0 for |x| < 0.34, where e is eˣ − 1.
func expm1(x pair) (e pair, k int) {
	n := math.Floor(float64(x.hi*perLn2) + 0.5)
	x = x.minus(whole(float64(n * ln2a))).minus(whole(float64(n * ln2b))).minus(product(n, ln2c))
	const halvings = 6
	x = x.scaled(1.0 / (1 << halvings))
	e = x.times(polynomial(x, overNextFactorial, 13))
	for range halvings { // 1 + e becomes its square
		e = e.scaled(2).plus(e.times(e))
	}
	return e, int(n)
}

// log is ln x for a normal x > 0: 2 artanh((m−1)/(m+1)) + k ln 2, where x = 2ᵏm and √½ ≤ m < √2.
func log(x pair) pair {
	m, k := math.Frexp(x.hi)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	x = pair{m, math.Ldexp(x.lo, -k)}
	s := x.minus(whole(1)).over(x.plus(whole(1)))
	return s.scaled(2).times(polynomial(s.times(s), overOdd, 23)).plus(ln2Times(float64(k)))
}

// sine and cosine are those of |x| ≤ 0.8.
func sine(x pair) pair {
	return x.times(polynomial(x.times(pair{-x.hi, -x.lo}), overOddFactorial, 16))
}

func cosine(x pair) pair {
	return polynomial(x.times(pair{-x.hi, -x.lo}), overEvenFactorial, 16)
}

// arctangent is that of 0 ≤ t ≤ 1: the angle is halved three times, tan(a/2) = tan a/(1 + √(1 + tan² a)), and the series is summed.
func arctangent(t pair) pair {
	for range 3 {
		t = t.over(whole(1).plus(whole(1).plus(t.times(t)).root()))
	}
	return t.scaled(8).times(polynomial(t.times(pair{-t.hi, -t.lo}), overOdd, 18))
}

package dynamics

import "math"

// exp returns eˣ within one unit in the last place for x ≤ 0, with the same bits on every target; math.Exp picks its code by
// processor. The method is that of FreeBSD's e_exp.c [sun1993]: x = j·ln 2 + r with |r| ≤ (ln 2)/2, and on that interval a
// rational approximation of eʳ with a remainder below 2⁻⁵⁹.
func exp(x float64) float64 {
	const (
		log2e  = 1.44269504088896338700e+00
		ln2Hi  = 6.93147180369123816490e-01 // the leading 33 bits, so that j·ln2Hi is exact
		ln2Lo  = 1.90821492927058770002e-10
		lowest = -7.45133219101941108420e+02 // eˣ rounds to 0 below
	)
	if math.IsNaN(x) || x > 0 {
		return math.NaN()
	}
	if x < lowest {
		return 0
	}
	j := int(float64(log2e*x) - 0.5)
	hi := x - float64(float64(j)*ln2Hi)
	lo := float64(float64(j) * ln2Lo)
	r := hi - lo
	c := r - remez(float64(r*r))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return math.Ldexp(y, j)
}

// remez is the even part t(P₁ + t(P₂ + …)) of the approximation at t = r².
func remez(t float64) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	return float64(t * (p1 + float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
}

package rows

import (
	"math"
	"math/big"
	"testing"
)

// series sums terms as fractions, which round nothing, and their sizes.
func series(n int, term func(k int) *big.Rat) (sum, size float64) {
	all, sizes := new(big.Rat), new(big.Rat)
	for k := range n {
		x := term(k)
		all.Add(all, x)
		sizes.Add(sizes, x.Abs(x))
	}
	sum, _ = all.Float64()
	size, _ = sizes.Float64()
	return sum, size
}

// power is ±xⁿ.
func power(x float64, n int, minus bool) *big.Rat {
	p, by := big.NewRat(1, 1), new(big.Rat).SetFloat64(x)
	for range n {
		p.Mul(p, by)
	}
	if minus {
		p.Neg(p)
	}
	return p
}

// over divides by a factorial.
func over(x *big.Rat, n int) *big.Rat {
	return x.Quo(x, new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n))))
}

// Polynomials are those that their comments say, also far from where they are needed: there every coefficient counts.
func TestPolynomialsAreThoseOfTheirSeries(t *testing.T) {
	for _, x := range []float64{0.01, 0.3, -0.3, 1, 2.5, -2.5, 5, 8, 11, 14, -14, 17, 25, 50, 300, 1e4} {
		check := func(name string, got float64, n int, term func(k int) *big.Rat) {
			if want, size := series(n, term); !(math.Abs(got-want) <= 5e-15*size) {
				t.Errorf("%s of %v is %v, want %v", name, x, got, want)
			}
		}
		check("the exponential", polynomial(x), 14, func(k int) *big.Rat { return over(power(x, k, false), k) })
		check("the logarithm", odd(x), 10, func(k int) *big.Rat {
			return power(x, k, false).Mul(power(x, k, false), big.NewRat(2, int64(2*k+3)))
		})
		cos, sin := circle(x)
		check("the cosine", cos, 9, func(k int) *big.Rat { return over(power(x, 2*k, k%2 == 1), 2*k) })
		check("the sine", sin, 8, func(k int) *big.Rat { return over(power(x, 2*k+1, k%2 == 1), 2*k+1) })
	}
}

// By hand: what has been added is counted from 1 on, and what lies between from 2 on; the least of nothing is without end.
func TestGapsOfNothing(t *testing.T) {
	none := [4]float64{}
	if g := NewGaps(); g.A != [4]float64{1, 1, 1, 1} || g.B != g.A || g.Area != [4]float64{2, 2, 2, 2} || g.Least[0] != math.Inf(1) || g.Least != filled(math.Inf(1)) || g.LostA != none || g.LostB != none || g.LostArea != none || g.Tilt != none || g.Signs != none {
		t.Errorf("%+v", g)
	}
	x := []float64{0.25, 0.5}
	levels(func(level string) {
		g := NewGaps()
		if g.Walk(x, []float64{0.5, 0.5}, []float64{0.25, 0}, 1); g.A != [4]float64{1.25, 1.25, 1.5, 1.5} || g.B != [4]float64{1.5, 1.25, 1.5, 1} || g.Area != [4]float64{2.25, 2, 2, 2.5} || g.Least != [4]float64{0.25, 0, 0, 0.5} || g.Tilt != [4]float64{-0.75, 0.5, 1, 0.5} {
			t.Errorf("%s: %+v", level, g)
		}
	})
}

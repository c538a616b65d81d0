package portable

import (
	"math"
	"math/big"
)

// The reference computes with 400 bits of math/big, other reductions and other formulas than the package: exponentials by squaring,
// logarithms and angles by corrections to package math's, π by the mean of Gauss and Legendre.
const precision = 400

func num(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func blank() *big.Float { return new(big.Float).SetPrec(precision) }

func add(x, y *big.Float) *big.Float { return blank().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return blank().Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return blank().Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return blank().Quo(x, y) }

func refExp(x *big.Float) *big.Float {
	const squarings = 28
	x = blank().SetMantExp(x, -squarings)
	s, term := num(1), num(1)
	for n := 1.0; n < 24; n++ {
		term = quo(mul(term, x), num(n))
		s = add(s, term)
	}
	for range squarings {
		s = mul(s, s)
	}
	return s
}

// refLog corrects a guess: y + 2(x − eʸ)/(x + eʸ) has the cube of its error.
func refLog(x *big.Float, guess float64) *big.Float {
	y := num(guess)
	for range 2 {
		e := refExp(y)
		y = add(y, quo(mul(num(2), sub(x, e)), add(x, e)))
	}
	return y
}

func refPi(bits uint) *big.Float {
	of := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	a, b, t, p := of(1), of(0.5), of(0.25), of(1)
	b.Sqrt(b)
	for range 12 {
		next := of(0).Add(a, b)
		next.Quo(next, of(2))
		b.Sqrt(b.Mul(a, b))
		d := of(0).Sub(a, next)
		t.Sub(t, d.Mul(d, d).Mul(d, p))
		p.Mul(p, of(2))
		a = next
	}
	s := a.Add(a, b)
	return s.Mul(s, s).Quo(s, t.Mul(t, of(4)))
}

var refTurn = func() *big.Float { p := refPi(1800); return p.Mul(p, big.NewFloat(2)) }()

// refSincos reduces by whole turns and sums both series up to π.
func refSincos(x float64) (sin, cos *big.Float) {
	wide := new(big.Float).SetPrec(3000).SetFloat64(x)
	turns, _ := new(big.Float).SetPrec(3000).Quo(wide, refTurn).Int(nil)
	wide.Sub(wide, new(big.Float).SetPrec(3000).Mul(new(big.Float).SetPrec(3000).SetInt(turns), refTurn))
	return refSeries(blank().Set(wide))
}

func refSeries(r *big.Float) (sin, cos *big.Float) {
	sin, cos = blank().Set(r), num(1)
	term := blank().Set(r)
	for n := 2.0; n < 120; n += 2 {
		even := quo(mul(term, r), num(n))
		term = quo(mul(even, r), num(-(n + 1)))
		cos, sin = sub(cos, even), add(sin, term)
		if term.Sign() == 0 || term.MantExp(nil) < r.MantExp(nil)-precision {
			break
		}
	}
	return sin, cos
}

// refErf sums the series with alternating signs about 0, which loses 52 of its bits at 6.
func refErf(x float64) *big.Float {
	s, term, minus := num(x), num(x), mul(num(x), num(-x))
	for n := 1.0; term.Sign() != 0 && term.MantExp(nil) > s.MantExp(nil)-precision; n++ {
		term = quo(mul(term, minus), num(n))
		s = add(s, quo(term, num(2*n+1)))
	}
	root := refPi(precision)
	return quo(mul(num(2), s), root.Sqrt(root))
}

// refAngle corrects a guess by the arctangent of how far it is off.
func refAngle(y, x *big.Float, guess float64) *big.Float {
	sin, cos := refSincos(guess)
	d := quo(sub(mul(y, cos), mul(x, sin)), add(mul(x, cos), mul(y, sin)))
	return add(num(guess), sub(d, quo(mul(d, mul(d, d)), num(3))))
}

func refCathetus(x float64) *big.Float {
	c := mul(sub(num(1), num(x)), add(num(1), num(x)))
	return c.Sqrt(c)
}

func refCbrt(x float64) *big.Float {
	y := num(math.Cbrt(x))
	for range 3 {
		y = sub(y, quo(sub(mul(y, mul(y, y)), num(x)), mul(num(3), mul(y, y))))
	}
	return y
}

func refTanh(x float64) *big.Float {
	e := refExp(num(2 * x))
	return quo(sub(e, num(1)), add(e, num(1)))
}

// off is how far v is from the exact value, in units of its last place.
func off(v float64, exact *big.Float) float64 {
	if exact.Sign() == 0 {
		return math.Abs(v) / 0x1p-1074
	}
	d, _ := blank().SetMantExp(sub(num(v), exact), 53-max(exact.MantExp(nil), -1021)).Float64()
	return math.Abs(d)
}

// share is how far p·2ᵏ is from the exact value, relative to it.
func share(p pair, k int, exact *big.Float) float64 {
	v := add(num(p.hi), num(p.lo))
	d, _ := quo(sub(v.SetMantExp(v, k), exact), exact).Float64()
	return math.Abs(d)
}

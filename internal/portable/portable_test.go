package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// check has one function, where its arguments come from, and its value to 400 bits.
type check struct {
	name  string
	draw  func(r *rand.Rand) (x, y float64)
	got   func(x, y float64) float64
	exact func(x, y float64) *big.Float
}

// sized draws numbers of either sign whose logarithms to base 2 are uniform.
func sized(low, high float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		return math.Copysign(math.Exp2(low+(high-low)*r.Float64()), r.Float64()-0.5)
	}
}

// one draws one argument: half of them of all sizes, half uniform.
func one(low, high, from, to float64) func(r *rand.Rand) (x, y float64) {
	return func(r *rand.Rand) (x, y float64) {
		if r.IntN(2) == 0 {
			return from + (to-from)*r.Float64(), 0
		}
		for {
			if x = sized(low, high)(r); x >= from || from < 0 {
				return x, 0
			}
		}
	}
}

func of1(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// odd is an odd function that is x for the smallest x, where a reference would need more bits.
func odd(f func(x float64) *big.Float) func(x, y float64) *big.Float {
	return func(x, _ float64) *big.Float {
		if math.Abs(x) < 0x1p-100 {
			return num(x)
		}
		return f(x)
	}
}

func checks() []check {
	ln10 := refLog(num(10), math.Ln10)
	sin := func(x float64) *big.Float { s, _ := refSincos(x); return s }
	cos := func(x, _ float64) *big.Float { _, c := refSincos(x); return c }
	two := func(low, high float64) func(r *rand.Rand) (x, y float64) {
		return func(r *rand.Rand) (x, y float64) { return sized(low, high)(r), sized(low, high)(r) }
	}
	near := func(r *rand.Rand) (x, y float64) {
		x = sized(-8, 8)(r)
		return x, x * (1 + sized(-40, 0)(r)/2)
	}
	return []check{
		{"Exp", one(-60, 9.47, -745, 709.5), of1(Exp), func(x, _ float64) *big.Float { return refExp(num(x)) }},
		{"Exp2", one(-60, 9.99, -1074, 1023.5), of1(Exp2), func(x, _ float64) *big.Float { return refExp(mul(num(x), refLog(num(2), math.Ln2))) }},
		{"Log", one(-1074, 1023.9, 0x1p-1074, 2), of1(Log), func(x, _ float64) *big.Float { return refLog(num(x), guessLog(x)) }},
		{"Log10", one(-1074, 1023.9, 0x1p-1074, 2), of1(Log10), func(x, _ float64) *big.Float { return quo(refLog(num(x), guessLog(x)), ln10) }},
		{"Log1p", one(-80, 0, -1, 3), of1(Log1p), odd(func(x float64) *big.Float { return refLog(add(num(1), num(x)), math.Log1p(x)) })},
		{"Tanh", one(-80, 5, -20, 20), of1(Tanh), odd(refTanh)},
		{"Sin", one(-120, 20, -10, 10), of1(Sin), odd(sin)},
		{"Sin of large numbers", one(19, 1023.9, -1e9, 1e9), of1(Sin), odd(sin)},
		{"Cos", one(-120, 20, -10, 10), of1(Cos), cos},
		{"Cos of large numbers", one(19, 1023.9, -1e9, 1e9), of1(Cos), cos},
		{"Tan", one(-120, 20, -10, 10), of1(Tan), odd(func(x float64) *big.Float { s, c := refSincos(x); return quo(s, c) })},
		{"Tan of large numbers", one(19, 1023.9, -1e9, 1e9), of1(Tan), odd(func(x float64) *big.Float { s, c := refSincos(x); return quo(s, c) })},
		{"Erf", one(-1074, 2.57, -6, 6), of1(Erf), func(x, _ float64) *big.Float { return refErf(x) }},
		{"Sincos sine", one(-120, 20, -10, 10), of1(func(x float64) float64 { s, _ := Sincos(x); return s }), odd(sin)},
		{"Sincos cosine", one(-120, 20, -10, 10), of1(func(x float64) float64 { _, c := Sincos(x); return c }), cos},
		{"Asin", one(-120, 0, -1, 1), of1(Asin), odd(func(x float64) *big.Float { return refAngle(num(x), refCathetus(x), math.Asin(x)) })},
		{"Acos", one(-120, 0, -1, 1), of1(Acos), func(x, _ float64) *big.Float { return refAngle(refCathetus(x), num(x), math.Acos(x)) }},
		{"Atan2", two(-40, 40), func(x, y float64) float64 { return Atan2(y, x) }, func(x, y float64) *big.Float { return refAngle(num(y), num(x), math.Atan2(y, x)) }},
		{"Cbrt", one(-1074, 1023.9, -2, 2), of1(Cbrt), func(x, _ float64) *big.Float { return refCbrt(x) }},
		{"Hypot", near, Hypot, refHypot},
		{"Hypot of all sizes", two(-1074, 1022), Hypot, refHypot},
		{"Pow", drawPower, Pow, func(x, y float64) *big.Float { return refExp(mul(num(y), refLog(num(x), math.Log(x)))) }},
		{"Pow of whole exponents", drawWholePower, Pow, func(x, y float64) *big.Float {
			p := big.NewFloat(1).SetPrec(4000)
			for range int(y) {
				p.Mul(p, big.NewFloat(x))
			}
			return p
		}},
	}
}

// guessLog is a guess of the logarithm. For numbers below 2⁻¹⁰²² math.Log's is off by up to 28 on amd64.
func guessLog(x float64) float64 {
	if x < 1 {
		return math.Log(x*0x1p60) - 60*math.Ln2
	}
	return math.Log(x)
}

func refHypot(x, y float64) *big.Float {
	s := new(big.Float).SetPrec(4400).SetFloat64(x)
	t := new(big.Float).SetPrec(4400).SetFloat64(y)
	return blank().Sqrt(s.Add(s.Mul(s, s), t.Mul(t, t)))
}

// drawPower draws x > 0 and y so that the power is neither 0 nor infinite.
func drawPower(r *rand.Rand) (x, y float64) {
	for {
		x, y = math.Abs(sized(-20, 20)(r)), sized(-20, 10)(r)
		if r.IntN(3) == 0 {
			x, y = 1+sized(-50, -1)(r), sized(0, 30)(r)
		}
		if p := y * math.Log(x); math.Abs(p) < 708 {
			return x, y
		}
	}
}

// drawWholePower draws bases of few digits too, whose powers lie halfway between numbers.
func drawWholePower(r *rand.Rand) (x, y float64) {
	if r.IntN(2) == 0 {
		return float64(2*r.IntN(500) - 499), float64(2 + r.IntN(33))
	}
	return sized(-10, 10)(r), float64(2 + r.IntN(60))
}

// Every function is correctly rounded on random arguments of all scales.
func TestCorrectlyRounded(t *testing.T) {
	rounded := evidence.For(t, evidence.Promise{Name: "rounded", Text: "elementary functions of arguments of all scales, against 400 bits of math/big: not correctly rounded", Short: "1,000 arguments of each instead of 20,000"})
	draws := 1_000
	if evidence.Whole() {
		draws = 20_000
	}
	if testing.Short() {
		draws = 100
	}
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			draws := draws
			if strings.HasSuffix(c.name, "large numbers") { // which take a thousand times as long
				draws /= 10
			}
			random, most, wrong := rand.New(rand.NewPCG(1, 2)), 0.0, 0
			for range draws {
				x, y := c.draw(random)
				got, exact := c.got(x, y), c.exact(x, y)
				if most = max(most, off(got, exact)); off(got, exact) > 0.5 || math.IsNaN(got) {
					if wrong++; wrong < 4 {
						v, _ := exact.Float64()
						t.Errorf("%s of %v, %v is %v, want %v: off by %v units in the last place", c.name, x, y, got, v, off(got, exact))
					}
				}
			}
			t.Logf("off by at most %.7f units in the last place", most)
			rounded.Cases(wrong, draws)
		})
	}
}

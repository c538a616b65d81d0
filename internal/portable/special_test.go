package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// Zeros, infinities, what is not a number and the ends of the range are as package math documents them. Its own values are the reference:
// for these arguments they are exact, or constants.
func TestSpecialCases(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	ends := []float64{0, zero, 1, -1, 2, -2, 3, -3, 0.5, -0.5, inf, -inf, nan, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 0x1p-1022, 1e300, -1e300, 1 << 53, 1<<53 - 1}
	type pairOf struct {
		name      string
		got, want func(x float64) float64
		at        []float64
	}
	sine := func(f func(float64) (float64, float64)) func(float64) float64 {
		return func(x float64) float64 { s, _ := f(x); return s }
	}
	edges := []float64{0, zero, inf, -inf, nan}
	for _, f := range []pairOf{
		{"Exp", Exp, math.Exp, append(edges, 710, 1e300, -746, -1e300, 5e-324)},
		{"Exp2", Exp2, math.Exp2, append(edges, 1024, 1023, -1074, -1076, 1e300, -1e300, 3, -3, 5e-324)},
		{"Log", Log, math.Log, append(edges, 1, -1, -5e-324)},
		{"Log10", Log10, math.Log10, append(edges, 1, -1, 1000, 1e22)},
		{"Log1p", Log1p, math.Log1p, append(edges, -1, -2, 5e-324, -5e-324, 0x1p-1022)},
		{"Tanh", Tanh, math.Tanh, append(edges, 5e-324, -5e-324, 100, -1e300)},
		{"Sin", Sin, math.Sin, append(edges, 5e-324, -5e-324)},
		{"Cos", Cos, math.Cos, append(edges, 5e-324)},
		{"Tan", Tan, math.Tan, append(edges, 5e-324, -5e-324)},
		{"Erf", Erf, math.Erf, append(edges, 5.93, 6, -6, 7, -7, 1e300, -1e300)},
		{"Sincos", sine(Sincos), sine(math.Sincos), append(edges, 5e-324, -5e-324)},
		{"Asin", Asin, math.Asin, append(edges, 1, -1, 2, -2, 5e-324, -5e-324)},
		{"Acos", Acos, math.Acos, append(edges, 1, -1, 2, -2, 5e-324)},
		{"Cbrt", Cbrt, math.Cbrt, append(edges, 27, -27, 1e300, 0x1p-1074, 0x1p-1022)},
	} {
		for _, x := range f.at {
			if got, want := f.got(x), f.want(x); !alike(got, want) {
				t.Errorf("%s(%v) is %v, want %v", f.name, x, got, want)
			}
		}
	}
	for k := range 23 { // 10²² is the largest power of ten that is a number; math has 14.999999999999998 for 15
		if got := Log10(math.Pow10(k)); got != float64(k) {
			t.Errorf("Log10(1e%d) is %v", k, got)
		}
	}
	for _, x := range ends {
		for _, y := range ends { // math.Atan2 loses the sign of y where y/x underflows
			isPlain := !math.IsInf(x, 0) && x == x && !math.IsInf(y, 0) && y == y
			for name, v := range map[string][2]float64{"Pow": {Pow(x, y), math.Pow(x, y)}, "Hypot": {Hypot(x, y), math.Hypot(x, y)}, "Atan2": {Atan2(y, x), math.Copysign(math.Atan2(y, x), y)}} {
				if isPlain && near(v[0], v[1]) { // rounded otherwise
					continue
				}
				if !alike(v[0], v[1]) {
					t.Errorf("%s of %v, %v is %v, want %v", name, x, y, v[0], v[1])
				}
			}
		}
	}
}

func alike(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

func near(x, y float64) bool { return x*y > 0 && math.Abs(x/y-1) < 1e-15 }

// The short forms decide no bit: without them every logarithm, exponential and power is the same.
func TestShortFormsDecideNoBit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		x, _ := one(-1074, 1023.9, 0x1p-1074, 2)(random)
		y, _ := one(-60, 9.4, -745, 709)(random)
		for name, v := range map[string][2]float64{
			"Log": {Log(x), longLog(x).value()}, "Log10": {Log10(x), longLog(x).times(pair{perLn10, perLn10Rest}).value()},
			"Exp": {Exp(y), longExp(whole(y))}, "Log1p": {Log1p(max(x, 0x1p-54)), log(sum(1, max(x, 0x1p-54))).value()},
		} {
			if v[0] != v[1] {
				t.Errorf("%s of %v or %v is %v, by the series %v", name, x, y, v[0], v[1])
			}
		}
		if x, y = drawPower(random); Pow(x, y) != longExp(longLog(x).times(whole(y))) {
			t.Errorf("%v to the power of %v is %v, by the series %v", x, y, Pow(x, y), longExp(longLog(x).times(whole(y))))
		}
	}
}

// Powers of whole numbers far beyond 64 take no longer and are rounded as others are: (1 + x)^±2⁵¹ is the square of a square, 51 times, with 400 bits of math/big.
func TestPowersOfLargeWholeNumbers(t *testing.T) {
	left := 0
	for k := 10; k <= 16; k++ {
		for _, x := range []float64{1 + float64(k)*0x1p-46, 1 - float64(k)*0x1p-46} {
			exact := num(x)
			for range 51 {
				exact = mul(exact, exact)
			}
			for y, want := range map[float64]*big.Float{0x1p51: exact, -0x1p51: quo(num(1), exact)} {
				if got := Pow(x, y); !(off(got, want) <= 0.5) {
					t.Errorf("%v to the power of %v is %v, want %v", x, y, got, want)
				}
				short := shortLog(x).times(whole(y))
				p, e := shortExp(short)
				if _, ok := p.settledAt(e, shortError*(1+math.Abs(short.hi))); !ok {
					left++
				}
			}
		}
	}
	if left == 0 {
		t.Error("none is left to the series")
	}
}

// The errors of the short forms and of the series are below what is said of them.
func TestErrorsOfBothForms(t *testing.T) {
	errors := evidence.For(t, evidence.Promise{Name: "forms", Text: "relative error of their short forms, and of their series"})
	random := rand.New(rand.NewPCG(5, 6))
	worst := map[string]float64{}
	for range 3_000 {
		x, _ := one(-1022, 1023.9, 0x1p-1022, 2)(random)
		exact := refLog(num(x), guessLog(x))
		for name, p := range map[string]pair{"short Log": shortLog(x), "long Log": longLog(x)} {
			worst[name] = max(worst[name], share(p, 0, exact))
		}
		y, _ := one(-60, 9.4, -745, 709)(random)
		exact = refExp(num(y))
		p, k := shortExp(whole(y))
		worst["short Exp"] = max(worst["short Exp"], share(p, k, exact))
		p, k = expm1(whole(y))
		worst["long Exp"] = max(worst["long Exp"], share(whole(1).plus(p), k, exact))
	}
	for name, most := range map[string]float64{"short Log": shortError, "short Exp": shortError, "long Log": 0x1p-95, "long Exp": 0x1p-95} {
		errors.AtMost(name, worst[name], most)
	}
}

// Beside multiples of π/2, where most digits cancel, the reduction with five parts of π/2 agrees with that by Machin's formula.
func TestReductionsAgree(t *testing.T) {
	random, worst := rand.New(rand.NewPCG(7, 8)), 0.0
	for range 2_000 {
		x := float64(1+random.IntN(1<<19)) * (math.Pi / 2)
		n, r := reduced(x)
		m, s := reducedFar(x)
		if n != m {
			t.Errorf("%v is in quarter %d, by Machin's formula in %d", x, n, m)
		}
		worst = max(worst, math.Abs(r.minus(s).hi/s.hi))
	}
	t.Logf("rests differ by up to 2^%.1f of themselves", math.Log2(worst))
	if worst > 0x1p-95 {
		t.Errorf("rests differ by 2^%.1f of themselves, want at most 2^-95", math.Log2(worst))
	}
}

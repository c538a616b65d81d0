package interval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
)

// drawn is a number of any size, often one of those that make trouble.
func drawn(r *rand.Rand) float64 {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, 3, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 0x1p-1022, 1e-160, -1e-160, 1e160, 708, -708, 709}
	switch r.IntN(4) {
	case 0:
		return odd[r.IntN(len(odd))]
	case 1:
		return r.NormFloat64()
	case 2:
		return math.Round(8 * r.NormFloat64())
	}
	return math.Ldexp(r.NormFloat64(), r.IntN(400)-200)
}

// around is a span that holds v.
func around(r *rand.Rand, v float64) interval.Span {
	lo, hi := v, v
	if r.IntN(3) > 0 {
		lo, hi = min(v, drawn(r)), max(v, drawn(r))
	}
	switch r.IntN(20) {
	case 0:
		lo = math.Inf(-1)
	case 1:
		hi = math.Inf(1)
	}
	return interval.Between(lo, hi)
}

func checkSpan(t *testing.T, what string, s interval.Span, args ...any) {
	t.Helper()
	if !(s.Lo <= s.Hi) || math.IsInf(s.Lo, 1) || math.IsInf(s.Hi, -1) {
		t.Fatalf("%s of %v is no span: %v", what, args, s)
	}
}

// holds tells whether a number of any precision lies in a span.
func holds(s interval.Span, v *big.Float) bool {
	above := math.IsInf(s.Lo, -1) || v.Cmp(big.NewFloat(s.Lo)) >= 0
	below := math.IsInf(s.Hi, 1) || v.Cmp(big.NewFloat(s.Hi)) <= 0
	return above && below
}

func exact(v float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(v) }

// Sums, products, quotients and whole powers hold the exact result for numbers of their arguments.
func TestArithmeticHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40_000 {
		a, b := drawn(r), drawn(r)
		x, y := around(r, a), around(r, b)
		n := r.IntN(9) - 2
		new := func() *big.Float { return exact(0) }
		power := exact(1)
		for range max(n, -n) {
			power.Mul(power, exact(a))
		}
		for what, c := range map[string]struct {
			got  interval.Span
			want *big.Float
		}{
			"add": {x.Add(y), new().Add(exact(a), exact(b))}, "sub": {x.Sub(y), new().Sub(exact(a), exact(b))},
			"mul": {x.Mul(y), new().Mul(exact(a), exact(b))}, "sqr": {x.Sqr(), new().Mul(exact(a), exact(a))},
			"power": {x.Power(max(n, 0)), power}, "neg": {x.Neg(), exact(-a)}, "abs": {x.Abs(), exact(math.Abs(a))},
			"max": {x.Max(y), exact(max(a, b))}, "hull": {x.Hull(y), exact(b)}, "mid": {x, exact(x.Mid())},
		} {
			if n < 0 && what == "power" {
				continue
			}
			checkSpan(t, what, c.got, x, y, n)
			if !holds(c.got, c.want) {
				t.Fatalf("%s of %v in %v and %v in %v (%d) is %v outside of %v", what, a, x, b, y, n, c.want, c.got)
			}
		}
		checkSpan(t, "inverse", x.Inv(), x)
		checkSpan(t, "power", x.Power(n), x, n)
		if a != 0 && !holds(x.Inv(), new().Quo(exact(1), exact(a))) {
			t.Fatalf("1/%v is outside of %v", a, x.Inv())
		}
		if a != 0 && n < 0 && !holds(x.Power(n), new().Quo(exact(1), power)) {
			t.Fatalf("%v^%d is outside of %v", a, n, x.Power(n))
		}
		if root := new(); a >= 0 && !holds(x.Sqrt(), root.Sqrt(exact(a))) {
			t.Fatalf("the root of %v is outside of %v", a, x.Sqrt())
		}
	}
}

// Elementary functions hold what package math gives, which is off by less than they are widened; but math.Tan(x) is x up to 10⁻⁷.
func TestFunctionsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 40_000 {
		a, y := drawn(r), []float64{-2.5, -1, -0.3, 0, 0.5, 1.3, 2, 7.7}[r.IntN(8)]
		x := around(r, a)
		for what, c := range map[string]struct {
			got  interval.Span
			want float64
		}{
			"exp": {x.Exp(), math.Exp(a)}, "log": {x.Log(), math.Log(max(a, 0x1p-1022))}, "tanh": {x.Tanh(), math.Tanh(a)},
			"sin": {x.Sin(), math.Sin(a)}, "cos": {x.Cos(), math.Cos(a)}, "tan": {x.Tan(), math.Sin(a) / math.Cos(a)}, "erf": {x.Erf(), math.Erf(a)},
			"sigmoid": {x.Sigmoid(), 1 / (1 + math.Exp(-a))}, "raise": {x.Raise(y), math.Pow(a, y)},
		} {
			checkSpan(t, what, c.got, x, y)
			if a < 0 && (what == "log" || what == "raise") || math.IsInf(c.want, 0) {
				continue
			}
			if !c.got.Has(c.want) {
				t.Fatalf("%s(%v) in %v (%v) is %v outside of %v", what, a, x, y, c.want, c.got)
			}
		}
	}
}

// Zero stays exact, and signs of products with it too: rules for convexity and Hessians need them.
func TestZeroIsExact(t *testing.T) {
	zero, all := interval.Point(0), interval.Whole()
	if got := zero.Mul(all); got != (interval.Span{}) {
		t.Errorf("0 times anything is %v", got)
	}
	if got := zero.Add(interval.Point(0.1)); !got.IsPoint() {
		t.Errorf("0 + 0.1 is %v", got)
	}
	if got := (interval.Span{Lo: 0, Hi: 1}).Mul(interval.Span{Lo: -3, Hi: -2}); got.Hi != 0 {
		t.Errorf("a product of 0 and less goes up to %v", got.Hi)
	}
	if got := (interval.Span{Lo: 5e-324, Hi: 1}).Mul(interval.Span{Lo: -1, Hi: -5e-324}); !(got.Hi <= 0) {
		t.Errorf("a product of numbers of different signs goes up to %v", got.Hi)
	}
	if got := interval.Point(1e-200).Mul(interval.Point(1e-200)); !(got.Hi > 0) || got.Lo != 0 {
		t.Errorf("a product that underflows is %v", got)
	}
	if got := interval.Point(math.NaN()); got != all {
		t.Errorf("no number is %v", got)
	}
}

// Below 2⁻¹⁰²² formulas round up, so that a power may be as little as 0 or as much as that of 2⁻¹⁰²²; of that itself it is known.
func TestPowersOfTheLeastNumbers(t *testing.T) {
	for x, known := range map[float64]bool{0x1p-1022: true, 0x1p-1023: false, 5e-324: false} {
		got := interval.Point(x).Raise(0.5)
		if !got.Has(0x1p-511) || (got.Lo > 0x1p-512) != known || !(got.Hi < 0x1p-510) {
			t.Errorf("the root of %v is %v", x, got)
		}
	}
}

package population

import (
	"math"
	"math/big"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// Source: the series of the cosine in 200 bits.
func TestVersine(t *testing.T) {
	worst := 0.0
	for _, degrees := range []float64{1e-300, 1e-9, 0.001, 1, 30, 45, 60, 89.999, 90} {
		x := new(big.Float).SetPrec(200).SetFloat64(degrees * (math.Pi / 180))
		minus := new(big.Float).Mul(x, x)
		minus.Neg(minus)
		sum, term := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200).SetInt64(-1)
		for k := int64(1); k < 60; k += 2 {
			term.Mul(term, minus).Quo(term, new(big.Float).SetInt64(k*(k+1)))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		if want > 0 {
			worst = max(worst, math.Abs(versine(degrees)-want)/(0x1p-53*want))
		}
	}
	if worst > 4 {
		t.Errorf("relative error %.2f eps, want at most 4", worst)
	}
}

// Source: the standard library, which promises less than one unit in the last place.
func TestExp(t *testing.T) {
	s := stream.New(1, "exp")
	worst := 0.0
	for range 100_000 {
		x := -700 * s.Float64() * s.Float64()
		worst = max(worst, math.Abs(exp(x)-math.Exp(x))/(0x1p-53*math.Exp(x)))
	}
	if worst > 6 {
		t.Errorf("relative error %.2f eps, want at most 6", worst)
	}
	for x, want := range map[float64]float64{0: 1, -745: 5e-324, -1e300: 0, math.Inf(-1): 0} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

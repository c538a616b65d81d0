package dynamics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns eˣ to 200 bits for −800 ≤ x ≤ 0: the series of e^(x/2¹²), squared twelve times.
func bigExp(x float64) *big.Float {
	const precision, halvings = 200, 12
	r := new(big.Float).SetPrec(precision).SetMantExp(big.NewFloat(x), -halvings)
	sum := big.NewFloat(1).SetPrec(precision)
	term := big.NewFloat(1).SetPrec(precision)
	for k := 1; k < 60; k++ {
		term.Mul(term, r).Quo(term, big.NewFloat(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// The error is below one unit in the last place of the result, also among subnormal results.
func TestExpAgainstBigFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	check := func(x float64) {
		got := exp(x)
		off := new(big.Float).Sub(big.NewFloat(got).SetPrec(200), bigExp(x))
		ulp := big.NewFloat(math.Nextafter(got, 2) - got)
		if ratio, _ := off.Quo(off, ulp).Float64(); math.Abs(ratio) >= 1 {
			t.Errorf("exp(%v) = %v is off by %.3g ulp", x, got, ratio)
		}
	}
	for range 3000 {
		check(-745 * rng.Float64())
		check(-rng.Float64())
		check(-math.Exp(-40 * rng.Float64()))
	}
	for _, x := range []float64{0, -5e-324, -1e-300, -0x1p-54, -math.Ln2 / 2, -math.Ln2, -708.4, -745.1332, -746} {
		check(x)
	}
}

func TestExpOutsideItsDomain(t *testing.T) {
	if exp(math.Inf(-1)) != 0 || exp(-1e308) != 0 || exp(math.Copysign(0, -1)) != 1 {
		t.Error("limits of exp are wrong")
	}
	if !math.IsNaN(exp(math.NaN())) || !math.IsNaN(exp(1)) {
		t.Error("exp answers where it has no answer")
	}
}

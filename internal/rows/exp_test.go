package rows

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
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

func TestExpAgainstBigFloats(t *testing.T) {
	ulps := evidence.For(t, evidence.Promise{Name: "exp", Text: "`rows.Exp`, units in the last place"})
	rng := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	check := func(v float64) {
		x := []float64{v}
		Exp(x)
		off := new(big.Float).Sub(big.NewFloat(x[0]).SetPrec(200), bigExp(v))
		ulp := big.NewFloat(math.Nextafter(x[0], 2) - x[0])
		ratio, _ := off.Quo(off, ulp).Float64()
		worst = max(worst, math.Abs(ratio))
	}
	for range 3000 {
		check(-708 * rng.Float64())
		check(-rng.Float64())
		check(-math.Exp(-40 * rng.Float64()))
	}
	for _, x := range []float64{0, -5e-324, -1e-300, -0x1p-54, -math.Ln2 / 2, -math.Ln2, -708} {
		check(x)
	}
	ulps.AtMost("", worst, 1.1)
}

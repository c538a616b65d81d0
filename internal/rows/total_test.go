package rows

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// precise is a number with room for any sum of doubles and their products.
func precise(x float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(x) }

// A rounded sum and what rounding lost are the sum, exactly, whichever of the two is larger.
func TestTwoSumIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 0))
	for range 5000 {
		x, y := math.Ldexp(r.NormFloat64(), r.IntN(140)-70), math.Ldexp(r.NormFloat64(), r.IntN(140)-70)
		s, lost := TwoSum(x, y)
		want := precise(x)
		want.Add(want, precise(y))
		if got := precise(s); s != x+y || got.Add(got, precise(lost)).Cmp(want) != 0 {
			t.Fatalf("%v + %v is %v and %v", x, y, s, lost)
		}
		var sum, missed float64 = 1 << 20, 0
		x = math.Ldexp(r.Float64()-0.5, -r.IntN(60)) // not above what it is added to
		run(&sum, &missed, x)
		want = precise(1 << 20)
		want.Add(want, precise(x))
		if got := precise(sum); sum != 1<<20+x || got.Add(got, precise(missed)).Cmp(want) != 0 {
			t.Fatalf("2²⁰ + %v is %v and %v", x, sum, missed)
		}
	}
}

// Totals of numbers, of pairs and of products that nearly cancel are right to twice the precision, and so is what is left of them.
func TestTotalsAreTwiceAsPrecise(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 0))
	for range 300 {
		total, want, size := Total{}, precise(0), 0.0
		add := func(x *big.Float) {
			want.Add(want, x)
			v, _ := x.Float64()
			size += math.Abs(v)
		}
		for k := range 60 {
			x, y := math.Ldexp(r.NormFloat64(), r.IntN(40)), math.Ldexp(r.NormFloat64(), r.IntN(40))
			switch k % 3 {
			case 0:
				total = total.Add(x)
				add(precise(x))
			case 1:
				total = total.AddBoth(x, y)
				add(precise(x))
				add(precise(y))
			default:
				total = total.AddProduct(x, y)
				add(precise(x).Mul(precise(x), precise(y)))
			}
			if k == 50 { // what is left then is small
				high := total.High
				total = total.Add(-high)
				add(precise(-high))
			}
		}
		off := precise(total.High)
		off.Add(off, precise(total.Low)).Sub(off, want)
		if miss, _ := off.Float64(); math.Abs(miss) > 0x1p-95*size {
			t.Fatalf("%+v misses by %v of %v", total, miss, size)
		}
		if total.Value() != total.High+total.Low {
			t.Fatalf("%+v is %v", total, total.Value())
		}
	}
}

// By hand: what is lost beside 10¹⁶, in a sum, in a pair and in the square of 1 + 2⁻³⁰.
func TestTotalsByHand(t *testing.T) {
	for got, want := range map[Total]Total{
		Total{}.Add(1e16).Add(1):                  {1e16, 1},
		Total{}.Add(1e16).Add(1).Add(-1e16):       {0, 1},
		Total{}.AddBoth(1e16, 1):                  {1e16, 1},
		Total{1e16, 0}.AddBoth(1, 0x1p-60):        {1e16, 1 + 0x1p-60},
		Total{}.AddProduct(1+0x1p-30, 1+0x1p-30):  {1 + 0x1p-29, 0x1p-60},
		Total{}.AddProduct(1+0x1p-30, -1-0x1p-30): {-1 - 0x1p-29, -0x1p-60},
	} {
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

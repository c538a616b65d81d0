package portable

import (
	"math"
	"testing"
)

// The same arguments for the package and for math, whose bits depend on the target.
func BenchmarkAgainstMath(b *testing.B) {
	power := func(f func(x, y float64) float64) func(float64) float64 {
		return func(x float64) float64 { return f(x, 1.7) }
	}
	for _, c := range []struct {
		name string
		f    func(float64) float64
	}{
		{"Log", Log}, {"Log/math", math.Log}, {"Exp", Exp}, {"Exp/math", math.Exp}, {"Pow", power(Pow)}, {"Pow/math", power(math.Pow)},
		{"Log10", Log10}, {"Log10/math", math.Log10}, {"Log1p", Log1p}, {"Log1p/math", math.Log1p}, {"Tanh", Tanh}, {"Tanh/math", math.Tanh},
		{"Sin", Sin}, {"Sin/math", math.Sin}, {"Asin", Asin}, {"Asin/math", math.Asin}, {"Cbrt", Cbrt}, {"Cbrt/math", math.Cbrt},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, x := 0.0, 0.0
			for b.Loop() {
				if x += 0.000137; x > 1 {
					x -= 0.99
				}
				s += c.f(x)
			}
			if s == 0 {
				b.Fatal("nothing was computed")
			}
		})
	}
}

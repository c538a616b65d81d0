package portable

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// drawNumber is a number of any size, near one that is special now and then.
func drawNumber(r *rand.Rand) float64 {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, -0.5, 3, 10, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324, -5e-324, 0x1p-1022, 709, -745, -708, 1024, -1074, 1 << 53, math.Pi, math.Pi / 2, math.Pi / 4, 22, 1e22}
	switch r.IntN(6) {
	case 0:
		return special[r.IntN(len(special))]
	case 1:
		return special[r.IntN(len(special))] * (1 + math.Ldexp(r.NormFloat64(), -40))
	case 2:
		return math.Round(8*r.NormFloat64()) / 2
	case 3:
		return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000)
	}
	return math.Ldexp(r.NormFloat64(), r.IntN(16)-8)
}

// Values of drawn arguments have the bits of when this was recorded, on every processor. That they are correctly rounded is what other tests say of fewer.
func TestValuesAreAsRecorded(t *testing.T) {
	with := func(f func(float64) float64) func(x, y float64) []float64 {
		return func(x, _ float64) []float64 { return []float64{f(x)} }
	}
	both := func(f func(x, y float64) float64) func(x, y float64) []float64 {
		return func(x, y float64) []float64 { return []float64{f(x, y)} }
	}
	var lines []string
	for k, f := range []struct {
		name string
		of   func(x, y float64) []float64
	}{
		{"Exp", with(Exp)}, {"Exp2", with(Exp2)}, {"Tanh", with(Tanh)}, {"Log", with(Log)}, {"Log10", with(Log10)}, {"Log1p", with(Log1p)}, {"Sin", with(Sin)}, {"Cos", with(Cos)}, {"Tan", with(Tan)},
		{"Sincos", func(x, _ float64) []float64 { s, c := Sincos(x); return []float64{s, c} }},
		{"Asin", with(Asin)}, {"Acos", with(Acos)}, {"Erf", with(Erf)}, {"Cbrt", with(Cbrt)}, {"Atan2", both(Atan2)}, {"Pow", both(Pow)}, {"Hypot", both(Hypot)},
		{"whole powers", func(x, y float64) []float64 { return []float64{Pow(x, math.Round(math.Mod(y, 64)))} }},
		{"pairs", func(x, y float64) []float64 {
			a, b := sum(x, y), product(x, y)
			var out []float64
			for _, p := range []pair{a, b, a.plus(b), a.minus(b), a.times(b), a.over(b), a.root(), a.scaled(0.5), ordered(max(math.Abs(x), math.Abs(y)), min(math.Abs(x), math.Abs(y)))} {
				v, ok := p.settled(0x1p-60)
				out = append(out, p.hi, p.lo, p.value(), v, p.shifted(-3))
				if ok {
					out = append(out, 1)
				}
			}
			return out
		}},
		{"both forms", func(x, y float64) []float64 { // between 1/2 and 2, where all of them are defined
			v := 0.5 + math.Abs(math.Mod(y, 1))
			if v != v {
				v = 1
			}
			e, n := shortExp(whole(v))
			m, k := expm1(whole(v))
			s, l := shortLog(v), log(whole(v))
			sin, cos, arc, erf := sine(whole(v)), cosine(whole(v)), arctangent(whole(v/4)), erf(v)
			return []float64{e.hi, e.lo, float64(n), m.hi, m.lo, float64(k), s.hi, s.lo, l.hi, l.lo, sin.hi, sin.lo, cos.hi, cos.lo, arc.hi, arc.lo, erf.hi, erf.lo, longExp(whole(v)), longLog(v).hi}
		}},
	} {
		r := rand.New(rand.NewPCG(9, uint64(k)))
		var all strings.Builder
		var some []string
		for i := range 1500 {
			x, y := drawNumber(r), drawNumber(r)
			text := fmt.Sprint(f.of(x, y))
			fmt.Fprintln(&all, text)
			if i%300 == 0 {
				some = append(some, fmt.Sprint(x, " ", y, " → ", text))
			}
		}
		lines = append(lines, fmt.Sprintf("%s %.8x %s", f.name, sha256.Sum256([]byte(all.String())), strings.Join(some, "; ")))
	}
	evidence.AsRecorded(t, "testdata/values.txt", lines)
}

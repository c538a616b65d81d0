package interval

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// drawSpan is a span of any size, with ends that are special now and then.
func drawSpan(r *rand.Rand) Span {
	end := func() float64 {
		special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, math.Inf(1), math.Inf(-1), 708, -708, 709, 0x1p-1022, 0x1p-1074, -0x1p-1074, math.MaxFloat64, -math.MaxFloat64, math.Pi / 2, 1 << 20, 3, -2.5}
		switch r.IntN(4) {
		case 0:
			return special[r.IntN(len(special))]
		case 1:
			return math.Round(4*r.NormFloat64()) / 2
		}
		return r.NormFloat64() * math.Ldexp(1, r.IntN(12)-6)
	}
	a, b := end(), end()
	if r.IntN(4) == 0 {
		b = a
	}
	return Between(min(a, b), max(a, b))
}

// Spans of drawn arguments, and of ends that are special, are those of when this was recorded: a line has a sum of all and some of them. That they hold the
// true values is what other tests say.
func TestSpansAreAsRecorded(t *testing.T) {
	with := func(of func(x Span) any) func(x, y Span) any { return func(x, _ Span) any { return of(x) } }
	var lines []string
	for k, f := range []struct {
		name string
		of   func(x, y Span) any
	}{
		{"between", func(x, y Span) any {
			return []Span{Between(x.Lo, y.Hi), Between(y.Lo, x.Lo), Between(math.NaN(), x.Hi), Point(x.Lo), Point(y.Hi)}
		}},
		{"rounded", with(func(x Span) any { return []float64{down(x.Lo), up(x.Lo), down(x.Hi), up(x.Hi)} })},
		{"facts", with(func(x Span) any { return []bool{x.IsZero(), x.IsPoint(), x.IsFinite(), x.Has(0), x.Has(1)} })},
		{"sizes", with(func(x Span) any { return []float64{x.Mid(), x.Radius(), x.Most(), x.Least()} })},
		{"hull", func(x, y Span) any { return x.Hull(y) }},
		{"meet", func(x, y Span) any { m, ok := x.Meet(y); return []any{m, ok, x.Narrow(y), x.Inside(y)} }},
		{"add", func(x, y Span) any { return []Span{x.Add(y), x.Sub(y), x.Neg()} }},
		{"mul", func(x, y Span) any { return []Span{x.Mul(y), x.Scale(y.Mid())} }},
		{"sqr", with(func(x Span) any { return x.Sqr() })},
		{"inv", with(func(x Span) any { return x.Inv() })},
		{"max", func(x, y Span) any { return []Span{x.Max(y), x.Abs()} }},
		{"exp", with(func(x Span) any { return x.Exp() })},
		{"log", with(func(x Span) any { return x.Log() })},
		{"sqrt", with(func(x Span) any { return x.Sqrt() })},
		{"tanh", with(func(x Span) any { return x.Tanh() })},
		{"sigmoid", with(func(x Span) any { return x.Sigmoid() })},
		{"power", with(func(x Span) any {
			return []Span{x.Power(-2), x.Power(-1), x.Power(0), x.Power(1), x.Power(2), x.Power(3), x.Power(7)}
		})},
		{"raise", func(x, y Span) any { return []Span{x.Raise(y.Lo), x.Raise(0.5), x.Raise(-1.5), x.Raise(0)} }},
		{"pow", func(x, y Span) any { return x.Pow(y) }},
		{"sin", with(func(x Span) any { return []Span{x.Sin(), x.Cos()} })},
		{"tan", with(func(x Span) any { return x.Tan() })},
		{"erf", with(func(x Span) any { return x.Erf() })},
	} {
		r := rand.New(rand.NewPCG(5, uint64(k)))
		var all strings.Builder
		var some []string
		for i := range 600 {
			x, y := drawSpan(r), drawSpan(r)
			text := fmt.Sprint(f.of(x, y))
			fmt.Fprintln(&all, text)
			if i < 4 {
				some = append(some, fmt.Sprintf("%v %v → %s", x, y, text))
			}
		}
		lines = append(lines, fmt.Sprintf("%s %.8x %s", f.name, sha256.Sum256([]byte(all.String())), strings.Join(some, "; ")))
	}
	evidence.AsRecorded(t, "testdata/spans.txt", lines)
}

// Jets of drawn arguments, of all orders, are those of when this was recorded.
func TestJetsAreAsRecorded(t *testing.T) {
	one := func(f func(j Jets, dst, x Jet)) func(j Jets, dst, x, y, z Jet) {
		return func(j Jets, dst, x, _, _ Jet) { f(j, dst, x) }
	}
	two := func(f func(j Jets, dst, x, y Jet)) func(j Jets, dst, x, y, z Jet) {
		return func(j Jets, dst, x, y, _ Jet) { f(j, dst, x, y) }
	}
	var lines []string
	for k, f := range []struct {
		name string
		of   func(j Jets, dst, x, y, z Jet)
	}{
		{"variable", one(func(j Jets, dst, x Jet) { j.Variable(dst, x[0], j.Variables-1) })},
		{"unknown", one(func(j Jets, dst, x Jet) { j.Unknown(dst, x[0]) })},
		{"neg", one(Jets.Neg)}, {"add", two(Jets.Add)}, {"sub", two(Jets.Sub)}, {"mul", two(Jets.Mul)}, {"div", two(Jets.Div)}, {"max", two(Jets.Max)}, {"min", two(Jets.Min)}, {"pow", two(Jets.Pow)},
		{"scale", two(func(j Jets, dst, x, y Jet) { j.Scale(dst, y[0], x) })},
		{"where", func(j Jets, dst, x, y, z Jet) {
			z[0] = []Span{{0, 0}, {0, 1}, {1, 1}}[int(math.Mod(min(z[0].Most(), 1e6), 3))]
			j.Where(dst, z, x, y)
		}},
		{"exp", one(Jets.Exp)}, {"log", one(Jets.Log)}, {"sqrt", one(Jets.Sqrt)}, {"tanh", one(Jets.Tanh)}, {"sigmoid", one(Jets.Sigmoid)}, {"abs", one(Jets.Abs)}, {"sqr", one(Jets.Sqr)},
		{"sin", one(Jets.Sin)}, {"cos", one(Jets.Cos)}, {"tan", one(Jets.Tan)}, {"erf", one(Jets.Erf)}, {"floor", one(Jets.Floor)}, {"round", one(Jets.Round)},
		{"cube", one(func(j Jets, dst, x Jet) { j.Power(dst, x, 3) })}, {"none", one(func(j Jets, dst, x Jet) { j.Power(dst, x, 0) })}, {"itself", one(func(j Jets, dst, x Jet) { j.Power(dst, x, 1) })}, {"inverse", one(func(j Jets, dst, x Jet) { j.Power(dst, x, -1) })},
		{"root", one(func(j Jets, dst, x Jet) { y := make(Jet, len(x)); j.Number(y, Span{0.5, 0.5}); j.Pow(dst, x, y) })},
		{"norm", func(j Jets, dst, x, y, z Jet) { j.Norm(dst, []Jet{x, y, z}) }},
		{"logsumexp", func(j Jets, dst, x, y, z Jet) {
			w := make([]Span, 3)
			j.LogSumExp(dst, w, []Jet{x, y, z})
			dst[0] = dst[0].Add(w[1])
		}},
		{"softmax", func(j Jets, dst, x, y, z Jet) {
			j.Softmax([]Jet{dst, make(Jet, len(x)), make(Jet, len(x))}, []Jet{x, y, z})
		}},
	} {
		r := rand.New(rand.NewPCG(6, uint64(k)))
		var all strings.Builder
		some := ""
		for i := range 240 {
			j := Jets{Variables: 1 + i%6, Order: i % 3}
			draw := func() Jet {
				x := make(Jet, j.Size())
				for n := range x {
					if x[n] = drawSpan(r); n > 0 && r.IntN(3) == 0 {
						x[n] = Span{}
					}
				}
				if r.IntN(5) == 0 {
					j.Number(x, x[0])
				}
				return x
			}
			x, y, z := draw(), draw(), draw()
			dst := make(Jet, len(x))
			f.of(j, dst, x, y, z)
			if fmt.Fprintln(&all, dst, j.IsConstant(dst)); i == 2 {
				some = fmt.Sprint(x, " → ", dst)
			}
		}
		lines = append(lines, fmt.Sprintf("%s %.8x %s", f.name, sha256.Sum256([]byte(all.String())), some))
	}
	evidence.AsRecorded(t, "testdata/jets.txt", lines)
}

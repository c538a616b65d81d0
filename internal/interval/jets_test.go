package interval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/interval"
)

// tree is a random function: a jet of it over a box, and its value at a point.
type tree struct {
	name  string
	jet   func(j interval.Jets, box []interval.Span) interval.Jet
	value func(u []float64) float64
}

func leaf(r *rand.Rand, n int) tree {
	if r.IntN(4) == 0 {
		c := math.Round(10*r.NormFloat64()) / 4
		return tree{fmt.Sprint(c),
			func(j interval.Jets, _ []interval.Span) interval.Jet {
				dst := make(interval.Jet, j.Size())
				j.Number(dst, interval.Point(c))
				return dst
			}, func([]float64) float64 { return c }}
	}
	i := r.IntN(n)
	return tree{fmt.Sprint("u", i),
		func(j interval.Jets, box []interval.Span) interval.Jet {
			dst := make(interval.Jet, j.Size())
			j.Variable(dst, box[i], i)
			return dst
		}, func(u []float64) float64 { return u[i] }}
}

func grown(r *rand.Rand, n, depth int) tree {
	if depth == 0 {
		return leaf(r, n)
	}
	a, b := grown(r, n, depth-1), grown(r, n, r.IntN(depth))
	two := func(name string, f func(j interval.Jets, dst, x, y interval.Jet), v func(x, y float64) float64) tree {
		return tree{fmt.Sprintf("%s(%s, %s)", name, a.name, b.name),
			func(j interval.Jets, box []interval.Span) interval.Jet {
				dst := make(interval.Jet, j.Size())
				f(j, dst, a.jet(j, box), b.jet(j, box))
				return dst
			}, func(u []float64) float64 { return v(a.value(u), b.value(u)) }}
	}
	one := func(name string, f func(j interval.Jets, dst, x interval.Jet), v func(x float64) float64) tree {
		return two(name, func(j interval.Jets, dst, x, _ interval.Jet) { f(j, dst, x) }, func(x, _ float64) float64 { return v(x) })
	}
	power := r.IntN(7) - 2
	raise := []float64{-1.5, -0.5, 0.5, 1.5, 2.5}[r.IntN(5)]
	all := []tree{
		two("add", interval.Jets.Add, func(x, y float64) float64 { return x + y }),
		two("sub", interval.Jets.Sub, func(x, y float64) float64 { return x - y }),
		two("mul", interval.Jets.Mul, func(x, y float64) float64 { return x * y }),
		two("div", interval.Jets.Div, func(x, y float64) float64 { return x / y }),
		two("max", interval.Jets.Max, math.Max), two("min", interval.Jets.Min, math.Min),
		two("pow", interval.Jets.Pow, math.Pow),
		two("where", func(j interval.Jets, dst, x, y interval.Jet) {
			condition := make(interval.Jet, len(x))
			j.Number(condition, interval.Span{Lo: 0, Hi: 1})
			if !j.IsConstant(x) {
				j.Unknown(condition, condition[0])
			}
			if x[0].Lo > 1 {
				condition[0].Lo = 1
			}
			if x[0].Hi <= 1 {
				condition[0].Hi = 0
			}
			j.Where(dst, condition, x, y)
		}, func(x, y float64) float64 {
			if x > 1 || x != x {
				return x
			}
			return y
		}),
		two("norm", func(j interval.Jets, dst, x, y interval.Jet) { j.Norm(dst, []interval.Jet{x, y}) }, math.Hypot),
		two("logsumexp", func(j interval.Jets, dst, x, y interval.Jet) {
			j.LogSumExp(dst, make([]interval.Span, 2), []interval.Jet{x, y})
		},
			func(x, y float64) float64 { return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y))) }),
		two("softmax", func(j interval.Jets, dst, x, y interval.Jet) {
			j.Softmax([]interval.Jet{dst, make(interval.Jet, len(dst))}, []interval.Jet{x, y})
		}, func(x, y float64) float64 { return 1 / (1 + math.Exp(y-x)) }),
		one("neg", interval.Jets.Neg, func(x float64) float64 { return -x }),
		one("abs", interval.Jets.Abs, math.Abs), one("exp", interval.Jets.Exp, math.Exp),
		one("sqr", interval.Jets.Sqr, func(x float64) float64 { return x * x }),
		one("log", interval.Jets.Log, func(x float64) float64 {
			if x >= 0 {
				return math.Log(max(x, 0x1p-1022))
			}
			return math.NaN()
		}),
		one("sqrt", interval.Jets.Sqrt, math.Sqrt), one("tanh", interval.Jets.Tanh, math.Tanh),
		one("sin", interval.Jets.Sin, math.Sin), one("cos", interval.Jets.Cos, math.Cos), one("tan", interval.Jets.Tan, math.Tan),
		one("erf", interval.Jets.Erf, math.Erf), one("floor", interval.Jets.Floor, math.Floor), one("round", interval.Jets.Round, math.Round),
		one("sigmoid", interval.Jets.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
		one(fmt.Sprint("power", power), func(j interval.Jets, dst, x interval.Jet) { j.Power(dst, x, power) },
			func(x float64) float64 { return math.Pow(x, float64(power)) }),
		one(fmt.Sprint("raise", raise), func(j interval.Jets, dst, x interval.Jet) {
			c := make(interval.Jet, j.Size())
			j.Number(c, interval.Point(raise))
			j.Pow(dst, x, c)
		}, func(x float64) float64 { return math.Pow(x, raise) }),
	}
	return all[r.IntN(len(all))]
}

// widened allows for the rounding of what a span is compared with.
func widened(s interval.Span, by float64) interval.Span {
	by *= 1 + math.Min(math.Abs(s.Lo), math.Abs(s.Hi))
	return interval.Between(s.Lo-by, s.Hi+by)
}

// Jets over boxes hold values and differences at points of them: of random functions with kinks, jumps and edges of domains.
func TestJetsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	checked, second := 0, 0
	for range 15_000 {
		n := 1 + r.IntN(4)
		f := grown(r, n, 1+r.IntN(4))
		box, u := make([]interval.Span, n), make([]float64, n)
		for i := range box {
			u[i] = math.Round(8*r.NormFloat64()) / 4
			box[i] = interval.Span{Lo: u[i] - r.Float64()*float64(r.IntN(3)), Hi: u[i] + r.Float64()*float64(r.IntN(3))}
			u[i] = box[i].Lo + r.Float64()*(box[i].Hi-box[i].Lo)
		}
		j := interval.Jets{Variables: n, Order: 2}
		jet := f.jet(j, box)
		for _, s := range jet {
			checkSpan(t, f.name, s, box)
		}
		short := f.jet(interval.Jets{Variables: n, Order: 1}, box)
		for i, s := range short {
			if s != jet[i] {
				t.Fatalf("%s over %v: entry %d is %v of order 1 and %v of order 2", f.name, box, i, s, jet[i])
			}
		}
		v := f.value(u)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if !widened(jet[0], 1e-9).Has(v) {
			t.Fatalf("%s over %v: %v at %v is outside of %v", f.name, box, v, u, jet[0])
		}
		point := f.jet(j, points(u)) // tight, and right by differences below
		for i, s := range point {
			if i > 0 && s.IsFinite() && !point[i].Inside(widened(jet[i], 1e-9)) {
				t.Fatalf("%s over %v: entry %d at %v is %v, over the box %v", f.name, box, i, u, s, jet[i])
			}
		}
		if slopeFits(t, f, u, point, n) {
			checked++
			if bendFits(t, f, u, point, n) {
				second++
			}
		}
	}
	if checked < 1_500 || second < 1_000 {
		t.Errorf("only %d slopes and %d bends were compared", checked, second)
	}
}

func points(u []float64) []interval.Span {
	box := make([]interval.Span, len(u))
	for i, v := range u {
		box[i] = interval.Point(v)
	}
	return box
}

func isSmooth(jet interval.Jet) bool {
	for _, s := range jet {
		if !(s.Radius() < 1e-6*(1+s.Most())) || s.Most() > 1e4 {
			return false
		}
	}
	return true
}

// slopeFits compares gradients at a point with differences, where they are tight and differences settle.
func slopeFits(t *testing.T, f tree, u []float64, point interval.Jet, n int) bool {
	t.Helper()
	if !isSmooth(point) || strings.Contains(f.name, "where") || strings.Contains(f.name, "floor") || strings.Contains(f.name, "round") { // a jump may be at the point itself
		return false
	}
	for i := range n {
		slope := func(h float64) float64 {
			up, down := append([]float64(nil), u...), append([]float64(nil), u...)
			up[i], down[i] = u[i]+h, u[i]-h
			return (f.value(up) - f.value(down)) / (2 * h)
		}
		rough, fine := slope(1e-4), slope(1e-5)
		if !(math.Abs(rough-fine) < 1e-5*(1+math.Abs(fine))) {
			return false
		}
		if !widened(point[1+i], 1e-3).Has(fine) {
			t.Fatalf("%s at %v: slope %d is %v and not in %v", f.name, u, i, fine, point[1+i])
		}
	}
	return true
}

// bendFits compares Hessians at a point with differences of gradients.
func bendFits(t *testing.T, f tree, u []float64, point interval.Jet, n int) bool {
	t.Helper()
	j := interval.Jets{Variables: n, Order: 2}
	for i := range n {
		difference := func(h float64) []float64 {
			up, down := append([]float64(nil), u...), append([]float64(nil), u...)
			up[i], down[i] = u[i]+h, u[i]-h
			above, below := f.jet(j, points(up)), f.jet(j, points(down))
			d := make([]float64, n)
			for k := range d {
				d[k] = (above[1+k].Mid() - below[1+k].Mid()) / (2 * h)
			}
			return d
		}
		rough, fine := difference(1e-4), difference(1e-5)
		for k := range i + 1 {
			if !(math.Abs(rough[k]-fine[k]) < 1e-5*(1+math.Abs(fine[k]))) {
				return false
			}
			if !widened(point[j.Hessian(i, k)], 1e-3).Has(fine[k]) {
				t.Fatalf("%s at %v: bend (%d, %d) is %v and not in %v", f.name, u, i, k, fine[k], point[j.Hessian(i, k)])
			}
		}
	}
	return true
}

// Steps have the slope 0 between jumps, and none that is known where a box has or touches one.
func TestStepsJump(t *testing.T) {
	j := interval.Jets{Variables: 1, Order: 1}
	for _, c := range []struct {
		name       string
		f          func(j interval.Jets, dst, x interval.Jet)
		x, want    interval.Span
		isConstant bool
	}{
		{"floor", interval.Jets.Floor, interval.Span{Lo: 0.25, Hi: 0.75}, interval.Span{}, true},
		{"floor", interval.Jets.Floor, interval.Span{Lo: 0.25, Hi: 1}, interval.Span{Lo: 0, Hi: 1}, false},
		{"floor", interval.Jets.Floor, interval.Span{Lo: 0, Hi: 0.5}, interval.Span{}, false},
		{"floor", interval.Jets.Floor, interval.Span{Lo: -1.5, Hi: 0.5}, interval.Span{Lo: -2, Hi: 0}, false},
		{"round", interval.Jets.Round, interval.Span{Lo: -0.25, Hi: 0.25}, interval.Span{}, true},
		{"round", interval.Jets.Round, interval.Span{Lo: 0.25, Hi: 0.5}, interval.Span{Lo: 0, Hi: 1}, false},
		{"round", interval.Jets.Round, interval.Span{Lo: 0.5, Hi: 1}, interval.Span{Lo: 1, Hi: 1}, false},
	} {
		x, got := make(interval.Jet, 2), make(interval.Jet, 2)
		j.Variable(x, c.x, 0)
		if c.f(j, got, x); got[0] != c.want || got[1].IsZero() != c.isConstant {
			t.Errorf("%s of %v is %v with the slope %v, want %v, constant %v", c.name, c.x, got[0], got[1], c.want, c.isConstant)
		}
	}
}

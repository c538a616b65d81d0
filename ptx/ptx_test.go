package ptx_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/ptx"
	"github.com/kedge-opt/kedge/stream"
)

// draw fills x with numbers of all sizes: ordinary ones or, if hostile, zeros of both signs, infinities, NaN, powers of ten from 1e-310 to 1e308.
func draw(x []float64, hostile bool, s *stream.Stream) {
	strange := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1, -1, 0.5, -708, 708, -745, math.MaxFloat64}
	for i := range x {
		x[i] = 4 * s.Normal()
		if !hostile {
			continue
		}
		switch k := s.Intn(3); k {
		case 0:
			x[i] = strange[s.Intn(len(strange))]
		case 1:
			x[i] *= math.Pow(10, float64(s.Intn(618)-310))
		}
	}
}

// same tells whether two numbers have the same bits, or are both NaN.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

// A case is a list with the Go that it must have the bits of, where no flag is raised.
type twin struct {
	name string
	emit func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar
	want func(x, y []float64) float64
}

func twins() []twin {
	of := func(f func(x []float64)) func(x, y []float64) float64 {
		return func(x, _ []float64) float64 {
			v := []float64{x[0]}
			f(v)
			return v[0]
		}
	}
	return []twin{
		{"dot", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.Dot(x, y) }, rows.Dot},
		{"sum", func(c *ptx.OpList, x, _ []ptx.Scalar) ptx.Scalar { return c.Sum(x) }, func(x, _ []float64) float64 { return rows.Sum(x) }},
		{"norm", func(c *ptx.OpList, x, _ []ptx.Scalar) ptx.Scalar { return c.Norm(x) }, func(x, _ []float64) float64 { return rows.Norm(x) }},
		{"exp", func(c *ptx.OpList, x, _ []ptx.Scalar) ptx.Scalar { return c.Exp(c.Neg(c.Abs(x[0]))) }, of(func(x []float64) { x[0] = -math.Abs(x[0]); rows.Exp(x) })},
		{"log", func(c *ptx.OpList, x, _ []ptx.Scalar) ptx.Scalar { return c.Log(x[0]) }, of(rows.Log)},
		{"min", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.Min(x[0], y[0]) }, func(x, y []float64) float64 { return min(x[0], y[0]) }},
		{"max", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.Max(x[0], y[0]) }, func(x, y []float64) float64 { return max(x[0], y[0]) }},
		{"sign", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.CopySign(x[0], y[0]) }, func(x, y []float64) float64 { return math.Copysign(x[0], y[0]) }},
		{"floor", func(c *ptx.OpList, x, _ []ptx.Scalar) ptx.Scalar { return c.Floor(x[0]) }, func(x, _ []float64) float64 { return math.Floor(x[0]) }},
		{"comparison", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.Truth(c.Less(x[0], y[0])) }, func(x, y []float64) float64 {
			if x[0] < y[0] {
				return 1
			}
			return 0
		}},
	}
}

const width = 21 // whole lanes, and one entry more

// list is that of a twin, which scores what is compared.
func (t twin) list() *ptx.OpList {
	c := ptx.New(width, width, 0)
	x, y := make([]ptx.Scalar, width), make([]ptx.Scalar, width)
	for j := range width {
		x[j], y[j] = c.State(j), c.Trait(j)
	}
	c.Score(t.emit(c, x, y))
	return c
}

// differing counts the rows on which a list and its twin differ in a bit.
func differing(t twin, count int) (differ, flagged int) {
	run, s := ptx.NewEvaluator(t.list()), stream.New(1, "rows")
	p, d := make([]float64, width), make([]float64, width)
	for i := range count {
		draw(p, i%2 == 1, s)
		draw(d, i%2 == 1, s)
		got, flag := run.Eval(nil, p, d, nil)
		if flag {
			flagged++
		} else if !same(got, t.want(p, d)) {
			differ++
		}
	}
	return differ, flagged
}

// What a list says is what the packages that it was written after compute, on ordinary and hostile rows: every operation there is.
func TestListsHaveTheBitsOfTheirTwins(t *testing.T) {
	count, rest := 2000, ptx.New(1, 1, 1)
	if os.Getenv("KEDGE_TORTURE") != "" {
		count = 100_000
	}
	rest.Next(0, rest.Shared(0)) // what writes is tested where there is something to write
	rest.Plane(ptx.PlaneSpot{})
	lists := []*ptx.OpList{rest}
	for _, one := range append(twins(), scalarTwins()...) {
		if differ, flagged := differing(one, count); differ > 0 || flagged > count/2 {
			t.Errorf("%s differs on %d of %d rows, flagged on %d", one.name, differ, count, flagged)
		}
		lists = append(lists, one.list())
	}
	if left := ptx.Unused(lists...); len(left) > 0 {
		t.Errorf("operations %v have no twin", left)
	}
	t.Logf("%d lists, %d rows each", len(lists)-1, count)
}

// The same test must find lists that are wrong: a fused product, lanes that are joined otherwise, a flag that is missing, a comparison
// that is turned.
func TestWrongListsAreFound(t *testing.T) {
	all := twins()
	fused := func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar {
		zero := c.Const(0)
		lanes := [4]ptx.Scalar{zero, zero, zero, zero}
		for i := range x {
			lanes[i%4] = c.FMA(x[i], y[i], lanes[i%4])
		}
		return c.Add(c.Add(lanes[0], lanes[2]), c.Add(lanes[1], lanes[3]))
	}
	joined := func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar {
		zero := c.Const(0)
		lanes := [4]ptx.Scalar{zero, zero, zero, zero}
		for i := range x {
			lanes[i%4] = c.Add(lanes[i%4], c.Mul(x[i], y[i]))
		}
		return c.Add(c.Add(c.Add(lanes[0], lanes[1]), lanes[2]), lanes[3])
	}
	for _, wrong := range []twin{
		{"a fused product", fused, all[0].want},
		{"lanes joined in order", joined, all[0].want},
		{"a missing flag", func(c *ptx.OpList, x, _ []ptx.Scalar) ptx.Scalar { return c.Sqrt(c.Dot(x, x)) }, all[2].want},
		{"a turned comparison", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.Truth(c.Less(y[0], x[0])) }, all[9].want},
	} {
		if differ, _ := differing(wrong, 2000); differ == 0 {
			t.Errorf("%s is not found", wrong.name)
		}
	}
}

// A loop is done until its condition fails, and what is behind a condition only where that holds: the greatest power of two up to x.
func TestBlocks(t *testing.T) {
	c := ptx.New(1, 0, 0)
	x, power := c.State(0), c.Keep(c.Const(1))
	c.If(c.AtMost(c.Const(2), x))
	c.Loop()
	c.Set(power, c.Add(power, power))
	c.Again(c.AtMost(c.Add(power, power), x))
	c.End()
	c.Score(power)
	for x, want := range map[float64]float64{0.3: 1, 1: 1, 2: 2, 3.9: 2, 4: 4, 1000: 512} {
		if got, _ := ptx.NewEvaluator(c).Eval(nil, []float64{x}, nil, nil); got != want {
			t.Errorf("the power of two up to %v is %v, want %v", x, got, want)
		}
	}
	text := ptx.Head + c.Kernel("power", ptx.Float64, ptx.Float64)
	for _, want := range []string{".entry power(", "add.rn.f64", "bra L", "bra E"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q", want)
		}
	}
}

// Blocks end where they may: a list with one that is open has no kernel, and nothing ends what has not begun.
func TestBlocksAreClosed(t *testing.T) {
	type list = *ptx.OpList
	open, never := "ptx: a block is not closed", "ptx: a block ends that has not begun"
	begin, loop := func(c list) { c.If(c.Less(c.State(0), c.Const(1))) }, list.Loop
	again := func(c list) { c.Again(c.Less(c.State(0), c.Const(1))) }
	for name, x := range map[string]struct {
		does []func(c list)
		want any
	}{
		"nothing": {nil, nil}, "if": {[]func(c list){begin, list.End}, nil}, "loop": {[]func(c list){loop, again}, nil}, "a loop in an if": {[]func(c list){begin, loop, again, list.End}, nil},
		"an open if": {[]func(c list){begin}, open}, "an open loop": {[]func(c list){loop}, open}, "one of two": {[]func(c list){begin, loop, again}, open},
		"end": {[]func(c list){list.End}, never}, "again": {[]func(c list){again}, never}, "end of a loop": {[]func(c list){loop, list.End}, never}, "again of an if": {[]func(c list){begin, again}, never}, "the outer first": {[]func(c list){begin, loop, list.End}, never}, "twice": {[]func(c list){begin, list.End, list.End}, never},
	} {
		func() {
			defer func() {
				if got := recover(); got != x.want {
					t.Errorf("%s: %v, want %v", name, got, x.want)
				}
			}()
			c := ptx.New(1, 0, 0)
			for _, do := range x.does {
				do(c)
			}
			c.Score(c.State(0))
			c.Kernel("work", ptx.Float64, ptx.Float64)
		}()
	}
}

// No operation on numbers is without its rounding, or the driver might fuse it.
func TestEveryOperationIsRounded(t *testing.T) {
	c := ptx.New(20, 20, 20)
	var x, y []ptx.Scalar
	for j := range 20 {
		x, y = append(x, c.State(j)), append(y, c.Trait(j))
	}
	c.Score(c.Div(c.Exp(c.Dot(x, y)), c.Norm(x)))
	c.Plane(ptx.PlaneSpot{PU: x[0], Along: x[1], Across: x[2], Off: x[3]})
	text := c.Kernel("step", ptx.Float64, ptx.Float32) + ptx.Tree + ptx.Gather(ptx.Float32)
	for _, bad := range []string{"mul.f64", "add.f64", "sub.f64", "div.f64", "mad.f64", ".ftz", ".approx", "mad.rn"} {
		if strings.Contains(text, bad) {
			t.Errorf("the text has %q", bad)
		}
	}
}

// By hand: numbers that all share are read by their places, as entries of states and traits are.
func TestWhatIsReadByPlace(t *testing.T) {
	c := ptx.New(2, 2, 3)
	for j, v := range []ptx.Scalar{c.Add(c.State(1), c.Shared(2)), c.Sub(c.Trait(1), c.Shared(1)), c.Mul(c.Shared(0), c.Trait(0))} {
		c.Next(j, v)
	}
	next := make([]float64, 3)
	if _, flagged := ptx.NewEvaluator(c).Eval(next, []float64{1, 2}, []float64{30, 40}, []float64{5, 6, 7}); flagged || next[0] != 9 || next[1] != 34 || next[2] != 150 || c.Nexts() != 3 {
		t.Errorf("%v, flagged %v, %d entries", next, flagged, c.Nexts())
	}
}

// By hand: a flag stays raised whatever comes behind it, and an entry that is not finite raises one.
func TestFlagsStayRaised(t *testing.T) {
	for _, x := range []struct {
		flag, first, second float64
		want                bool
	}{
		{0, 1, 2, false}, {1, 1, 2, true}, {0, math.Inf(1), 2, true}, {0, 1, math.Inf(-1), true}, {0, math.NaN(), 2, true}, {0, 1, math.NaN(), true}, {0, math.MaxFloat64, -math.MaxFloat64, false},
	} {
		c := ptx.New(3, 0, 0)
		c.Flag(c.Equal(c.State(0), c.Const(1)))
		c.Next(0, c.State(1))
		c.Flag(c.Less(c.State(0), c.Const(0)))
		c.Next(1, c.State(2))
		if _, flagged := ptx.NewEvaluator(c).Eval(make([]float64, 2), []float64{x.flag, x.first, x.second}, nil, nil); flagged != x.want {
			t.Errorf("%+v: flagged %v", x, flagged)
		}
	}
}

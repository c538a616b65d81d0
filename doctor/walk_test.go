package doctor

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

// matrix is dynamics p⁺ = Ap + u, row by row.
type matrix [][]float64

func (m matrix) Dims() kedge.Dims {
	return kedge.Dims{State: len(m), Decision: len(m), Trait: len(m)}
}

func (m matrix) Next(dst, p, u, _ []float64) {
	for i, row := range m {
		dst[i] = u[i]
		for j, a := range row {
			dst[i] += a * p[j]
		}
	}
}

func (m matrix) Pullback(gp, _, _, _, _, v []float64) {
	for i, row := range m {
		for j, a := range row {
			gp[j] += a * v[i]
		}
	}
}

// walker is an examination of so many people who move by a matrix, under no decision but 0.
func walker(m matrix, people int) *exam {
	n := len(m)
	e := &exam{ctx: context.Background(), smooth: m, dim: m.Dims(), us: [][]float64{make([]float64, n)}}
	e.States, e.Traits = kedge.Block{Data: make([]float64, n*people), Width: n}, kedge.Block{Data: make([]float64, n*people), Width: n}
	e.Individuals = kedge.Some(people, people)
	return e
}

// The rate of 160 products with Aᵀ is the mean over the last 80 of them: (ln‖(Aᵀ)¹⁶⁰x‖ − ln‖(Aᵀ)⁸⁰x‖)/80, which of a matrix with a chain is not the radius yet.
func TestRadiiAreMeansOverLaterProducts(t *testing.T) {
	for name, c := range map[string]struct {
		m    matrix
		from []float64
		want float64 // 0: by the products
	}{
		"a number":  {matrix{{-0.7}}, []float64{2}, 0.7},
		"a turn":    {matrix{{0.54, -0.72}, {0.72, 0.54}}, []float64{1, 3}, 0.9},
		"a chain":   {matrix{{0.9, 1}, {0, 0.9}}, []float64{1, 2}, 0},
		"two rates": {matrix{{0.5, 0}, {0, 0.49}}, []float64{1, 5}, 0},
	} {
		norms, x := []float64{}, slices.Clone(c.from)
		for range 161 {
			norms = append(norms, math.Sqrt(x[0]*x[0]+x[len(x)-1]*x[len(x)-1]))
			y := make([]float64, len(x))
			c.m.Pullback(y, nil, nil, nil, nil, x)
			x = y
		}
		want := c.want
		if want == 0 {
			want = math.Exp((math.Log(norms[160]) - math.Log(norms[80])) / 80)
		}
		e := walker(c.m, 1)
		if got := e.radius(make([]float64, len(c.m)), visit{u: e.us[0]}, func(x []float64) { copy(x, c.from) }); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %.15g, want %.15g", name, got, want)
		}
	}
	e := walker(matrix{{0, 1}, {0, 0}}, 1)
	if got := e.radius([]float64{0, 0}, visit{u: e.us[0]}, func(x []float64) { copy(x, []float64{1, 1}) }); got != 0 {
		t.Errorf("two steps lead to 0 from anywhere, at a rate of %v", got)
	}
}

// By hand: by p⁺ = p/2 from 1 the states are 2⁻ⁿ and steps half of them, by length 1 as long as those count, which is down to 10⁻⁶: 2⁻ⁿ/10⁻⁶ is first no more than 10⁻¹³ where n is 64.
func TestWalksEndWhereStepsAreNone(t *testing.T) {
	half, up := walker(matrix{{0.5}}, 1), walker(matrix{{1}}, 1)
	up.us = [][]float64{{1}}
	for _, c := range []struct {
		e         *exam
		from      float64
		most      int
		end, last float64
	}{
		{half, 1, 1, 0.5, 0.5}, {half, 1, 4, 0x1p-4, 0.5}, {half, 1, 1000, 0x1p-64, 0x1p-64 / 1e-6}, {half, 1, 63, 0x1p-63, 0x1p-63 / 1e-6}, {half, 0, 9, 0, 0}, {up, 0, 5, 5, 0.2}, {up, 4, 1, 5, 0.2},
	} {
		from := []float64{c.from}
		end, last := c.e.walk(from, visit{u: c.e.us[0]}, c.most)
		if end[0] != c.end || math.Abs(last-c.last) > 1e-16 || from[0] != c.from {
			t.Errorf("from %v, %d steps at most: to %v, the last of %v, want %v and %v", c.from, c.most, end[0], last, c.end, c.last)
		}
	}
}

// A walk from 3 that comes nearer to 1 by a rate is at 1 + 2r³⁰⁰⁰ after 3000 steps. It is astray by that unless it is still under way and less than half as far from home
// as it was, which is 2/3: there r³⁰⁰⁰ is 1/4.
func TestWalksThatAreStillUnderWay(t *testing.T) {
	for _, c := range []struct {
		left  float64 // r³⁰⁰⁰
		still bool
	}{
		{0.74, false}, {0.2501, false}, {0.2499, true}, {1e-7, true}, {1.44e-8, true}, {3.2e-9, false}, {1e-12, false}, // the last three steps are of 1.7e-10, 4.2e-11 and 1.8e-14
	} {
		rate := math.Pow(c.left, 1.0/3000)
		e := walker(matrix{{rate}}, 1)
		e.us = [][]float64{{1 - rate}}
		want := 2 * c.left / (1 + 2*c.left)
		if c.still {
			want = 0
		}
		if got := e.astray([]float64{1}, []float64{3}, visit{u: e.us[0]}); math.Abs(got-want) > 1e-4*want+3e-11 {
			t.Errorf("where %v is left: %v, want %v", c.left, got, want)
		}
	}
	e := walker(matrix{{1}}, 1)
	if got := e.astray([]float64{4}, []float64{3}, visit{u: e.us[0]}); got != 0.25 {
		t.Errorf("who stays at 3 is %v from 4", got)
	}
}

// By hand: steady states attract below 1, of rates beyond 0.99 slowly: ln 100/−ln 0.995 = 918.7 steps.
func TestHowWellSteadyStatesAttract(t *testing.T) {
	for _, c := range []struct {
		rate    float64
		verdict Verdict
		says    string
	}{
		{0.98, Pass, "spectral radius 0.98 at individual 0"}, {0.995, Warn, "Settling takes some 919 steps."}, {1 - 2e-9, Warn, ""}, {1 - 0.5e-9, Fail, "It must be below 1"}, {1, Fail, "It must be below 1"}, {1.5, Fail, "spectral radius 1.5"},
	} {
		e := walker(matrix{{c.rate}}, 1)
		if got := attracts(e); got.Verdict != c.verdict || !strings.Contains(got.Figure+" "+got.Detail, c.says) {
			t.Errorf("a rate of %v: %+v, want %v %s", c.rate, got, c.verdict, c.says)
		}
	}
	lost := walker(matrix{{2}}, 1)
	lost.States = kedge.Block{Data: []float64{math.MaxFloat64}, Width: 1}
	if got := attracts(lost); got.Verdict != Fail || got.Figure != "all walks lead to numbers that are not finite" {
		t.Errorf("who walks to infinity: %+v", got)
	}
}

// Walks begin at the first state, at that of the next person, and where the person settles under the next decision, if it does.
func TestWalksStartAtThreePlaces(t *testing.T) {
	e := walker(matrix{{0.5}}, 3)
	e.States = kedge.Block{Data: []float64{10, 11, 12}, Width: 1}
	e.us = [][]float64{{0}, {1}}
	e.settled, e.failed = [][]float64{{1, 2, 3}, {4, 5, 6}}, [][]error{make([]error, 3), {nil, context.Canceled, nil}}
	for _, c := range []struct {
		k, i int
		want []float64
	}{{0, 0, []float64{10, 11, 4}}, {0, 1, []float64{11, 12}}, {0, 2, []float64{12, 10, 6}}, {1, 0, []float64{10, 11, 1}}, {1, 2, []float64{12, 10, 3}}} {
		var got []float64
		for _, p := range e.otherStarts(e.visit(c.k, c.i, e.us[c.k])) {
			got = append(got, p...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of person %d under decision %d: %v, want %v", c.i, c.k, got, c.want)
		}
	}
}

// A segment is halved forty times towards where more changes, to the right where halves change alike, and what has no value at an end or on the way does not jump.
func TestJumpsAreFoundByHalves(t *testing.T) {
	part := math.Ldexp(1, -40)
	for _, c := range []struct {
		name  string
		f     func(t float64) float64
		want  float64
		asked int
	}{
		{"a line", func(t float64) float64 { return t }, part, 42}, {"a line down", func(t float64) float64 { return 1 - t }, part / 1e-6, 42},
		{"a step", func(t float64) float64 { return 1 + math.Round(t-0.2) }, 0.5, 42}, {"a late step", func(t float64) float64 { return 4 + math.Round(t-0.4999) }, 0.2, 42},
		{"a curve", func(t float64) float64 { return 1 + (1-t)*(1-t) }, part - part*part/2, 42},
		{"none at 0", func(t float64) float64 { return t / t }, 0, 1}, {"none at 1", func(t float64) float64 { return math.Sqrt(0.9 - t) }, 0, 2},
		{"none between", func(t float64) float64 { return t / (t - 0.5) * (t - 0.5) }, 0, 3},
	} {
		asked := 0
		got := jump(func(dst []float64, t float64) bool {
			asked++
			dst[0] = c.f(t)
			return !math.IsNaN(dst[0])
		}, 1)
		if math.Abs(got-c.want) > 1e-7*c.want || asked != c.asked {
			t.Errorf("%s jumps by %v after %d values, want %v after %d", c.name, got, asked, c.want, c.asked)
		}
	}
	if got := between([]float64{1, 2}, 0.25, []float64{5, -2}); !slices.Equal(got, []float64{2, 1}) {
		t.Errorf("a quarter of the way from (1, 2) to (5, -2): %v", got)
	}
}

// The largest curvature is what twelve products with the matrix of the gradient come to from a random direction, and less where there is none to be seen.
func TestCurvatureIsAPowerIteration(t *testing.T) {
	steep := []float64{3, 2.8, 0.5}
	grad := func(g, u []float64) (float64, error) {
		for i := range g {
			g[i] = steep[i] * u[i]
		}
		return 0, nil
	}
	e := walker(matrix{{1}}, 1)
	got, err := e.curvature(grad, []float64{1, 0, 3})
	x := make([]float64, 3)
	stream.New(0, "doctor", "curvature").Normals(x)
	for i := range x {
		x[i] *= math.Pow(steep[i], 11)
	}
	long, longer := 0.0, 0.0
	for i := range x {
		long, longer = long+x[i]*x[i], longer+x[i]*x[i]*steep[i]*steep[i]
	}
	if want := math.Sqrt(longer / long); err != nil || math.Abs(got-want) > 1e-8 {
		t.Errorf("%v, %v, want %.12g", got, err, want)
	}
}

// A jump is what changes by more than a millionth of its length.
func TestJumpsAreJudged(t *testing.T) {
	e := walker(matrix{{1}}, 3)
	fault := Check{Figure: "next", Detail: "why", Remedy: "what to do"}
	for of, want := range map[float64]Check{
		1e-6:   {Verdict: Pass, Figure: "none on 7 segments"},
		1.1e-6: {Verdict: Fail, Figure: "the next state of individual 2 jumps by 1.1e-06 of its length", Detail: "why", Remedy: "what to do"},
	} {
		if got := e.judgeJump(worst{of: of, at: e.visit(0, 2, nil), seen: 7}, fault); got != want {
			t.Errorf("of %v: %+v", of, got)
		}
	}
}

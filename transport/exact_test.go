package transport_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// cloud draws n points.
func cloud(s *stream.Stream, n, dim int) []float64 {
	x := make([]float64, n*dim)
	s.Normals(x)
	return x
}

// grid draws n points of a small grid, most of them more than once.
func grid(s *stream.Stream, n, dim int) []float64 {
	x := make([]float64, n*dim)
	for i := range x {
		x[i] = float64(s.Intn(3))
	}
	return x
}

func euclidean(t testing.TB, x, y []float64, dim int) transport.Cost {
	t.Helper()
	c, err := transport.Euclidean(x, y, dim)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func plan(t testing.TB, a, b []float64, c transport.Cost) transport.Plan {
	t.Helper()
	p, err := transport.Exact(context.Background(), a, b, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// entries writes a cost down.
func entries(c transport.Cost) []float64 {
	n, m := c.Size()
	out := make([]float64, n*m)
	for i := range n {
		c.Row(out[i*m:(i+1)*m], i)
	}
	return out
}

// sure checks all that a plan says of itself: marginals, feasible potentials in exact arithmetic, value and gap.
func sure(t testing.TB, p transport.Plan, a, b []float64, c transport.Cost) {
	t.Helper()
	n, m := c.Size()
	costs, rest, want := entries(c), make([]float64, n), make([]float64, m)
	for i := range rest {
		rest[i] = weightAt(a, i, n)
	}
	for j := range want {
		want[j] = weightAt(b, j, m)
	}
	primal, dual := 0.0, 0.0
	surplus := math.Abs(total(rest)-1) + math.Abs(total(want)-1) // which is divided out
	for _, f := range p.Flow {
		rest[f.From], want[f.To] = rest[f.From]-f.Mass, want[f.To]-f.Mass
		primal += f.Mass * costs[f.From*m+f.To]
	}
	for i, u := range p.Left {
		dual += weightAt(a, i, n) * u
		for j, v := range p.Right {
			if over(u, v, costs[i*m+j]) {
				t.Fatalf("potentials %v + %v are above the cost %v of (%d, %d)", u, v, costs[i*m+j], i, j)
			}
		}
	}
	size := 0.0
	for j, v := range p.Right {
		dual += weightAt(b, j, m) * v
		size = max(size, math.Abs(v))
	}
	for _, u := range p.Left {
		size = max(size, math.Abs(u))
	}
	if off := max(math.Abs(slices.Max(rest)), math.Abs(slices.Min(rest)), slices.Max(want), -slices.Min(want)); off > float64(n+m)*2*eps+surplus {
		t.Fatalf("the plan's sums are off by %v", off)
	}
	if tol := (1e-14+surplus)*(math.Abs(primal)+size) + float64(n+m)*1e-323; math.Abs(primal-p.Value) > tol || math.Abs(primal-dual-p.Gap) > tol {
		t.Fatalf("value %v, gap %v, want %v and %v", p.Value, p.Gap, primal, primal-dual)
	}
	if p.Gap < 0 || len(p.Flow) > n+m-1 {
		t.Fatalf("gap %v, %d amounts", p.Gap, len(p.Flow))
	}
}

func total(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// over tells whether u + v > c, exactly: the sum rounds above c, or to c and its error is on the wrong side.
func over(u, v, c float64) bool {
	s := u + v
	t := s - u
	lost := (u - (s - t)) + (v - t)
	return s > c || s == c && lost > 0
}

func weightAt(a []float64, i, n int) float64 {
	if a == nil {
		return 1 / float64(n)
	}
	return a[i]
}

// Bar: the gap is at most 1e-12 of the value on 10,000 random instances: clouds and grids, uniform, weighted and with zeros.
func TestGapOfRandomInstances(t *testing.T) {
	proven := evidence.For(t, evidence.Promise{Name: "transport", Text: "optimal transport of random instances: plans whose sums or potentials are wrong in exact arithmetic; gap between plan and potentials, relative"})
	s := stream.New(1, "gap")
	count := 10_000
	if testing.Short() {
		count = 1000
	}
	worst := 0.0
	for range count {
		n, m, dim := 1+s.Intn(25), 1+s.Intn(25), 1+s.Intn(5)
		draw := cloud
		if s.Intn(3) == 0 {
			draw = grid
		}
		c := euclidean(t, draw(s, n, dim), draw(s, m, dim), dim)
		var a, b []float64
		if s.Intn(2) == 0 {
			a, b = weights(s, n, 3), weights(s, m, 3)
		}
		p := plan(t, a, b, c)
		sure(t, p, a, b, c)
		proven.Case(!t.Failed(), "%d and %d points", n, m)
		if p.Gap > 0 {
			worst = max(worst, p.Gap/p.Value)
		}
	}
	proven.AtMost("gap", worst, 1e-12)
}

// Source: gonum's simplex method on the linear program, with one equation left out, as they depend on each other.
func TestExactAgainstLinearProgram(t *testing.T) {
	s := stream.New(1, "program")
	for range 30 {
		n, m := 2+s.Intn(5), 2+s.Intn(5)
		c := euclidean(t, cloud(s, n, 2), cloud(s, m, 2), 2)
		a, b := weights(s, n, 1), weights(s, m, 1)
		equations, right := mat.NewDense(n+m-1, n*m, nil), append(slices.Clone(a), b[:m-1]...)
		for i := range n {
			for j := range m {
				equations.Set(i, i*m+j, 1)
				if j < m-1 {
					equations.Set(n+j, i*m+j, 1)
				}
			}
		}
		want, _, err := lp.Simplex(entries(c), equations, right, 1e-12, nil)
		if got := plan(t, a, b, c).Value; err != nil || !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("%v, want %v (%v)", got, want, err)
		}
	}
}

// permutations calls f with every permutation of 0 … n−1.
func permutations(n int, f func([]int)) {
	var extend func(prefix, rest []int)
	extend = func(prefix, rest []int) {
		if len(rest) == 0 {
			f(prefix)
		}
		for k := range rest {
			extend(append(prefix, rest[k]), slices.Delete(slices.Clone(rest), k, k+1))
		}
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	extend(nil, all)
}

// cheapest is the least mean cost of a permutation, by trying all.
func cheapest(c transport.Cost) float64 {
	n, _ := c.Size()
	costs, best := entries(c), math.Inf(1)
	permutations(n, func(p []int) {
		v := 0.0
		for i, j := range p {
			v += costs[i*n+j]
		}
		best = min(best, v/float64(n))
	})
	return best
}

// Source: all permutations, as a cheapest plan of uniform samples is one of them [birkhoff1946].
func TestExactAgainstPermutations(t *testing.T) {
	s := stream.New(1, "permutations")
	for k := range 40 {
		n, draw := 1+k%7, cloud
		if k%3 == 0 {
			draw = grid
		}
		c := euclidean(t, draw(s, n, 3), draw(s, n, 3), 3)
		if got, want := plan(t, nil, nil, c).Value, cheapest(c); math.Abs(got-want) > 1e-14*(1+want) {
			t.Fatalf("n = %d: %v, want %v", n, got, want)
		}
	}
}

// On the line both methods find the area between the distribution functions; ties, zeros and unequal sizes included.
func TestExactOnTheLine(t *testing.T) {
	s := stream.New(1, "line and exact")
	for k := range 300 {
		n, m, draw := 1+s.Intn(40), 1+s.Intn(40), cloud
		if k%2 == 0 {
			draw = grid
		}
		x, y, a, b := draw(s, n, 1), draw(s, m, 1), weights(s, n, 2), weights(s, m, 2)
		if got, want := plan(t, a, b, euclidean(t, x, y, 1)).Value, line(t, x, a, y, b); math.Abs(got-want) > 1e-14*(1+want) {
			t.Fatalf("%v, on the line %v", got, want)
		}
	}
}

// Closed forms: Diracs, the same points, and a translation, which no plan beats as the mean has to move that far.
func TestExactClosedForms(t *testing.T) {
	s := stream.New(1, "closed")
	x := cloud(s, 50, 3)
	y := slices.Clone(x)
	if p := plan(t, nil, nil, euclidean(t, x, y, 3)); p.Value != 0 || p.Gap != 0 {
		t.Errorf("to itself: %v, gap %v", p.Value, p.Gap)
	}
	for i := range y {
		y[i] += []float64{2, -1, 2}[i%3]
	}
	if p := plan(t, nil, nil, euclidean(t, x, y, 3)); !(math.Abs(p.Value-3) <= 1e-14) {
		t.Errorf("moved by (2, −1, 2): %v", p.Value)
	}
	if p := plan(t, nil, nil, euclidean(t, []float64{1, 1}, []float64{4, 5}, 2)); p.Value != 5 {
		t.Errorf("between Diracs: %v", p.Value)
	}
}

func TestExactTriangle(t *testing.T) {
	s := stream.New(1, "triangle")
	for range 200 {
		dim := 1 + s.Intn(4)
		var x, w [3][]float64
		for k := range x {
			n := 1 + s.Intn(15)
			x[k], w[k] = cloud(s, n, dim), weights(s, n, 2)
		}
		d := func(i, j int) float64 { return plan(t, w[i], w[j], euclidean(t, x[i], x[j], dim)).Value }
		if d(0, 2) > (d(0, 1)+d(1, 2))*(1+1e-14) || math.Abs(d(0, 1)-d(1, 0)) > 1e-14*d(0, 1) {
			t.Fatal("no metric:", d(0, 2), d(0, 1), d(1, 2), d(1, 0))
		}
	}
}

// Costs from 1e-150 to 1e150, together and apart, and powers of two scale exactly.
func TestExactScales(t *testing.T) {
	s := stream.New(1, "scales")
	for k := range 200 {
		n, m := 1+s.Intn(20), 1+s.Intn(20)
		costs := make([]float64, n*m)
		for i := range costs {
			costs[i] = s.Normal()
			if k%2 == 0 {
				costs[i] *= math.Pow(10, 300*s.Float64()-150)
			}
		}
		a, b := weights(s, n, 5), weights(s, m, 5)
		c, err := transport.Table(costs, m)
		if err != nil {
			t.Fatal(err)
		}
		p := plan(t, a, b, c)
		sure(t, p, a, b, c)
		big := slices.Clone(costs)
		for i := range big {
			big[i] *= 0x1p-440
		}
		c, _ = transport.Table(big, m)
		if q := plan(t, a, b, c); k%2 == 1 && q.Value != p.Value*0x1p-440 {
			t.Fatalf("scaled by 2⁻⁴⁴⁰: %v, want %v", q.Value, p.Value*0x1p-440)
		}
	}
}

// Instances on which most pivots move nothing end all the same.
func TestDegenerateInstances(t *testing.T) {
	s := stream.New(1, "degenerate")
	for _, size := range [][2]int{{1, 1}, {1, 200}, {200, 1}, {100, 100}, {60, 120}, {150, 149}} {
		n, m := size[0], size[1]
		for name, c := range map[string]transport.Cost{
			"grid":   euclidean(t, grid(s, n, 2), grid(s, m, 2), 2),
			"equal":  euclidean(t, make([]float64, n), make([]float64, m), 1),
			"normal": euclidean(t, cloud(s, n, 2), cloud(s, m, 2), 2),
		} {
			p := plan(t, nil, nil, c)
			sure(t, p, nil, nil, c)
			if p.Gap > 1e-12*p.Value {
				t.Errorf("%s %v: gap %v of %v", name, size, p.Gap, p.Value)
			}
			a, b := make([]float64, n), make([]float64, m)
			a[n/2], b[m-1] = 1, 1
			if q := plan(t, a, b, c); len(q.Flow) != 1 || q.Value != entries(c)[n/2*m+m-1] {
				t.Errorf("%s %v: one mass to one place: %v", name, size, q)
			}
		}
	}
}

func TestExactRefuses(t *testing.T) {
	c := euclidean(t, []float64{1, 2}, []float64{3, 4}, 1)
	ok := []float64{0.5, 0.5}
	for _, x := range [][]float64{{}, {1}, {0.5, 0.25, 0.25}, {0, 0}, {0.5, 0.6}, {1.5, -0.5}, {math.NaN(), 1}, {math.Inf(1), 0}} {
		_, errA := transport.Exact(context.Background(), x, ok, c)
		_, errB := transport.Exact(context.Background(), ok, x, c)
		if !typed(errA) || !typed(errB) {
			t.Errorf("%v: %v, %v", x, errA, errB)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), 1e301} {
		if _, err := transport.Exact(context.Background(), nil, nil, holed{v}); !typed(err) {
			t.Errorf("cost %v: %v", v, err)
		}
	}
	var large *kedge.RangeError
	if _, err := transport.Exact(context.Background(), nil, nil, huge{}); !errors.As(err, &large) {
		t.Error("10⁵ by 10⁵ costs:", err)
	}
}

// holed is a cost with a strange entry, huge one that does not fit.
type (
	holed struct{ v float64 }
	huge  struct{}
)

func (holed) Size() (n, m int)           { return 1, 1 }
func (h holed) Row(dst []float64, _ int) { dst[0] = h.v }
func (huge) Size() (n, m int)            { return 100_000, 100_000 }
func (huge) Row([]float64, int)          { panic("asked for a row") }

func ExampleExact() {
	// Half of the mass at (0, 0) goes to (3, 4), half stays; the gap of 0 proves that nothing is cheaper.
	c, err := transport.Euclidean([]float64{0, 0}, []float64{3, 4, 0, 0}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := transport.Exact(context.Background(), nil, []float64{0.5, 0.5}, c)
	fmt.Println(p.Value, p.Flow, p.Gap < 1e-15, err)
	// Output: 2.5 [{0 0 0.5} {0 1 0.5}] true <nil>
}

package kind_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// sets are right and wrong ones of decisions of two entries.
func sets() []string {
	return []string{
		"{kind: box, lower: [0, -1], upper: 1}", "{kind: box, lower: -1, upper: [2, 0.5]}", "{kind: box, lower: 0, upper: 0}", "{kind: box, lower: 1, upper: 0}", "{kind: box, lower: [0, 2], upper: [1, 1]}", "{kind: box, lower: [1], upper: 2}", "{kind: box, lower: 1, upper: [2, 3, 4]}", "{kind: box, lower: -.inf, upper: 1}", "{kind: box, lower: 0, upper: .inf}", "{kind: box, lower: .inf, upper: -.inf}", "{kind: box, lower: [5], upper: [1]}",
		"{kind: simplex}", "{kind: simplex, sum: 2}", "{kind: simplex, sum: 0}", "{kind: simplex, sum: -1}", "{kind: capped-simplex, sum: 1, upper: 0.75}", "{kind: capped-simplex, sum: 1.5, upper: [1, 0.75]}", "{kind: capped-simplex, sum: 2, upper: 1}", "{kind: capped-simplex, sum: 3, upper: 1}", "{kind: capped-simplex, sum: 3, upper: [1, 1.5]}", "{kind: capped-simplex, sum: 3, upper: [1]}", "{kind: capped-simplex, sum: -1, upper: -1}", "{kind: capped-simplex, sum: 3, upper: .inf}",
		"{kind: l1-ball, radius: 2}", "{kind: l1-ball, radius: 2, center: 1}", "{kind: l1-ball, radius: 2, center: [1, 0]}", "{kind: l1-ball, radius: 2, center: [1]}", "{kind: l1-ball, radius: -2}", "{kind: ball, radius: 2}", "{kind: ball, radius: 2, center: 1}", "{kind: ball, radius: 2, center: [1]}", "{kind: ball, radius: 2, center: [1, 0]}", "{kind: ball, radius: 0}", "{kind: bal, radius: 2}", "{kind: whole}", "{kind: whole, radius: 1}", "{}",
		"{kind: half-space, normal: [1, 2], bound: 1}", "{kind: half-space, normal: [3, 4], bound: -1}", "{kind: half-space, normal: [0, 0], bound: 1}", "{kind: half-space, normal: [1], bound: 1}", "{kind: half-space, normal: 1, bound: .inf}", "{kind: affine, matrix: [[1, 1]], rhs: [1]}", "{kind: affine, matrix: [[1, 1]], rhs: [1, 2]}", "{kind: affine, matrix: [[1, 1, 1]], rhs: [1]}", "{kind: affine, matrix: [[1, 1], [2, 2]], rhs: [1, 3]}", "{kind: affine, matrix: x, rhs: y}", "{kind: affine, matrix: [[1, 1], [1, 2]], rhs: [1, 2]}",
		"{kind: finite, points: [[0, 1], [1, 0]]}", "{kind: finite, points: [[0, 1]], integer: true}", "{kind: finite, points: [[0], [1]]}", "{kind: finite, points: x}", "{kind: finite, points: [" + strings.TrimSuffix(strings.Repeat("[1, 0], ", 4097), ", ") + "]}",
		"{kind: intersection, of: [{kind: ball, radius: 1}, {kind: box, lower: 0, upper: 1}]}", "{kind: intersection, of: []}", "{kind: intersection, of: [{kind: ball, radius: 1, center: [1]}, {kind: finite, points: [[1, 1]]}, {kind: box, lower: 0, upper: 1, integer: true}, {kind: oval}]}", "{kind: intersection, of: [{kind: simplex, sum: 1}, {kind: half-space, normal: [1, 0], bound: 0.25}]}", "{kind: intersection, of: [{kind: half-space, normal: [1, 0], bound: -1}, {kind: half-space, normal: [-1, 0], bound: -1}]}", "{kind: intersection, of: [{kind: affine, matrix: [[1, 1], [1, 1]], rhs: [1, 2]}]}", "{kind: intersection, of: [{kind: box, lower: 0, upper: 3}, {kind: half-space, normal: [1, 1], bound: 2.5}], integer: true}",
		"{kind: product, parts: [{size: 1, kind: box, lower: 0, upper: 1}, {size: 1, kind: ball, radius: 1}]}", "{kind: product, parts: [{size: 1, kind: box, lower: 0, upper: 1}, {size: 1, kind: whole}]}", "{kind: product, parts: [{size: 1, kind: box, lower: 0, upper: 1}]}", "{kind: product, parts: [{size: 2, kind: simplex, sum: 1}]}", "{kind: product, parts: [{size: 0, kind: box, lower: 0, upper: 1}, {size: 2, kind: ball, radius: 1, center: [1]}, {size: 1, kind: finite, points: [[1]]}]}", "{kind: product, parts: [{size: 2, kind: affine, matrix: [[1, 1], [1, 1]], rhs: [1, 2]}]}", "{kind: product, parts: []}",
		"{kind: convex, where: ['u[0] + u[1] <= 1']}", "{kind: convex, where: 'u[0]^2 + 2*u[1]^2 <= 4'}", "{kind: convex, where: ['u[0]^2 + 2*u[1]^2 <= 4', 'exp(u[0]) + u[1] <= 3']}", "{kind: convex, where: ['u[0]^2 + u[1]^2 <= 4', 'u[0] + u[1] == 1']}", "{kind: convex, where: ['u[0]^2 <= -1']}", "{kind: convex, where: ['u[0] * u[1] <= 1']}", "{kind: convex, where: ['u[2] <= 1']}", "{kind: convex, where: ['u[0] <']}", "{kind: convex, where: ['u[0]^2 <= 4', 'u[0] <', 'v <= 1']}", "{kind: convex, where: ['u[0] <= 1', 'u[0] >= 2']}", "{kind: convex, where: ['u[0] == 1', 'u[0] == 2']}", "{kind: convex, where: ['-log(u[0] - 100) <= 3', 'u[1]^2 <= 1']}", "{kind: convex, where: ['-log(-u[0] - 500) <= 0']}", "{kind: convex, where: ['-log(u[0]) - log(2 - u[0]) + u[1]^2 <= 1']}", "{kind: convex, where: ['exp(u[0]) <= 1', 'u[1] >= 0', 'u[1] <= 4', 'u[0] >= -3']}",
		"{kind: box, lower: 0, upper: 3, integer: true}", "{kind: box, lower: 0, upper: 3, integer: [1]}", "{kind: box, lower: 0, upper: 3, integer: [pears]}", "{kind: box, lower: 0, upper: 3, integer: [paers]}", "{kind: box, lower: 0, upper: 3, integer: [2]}", "{kind: box, lower: 0.25, upper: 0.75, integer: true}", "{kind: affine, matrix: [[1, 1], [2, 2]], rhs: [1, 3], integer: true}", "{kind: whole, integer: true}", "{kind: whole, integer: [0]}", "{kind: ball, radius: 1.5, integer: true}", "{kind: ball, radius: 1.5, integer: [0]}", "{kind: ball, radius: 1.5, integer: [0, 1]}", "{kind: ball, radius: 0.25, center: 0.5, integer: true}", "{kind: half-space, normal: [1, 2], bound: 1, integer: true}", "{kind: ball, radius: 50, integer: true}", "{kind: ball, radius: 1.5, center: [1], integer: true}", "{kind: box, lower: 0, upper: 3, integer: 2}",
	}
}

// walked is where a set moves points, and what else is known of it.
func walked(x kind.Set, n int) (lines []string) {
	built, err := kind.BuildSet(x, n)
	if err != nil {
		return []string{"  not built: " + err.Error()}
	}
	line := fmt.Sprintf("  %T", built)
	for _, u := range [][]float64{{3, -0.5, 1}, {0.3, 0.2, 0.1}, {-2, 5, -1}, {1.6, 1.4, 0.5}, {0, 0, 0}} {
		err := built.Project(u[:n])
		line += fmt.Sprintf(" %s", figures(u[:n]))
		if err != nil {
			line += " " + err.Error()
		}
	}
	return []string{line}
}

// about is all that is known of a set that was read.
func about(x kind.Set, n int) (lines []string) {
	total, divides := kind.Divides(x)
	of, which := kind.Relaxed(x)
	lines = append(lines, fmt.Sprintf("  %s; discrete %v separates %v divides %v %v; whole %v of %s", x.Words(), kind.IsDiscrete(x), kind.Separates(x), total, divides, which, form.NameOf(of)))
	lines = append(lines, walked(x, n)...)
	for _, delta := range []float64{0.25, 3} {
		small, ok := kind.Shrink(x, delta, n)
		lines = append(lines, fmt.Sprintf("  by %v inside: %v", delta, ok))
		if ok {
			lines = append(lines, walked(small, n)...)
			if again, ok := kind.Shrink(small, delta/2, n); ok {
				lines = append(lines, walked(again, n)...)
			}
		}
	}
	return lines
}

// Sets are read, checked, refused, printed, built and shrunk as when this was recorded.
func TestSetsAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	for _, text := range sets() {
		var x kind.Set
		describe := below("set", func(f *form.Form) { c.DescribeSet(f, &x) })
		s := read("population: {dim: 2}\nset: "+text, func(f *form.Form) {
			describe(f)
			people(new(int), new(int))(f)
		})
		got = append(got, form.Shorten(text))
		scene := s.scene(nil, 2, 2)
		scene.Names = []string{"apples", "pears"}
		kind.CheckSet(scene, "set", x, scene.Decision())
		if s.found.Join() != nil {
			got = append(got, s.told()...)
			continue
		}
		got = append(got, "  "+form.Print(describe).Flow())
		got = append(got, about(kind.Named(x, scene.Names), 2)...)
		kind.CheckConvex(scene, "set", x, "this")
		got = append(got, s.told()...)
	}
	for _, n := range []int{1, 3} {
		for _, text := range []string{"{kind: box, lower: 0, upper: 1}", "{kind: convex, where: 'u^2 <= 4'}", "{kind: convex, where: 'u[0]^2 <= 4'}", "{kind: convex, where: 'sum(u^2) <= 4'}", "{kind: convex, where: 'v <= 4'}", "{kind: capped-simplex, sum: 1, upper: [0.5, 0.5, 0.5]}", "{kind: l1-ball, radius: 2}", "{kind: finite, points: [[0.5]]}"} {
			var x kind.Set
			s := read("population: {dim: 3}\nset: "+text, below("set", func(f *form.Form) { c.DescribeSet(f, &x) }))
			s.found = &form.Mistakes{}
			scene := s.scene(nil, n, 2)
			kind.CheckSet(scene, "set", x, scene.Decision())
			if got = append(got, fmt.Sprintf("%s of %d", text, n)); s.found.Join() != nil {
				got = append(got, s.told()...)
			} else {
				got = append(got, about(x, n)...)
			}
		}
	}
	for _, x := range c.Sets {
		if k, ok := x.(kind.SketchedSet); ok {
			got = append(got, fmt.Sprintf("%s sketched %q %q", form.NameOf(x), k.Sketch(-1, 0.5, 2), k.Sketch(0, 5, 25)))
		}
	}
	var x kind.Set
	recorded(t, "sets.txt", append(got, vocabulary(func(f *form.Form) { c.DescribeSet(f, &x) })...))
}

// Formulas that cannot be read have no inside, and a set of points has none either.
func TestWhatHasNoInside(t *testing.T) {
	for _, x := range []kind.Set{&kind.ConvexSet{Where: []string{"u[0] <"}}, &kind.ConvexSet{Where: []string{"u[0]^2 <= -1"}}, &kind.FiniteSet{Points: [][]float64{{1, 2}}}, &kind.ProductSet{Parts: []kind.SetPart{{Size: 2, Set: &kind.SimplexSet{Sum: 1}}}}} {
		if small, ok := kind.Shrink(x, 0.1, 2); ok || small != nil {
			t.Errorf("%s: %v", x.Words(), small)
		}
	}
}

// Lengths that are not known are not held against a set, nor is what could not be read.
func TestSetsOfUnknownLength(t *testing.T) {
	c := kind.Standard()
	for _, text := range sets() {
		var x kind.Set
		s := read("population: {dim: 0}\nset: "+text, func(f *form.Form) {
			below("set", func(f *form.Form) { c.DescribeSet(f, &x) })(f)
			people(new(int), new(int))(f)
		})
		before := s.told()
		scene := s.scene(nil, 2, 2)
		kind.CheckSet(scene, "set", x, scene.Decision())
		for _, line := range s.told()[len(before):] {
			if strings.Contains(line, "the decision has 2") {
				t.Errorf("%s: %s", text, line)
			}
		}
	}
}

// What a set says that could not be read is told, and nothing that follows of it.
func TestWholeNumbersOfWhatCouldNotBeRead(t *testing.T) {
	c := kind.Standard()
	for text, want := range map[string]string{
		"{kind: ball, radius: -2, integer: [0]}":        "set.radius is -2",
		"{kind: ball, radius: 2, integer: [0]}":         "set.integer names some entries",
		"{kind: box, lower: x, upper: 3, integer: [5]}": "set.lower is \"x\"",
		"{kind: box, lower: 0, upper: 3, integer: [5]}": "set.integer names entry 5",
	} {
		var x kind.Set
		s := read("set: "+text, below("set", func(f *form.Form) { c.DescribeSet(f, &x) }))
		scene := s.scene(nil, 2, 2)
		kind.CheckSet(scene, "set", x, form.Length{N: 2, Of: "the decision"})
		if told := s.told(); len(told) != 1 || !strings.Contains(told[0], want) {
			t.Errorf("%s: %q, want %q alone", text, told, want)
		}
	}
}

// A convex set is shrunk towards its point inside v by 1 − δ√n/r, where r is how far the set goes from v along the axes: its bounds go to v + by·(bound − v).
func TestBoundsOfShrunkConvexSets(t *testing.T) {
	const delta = 0.125
	whole := &kind.ConvexSet{Where: []string{"u[0] >= 1", "u[0] <= 4", "u[1] >= 0.5", "u[0]^2 + 4*u[1]^2 <= 36"}}
	small, ok := kind.Shrink(whole, delta, 2)
	built, err := whole.Build(2)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	shrunk, err := small.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	from, to := built.(set.Convex), shrunk.(set.Convex)
	v := from.Inside
	across, up := math.Sqrt(36-4*v[1]*v[1]), math.Sqrt(36-v[0]*v[0])/2 // how far the ellipse goes through v
	by := 1 - delta*math.Sqrt2/min(v[0]-1, 4-v[0], v[1]-0.5, across-v[0], up-v[1])
	want := set.Box{Lower: []float64{v[0] + by*(1-v[0]), v[1] + by*(0.5-v[1])}, Upper: []float64{v[0] + by*(4-v[0]), math.Inf(1)}}
	for i := range v {
		if up := to.Bounds.Upper[i]; !(math.Abs(to.Bounds.Lower[i]-want.Lower[i]) < 1e-9) || up != want.Upper[i] && !(math.Abs(up-want.Upper[i]) < 1e-9) {
			t.Errorf("entry %d is from %v to %v, want from %v to %v", i, to.Bounds.Lower[i], to.Bounds.Upper[i], want.Lower[i], want.Upper[i])
		}
	}
}

package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
)

// Every function takes as many arguments as the manual says, not one less or more.
func TestArgumentsAreCounted(t *testing.T) {
	takes := map[string][2]int{"clip": {3, 3}, "min": {1, 2}, "max": {1, 2}, "dot": {2, 2}, "outer": {2, 2}, "where": {3, 3}}
	for name := range functions {
		want, some := takes[name]
		if !some {
			want = [2]int{1, 1}
		}
		words := fmt.Sprint(want[0])
		if want[0] < want[1] {
			words = fmt.Sprintf("%d or %d", want[0], want[1])
		}
		for _, n := range []int{want[0] - 1, want[1] + 1} {
			call := name + "(" + strings.Join(slices.Repeat([]string{"p"}, n), ", ") + ")"
			_, err := Compile(Source{Decision: "q", State: "p", Next: call})
			if said := fmt.Sprintf("model.next:1:1: %s: %d arguments, want %s", call, n, words); err == nil || err.Error() != said {
				t.Errorf("%v, want %s", err, said)
			}
		}
	}
}

// Each limit of a graph lets through what reaches it, and says which it is of what goes beyond.
func TestGraphsAreFilledToTheLast(t *testing.T) {
	zeros := func(g *graph, n int) *node { return g.literal(vector(n), make([]float64, n)) }
	for _, c := range []struct {
		what        string
		fill, spill func(g *graph)
		want        string
	}{
		{"entries of a value", func(g *graph) { g.input(opState, vector(1<<20)) }, func(g *graph) { g.input(opState, vector(1<<20+1)) }, "has more than 1048576 entries"},
		{"entries of an individual", func(g *graph) { g.row = 4194304 - 5; g.input(opState, vector(5)) }, func(g *graph) { g.input(opTrait, scalar()) }, "makes more than 4194304 entries of an individual"},
		{"costs", func(g *graph) {
			g.cost = 33554432 - 10
			g.apply(opNeg, vector(10), [4]int{}, g.input(opState, vector(10)))
		}, func(g *graph) { g.apply(opAbs, scalar(), [4]int{}, g.input(opTrait, scalar())) }, "costs more than 33554432 operations of an individual"},
		{"constants", func(g *graph) { g.numbers = 2097152 - 3; zeros(g, 3) }, func(g *graph) { g.number(7) }, "makes more than 2097152 constants"},
		{"constants of constants", func(g *graph) {
			g.numbers = 2097152 - 6
			g.apply(opExp, vector(3), [4]int{}, zeros(g, 3))
		}, func(g *graph) {
			g.apply(opNeg, scalar(), [4]int{}, &node{op: opConst, shape: scalar(), data: []float64{3}})
		}, "takes more than 4194304 operations on constants"},
		{"operations on constants", func(g *graph) {
			g.folding = 4194304 - 20
			g.apply(opNeg, vector(10), [4]int{}, g.literal(vector(10), []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))
			g.apply(opAbs, vector(10), [4]int{}, g.literal(vector(10), []float64{-1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))
		}, func(g *graph) { g.apply(opNeg, scalar(), [4]int{}, g.number(3)) }, "takes more than 4194304 operations on constants"},
		{"entries of constants", func(g *graph) { g.apply(opOuter, matrix(1024, 1024), [4]int{}, zeros(g, 1024), zeros(g, 1024)) },
			func(g *graph) {
				g.apply(opOuter, matrix(1, 1<<20+1), [4]int{}, zeros(g, 1), &node{op: opConst, shape: vector(1<<20 + 1)})
			}, "takes more than 4194304 operations on constants"},
	} {
		g := newGraph()
		if c.fill(g); g.full || g.trouble != "" {
			t.Errorf("%s up to the limit: %q", c.what, g.trouble)
		}
		if c.spill(g); !g.full || g.trouble != c.want {
			t.Errorf("%s beyond the limit: %q, want %q", c.what, g.trouble, c.want)
		}
	}
}

// Constants of up to sixteen numbers are one where they are the same, longer ones each their own; slices are the same where both their place and their step are.
func TestEqualValuesAreOne(t *testing.T) {
	g := newGraph()
	for n, want := range map[int]bool{1: true, 15: true, 16: true, 17: false, 18: false} {
		first, second := g.literal(vector(n), make([]float64, n)), g.literal(vector(n), make([]float64, n))
		if (first == second) != want {
			t.Errorf("%d zeros twice are one: %v", n, first == second)
		}
	}
	x := g.input(opState, matrix(3, 3))
	seen := map[*node]bool{}
	for _, attrs := range [][4]int{{0, 1}, {1, 1}, {0, 3}, {1, 3}} {
		n := g.apply(opSlice, vector(2), attrs, x)
		if seen[n] || g.apply(opSlice, vector(2), attrs, x) != n {
			t.Errorf("the slice %v is another, or not itself", attrs)
		}
		seen[n] = true
	}
}

// A value that is read twice, by the second instruction and never again, leaves room for one other value and not for two.
func TestRoomIsLeftOnce(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[3]", Next: "exp(p)*exp(p) + tanh(p)*sigmoid(p)"})
	if err != nil {
		t.Fatal(err)
	}
	p, got := []float64{0.25, -0.5, 1}, make([]float64, 3)
	m.Dynamics().Next(got, p, []float64{0}, nil)
	for i, v := range p {
		if want := math.Exp(2*v) + math.Tanh(v)/(1+math.Exp(-v)); math.Abs(got[i]-want) > 1e-14*want {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
}

// Whatever else is wrong, noise is no reason to fail otherwise, and without a next state there is nothing that it enters.
func TestNoiseBesideMistakes(t *testing.T) {
	s := Source{Decision: "q", State: "p", Noise: []Shock{{"w", 1}}, Next: "p + w", Minimize: "loss"}
	if _, err := Compile(s); err == nil || err.Error() != "model.minimize:1:1: unknown name loss; known are p, q, w" {
		t.Errorf("%v", err)
	}
	s.Next, s.Minimize = "", "p + w"
	m, err := Compile(s)
	if err != nil || m.Stirred() != nil {
		t.Fatalf("%v, %v", m, err)
	}
	if got := m.Objective().Eval(nil, nil, []float64{3}, []float64{0}, nil); got != 4 {
		t.Errorf("the loss is %v, want that with the mean noise, 4", got)
	}
}

// One number beside the trait is a part of it, and a number that is none is told wherever it stands.
func TestNumbersBesideTheModel(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Beside: []string{"age"}, Next: "p + 10*d + age"})
	if err != nil || m.Dims().Trait != 2 {
		t.Fatalf("%v, %v", m, err)
	}
	next := make([]float64, 1)
	if m.Dynamics().Next(next, []float64{100}, []float64{0}, []float64{2, 3}); next[0] != 123 {
		t.Errorf("the next state is %v", next)
	}
	for i := range 3 {
		data := []float64{1, 2, 3}
		data[i] = math.NaN()
		_, err := Compile(Source{Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Shape: []int{3}, Data: data}}}})
		if want := fmt.Sprintf("model.let.a:1:1: entry %d is NaN, want a finite number", i); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A weight may be a third of the largest number, of three nodes, and what is listed again may add up to whatever is still a number.
func TestTheLargestWeights(t *testing.T) {
	most := math.MaxFloat64 / 3
	v, err := Network([]float64{0, 1, most, 0, 2, most}, 3, 3)
	if err != nil || !slices.Equal(v.Data[:3], []float64{0, 0.5, 0.5}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Network([]float64{0, 1, math.Nextafter(most, math.Inf(1))}, 3, 3); err == nil {
		t.Error("a larger weight is let through")
	}
	_, err = Network([]float64{0, 2, 1, 1, 0, most, 1, 0, most, 1, 0, most, 1, 2, most}, 3, 3)
	if err == nil || err.Error() != "the weights for node 1 add up to more than a number can be" {
		t.Errorf("%v", err)
	}
}

// Of what declares nothing there is no name to tell.
func TestWhatDeclaresNothing(t *testing.T) {
	for _, s := range []string{"f(x)[2]", "(a + b)[2]", "p[2][a]", "q[:a]", "q[a:]"} {
		if d := Declare(s); strings.Contains("fabp", d.Name) && d.Name != "" || d.Labels != nil {
			t.Errorf("%s declares %+v", s, d)
		}
	}
}

// Forms are judged by their Hessians for up to 512 numbers of a decision.
func TestLongQuadraticForms(t *testing.T) {
	for n, want := range map[int]curvature{511: {isConvex: true}, 512: {isConvex: true}, 513: {}} {
		g := newGraph()
		q := g.input(opDecision, vector(n))
		if got := quadratic(g.apply(opDot, scalar(), [4]int{}, q, q)); got != want {
			t.Errorf("the square of %d numbers bends as %+v, want %+v", n, got, want)
		}
	}
	for body, want := range map[string]curvature{ // eigenvalues that miss 0 by less than 1e-12 of the largest
		"2*q[0]^2 - 1.4e-12*q[1]^2": {isConvex: true}, "2*q[0]^2 - 2.6e-12*q[1]^2": {}, "1.4e-12*q[1]^2 - 2*q[0]^2": {isConcave: true}, "2.6e-12*q[1]^2 - 2*q[0]^2": {},
	} {
		c := &compiler{graph: newGraph(), names: map[string]*node{}}
		c.names["q"] = c.input(opDecision, vector(2))
		if got := quadratic(c.builder(text{"test", body}).value(mustParse(body))); got != want {
			t.Errorf("%s bends as %+v, want %+v", body, got, want)
		}
	}
}

// By hand: 1 to the power of whatever rises, and falls, is 1 all along; 0 is no base of powers that may be below 0.
func TestPowersOfOneAndZero(t *testing.T) {
	for _, c := range []struct {
		base float64
		body string
		want curvature
	}{
		{1, "t[0]^(q^2)", curvature{isConvex: true}}, {1, "t[0]^(-q^2)", curvature{isConvex: true}}, {0.5, "t[0]^(q^2)", curvature{}}, {2, "t[0]^(-q^2)", curvature{}}, {0, "t[0]^q", curvature{}}, {2, "t[0]^q", curvature{isConvex: true}},
	} {
		c1 := &compiler{graph: newGraph(), names: map[string]*node{}}
		c1.names["q"], c1.names["t"] = c1.input(opDecision, scalar()), c1.input(opTrait, vector(1))
		n := c1.builder(text{"test", c.body}).value(mustParse(c.body))
		e := newEncloser(interval.Jets{}, n)
		e.runAll([]interval.Span{{Lo: -1, Hi: 1}}, []interval.Span{interval.Point(c.base)})
		if got := (&curver{ranges: e, known: map[*node]curvature{}}).of(n); got != c.want {
			t.Errorf("%s of %v bends as %+v, want %+v", c.body, c.base, got, c.want)
		}
	}
}

// A decision under which nobody settles leaves nothing behind that counts for others: by hand (I − A)⁻¹ is [[2, 0], [1, 2]] under ½, nothing under 1, and [[1, 0], [½, 2]] under 0.
func TestInversesAfterNone(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: "[[q, 0], [0.25, 0.5]] @ p + d"})
	if err != nil {
		t.Fatal(err)
	}
	r := m.dynamics.resolvent
	w := r.borrow()
	for _, c := range []struct {
		q    float64
		want []float64
	}{{0.5, []float64{2, 0, 1, 2}}, {0, []float64{1, 0, 0.5, 2}}, {0.5, []float64{2, 0, 1, 2}}, {1, nil}, {0.5, []float64{2, 0, 1, 2}}} {
		err := r.invert(w, 0, []float64{3, 5}, []float64{c.q}, []float64{1, 2})
		if (err == nil) != (c.want != nil) || err == nil && !slices.Equal(w.inverse, c.want) {
			t.Errorf("under %v: %v, %v, want %v", c.q, w.inverse, err, c.want)
		}
	}
	tiny, err := Compile(Source{Decision: "q", State: "p[2]", Next: "B @ p", Let: []Binding{{Name: "B", Expr: "[[1, 1e-301], [1e-301, 1]]"}}})
	if err != nil {
		t.Fatal(err)
	}
	r = tiny.dynamics.resolvent
	if err := r.invert(r.borrow(), 0, []float64{3, 5}, []float64{0}, nil); !errors.Is(err, kedge.ErrSingular) { // though its condition is 1
		t.Errorf("a matrix of next to nothing is inverted: %v", err)
	}
}

// Values and derivatives are written over what stands there, by hand those of e^x + y² − 3 at (0, 2).
func TestCurvesAreWrittenOver(t *testing.T) {
	m, err := Compile(Source{Decision: "q[2]", State: "p", Subject: []string{"exp(q[0]) + q[1]^2 <= 3"}})
	if err != nil {
		t.Fatal(err)
	}
	curve, g, h := m.Constraints()[0].(Convex).Curves[0], []float64{7, 7}, []float64{7, 7, 7, 7}
	for range 2 {
		if v := curve.Expand(g, h, []float64{0, 2}); v != 2 || !slices.Equal(g, []float64{1, 4}) || !slices.Equal(h, []float64{1, 0, 0, 2}) {
			t.Errorf("%v, %v, %v", v, g, h)
		}
	}
}

// By hand: I − A = diag(1, k·2⁻⁵³) has the condition 2⁵³/k, which must be below 2⁵³/100.
func TestConditionsThatLeaveTwoDigits(t *testing.T) {
	for k, want := range map[float64]bool{99: false, 100: false, 101: true, 102: true} {
		m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: "B @ p + d", Let: []Binding{{Name: "B", Data: &Value{Shape: []int{2, 2}, Data: []float64{0, 0, 0, 1 - k*0x1p-53}}}}})
		if err != nil {
			t.Fatal(err)
		}
		h := make([]float64, 2)
		_, err = m.Dynamics().(kedge.Settler).Settle(h, []float64{0}, []float64{1, k * 0x1p-53})
		if (err == nil) != want || err != nil && !errors.Is(err, kedge.ErrSingular) || err == nil && h[1] != 1 {
			t.Errorf("2⁵³/%v: %v, %v", k, h, err)
		}
	}
}

// Full matrices are taken for states of up to 512 entries; of longer ones there is nothing to solve by, but where a diagonal does.
func TestTheLongestStatesWithFullMatrices(t *testing.T) {
	for n, want := range map[int]bool{512: true, 513: false} {
		m, err := Compile(Source{Decision: "q", State: fmt.Sprintf("p[%d]", n), Next: "B @ p", Let: []Binding{{Name: "B", Data: &Value{Shape: []int{n, n}, Data: make([]float64, n*n)}}}})
		if err != nil || (m.Sensitivity() != nil) != want {
			t.Errorf("a matrix of %d rows is one to solve by: %v, %v", n, !want, err)
		}
	}
	m, err := Compile(Source{Decision: "q[513]", State: "p[513]", Trait: "d[513]", Next: "0.5*p + dot(p, q)*d + d"})
	if err != nil {
		t.Fatal(err)
	}
	h, d := make([]float64, 513), slices.Repeat([]float64{0.25}, 513)
	if _, err := m.Dynamics().(kedge.Settler).Settle(h, make([]float64, 513), d); err != nil || slices.Min(h) != 0.5 || slices.Max(h) != 0.5 { // dot(p, 0) = 0, so that p = 2d
		t.Errorf("from %v to %v, %v", slices.Min(h), slices.Max(h), err)
	}
}

// People who differ are looked at one by one, for whom a function may be convex that is not for all together, as long as there are no more than 4096.
func TestFewPeopleAreJudgedOneByOne(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p", Trait: "d[2]", Minimize: "d[0]*d[1]*q^2"})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{2: true, 4096: true, 4097: false} {
		traits := make([]float64, 2*n)
		for i := range n {
			v := float64(1+i) * float64(1-2*(i%2))
			traits[2*i], traits[2*i+1] = v, v
		}
		l, err := m.Landscape(kedge.Block{Data: traits, Width: 2}, column(make([]float64, n)...))
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Convex([]interval.Span{{Lo: -1, Hi: 1}}); got != want {
			t.Errorf("for %d people it is convex: %v", n, got)
		}
	}
}

// By hand: 1023 numbers, their squares, the sum of these and its negative are 2048 entries, of 1024 spans each with slopes: 2²¹, as many as are kept. With a number more and what it is added to
// there are more.
func TestTheLargestLandscape(t *testing.T) {
	for loss, want := range map[string]bool{"-sum(q^2)": true, "1 - sum(q^2)": false} {
		m, err := Compile(Source{Decision: "q[1023]", State: "p", Minimize: loss})
		if err != nil || m.fits(1) != want {
			t.Errorf("%s: of %d entries slopes fit: %v, %v", loss, entriesOf(m.loss), !want, err)
		}
	}
}

// An inequality is taken apart into 64 smooth ones at most, by what is counted by hand: two of every absolute value, as many as all choices in a sum; as many in all as a maximum has parts. Kinks within quotients
// are none that can be taken apart.
func TestInequalitiesAreTakenApart(t *testing.T) {
	sum := func(n int) string {
		return "abs(q[0])" + strings.Join(slices.Repeat([]string{" + abs(q[1] - q[2])", " + abs(q[1])", " + abs(q[2] + 2*q[3])"}, 3)[:n-1], "")
	}
	for body, want := range map[string]string{
		sum(6): "64 curves", sum(7): "the largest of more than 64 smooth functions", "max(q^2) + q[0] <= 1": "64 curves", "max([q, 1]^2) + q[0] <= 1": "the largest of more than 64 smooth functions",
		"max(" + sum(7) + ", q[0]^2) <= 1": "the largest of more than 64 smooth functions", "max(q[0]^2, " + sum(7) + ") <= 1": "the largest of more than 64 smooth functions", "1/min(q[0], 1) <= 3": "slopes jump inside of another function",
	} {
		if !strings.Contains(body, "<=") {
			body += " + q[5]^2 <= 1"
		}
		m, err := Compile(Source{Decision: "q[64]", State: "p", Subject: []string{body, "q[0] >= 0.1"}})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(len(m.Constraints()[0].(Convex).Curves), " curves")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// A column may have a thousand different texts to be taken apart, and lists of twelve are told whole.
func TestManyTexts(t *testing.T) {
	words, all := make([]string, 1001), make([]int, 1001)
	for i := range words {
		words[i], all[i] = fmt.Sprintf("w%d", i), i
	}
	table := Table{Columns: []TableColumn{{Name: "most", Texts: all[:1000]}, {Name: "more", Texts: all}, {Name: "twelve", Texts: all[:12]}, {Name: "thirteen", Texts: all[:13]}}, Words: words}
	c, err := table.Compile(TableField{"f", "onehot(most)", GivesNumbers})
	if err != nil || len(c.Entries) != 1000 {
		t.Fatalf("%v", err)
	}
	dst := make([]float64, 1000)
	if c.Rows(dst, []float64{999, 0, 0, 0}); slices.Index(dst, 1) != 999 || slices.Contains(dst[:999], 1) {
		t.Errorf("the last text is told by %v", dst)
	}
	for body, want := range map[string]string{
		"onehot(more)": "onehot(more): more has 1001 different texts, want 1 to 1000", `twelve == "x"`: `no twelve is "x"; there are "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11"`,
		`thirteen == "x"`: `no thirteen is "x"; there are "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", …`,
	} {
		if _, err := table.Compile(TableField{"f", body, GivesNumbers}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

// Unknown names of three letters and more are compared with those that are known, of which twenty are listed; places beyond the largest value are no places at all, and what is wrong with the first axis is told before the second is looked at.
func TestWhatIsToldOfNamesAndPlaces(t *testing.T) {
	many := func(n int) (all []Binding) {
		for i := range n - 2 {
			all = append(all, Binding{Name: fmt.Sprintf("x%02d", i), Expr: "1"})
		}
		return all
	}
	list := func(n int) string {
		all := []string{"p", "q"}
		for i := range n - 2 {
			all = append(all, fmt.Sprintf("x%02d", i))
		}
		return strings.Join(all, ", ")
	}
	rate := []Binding{{Name: "rate", Expr: "2"}, {Name: "A", Expr: "[[1, 2], [3, 4]]"}}
	for _, c := range []struct {
		let        []Binding
		next, want string
	}{
		{rate, "rat*p", "model.next:1:1: unknown name rat; known are A, p, q, rate; did you mean rate?"}, {rate, "ra*p", "model.next:1:1: unknown name ra; known are A, p, q, rate"}, {many(20), "é*p", "model.next:1:1: unknown name é; known are " + list(20)}, {many(21), "é*p", "model.next:1:1: unknown name é; known are " + list(20) + ", …"},
		{nil, "p[1048576]", "model.next:1:1: p[1048576]: entries 1048576 to 1048576 are asked for, there are 0 to 1"}, {nil, "p[-1048576]", "model.next:1:1: p[-1048576]: entries -1048576 to -1048576 are asked for, there are 0 to 1"}, {nil, "p[1048577]", "model.next:1:3: 1048577 is no index, want a constant whole number"},
		{nil, "p[-1048577]", "model.next:1:3: -1048577 is no index, want a constant whole number"}, {rate, "A[9, 8]*p", "model.next:1:1: A[9, 8]: entries 9 to 9 are asked for, there are 0 to 1"}, {rate, "A[1, 8]*p", "model.next:1:1: A[1, 8]: entries 8 to 8 are asked for, there are 0 to 1"}, {rate, "A[0.5, 0.25]*p", "model.next:1:3: 0.5 is no index, want a constant whole number"},
	} {
		if _, err := Compile(Source{Decision: "q", State: "p[2]", Let: c.let, Next: c.next}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.next, err, c.want)
		}
	}
}

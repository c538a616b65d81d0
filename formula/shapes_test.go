package formula

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// goTogether says by the rules of the manual which shape an operation on two values has; false: none.
func goTogether(sign string, x, y shape) (s shape, ok bool) {
	switch sign {
	case "@": // a vector is a row on the left and a column on the right
		if x.rank == 0 || y.rank == 0 {
			return s, false
		}
		inner := x.cols
		if x.rank == 1 {
			inner = x.rows
		}
		switch ok = inner == y.rows; {
		case x.rank == 1 && y.rank == 1:
			return scalar(), ok
		case y.rank == 1:
			return vector(x.rows), ok
		case x.rank == 1:
			return vector(y.cols), ok
		}
		return matrix(x.rows, y.cols), ok
	case "dot":
		return scalar(), x == y
	case "outer":
		return matrix(x.rows, y.rows), x.rank == 1 && y.rank == 1
	case "list":
		return vector(x.rows + y.rows), x.rank < 2 && y.rank < 2
	}
	if x.rank == 0 {
		return y, true
	}
	return x, y.rank == 0 || x == y
}

// Of all pairs of small shapes, those go together that the rules say, and give the shape that they say and what walking the tree gives.
func TestShapesThatGoTogether(t *testing.T) {
	all := []shape{scalar(), vector(1), vector(2), vector(3), matrix(1, 1), matrix(1, 2), matrix(2, 1), matrix(2, 2), matrix(2, 3), matrix(3, 2), matrix(1, 3)}
	r := rand.New(rand.NewPCG(5, 5))
	for body, sign := range map[string]string{
		"x @ y": "@", "x + y": "+", "x - y": "+", "x*y": "+", "x/y": "+", "max(x, y)": "+", "min(x, y)": "+", "abs(x)^y": "+", "where(x > y, x, 2)": "+", "where(1 < 2, x, y)": "+",
		"where(x == x, 1, y)": "+", "dot(x, y)": "dot", "outer(x, y)": "outer", "[x, y]": "list",
	} {
		for _, a := range all {
			for _, b := range all {
				c := &compiler{graph: newGraph(), names: map[string]*node{}}
				walk := &walker[float64]{kit: floats(), names: map[string]array[float64]{}}
				for name, s := range map[string]shape{"x": a, "y": b} {
					data := make([]float64, s.size())
					for i := range data {
						data[i] = r.NormFloat64()
					}
					c.names[name], walk.names[name] = c.literal(s, data), array[float64]{s, data}
				}
				got := c.builder(text{"test", body}).value(mustParse(body))
				want, ok := goTogether(sign, a, b)
				switch {
				case (got != nil) != ok || (len(c.found) == 0) != ok:
					t.Errorf("%s of %v and %v: %v, %v", body, a, b, got, c.found)
				case ok && (got.shape != want || !slices.Equal(got.data, walk.walk(mustParse(body)).x)):
					t.Errorf("%s of %v and %v is %v %v, want %v %v", body, a, b, got.shape, got.data, want, walk.walk(mustParse(body)).x)
				}
			}
		}
	}
}

// What the limits let through is as large as they say, and what is larger by one is told the limit.
func TestLimitsAreWhatTheySay(t *testing.T) {
	names := func(n int) (all []Binding) {
		for i := range n {
			all = append(all, Binding{Name: fmt.Sprintf("x%d", i), Expr: "1"})
		}
		return all
	}
	in := func(n int) string { return strings.Repeat("(", n) + "p" + strings.Repeat(")", n) }
	numbers := &Value{Shape: []int{1 << 20}, Data: make([]float64, 1<<20)}
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{State: "p", Next: strings.Repeat(" ", 65535) + "p"}, ""},
		{Source{State: "p", Next: strings.Repeat(" ", 65536) + "p"}, "65537 bytes, at most 65536 are allowed"},
		{Source{State: "p", Let: names(1024), Next: "p"}, ""},
		{Source{State: "p", Let: names(1025), Next: "p"}, "1025 names, at most 1024 are allowed"},
		{Source{State: "p", Subject: slices.Repeat([]string{"q <= 1"}, 1024)}, ""},
		{Source{State: "p", Subject: slices.Repeat([]string{"q <= 1"}, 1025)}, "1025 constraints, at most 1024 are allowed"},
		{Source{State: "p", Next: in(199)}, ""},
		{Source{State: "p", Next: in(200)}, "nested more than 200 deep"},
		{Source{State: "p", Next: "-p" + strings.Repeat("+p", 2046)}, ""}, // declarations are parts, too
		{Source{State: "p", Next: "p" + strings.Repeat("+p", 2047)}, "more than 4096 parts"},
		{Source{State: "p", Next: "sum(tanh(p + i) for i in 0:9000)"}, "makes more than 16384 operations"},
		{Source{State: "p", Let: []Binding{{Name: "a", Data: numbers}, {Name: "b", Data: numbers}, {Name: "c", Data: numbers}}, Next: "p"}, "model.let.c:1:1: the model makes more than 2097152 constants"},
		{Source{State: "p", Let: []Binding{{Name: "a", Data: numbers}, {Name: "b", Data: numbers}}, Next: "p"}, "model.next:1:1: the derivative of the formula makes more than 2097152 constants"}, // by the number 1
		{Source{State: "p[1000000]", Next: "exp(exp(exp(exp(p))))"}, "makes more than 4194304 entries of an individual"},
		{Source{State: "p[500]", Next: "(outer(p, p) @ outer(p, p))[0]"}, "costs more than 33554432 operations of an individual"},
		{Source{State: "p", Let: []Binding{{Name: "a", Expr: "[i for i in 0:200]"}}, Next: "p*sum(outer(a, a) @ outer(a, a))"}, "takes more than 4194304 operations on constants"},
		{Source{State: "p", Let: []Binding{{Name: "A", Data: filled(128, 128)}, {Name: "B", Data: filled(128, 256)}, {Name: "C", Expr: "A @ B"}}}, ""}, // 128·128·256 are as many
		{Source{State: "p", Let: []Binding{{Name: "A", Data: filled(128, 128)}, {Name: "B", Data: filled(128, 257)}, {Name: "C", Expr: "A @ B"}}}, "takes more than 4194304 operations on constants"},
		{Source{Decision: "q[800]", State: "p", Subject: []string{"q + sum(q) <= 1"}}, "has more than 524288 coefficients"},
		{Source{Decision: "q[600]", State: "p", Subject: slices.Repeat([]string{"q[0:599] + q[1:600] <= 1"}, 3)}, "the constraints have more than 1048576 coefficients"},
		{Source{Decision: "q[600]", State: "p", Subject: slices.Repeat([]string{"q[0:599] + q[1:600] <= 1"}, 2)}, ""},
		{Source{Decision: "q[1048576]", State: "p", Next: "p"}, ""},
		{Source{Decision: "q[1048577]", State: "p", Next: "p"}, "1048576 entries at most"},
		{Source{Decision: "q[1024, 1024]", State: "p", Next: "p"}, ""},
		{Source{Decision: "q[1024, 1025]", State: "p", Next: "p"}, "1048576 entries at most"},
		{Source{State: "p", Noise: []Shock{{"w[4096]", 0}}, Next: "p + w[0]"}, ""},
		{Source{State: "p", Noise: []Shock{{"w[4097]", 0}}, Next: "p + w[0]"}, "more than 4096 numbers of noise"},
	} {
		if c.source.Decision == "" {
			c.source.Decision = "q"
		}
		if _, err := Compile(c.source); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v, want %q", c.source.Next, err, c.want)
		}
	}
}

// A model of exactly as many operations as are allowed, here numbers, is let through; with one more it is not.
func TestTheLastOperationIsLetThrough(t *testing.T) {
	g := newGraph()
	for i := range 16384 {
		g.number(float64(i))
	}
	if g.full || g.trouble != "" {
		t.Errorf("16384 operations: %q", g.trouble)
	}
	if g.number(-1); !g.full || g.trouble != "makes more than 16384 operations" {
		t.Errorf("one more: %q", g.trouble)
	}
}

// Degrees of polynomials by hand; what is none of the second counts as 3.
func TestOrders(t *testing.T) {
	for body, want := range map[string]int{
		"2": 0, "q[0]": 1, "q[0] - 3*q[1]": 1, "dot(up, q)": 1, "sum(q)/4": 1, "q[0]*q[1]": 2, "q[0]^2 + q[1]": 2, "dot(q, q)": 2, "dot(q, A @ q)/2": 2, "(A @ q)[1]": 1,
		"where(up > 1, q, 2*q)[0]": 1, "where(q > 1, q, 2*q)[0]": 3, "2/q[0]": 3, "q[0]/q[1]": 3, "exp(q[0])": 3, "q[0]*q[1]*q[2]": 3, "q[0]^3": 3, "(q[0]*q[1])^2": 3, "q[0]^1": 1, "sum(outer(q, up))": 1,
		"sum(outer(q, q) @ q)": 3, "norm(q)": 3, "abs(q[0])": 3, "q[0]*q[1]*(q[0]*q[1])": 3, "exp(q[0]*q[1])": 3, "dot(q, q)/(1 + q[0])": 3,
	} {
		c := &compiler{graph: newGraph(), names: map[string]*node{}}
		c.names["q"] = c.input(opDecision, vector(3))
		c.names["up"] = c.literal(vector(3), []float64{1, 2, 3})
		c.names["A"] = c.literal(matrix(3, 3), []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
		if got := c.builder(text{"test", body}).value(mustParse(body)).degU; got != want {
			t.Errorf("%s has the degree %d, want %d", body, got, want)
		}
	}
}

// A number of squarings in a row whose degree, 2⁶⁴, is 0 as a number of 64 bits.
func TestHighDegreesAreNoQuadraticForms(t *testing.T) {
	all := []Binding{{Name: "s0", Expr: "q[0]*q[1]"}}
	for k := 1; k < 64; k++ {
		all = append(all, Binding{Name: fmt.Sprintf("s%d", k), Expr: fmt.Sprintf("s%d^2", k-1)})
	}
	for k := range all {
		_, err := Compile(Source{Decision: "q[2]", State: "p", Let: all, Next: "p", Subject: []string{fmt.Sprintf("s%d <= 1", k)}})
		if err == nil || !strings.Contains(err.Error(), "not shown to be convex") && !strings.Contains(err.Error(), "not convex") {
			t.Errorf("a product squared %d times counts as convex: %v", k, err)
		}
	}
}

// By the eigenvalues of their Hessians: [[2, b], [b, 2]] has 2 ± b.
func TestQuadraticForms(t *testing.T) {
	for body, want := range map[string]curvature{
		"q[0]^2 + q[1]^2 + q[0]*q[1]": {isConvex: true}, "q[0]^2 + q[1]^2 + 3*q[0]*q[1]": {}, "-q[0]^2 - q[1]^2 + 2*q[0]*q[1]": {isConcave: true}, "q[0]^2 + q[1]^2 - 2*q[0]*q[1]": {isConvex: true},
		"q[0]*q[1] - q[1]*q[0]": {isConvex: true, isConcave: true}, "q[0]*q[1]": {}, "q[0]^2 - 1e-9*q[1]^2": {}, "q[0]^3": {}, "q*q[0]": {}, "-q[0]^2 + 5*q[2]": {isConcave: true},
	} {
		c := &compiler{graph: newGraph(), names: map[string]*node{}}
		c.names["q"] = c.input(opDecision, vector(3))
		if got := quadratic(c.builder(text{"test", body}).value(mustParse(body))); got != want {
			t.Errorf("%s bends as %+v, want %+v", body, got, want)
		}
	}
}

// All cuts of axes of three and four entries: those between the ends that hold something are what they say, the others are refused.
func TestCutsOfAxes(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	type ends struct {
		text   string
		lo, hi int // of three entries
	}
	var cuts []ends
	for lo := -1; lo < 5; lo++ {
		cuts = append(cuts, ends{fmt.Sprintf("%d", lo), lo, lo + 1}, ends{fmt.Sprintf("%d:", lo), lo, 3}, ends{fmt.Sprintf(":%d", lo), 0, lo})
		for hi := -1; hi < 5; hi++ {
			cuts = append(cuts, ends{fmt.Sprintf("%d:%d", lo, hi), lo, hi})
		}
	}
	cuts = append(cuts, ends{":", 0, 3})
	for _, c := range cuts {
		for body, s := range map[string]shape{"x[" + c.text + "]": vector(3), "A[" + c.text + "]": matrix(3, 4), "A[" + c.text + ", 1]": matrix(3, 4), "A[" + c.text + ", 1:3]": matrix(3, 4), "B[2, " + c.text + "]": matrix(4, 3), "B[:, " + c.text + "]": matrix(4, 3)} {
			g := &compiler{graph: newGraph(), names: map[string]*node{}}
			g.names[body[:1]] = g.literal(s, data[:s.size()])
			got := g.builder(text{"test", body}).value(mustParse(body))
			if ok := 0 <= c.lo && c.lo < c.hi && c.hi <= 3; (got != nil) != ok {
				t.Errorf("%s: %v, %v", body, got, g.found)
			} else if ok {
				walk := &walker[float64]{kit: floats(), names: map[string]array[float64]{body[:1]: {s, data[:s.size()]}}}
				if want := walk.walk(mustParse(body)); got.shape != want.s || !slices.Equal(got.data, want.x) {
					t.Errorf("%s is %v %v, want %v %v", body, got.shape, got.data, want.s, want.x)
				}
			}
		}
	}
}

func filled(rows, columns int) *Value {
	return &Value{Shape: []int{rows, columns}, Data: slices.Repeat([]float64{0.5}, rows*columns)}
}

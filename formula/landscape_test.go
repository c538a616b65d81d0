package formula

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
)

func column(x ...float64) kedge.Block { return kedge.Block{Data: x, Width: 1} }

// The mean loss of people who count differently is Σwᵢlᵢ/n, here of lᵢ = dᵢ(q − dᵢ)² with slopes 2dᵢ(q − dᵢ) and 2dᵢ; those who are alike are looked at once, those without weight not at all.
func TestLandscapesOfPeople(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Minimize: "d*(q - d)^2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		traits, weights []float64
		people          int
	}{
		{[]float64{1}, nil, 1}, {[]float64{1, 2, 1, 3, 2, 1}, nil, 3}, {[]float64{1, 2, 3}, []float64{0.5, 2.5, 0}, 2}, {[]float64{1, 1, 4}, []float64{0.5, 1, 1.5}, 3}, {[]float64{0, math.Copysign(0, -1), 5}, nil, 3},
	} {
		l, err := m.WeightedLandscape(column(c.traits...), nil, c.weights)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.people) != c.people || l.Decisions() != 1 {
			t.Errorf("%v: %d people, want %d", c.traits, len(l.people), c.people)
		}
		const q = 1.75
		var want [3]float64
		for i, d := range c.traits {
			w := 1.0
			if c.weights != nil {
				w = c.weights[i]
			}
			for k, v := range []float64{d * (q - d) * (q - d), 2 * d * (q - d), 2 * d} {
				want[k] += w * v / float64(len(c.traits))
			}
		}
		for size := 1; size <= 4; size++ { // as many derivatives as there is room for
			jet := make(interval.Jet, size)
			work := l.Enclose(jet, []interval.Span{interval.Point(q)})
			for k, v := range jet[:min(size, 3)] {
				if math.Abs(v.Mid()-want[k]) > 1e-13 || v.Radius() > 1e-13 {
					t.Errorf("%v, weights %v: derivative %d is %v, want %v", c.traits, c.weights, k, v, want[k])
				}
			}
			if least := c.people * size; size < 4 && work < least {
				t.Errorf("%d spans are computed for %d people and %d derivatives", work, c.people, size-1)
			}
		}
	}
	for what, c := range map[string]struct {
		traits, starts kedge.Rows
		weights        []float64
	}{
		"starts": {column(1, 2), column(1), nil}, "few": {column(1, 2), nil, []float64{1}}, "less": {column(1, 2), nil, []float64{-1, 3}}, "traits": {kedge.Block{Data: []float64{1, 2}, Width: 2}, nil, nil},
	} {
		if _, err := m.WeightedLandscape(c.traits, c.starts, c.weights); err == nil || len(what) > 4 && !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Two people with the same trait rest where they start from: 2p²/(1 + p²) + 0.1 has rests near 0.1373 and 1.4973 that attract (p³ − 2.1p² + p − 0.1 = 0), apart at 0.465.
func TestLandscapesBeginWherePeopleDo(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Next: "2*p^2/(1 + p^2) + 0.1 + 0*q", Minimize: "p + q^2"})
	if err != nil {
		t.Fatal(err)
	}
	root := func(p float64) float64 {
		for range 500 {
			p = 2*p*p/(1+p*p) + 0.1
		}
		return p
	}
	for _, starts := range [][]float64{{0.2, 0.3}, {0.2, 3}, {2, 3}, {1, 0.4}} {
		l, err := m.Landscape(column(7, 7), column(starts...))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.people) != 2 {
			t.Fatalf("%d people", len(l.people))
		}
		jet := make(interval.Jet, 3)
		l.Enclose(jet, []interval.Span{{Lo: 1, Hi: 1}})
		if want := (root(starts[0])+root(starts[1]))/2 + 1; math.Abs(jet[0].Mid()-want) > 1e-9 || jet[0].Radius() > 1e-9 || math.Abs(jet[1].Mid()-2) > 1e-9 || math.Abs(jet[2].Mid()-2) > 1e-9 {
			t.Errorf("from %v: %v, want %v", starts, jet, want)
		}
	}
}

// Functions that are convex for everybody, by themselves or all at once, and such that are not.
func TestConvexLandscapes(t *testing.T) {
	for _, c := range []struct {
		next, loss string
		traits     []float64 // pairs
		want       bool
	}{
		{"", "d[0]*q^2", []float64{1, 0, 2, 0}, true}, {"", "d[0]*q^2", []float64{1, 0, -2, 0}, false}, {"", "d[0]*d[1]*q^2", []float64{1, 1, -1, -1}, true}, {"", "d[0]*d[1]*q^2", []float64{1, 1, -1, 1}, false},
		{"0.5*p + q", "p^2", []float64{1, 1}, true}, {"0.5*p + q", "-p^2", []float64{1, 1}, false}, {"0.5*p + q^2", "p", []float64{1, 1}, true}, {"0.5*p + q^2", "-p", []float64{1, 1}, false}, {"0.5*p - q^2", "-p", []float64{1, 1}, true},
		{"0.5*p + exp(q)", "exp(p)", []float64{1, 1}, true}, {"0.5*p + d[0]", "p*q^2", []float64{1, 1, 2, 2}, true}, {"0.5*p + d[0]", "p*q^2", []float64{1, 1, -2, 2}, false}, {"0.5*p + sin(q)", "p", []float64{1, 1}, false}, {"0.5*p + 0*q", "q^2 + p", []float64{3, 3}, true},
		{"0.5*p + d[0]*q^2", "p", []float64{1, 1}, true}, {"0.5*p + d[0]*q^2", "p", []float64{-1, 1}, false}, {"0.5*p + d[0]*q^2", "-p", []float64{-1, 1}, true}, {"0.5*p + d[0]*q^2", "p", []float64{1, 1, -1, 1}, false},
		{"max(0.5*p, q)", "p", []float64{1, 1}, true}, {"tanh(p)/2 + q", "p", []float64{1, 1}, false},
	} {
		m, err := Compile(Source{Decision: "q", State: "p", Trait: "d[2]", Next: c.next, Minimize: c.loss})
		if err != nil {
			t.Fatal(err)
		}
		starts := make([]float64, len(c.traits)/2)
		l, err := m.Landscape(kedge.Block{Data: c.traits, Width: 2}, column(starts...))
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Convex([]interval.Span{{Lo: -2, Hi: 2}}); got != c.want {
			t.Errorf("%s at rest of %s for %v is convex: %v", c.loss, c.next, c.traits, got)
		}
	}
}

// Functions of one number are said to rise, fall and bend over a range just as their values on a grid do.
func TestProfiles(t *testing.T) {
	check := func(what string, got profile, f func(float64) float64, s interval.Span) {
		const n = 60
		var y [n + 1]float64
		for i := range y {
			if y[i] = f(s.Lo + (s.Hi-s.Lo)*float64(i)/n); y[i]-y[i] != 0 {
				return // defined on a part of the range alone
			}
		}
		want := profile{true, true, true, true}
		for i := 1; i <= n; i++ {
			want.rises, want.falls = want.rises && y[i] >= y[i-1]-1e-12, want.falls && y[i] <= y[i-1]+1e-12
			if i < n {
				bend := y[i-1] + y[i+1] - 2*y[i]
				want.isConvex, want.isConcave = want.isConvex && bend >= -1e-10, want.isConcave && bend <= 1e-10
			}
		}
		if s.Lo == s.Hi || got == want {
			return
		}
		t.Errorf("%s over %v: %+v, want %+v", what, s, got, want)
	}
	spans := []interval.Span{{Lo: -2, Hi: -1}, {Lo: -1, Hi: 0}, {Lo: -1, Hi: 1}, {Lo: 0, Hi: 1}, {Lo: 0.5, Hi: 2}}
	for o, f := range map[op]func(float64) float64{
		opNeg: func(x float64) float64 { return -x }, opExp: math.Exp, opLog: math.Log, opSqrt: math.Sqrt, opTanh: math.Tanh, opSigmoid: sigmoid, opErf: math.Erf, opAbs: math.Abs,
	} {
		for _, s := range spans {
			got := profiles[o](s)
			got.isConcave = got.isConcave || o == opAbs && s.Lo*s.Hi >= 0 // on one side of 0, where it is not said
			check("function "+functionName(o), got, f, s)
		}
	}
	for _, k := range []float64{-3, -2, -1, 2, 3, 4, 5} {
		for _, s := range spans {
			check("a power", powerProfile(s, k), func(x float64) float64 { return math.Pow(x, k) }, s)
		}
	}
	for _, k := range []float64{-0.5, 0.5, 1.5} {
		for _, s := range spans[3:] {
			check("a power", powerProfile(s, k), func(x float64) float64 { return math.Pow(x, k) }, s)
		}
	}
	line := profile{isConvex: true, isConcave: true, rises: true}
	for what, c := range map[string]struct{ got, want profile }{
		"x^0": {powerProfile(spans[2], 0), line}, "x^1": {powerProfile(spans[2], 1), line}, "1/x around 0": {powerProfile(spans[2], -1), profile{}}, "x^1.5 around 0": {powerProfile(spans[2], 1.5), profile{isConvex: true}},
		"x^-0.5 below 0": {powerProfile(spans[0], -0.5), profile{}}, "x^-1 from 0": {powerProfile(spans[3], -1), profile{}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", what, c.got, c.want)
		}
	}
}

func functionName(o op) string {
	return map[op]string{opNeg: "-x", opExp: "exp", opLog: "log", opSqrt: "sqrt", opTanh: "tanh", opSigmoid: "sigmoid", opErf: "erf", opAbs: "abs"}[o]
}

// How values bend, by the rules of convex functions: of products with what has a sign, of quotients, powers and chains.
func TestCurvatures(t *testing.T) {
	up, down, both, none := curvature{isConvex: true}, curvature{isConcave: true}, isAffine, curvature{}
	for body, want := range map[string]curvature{
		"q[0]": both, "2 - 3*q[1]": both, "x*q[0]": both, "y*q[0]^2": up, "-y*q[0]^2": down, "x*q[0]^2": none, "q[0]^2*y": up, "q[0]^2/y": up, "q[0]^2/x": none, "q[0]/x": none, "y/q[2]": up, "(0 - y)/q[2]": down, "x/q[2]": none, "y/q[0]": none, "2": isConstant, "x^2 + y": isConstant, "exp(x)": isConstant,
		"exp(q[0]^2)": up, "exp(-q[0]^2)": none, "log(q[2])": down, "-log(q[2])": up, "sqrt(q[2]) - q[0]^2": down, "sqrt(q[2]) + q[0]^2": none, "max(q)": up, "min(q)": down, "max(q[0], q[1]^2)": up, "max(q[0], -q[1]^2)": none, "min(q[0], -q[1]^2)": down, "norm(q)": up, "-norm(q)": down, "dot(q, q)": up, "q[0]*q[0]": up,
		"abs(q[0])": up, "abs(q[2])": up, "abs(exp(q[0]))": up, "logsumexp(q)": up, "sum(q^2)": up, "[q, 2]": both, "[q^2, q]": up, "where(y > 0, q, q^2)": up, "where(q > 0, 1, q)": none, "y^q[0]": up, "2^(q[0]^2)": up, "0.5^(q[0]^2)": none, "0.5^(-q[0]^2)": up, "x^q[0]": none, "q[2]^1.5": up, "q[2]^0.5": down, "q[0]^x": none, "q[2]^-1": up,
		"tanh(q[2])": down, "tanh(-q[2])": up, "tanh(q[0])": none, "outer(q, [1, 2])": both, "outer(q^2, [1, -2])": none, "dot(q^2, [1, 2, 0])": up, "dot(q^2, [-1, 0, -2])": down, "sum([1, 2]^(q[0]^2))": up, "sum([0.5, 1]^(-q[0]^2))": up, "sum([0.5, 2]^(q[0]^2))": none, "sum([0, 1]^q[0])": none, "sum(q[2]^[1, 2])": none, "[[1, 2, 3], [0, 1, 0]] @ q^2": up, "q^2 @ [[1], [2], [-3]]": none, "q^2 - q": up, "q - q^2": down, "sum(q)": both, "q[0]^3": none, "q[2]^3": up, "(0 - q[2])^3": down, "max(q)^2": up, "max(q[0:2])^2": none, "max(q, y)^2": up,
	} {
		c := &compiler{graph: newGraph(), names: map[string]*node{}}
		c.names["q"], c.names["t"] = c.input(opDecision, vector(3)), c.input(opTrait, vector(2))
		for i, name := range []string{"x", "y"} { // between −1 and 1, and between 2 and 3
			c.names[name] = c.apply(opSlice, scalar(), [4]int{i, 1}, c.names["t"])
		}
		n := c.builder(text{"test", body}).value(mustParse(body))
		if n == nil {
			t.Fatal(body, c.found)
		}
		e := newEncloser(interval.Jets{}, n)
		e.numbers(opDecision, []interval.Span{{Lo: -1, Hi: 1}, {Lo: -1, Hi: 1}, {Lo: 0.5, Hi: 2}})
		e.numbers(opTrait, []interval.Span{{Lo: -1, Hi: 1}, {Lo: 2, Hi: 3}})
		e.run(e.shared)
		e.run(e.own)
		if got := (&curver{ranges: e, known: map[*node]curvature{}}).of(n); got != want {
			t.Errorf("%s bends as %+v, want %+v", body, got, want)
		}
	}
}

// Forms of the decision have the values of walking the tree, whatever they are put together by, with terms in order and none that is 0.
func TestAffineForms(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, body := range []string{
		"q", "q[1]", "2*q - 3", "q/4 + up", "(q - up)/4", "q[2] - 3*q[0]", "up - q*2", "-q", "q[1:3]", "[q, 1, q[0] - q[2]]", "sum(q)", "mean(q) - q", "dot(up, q)", "dot(q, up) + 2", "A @ q", "q @ A'", "transpose(outer(q, up))", "outer(up, q)[1]", "outer(q, up)[:, 2] - q", "A @ outer(q, up)", "outer(up, q) @ outer(up, up)",
		"where(up > 1.5, q, 2*q - 1)", "where(up > 1.5, 3, q)", "where(1 < 2, q, 5)", "q - q", "q + up - q", "sum(q*up) - q[0]", "sum(q[i]*i for i in 0:3)", "[[q[i] - j for j in 0:2] for i in 0:3]", "[[1, 2, 3], [q[0], q[1], q[2]]]'", "([[1, 2, 3], [q[0], q[1], q[2]]]' @ [2, -1])*3", "[1, -1] @ [[1, 2, 3], [q[0], q[1], q[2]]]",
	} {
		c := &compiler{graph: newGraph(), names: map[string]*node{}}
		q, up := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, []float64{1, 2, 3}
		a := []float64{1, 2, -3, 0, 1, 0.5}
		c.names["q"], c.names["up"], c.names["A"] = c.input(opDecision, vector(3)), c.literal(vector(3), up), c.literal(matrix(2, 3), a)
		n := c.builder(text{"test", body}).value(mustParse(body))
		if n == nil || n.degU > 1 {
			t.Fatal(body, c.found)
		}
		walk := &walker[float64]{kit: floats(), names: map[string]array[float64]{"q": {vector(3), q}, "up": {vector(3), up}, "A": {matrix(2, 3), a}}}
		want, forms := walk.walk(mustParse(body)).x, newForms(3)
		got := forms.of(n)
		if len(got) != len(want) {
			t.Fatalf("%s: %d forms, want %d", body, len(got), len(want))
		}
		for i, form := range got {
			v := form.rest
			for _, term := range form.terms {
				v += term.c * q[term.at]
			}
			isSorted := slices.IsSortedFunc(form.terms, func(a, b coefficient) int { return a.at - b.at })
			if math.Abs(v-want[i]) > 1e-13 || !isSorted || slices.ContainsFunc(form.terms, func(t coefficient) bool { return t.c == 0 }) {
				t.Errorf("%s: entry %d is %+v, which is %v, want %v", body, i, form, v, want[i])
			}
		}
	}
}

func sigmoid(x float64) float64 {
	e := exponential(-math.Abs(x))
	if x >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

package formula

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/interval"
)

// boxAround is a box that holds x, and a point of it.
func boxAround(r *rand.Rand, x []float64, width float64) (box []interval.Span, u []float64) {
	for _, v := range x {
		s := interval.Span{Lo: v - width*r.Float64(), Hi: v + width*r.Float64()}
		box = append(box, s)
		u = append(u, s.Lo+r.Float64()*(s.Hi-s.Lo))
	}
	return box, u
}

func isIn(s interval.Span, v float64) bool {
	slack := 1e-9 * (1 + math.Abs(v))
	return v != v || math.IsInf(v, 0) || s.Lo-slack <= v && v <= s.Hi+slack
}

// Enclosures hold the values and slopes of random models at random points of boxes of states and decisions.
func TestEnclosuresHold(t *testing.T) {
	evidence.OneGoroutine(t)
	r := author{rand.New(rand.NewPCG(11, 1))}
	narrow := 0
	for range 600 {
		x := newTrial(t, r)
		p, u, d := x.p[:4], x.u, x.d[:2]
		width := math.Pow(10, -4*r.Float64())
		states, state := boxAround(r.Rand, p, width)
		decisions, decision := boxAround(r.Rand, u, width)
		e := newEncloser(interval.Jets{Variables: 3, Order: 2}, x.model.loss, x.model.next)
		e.numbers(opState, states)
		e.variables(opDecision, decisions)
		e.numbers(opTrait, interval.Points(d))
		e.run(e.shared)
		e.run(e.own)

		g, next := make([]float64, 3), make([]float64, 4)
		loss := x.model.Objective().Eval(nil, g, state, decision, d)
		x.model.Dynamics().Next(next, state, decision, d)
		jet := e.entry(x.model.loss, 0)
		if !isIn(jet[0], loss) {
			t.Fatalf("%+v\nthe loss %v is outside of %v", x.source, loss, jet[0])
		}
		for i, v := range g {
			if !isIn(jet[1+i], v) {
				t.Fatalf("%+v\nslope %d is %v, outside of %v", x.source, i, v, jet[1+i])
			}
		}
		for i, v := range next {
			if s := e.entry(x.model.next, i)[0]; !isIn(s, v) {
				t.Fatalf("%+v\nthe next state %v of %d is outside of %v", x.source, v, i, s)
			}
		}
		if width < 1e-3 && jet[0].IsFinite() && jet[0].Radius() < 1 {
			narrow++
		}
	}
	if narrow < 40 {
		t.Errorf("only %d enclosures of small boxes were narrow", narrow)
	}
}

// A comparison with what is no number fails in a formula, so where one is possible either branch is.
func TestNoNumbersAreCompared(t *testing.T) {
	for _, loss := range []string{"where(sqrt(q) >= 0, 1, 0)", "where(log(q) >= -800, 1, 0)", "where(q^0.7 >= 0, 1, 0)", "where(norm(normalize([q, q])) <= 2, 1, 0)",
		"where(sqrt(q) + 1 >= 0, 1, 0)"} {
		m, err := Compile(Source{Decision: "q", State: "p", Minimize: loss})
		if err != nil {
			t.Fatal(err)
		}
		l, err := m.Landscape(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		jet := make(interval.Jet, 1)
		if l.Enclose(jet, []interval.Span{{Lo: -1, Hi: 1}}); jet[0] != (interval.Span{Lo: 0, Hi: 1}) {
			t.Errorf("%s: %v", loss, jet[0])
		}
	}
}

// What the rules call convex has no value above the mean of two others, and what they call concave none below.
func TestCurvatureHolds(t *testing.T) {
	evidence.OneGoroutine(t)
	r := author{rand.New(rand.NewPCG(12, 1))}
	found := map[curvature]int{}
	for range 3000 {
		x := newTrial(t, r)
		states, p := boxAround(r.Rand, x.p[:4], 2)
		decisions, u := boxAround(r.Rand, x.u, 2)
		_, q := boxAround(r.Rand, x.p[:4], 2)
		_, v := boxAround(r.Rand, x.u, 2)
		for i := range q {
			q[i] = min(max(q[i], states[i].Lo), states[i].Hi)
		}
		for i := range v {
			v[i] = min(max(v[i], decisions[i].Lo), decisions[i].Hi)
		}
		d := x.d[:2]
		e := newEncloser(interval.Jets{}, x.model.loss)
		e.numbers(opState, states)
		e.numbers(opDecision, decisions)
		e.numbers(opTrait, interval.Points(d))
		e.run(e.shared)
		e.run(e.own)
		c := &curver{ranges: e, known: map[*node]curvature{}, state: isAffine}
		got := c.of(x.model.loss)
		found[got]++
		value := func(s float64) float64 {
			a, b := make([]float64, 4), make([]float64, 3)
			for i := range a {
				a[i] = p[i] + s*(q[i]-p[i])
			}
			for i := range b {
				b[i] = u[i] + s*(v[i]-u[i])
			}
			return x.model.Objective().Eval(nil, nil, a, b, d)
		}
		left, middle, right := value(0), value(0.5), value(1)
		excess := middle - (left+right)/2
		slack := 1e-9 * (1 + math.Abs(left) + math.Abs(right))
		if got.isConvex && excess > slack || got.isConcave && excess < -slack || got.isConstant && left != right {
			t.Fatalf("%+v\n%+v: %v, %v, %v", x.source, got, left, middle, right)
		}
	}
	if found[curvature{isConvex: true}] < 20 || found[curvature{isConcave: true}] < 20 || found[isAffine] < 20 {
		t.Errorf("too little is found to bend one way: %v", found)
	}
}

// restful are models whose steady states are enclosed: affine with a matrix that depends on decision and trait, and not affine.
func restful() []Source {
	return []Source{
		{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "0.5*p + 0.5*(q + d)", Minimize: "sum((p - 1)^2) + exp(-p[0]*p[1])"},
		{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "[0.3*sigmoid(q[0])*p[0] + 0.2*p[1] + d[0], 0.1*p[0]*tanh(d[1]) + q[1]]", Minimize: "dot(p, q) + p[1]^3"},
		{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "tanh(0.5*p + q) + 0.2*d", Minimize: "sum(p^2) - p[0]*q[1]"},
		{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "0.4*softmax(p - q) + 0.3*d", Minimize: "sum(sigmoid(p)*q)"},
		{Decision: "q", State: "p", Trait: "d", Next: "0.8*p - 0.1*p^3/(1+p^2) + 0.3*tanh(q + d)", Minimize: "(p - 0.5)^2 + abs(p + q)"},
		{Decision: "q", State: "p", Trait: "d", Next: "2*p^2/(1+p^2) + 0.1 + 0.02*q", Minimize: "p + 0.1*q^2"}, // two steady states
	}
}

// Enclosures of the mean loss at rest hold what people who walk there have, and its differences.
func TestRestHolds(t *testing.T) {
	evidence.OneGoroutine(t)
	r := rand.New(rand.NewPCG(13, 1))
	for k, s := range restful() {
		m, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		dims := m.Dims()
		traits := kedge.Block{Data: make([]float64, 3*dims.Trait), Width: dims.Trait}
		for i := range traits.Data {
			traits.Data[i] = 0.3 + 0.9*float64(r.IntN(2)) + 0.1*r.Float64()
		}
		l, err := m.Landscape(traits, nil)
		if err != nil {
			t.Fatal(err)
		}
		narrow := 0
		for range 60 {
			center := make([]float64, dims.Decision)
			for i := range center {
				center[i] = r.NormFloat64()
			}
			box, u := boxAround(r, center, math.Pow(10, -3*r.Float64()))
			jet := make(interval.Jet, interval.Jets{Variables: dims.Decision, Order: 2}.Size())
			l.Enclose(jet, box)
			if v := walkedLoss(m, traits, u); !isIn(jet[0], v) {
				t.Fatalf("model %d at %v: %v is outside of %v", k, u, v, jet[0])
			}
			for i := range u {
				up, down := append([]float64(nil), u...), append([]float64(nil), u...)
				h := 1e-5
				up[i], down[i] = u[i]+h, u[i]-h
				slope := (walkedLoss(m, traits, up) - walkedLoss(m, traits, down)) / (2 * h)
				bend := (walkedLoss(m, traits, up) - 2*walkedLoss(m, traits, u) + walkedLoss(m, traits, down)) / (h * h)
				wide, wider := jet[1+i], jet[interval.Jets{Variables: dims.Decision, Order: 2}.Hessian(i, i)]
				if slope < wide.Lo-1e-4 || slope > wide.Hi+1e-4 || bend < wider.Lo-1e-3 || bend > wider.Hi+1e-3 {
					t.Fatalf("model %d at %v: slope %v in %v, bend %v in %v", k, u, slope, wide, bend, wider)
				}
			}
			if jet[0].IsFinite() && jet[1].IsFinite() {
				narrow++
			}
		}
		if narrow < 30 {
			t.Errorf("model %d: only %d of 60 boxes are known", k, narrow)
		}
	}
}

func walkedLoss(m *Model, traits kedge.Block, u []float64) (mean float64) {
	dims := m.Dims()
	n, _ := traits.Size()
	for i := range n {
		d := kedge.Row(traits.Data, i, dims.Trait)
		p, q := append([]float64(nil), d...), make([]float64, dims.State)
		for range 150 {
			m.Dynamics().Next(q, p, u, d)
			p, q = q, p
		}
		mean += m.Objective().Eval(nil, nil, p, u, d) / float64(n)
	}
	return mean
}

// Where dynamics forget nothing or lead nowhere nothing is known, and where a decision within the box tips people over no slope is;
// one such person is enough.
func TestRestIsRefused(t *testing.T) {
	for next, c := range map[string]struct{ box, value interval.Span }{
		"p + q - d":                    {interval.Span{Lo: 0, Hi: 1}, interval.Whole()},
		"p^2 + q":                      {interval.Span{Lo: 1, Hi: 2}, interval.Whole()},
		"p + 0.001*sigmoid(p) + 0*q":   {interval.Span{Lo: 0, Hi: 1}, interval.Whole()},
		"2*p^2/(1+p^2) + 0.1 + 0.02*q": {interval.Span{Lo: -3, Hi: 3}, interval.Span{Lo: 0.04, Hi: 1.53}},
		"where(p > q, 1, 0)":           {interval.Span{Lo: 0, Hi: 1}, interval.Span{Lo: 0, Hi: 1}},
	} {
		m, err := Compile(Source{Decision: "q", State: "p", Trait: "d", Next: next, Minimize: "p"})
		if err != nil {
			t.Fatal(err)
		}
		l, err := m.Landscape(kedge.Block{Data: []float64{0.45, 1.2}, Width: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		jet := make(interval.Jet, 3)
		l.Enclose(jet, []interval.Span{c.box})
		if !c.value.Inside(jet[0]) || jet[1] != interval.Whole() || jet[2] != interval.Whole() {
			t.Errorf("%s over %v: %v", next, c.box, jet)
		}
	}
}

// Decisions for which somebody never comes to rest have no value, and boxes that hold some have that of the others and no slopes.
func TestRestIsNotEverywhere(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: "(0.3 + 0.4*q)*p + d", Minimize: "sum(p)"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.Landscape(kedge.Block{Data: []float64{1, 2, 3, 4}, Width: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ box, value interval.Span }{
		{interval.Span{Lo: 2, Hi: 3}, interval.Span{Lo: math.MaxFloat64, Hi: math.Inf(1)}},
		{interval.Span{Lo: -9, Hi: -4}, interval.Span{Lo: math.MaxFloat64, Hi: math.Inf(1)}},
		{interval.Span{Lo: 1, Hi: 3}, interval.Span{Lo: 5 / 0.3, Hi: math.Inf(1)}},
		{interval.Span{Lo: -4, Hi: 1}, interval.Span{Lo: 2.5, Hi: 5 / 0.3}},
	} {
		jet := make(interval.Jet, 3)
		l.Enclose(jet, []interval.Span{c.box})
		if math.Abs(jet[0].Lo-c.value.Lo) > 1e-9 || !(jet[0].Hi-c.value.Hi < 1e-9 || jet[0].Hi == c.value.Hi) || jet[1] != interval.Whole() {
			t.Errorf("%v: %v, want %v", c.box, jet, c.value)
		}
	}
}

// Many decisions have no Hessian, and too many no landscape.
func TestLandscapesHaveLimits(t *testing.T) {
	for n, want := range map[int]string{20: "", 150: "", 3000: "too large"} {
		size := strconv.Itoa(n)
		m, err := Compile(Source{Decision: "q[" + size + "]", State: "p[" + size + "]", Trait: "d[" + size + "]", Next: "0.5*p + 0.5*q + d", Minimize: "sum(p^2)"})
		if err != nil {
			t.Fatal(err)
		}
		l, err := m.Landscape(kedge.Block{Data: make([]float64, n), Width: n}, nil)
		if err != nil || want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v", n, err)
			}
			continue
		}
		jets := interval.Jets{Variables: n, Order: 2}
		jet, box := make(interval.Jet, jets.Size()), make([]interval.Span, n)
		if l.Enclose(jet, box); !jet[0].Has(0) || !jet[n].Has(0) || jet[1+n].IsFinite() != (n < 100) {
			t.Errorf("%d: %v, %v, %v", n, jet[0], jet[n], jet[1+n])
		}
		if !l.Convex(box) {
			t.Errorf("%d: not convex", n)
		}
	}
}

// A landscape refuses models without an objective or a next state that it needs, and people of another size.
func TestLandscapeIsChecked(t *testing.T) {
	for what, s := range map[string]Source{
		"no objective": {Decision: "q", State: "p", Trait: "d", Next: "0.5*p"},
		"no next":      {Decision: "q", State: "p", Trait: "d", Minimize: "p^2"},
		"wrong traits": {Decision: "q", State: "p", Trait: "d[2]", Minimize: "q^2"},
		"wrong starts": {Decision: "q", State: "p[2]", Trait: "d", Next: "tanh(p)", Minimize: "sum(p)"},
	} {
		m, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Landscape(kedge.Block{Data: []float64{1}, Width: 1}, nil); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

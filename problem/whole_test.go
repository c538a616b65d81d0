package problem

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// wholes is a model whose settled loss is (q₀ − 2.4)² + (q₁ − 1.7)² + 0.8(q₀ − 2.4)(q₁ − 1.7), of people who settle at q.
const wholes = `iterations: 20
trials: 1
model:
  decision: q[apples, pears]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*q + 0*d
  minimize: "(p[0] - 2.4)^2 + (p[1] - 1.7)^2 + 0.8*(p[0] - 2.4)*(p[1] - 1.7)"
  subject to: 0 <= q <= 5
  integer: true
population: {size: 3, law: normal, mean: 0, deviation: 1}
start: {law: zero}
algorithms:
  - {name: composite, step: 0.3, batch: 2}
`

// The best whole decision is that of looking at each by hand, and what is said of it is that all were looked at.
func TestWholeNumbersAreProven(t *testing.T) {
	loss := func(a, b float64) float64 { return (a-2.4)*(a-2.4) + (b-1.7)*(b-1.7) + 0.8*(a-2.4)*(b-1.7) }
	for _, c := range []struct {
		set, integer, why string
		allowed           func(a, b float64) bool
	}{
		{"0 <= q <= 5", "true", "all 36 decisions of the set were looked at", func(a, b float64) bool { return true }},
		{"[q >= 0, sum(q) == 5]", "true", "all 6 decisions of the set were looked at", func(a, b float64) bool { return a+b == 5 }},
		{"norm(q - [0, 0]) <= 2", "true", "all 13 decisions of the set were looked at", func(a, b float64) bool { return a*a+b*b <= 4 }},
		{"0 <= q <= 70", "true", "", func(a, b float64) bool { return true }}, // too many to look at
	} {
		p, err := Build("x", mustParse(t, wholes, Assign("model.subject to="+c.set), Assign("model.integer="+c.integer)), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, least := []float64(nil), math.Inf(1)
		for a := -5.0; a <= 5; a++ {
			for b := -5.0; b <= 5; b++ {
				if v := loss(a, b); c.allowed(a, b) && v < least {
					want, least = []float64{a, b}, v
				}
			}
		}
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		s, known, err := p.Best(context.Background(), f, [][]float64{p.Start})
		if err != nil || !slices.Equal(s.Decision, want) || math.Abs(s.Loss-least) > 1e-12 || known.Why != c.why || known.Proven != (c.why != "") {
			t.Errorf("%s: %v with %v, %+v, %v, want %v with %v", c.set, s.Decision, s.Loss, known, err, want, least)
		}
		if known.Lower == nil || !(*known.Lower <= least+1e-12) {
			t.Errorf("%s: the bound is %v", c.set, known.Lower)
		}
	}
}

// With pears whole, apples are best at 2.4 − 0.4(pears − 1.7): by hand 2.28, 2 among the slices, which a proof of each shows.
func TestSomeWholeNumbersAreProven(t *testing.T) {
	for _, entry := range []string{"pears", "1"} {
		p, err := Build("x", mustParse(t, wholes, Assign("model.integer=["+entry+"]")), nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		s, known, err := p.Best(context.Background(), f, [][]float64{p.Start})
		if err != nil || math.Abs(s.Decision[0]-2.28) > 1e-6 || s.Decision[1] != 2 || !known.Proven || !strings.Contains(known.Why, "6 choices") {
			t.Errorf("%+v, %+v, %v", s, known, err)
		}
		if exact := p.ExactEntries(); !slices.Equal(exact, []bool{false, true}) {
			t.Errorf("entries that are whole: %v", exact)
		}
	}
}

// What is deployed and recommended is whole, whatever the rule walks on.
func TestWholeNumbersAreDeployed(t *testing.T) {
	p, err := Build("x", mustParse(t, wholes), nil)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 2)
	if trial.Algorithm.Ask(u); u[0] != 0 || u[1] != 0 {
		t.Errorf("the first decision is %v", u)
	}
	if _, ok := p.Set.(set.Lattice); !ok {
		t.Errorf("the set is %T", p.Set)
	}
}

func TestWholeNumberMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"integer: true", "integer: [pear]", "x.yaml:10: model.integer names entry pear, which the decision does not have; did you mean pears?"},
		{"integer: true", "integer: [2]", "x.yaml:10: model.integer names entry 2, but the decision has entries 0 to 1"},
		{"integer: true", "integer: 3", "x.yaml:10: model.integer is 3, want true, or a list of entries such as [0, 2] or [apples]"},
		{"integer: true", "integr: true", "x.yaml:10: unknown key model.integr, did you mean integer?"},
		{"0 <= q <= 5\n  integer: true", "norm(q) <= 5\n  integer: [0]", "x.yaml:10: model.integer names some entries, but in a set of kind ball all are whole numbers or none; want true, or kind box"},
		{"name: composite, step: 0.3", "name: two-point, step: 0.3, delta: 1", "x.yaml:14: algorithms.two-point is of kind two-point, which tries decisions beside its own, but decisions are whole numbers; want a method that follows gradients, such as composite or vanilla"},
		{"step: 0.3", "step: 0.3, rate-limit: 0.1", "x.yaml:14: algorithms.composite.rate-limit is 0.1, but decisions are whole numbers, which are deployed whole steps apart"},
		{"start: {law: zero}", "start: {law: zero}\nrecord: {theory: true}", "x.yaml:13: record.theory is true, but decisions are whole numbers, and the theory is of convex sets"},
	} {
		c.breaks(t, wholes)
	}
	for _, c := range []mistakeTest{
		{"kind: ball, radius: 1", "kind: finite, points: [[1, 0], [0]]", "x.yaml:5: set.points.1 has 1 entry, the first row has 2"},
		{"kind: ball, radius: 1", "kind: finite, points: [[1, 0, 0]]", "x.yaml:5: set.points.0 has 3 entries, the decision has 2"},
		{"kind: ball, radius: 1", "kind: finite, points: [[1, 0]], integer: true", "x.yaml:5: set.integer: the points of a list are what they are; list whole numbers"},
		{"kind: ball, radius: 1", "kind: product, parts: [{size: 1, kind: box, lower: 0, upper: 2, integer: true}, {size: 1, kind: whole}]", "x.yaml:5: set.parts.0.integer: a part of a product takes no whole numbers and no lists of points"},
	} {
		c.run(t)
	}
}

// Sets whose whole points are too many to look at, or none, are refused when they are built, with the key.
func TestWholeNumbersThatCannotBeCounted(t *testing.T) {
	for set, want := range map[string]string{
		"norm(q) <= 1000":              "x.yaml:10: model.integer: the whole numbers of a set that is no box are counted out: ",
		"0.2 <= q <= 0.8":              "x.yaml:10: model.integer: ",
		"[q >= 0, sum(q) == 0.5]":      "x.yaml:10: model.integer: the whole numbers of a set that is no box are counted out: no point",
		"q[0] + q[1] <= 1":             "x.yaml:10: model.integer: the whole numbers of a set that is no box are counted out: entry 0",
		"[0 <= q <= 99, sum(q) <= 99]": "x.yaml:10: model.integer: the whole numbers of a set that is no box are counted out: 5050 points",
	} {
		s, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(wholes, "0 <= q <= 5", "\""+set+"\"", 1)))
		if strings.HasPrefix(set, "[") {
			s, err = Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(wholes, "0 <= q <= 5", set, 1)))
		}
		if err != nil {
			t.Fatal(set, err)
		}
		if _, err := Build("x", s, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s…", set, err, want)
		}
	}
	if form.NameOf(&kind.IntegerSet{Of: &kind.BoxSet{}}) != "box" {
		t.Error("a box of whole numbers is no box")
	}
}

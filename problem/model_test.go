package problem

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

const written = `iterations: 10
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  let: {a: 0.5}
  next: a*p + (1-a)*d + 0.1*q
  minimize: norm(p - 1)^2
  subject to: norm(q) <= 1
population: {size: 3, law: normal}
algorithms: [{name: composite, step: 0.1}]
`

func TestModelMistakes(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"0.1*q", "0.1*r", "x.yaml:7: model.next:1:21: unknown name r; known are a, d, p, q"},
		{"a*p + (1-a)*d + 0.1*q", "|\n    a*p\n    + b*d", "x.yaml:9: model.next:2:3: unknown name b; known are a, d, p, q"},
		{"a*p + (1-a)*d + 0.1*q", "dot(p, q)", "x.yaml:7: model.next:1:1: the next state "},
		{"{a: 0.5}", "{a: 1 +}", "x.yaml:6: model.let.a:1:4: "},
		{"{a: 0.5}", "{a: [[1, 2], [3]]}", "x.yaml:6: model.let.a.1 has 1 entry, the first row has 2"},
		{"{a: 0.5}", "{a: true}", "x.yaml:6: model.let.a is true, want a number, a list, rows, a formula or a file"},
		{"{a: 0.5}", "{a: .inf}", "x.yaml:6: model.let.a is .inf, want a number"},
		{"{a: 0.5}", "{a: {fiel: x.npy}}", "x.yaml:6: unknown key model.let.a.fiel, did you mean file?"},
		{"{a: 0.5}", "[a]", "x.yaml:6: model.let is a list of 1, want a mapping of names to numbers, lists of numbers, lists of rows, formulas or files"},
		{"norm(q) <= 1", "norm(q) >= 1", "x.yaml:9: model.subject to:1:1: norm(q) >= 1: not convex"},
		{"norm(q) <= 1", "[q >= 0, q < 1]", "x.yaml:9: model.subject to[1]:1:1: q < 1: feasible sets are closed"},
		{"decision: q[2]", "decision: 2", "x.yaml:3: model.decision:1:1: 2 declares nothing"},
		{"q[2]\n", "q[\n", "x.yaml:3: model.decision:1:"},
		{"  state: p[2]\n", "", "x.yaml:2: model.state is missing, want a name and a length, such as p[20]"},
		{"  minimize: norm(p - 1)^2\n", "", "x.yaml:2: model.minimize is missing, want a formula, or maximize with one"},
		{"  minimize:", "  maximize: p[0]\n  minimize:", "x.yaml:9: model.minimize and model.maximize are both given, want one of them"},
		{"population:", "set: {kind: whole}\npopulation:", "x.yaml:10: set and model are both given; a model stands for dynamics, objective and set, so one must go"},
		{"size: 3,", "size: 3, dim: 3,", "x.yaml:10: population.dim is 3, but model.trait has 2 entries"},
		{"state: p[2]", "state: p[3]", "x.yaml:7: model.next:1:1: "},
		{"population:", "start: {law: proportions}\npopulation:", "x.yaml:10: start.law is proportions, but the decisions that model.subject to allows have no sum"},
		{"population:", "start: {law: values, values: [1]}\npopulation:", "x.yaml:10: start.values has 1 entry, the decision has 2"},
		{"next: a*p + (1-a)*d + 0.1*q", "next: [a, p]", "x.yaml:7: model.next is a list of 2, want a formula for the next state"},
	} {
		src := strings.Replace(written, c.from, c.to, 1)
		_, err := Parse(kind.Standard(), "x.yaml", []byte(src))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q gives\n%v\nwant\n%s", c.to, err, c.want)
		}
		if n := strings.Count(err.Error(), "\n"); n > 1 {
			t.Errorf("%q gives %d mistakes more: %v", c.to, n, err)
		}
		if msg := disagreement(src); msg != "" {
			t.Errorf("%q: %s", c.to, msg)
		}
	}
}

// A mistake has the column of its character in the file, whatever quotes or indentation stand before it.
func TestFormulaColumns(t *testing.T) {
	for text, want := range map[string][2]int{
		"next: p + r": {7, 13}, "next: 'p + r'": {7, 14}, "next: \"p + r\"": {7, 14}, "next: |\n      p\n       + r": {9, 10},
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(written, "next: a*p + (1-a)*d + 0.1*q", text, 1)))
		var e *form.Mistake
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			e, _ = joined.Unwrap()[0].(*form.Mistake)
		}
		if e == nil || e.Line != want[0] || e.Column != want[1] || e.Path != "model.next" {
			t.Errorf("%q: %+v, want line and column %v", text, e, want)
		}
	}
}

func TestModelIsChangedByKey(t *testing.T) {
	s := mustParse(t, written, Assign("model.let.a=0.25"), Assign("model.let.b=2*a"), Assign("model.subject to=[q >= 0, sum(q) == 2]"),
		Assign("start.law=proportions"))
	if s.Model.Let[0].Numbers.Data[0] != 0.25 || s.Model.Let[1].Formula != "2*a" {
		t.Errorf("%+v", s.Model.Let)
	}
	p, err := Build("x", s, nil)
	if err != nil || math.Abs(p.Start[0]+p.Start[1]-2) > 1e-12 {
		t.Errorf("%v, %v", p, err)
	}
}

// Numbers of a file are a name's; without the file the error is at the line that names it.
func TestModelFiles(t *testing.T) {
	s := mustParse(t, strings.Replace(written, "a: 0.5", "a: 0.5, W: {file: w.csv}", 1), Assign("model.next=a*(W @ p) + 0.1*q"))
	files := fstest.MapFS{"w.csv": {Data: []byte("0,1\n1,0\n")}}
	p, err := Build("x", s, files)
	if err != nil {
		t.Fatal(err)
	}
	h := make([]float64, 2)
	if err := p.Settle(h, []float64{1, 0}, []float64{0, 0}); err != nil || math.Abs(h[0]-0.1/0.75) > 1e-15 || math.Abs(h[1]-0.05/0.75) > 1e-15 {
		t.Errorf("p = (p₂ + 0.2, p₁)/2 has the solution (4, 2)/30, got %v, %v", h, err)
	}
	if _, err = Build("x", s, fstest.MapFS{}); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:6: w.csv: ") {
		t.Errorf("without the file: %v", err)
	}
	files["w.csv"].Data = []byte("0,1,2\n1,0,2\n")
	if _, err = Build("x", s, files); err == nil || !strings.Contains(err.Error(), "model.next:1:3: (W @ p): W is a 2×3 matrix, p has 2 entries") {
		t.Errorf("with another matrix: %v", err)
	}
}

// Edges of a file are a network: on a ring of four where p⁺ = ½Wp + ½d, a node born with 1 among zeros settles at the closed form, which
// brute force finds too.
func TestNetworkOfEdges(t *testing.T) {
	const ring = `model:
  decision: q
  state: p[4]
  trait: d[4]
  let: {W: {file: ring.csv, nodes: 4}}
  next: 0.5*(W @ p) + 0.5*d + 0*q
  minimize: sum(p) + q^2
population: {size: 1, law: values, values: [[1, 0, 0, 0]]}
start: {law: zero}
iterations: 1
trials: 1
algorithms: [{name: composite, kind: composite, step: 0.1, batch: 1}]
`
	files := fstest.MapFS{"ring.csv": {Data: []byte("0,1,2\n0,3,1\n0,3,1\n1,0,1\n1,2,1\n2,1,1\n2,3,1\n3,2,5\n3,0,5\n")}}
	p, err := Build("x", mustParse(t, ring), files)
	if err != nil {
		t.Fatal(err)
	}
	h := make([]float64, 4)
	if err := p.Settle(h, []float64{0}, []float64{1, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	brute := make([]float64, 4)
	for range 200 { // neighbours of i are i ± 1, alike
		var next [4]float64
		for i := range next {
			next[i] = (brute[(i+1)%4] + brute[(i+3)%4]) / 4
		}
		next[0] += 0.5
		copy(brute, next[:])
	}
	// a = ½(b + 1), b = ¼(a + c), c = ½b have the solution a = 7/12, b = 1/6, c = 1/12
	for i, want := range []float64{7. / 12, 1. / 6, 1. / 12, 1. / 6} {
		if math.Abs(h[i]-want) > 1e-14 || math.Abs(brute[i]-want) > 1e-14 {
			t.Errorf("settled at %v, by brute force at %v, entry %d should be %v", h, brute, i, want)
		}
	}
	for data, want := range map[string]string{
		"0,1,2,3\n": "4 columns, want two or three", "0,4,1\n": "edge 0: 4 is no node, want whole numbers from 0 to 3",
		"0,1,1\n0.5,1,1\n": "edge 1: 0.5 is no node", "0,1,-1\n": "edge 0: the weight is -1",
	} {
		files["ring.csv"] = &fstest.MapFile{Data: []byte(data)}
		if _, err := Build("x", mustParse(t, ring), files); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.yaml:5: ring.csv: ") {
			t.Errorf("%q gives %v, want %s", data, err, want)
		}
	}
	if w, err := formula.Network([]float64{0, 1, 3, 0, 3, 0.5, 0, 3, 0.5}, 3, 4); err != nil || w.Data[1] != 0.75 || w.Data[3] != 0.25 {
		t.Errorf("weights 3 and ½ + ½ become %v, %v", w, err)
	}
	files["ring.csv"] = &fstest.MapFile{Data: []byte("0,1\n")} // the others have no neighbours and see themselves
	if p, err = Build("x", mustParse(t, ring), files); err != nil {
		t.Fatal(err)
	}
	if err := p.Settle(h, []float64{0}, []float64{0, 2, 0, 4}); err != nil || math.Abs(h[0]-1) > 1e-14 || math.Abs(h[3]-4) > 1e-14 {
		t.Errorf("settled at %v, %v", h, err)
	}
}

// Constraints become the sets of the same names.
func TestConstraintsBecomeSets(t *testing.T) {
	for text, want := range map[string]string{
		"norm(q) <= 1": "ball", "sum(abs(2*q - 1)) <= 1": "l1-ball", "-1 <= q <= 1": "box", "q[0] <= 2*q[1] + 1": "half-space", "q[0] == 2*q[1]": "affine",
		"[q >= 0, sum(q) == 1]": "simplex", "[0 <= q <= 0.75, sum(q) == 1]": "capped-simplex", "[norm(q) <= 1, q >= 0]": "intersection",
		"null": "whole",
	} {
		p, err := Build("x", mustParse(t, written, Assign("model.subject to="+text)), nil)
		if err != nil || form.NameOf(p.set) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Constraints without a common point are the constraints' fault, not the start's.
func TestModelWithoutFeasibleDecisions(t *testing.T) {
	s, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(written, "norm(q) <= 1", "[0 <= q <= 1, sum(q) >= 3]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	const want = "x.yaml:9: no decision is feasible: "
	if _, err := Build("x", s, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

package formula

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func compileConstraints(all ...string) ([]Constraint, error) {
	m, err := Compile(Source{
		Decision: "q[3]", State: "p[2]", Trait: "d", Next: "p", Subject: all,
		Let: []Binding{{Name: "A", Expr: "[[1, 2, 3], [0, 1, 0]]"}, {Name: "b", Expr: "[4, 5]"}, {Name: "up", Expr: "[1, 2, 3]"}},
	})
	if err != nil {
		return nil, err
	}
	return m.Constraints(), nil
}

func TestConstraints(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		text string // several are parted by semicolons
		want []Constraint
	}{
		{"norm(q) <= 1", []Constraint{Ball{Radius: 1}}},
		{"2 >= norm(2*q - [2, 4, 6])", []Constraint{Ball{Center: []float64{1, 2, 3}, Radius: 1}}},
		{"norm(-[q[2], q[0:2]]) <= 3/2", []Constraint{Ball{Radius: 1.5}}},
		{"dot(q, q) <= 9; sum(q^2) <= 4; norm(q - 1)^2 <= 1", []Constraint{
			Ball{Radius: 3}, Ball{Radius: 2}, Ball{Center: []float64{1, 1, 1}, Radius: 1}}},
		{"sum(abs(q)) <= 2; 3 >= sum(abs(2*q - [2, 4, 6]))", []Constraint{L1Ball{Radius: 2}, L1Ball{Center: []float64{1, 2, 3}, Radius: 1.5}}},
		{"0 <= q <= 5", []Constraint{Box{[]float64{0, 0, 0}, []float64{5, 5, 5}}}},
		{"q <= up; q[1] >= -2", []Constraint{Box{[]float64{-inf, -2, -inf}, []float64{1, 2, 3}}}},
		{"abs(q) <= 2", []Constraint{Box{[]float64{-2, -2, -2}, []float64{2, 2, 2}}}},
		{"abs(q) <= 2; max(q) <= 1.5; min(2*q) >= -3", []Constraint{Box{[]float64{-1.5, -1.5, -1.5}, []float64{1.5, 1.5, 1.5}}}},
		{"sum(q) == 250", []Constraint{Affine{[]float64{1, 1, 1}, []float64{250}}}},
		{"q >= 0; sum(q) == 250", []Constraint{Simplex{250}}},
		{"q >= 0; mean(q) == 2", []Constraint{Simplex{6}}},
		{"0 <= q <= 5; 2*sum(q) == 20", []Constraint{CappedSimplex{10, 5}}},
		{"0 <= q; q[0] <= 5; sum(q) == 2", []Constraint{Box{[]float64{0, 0, 0}, []float64{5, inf, inf}}, Affine{[]float64{1, 1, 1}, []float64{2}}}},
		{"A @ q <= b", []Constraint{Box{[]float64{-inf, -inf, -inf}, []float64{inf, 5, inf}}, HalfSpace{[]float64{1, 2, 3}, 4}}},
		{"A @ q == b", []Constraint{Affine{[]float64{1, 2, 3, 0, 1, 0}, []float64{4, 5}}}},
		{"q @ transpose(A) == b", []Constraint{Affine{[]float64{1, 2, 3, 0, 1, 0}, []float64{4, 5}}}},
		{"where(up > 1.5, q, 2*q)[0] + q[1]/4 - 1 <= q[2]", []Constraint{HalfSpace{[]float64{2, 0.25, -1}, 1}}},
		{"dot(up, q) - q[0] <= outer(q, [1, 2])[1, 1] + 3", []Constraint{Box{[]float64{-inf, -inf, -inf}, []float64{inf, inf, 1}}}},
		{"(q - q)[0] <= 1", nil},
	} {
		got, err := compileConstraints(strings.Split(c.text, "; ")...)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.text, got, c.want)
		}
	}
}

func TestConstraintsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"norm(q) >= 1":             "model.subject to:1:1: norm(q) >= 1: not convex",
		"q^2 == 1":                 "not convex; an equality must be linear",
		"abs(q) >= 1":              "not convex",
		"0 <= q <= p":              "model.subject to:1:6: q <= p: q has 3 entries, p has 2",
		"p <= 1":                   "a constraint can depend on the decision alone",
		"norm(q) < 1":              "feasible sets are closed; want <=",
		"q != 0":                   "want <=, >= or ==, not !=",
		"norm(q)":                  "norm(q) is no comparison",
		"1 <= 2":                   "does not depend on the decision",
		"norm(q) <= -1":            "no decision satisfies it",
		"(q - q)[0] >= 1":          "no decision satisfies it",
		"sum(q) <= 1; q >= ":       "model.subject to[1]:1:6: the formula ends",
		"q >= 2; q <= 1":           "entry 0 must be at least 2 and at most 1",
		"0 <= q <= 1; sum(q) == 4": "entries between 0 and 1 do not add up to 4",
		"1e-300*q <= 1e300":        "is not finite",
		"(q <= 1) <= 2":            "is a comparison",
		"q <= 1/0":                 "model.subject to:1:6: 1/0 is +Inf, want a finite number",
		"q*dot(q, q) <= norm(q)*q": "q*dot(q, q) <= norm(q)*q: not shown to be convex: q*dot(q, q) may bend both ways",
		"q[0]*q[1] <= 1":           "q[0]*q[1] may bend both ways; want sums of squares",
		"1 <= exp(q[0]) + q[1]":    "not convex; decisions between two feasible ones might not be feasible",
		"exp(q[0]) <= q[1]^2":      "q[1]^2 is convex, and may stand on the smaller side alone",
		"sqrt(q[0]) - q[1] <= q[0]*q[1] + q[2]^2":      "q[0]*q[1] may bend both ways",
		"exp(q[2]) + sqrt(q[0]) - q[1] <= 2":           "exp(q[2]) + sqrt(q[0]) may bend both ways",
		"q[0]^2 - 3*q[0]*q[1] + q[1]^2 <= 2":           "3*q[0]*q[1] may bend both ways",
		"sqrt(q[0]) <= q[1]^2 - q[1]*q[2] + q[2]^2":    "not convex; decisions between",
		"1/q[0] <= 2; q >= 0":                          "1/q[0] may bend both ways",
		"max(q)^2 + q[0] <= 1; q >= 0.1":               "slopes jump inside of another function",
		"sum(abs([q, 2*q, q[0:1] + 1])) + q[0]^2 <= 1": "the largest of more than 64 smooth functions",
		"sum(abs(q)) <= -1":                            "no decision satisfies it",
		"sum(abs(q)) >= 1":                             "not convex",
		"q >= 0; sum(q) == 0 - 1e9":                    "do not add up to",
		"norm(q) >= 1; q[0] <= 1; q[0] >= 2":           "norm(q) >= 1: not convex", // also where bounds contradict each other
		"dot(q, q) >= 1; q[0] <= 1; q[0] >= 2":         "dot(q, q) >= 1: not convex",
		"abs(q) >= 1; q[0] <= 1; q[0] >= 2":            "abs(q) >= 1: not convex",
		"max(q) >= 1; q[0] <= 1; q[0] >= 2":            "max(q) >= 1: not convex",
	} {
		_, err := compileConstraints(strings.Split(text, "; ")...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// A decision of one entry has the same sets.
func TestConstraintsOfOneEntry(t *testing.T) {
	for text, want := range map[string]Constraint{
		"q >= 0; 2*q == 6": Simplex{3}, "0 <= q <= 4; q == 3": CappedSimplex{3, 4}, "abs(q - 1) <= 2": Box{[]float64{-1}, []float64{3}}, "norm(2*q) <= 3": Ball{Radius: 1.5},
		"q >= 1; 2*q == 6; q <= 7": nil,
	} {
		m, err := Compile(Source{Decision: "q", State: "p", Next: "p", Subject: strings.Split(text, "; ")})
		if err != nil {
			t.Fatal(err)
		}
		got := m.Constraints()
		if want == nil && len(got) != 2 || want != nil && (len(got) != 1 || !reflect.DeepEqual(got[0], want)) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// Coefficients are counted as they are worked out, by hand: of every entry of every value those of the decision, and what stands beside them. As many as are allowed are read, one more is not.
func TestCoefficientsAreCounted(t *testing.T) {
	for body, want := range map[string]int{
		"q": 3, "-q": 3 + 6, "q + 1": 3 + 1 + 6, "1 - q": 1 + 3 + 6, "2*q": 1 + 3 + 6, "q/2": 3 + 1 + 6, "sum(q)": 3 + 4, "sum(q)/4": 3 + 4 + 1 + 4, "q - sum(q)": 3 + 4 + 9, "dot([1, 2, 3], q)": 3 + 3 + 4,
		"[1, 2, 0] * q": 3 + 3 + 2 + 2 + 1, "q[0:2]": 3, "[q, 1]": 3 + 1, "outer(q, [1, 2])": 3 + 2 + 12, "q @ [[1, 2], [3, 4], [5, 6]]": 3 + 6 + 8, "[[1, 2, 3], [4, 5, 6]] @ q": 6 + 3 + 8,
	} {
		c := newCompiler()
		c.names["q"] = c.input(opDecision, vector(3))
		n := c.builder(text{"test", body}).value(mustParse(body))
		if n == nil {
			t.Fatal(body, c.found)
		}
		for left, reads := range map[int]bool{want: true, want - 1: false, 0: false} {
			f := newForms(3)
			f.count = maxForms - left
			if got := f.of(n); (got != nil) != reads || reads && (len(got) != n.shape.size() || f.count != maxForms) {
				t.Errorf("%s where %d are left: %v, %d counted, want %d", body, left, got, f.count-maxForms+left, want)
			}
		}
	}
}

// Whoever asks where an entry comes from of a value that makes its own, or for one behind the last, is stopped: a wrong entry would be a wrong set.
func TestEntriesThatComeFromNowhere(t *testing.T) {
	g := newGraph()
	q := g.input(opDecision, vector(3))
	joined := g.apply(opConcat, vector(6), [4]int{}, q, q)
	if arg, entry := joined.origin(5); arg != 1 || entry != 2 {
		t.Errorf("the last entry is entry %d of part %d", entry, arg)
	}
	for name, of := range map[string]func(){"behind the last": func() { joined.origin(6) }, "a sum": func() { g.apply(opAdd, vector(3), [4]int{}, q, q).origin(0) }} {
		func() {
			defer func() {
				if why := recover(); why != "formula: an operation that does not move entries, or has no such entry" {
					t.Errorf("%s: %v", name, why)
				}
			}()
			of()
		}()
	}
}

package formula

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// next compiles p⁺ = body with p[20], q[19], a scalar s and a 2×3 matrix A.
func next(body string) (*Model, error) {
	return Compile(Source{Decision: "q[19]", State: "p[20]", Next: body,
		Let: []Binding{{Name: "s", Expr: "2"}, {Name: "A", Expr: "[[1, 2, 3], [4, 5, 6]]"}}})
}

func TestMistakesPointAtTheColumn(t *testing.T) {
	for body, want := range map[string]string{
		"p + 2*s*normalize(p) + dot(p, q)*p": "model.next:1:24: dot(p, q): p has 20 entries, q has 19",
		"p +\n  q":                           "model.next:1:1: p + q: p has 20 entries, q has 19",
		"p + \n\n r":                         "model.next:3:2: unknown name r; known are A, p, q, s",
		"where(p > q, p, p)":                 "model.next:1:7: p > q: p has 20 entries, q has 19",
		"where(q >= p, p, p)":                "model.next:1:7: q >= p: q has 19 entries, p has 20",
		"q":                                  "model.next:1:1: the next state has 19 entries, the state p has 20 entries",
		"p * (2 +":                           "model.next:1:9: the formula ends, want a number",
		"p * (2 + 3":                         "model.next:1:11: the formula ends, want ) to close (",
		"p p":                                "model.next:1:3: found p after the end of the formula; is an operator missing?",
		"p = 2":                              "model.next:1:3: unknown character '='; equality is written ==",
		"λ·p":                                "model.next:1:1: unknown name λ",
		"p·(1 − ρ)":                          "model.next:1:8: unknown name ρ",
		"p $":                                "unknown character '$'",
		"p + \xff":                           "unknown character",
		"1e999*p":                            "model.next:1:1: the number is too large",
		"p*.":                                "is no number",
		"p*(1/0)":                            "model.next:1:3: (1/0) is +Inf, want a finite number",
		"p*log(-1)":                          "model.next:1:3: log(-1) is NaN",
		"p*(10^400)":                         "is +Inf",
		"exp":                                "exp is a function; write exp(…)",
		"exp(p, p)":                          "exp(p, p): 2 arguments, want 1",
		"max(p, p, p)":                       "3 arguments, want 1 or 2",
		"gamma(p)":                           "unknown function gamma, want one of abs, clip, cos, crowd, dot, erf, exp",
		"s(p)":                               "s is no function",
		"p * (p > 0)":                        "p > 0) is a comparison",
		"where(p, 1, 2)":                     "p is no comparison",
		"where(p > 0, q, 2)":                 "q has 19 entries, the rest has 20 entries",
		"p[20]*p":                            "p[20]: entries 20 to 20 are asked for, there are 0 to 19",
		"p[3:3]":                             "entries 3 to 2",
		"p[-1]*p":                            "entries -1 to -1",
		"p[1.5]*p":                           "1.5 is no index",
		"p[s*p[0]]*p":                        "is no index",
		"p[1, 2]*p":                          "has no 2 axes to cut",
		"A * p":                              "the matrix product is written @",
		"A @ p":                              "A is a 2×3 matrix, p has 20 entries",
		"s @ p":                              "a scalar goes with *",
		"p'":                                 "want a matrix",
		"softmax(A)":                         "A is a 2×3 matrix, want a vector",
		"[]":                                 "[] has no entries",
		"[p, A]":                             "A is a matrix",
		"[[1, 2], [3]]":                      "row 1 has 1 entries, the first has 2 entries",
		"outer(p, s)":                        "s is a scalar",
		"p^":                                 "the formula ends",
		"p[":                                 "the formula ends",
		"(p":                                 "want )",
		"p,":                                 "found ,",
		"":                                   "",
		"ln(p)":                              "model.next:1:1: unknown function ln; did you mean log?",
		"p**2":                               "model.next:1:2: a power is written ^, as in x^2, and not **",
		"if(p > 0, p, 0)":                    "unknown function if; did you mean where(condition, x, y)?",
		"p if p[0] > 0 else 0":               "model.next:1:3: found if after the end of the formula; a choice is written where(condition, x, y)",
		"p % 2":                              "unknown character '%'; what is left of x divided by n is x - n*floor(x/n)",
		"sigmiod(p)":                         "unknown function sigmiod; did you mean sigmoid?",
		"clip(p, 2, 1)":                      "the bounds are 2 and 1, want the smaller one first",
		"clip(p, q, 1)":                      "p has 20 entries, q has 19",
		"sum(p*i for i in 3:3)":              "the range from 3 to below 3 is empty",
		"sum(p*q for q in 0:3)":              "q is there already; take another name for the index",
		"sum(p*pi for pi in 0:3)":            "pi is there already",
		"sum(p for i 0:3)":                   "found 0, want in, as in: for i in 0:3",
		"sum(p for 3 in 0:3)":                "found 3, want the name of an index",
		"sum(p for i in 3)":                  "want : and the end of the range",
		"sum(p[0:i] for i in 1:3)":           "p[0:i] has 2 entries for i = 2, and has 1 entries for i = 1",
		"[A for i in 0:2]":                   "A is a matrix, want numbers or vectors for every i",
		"p*i":                                "unknown name i",
		"p + sum(p[i] for i in s:p[0])":      "p[0] is no index",
		"p*sum(sum(sum(sum(i*j*k*l for i in 0:900) for j in 0:900) for k in 0:900) for l in 0:900)": "more than 65536 parts once sums over an index are written out",
	} {
		_, err := next(body)
		var e *Error
		switch {
		case want == "" && err == nil:
		case err == nil || !errors.As(err, &e) || !strings.Contains(err.Error(), want):
			t.Errorf("%q: got %v, want %s", body, err, want)
		}
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	_, err := Compile(Source{
		Decision: "q[0]", State: "p[1000000000]", Trait: "2", Let: []Binding{
			{Name: "e", Expr: "1"}, {Name: "exp", Expr: "1"}, {Name: "a b", Expr: "1"}, {Name: "x", Expr: "y"}, {Name: "x", Expr: "1"},
			{Name: "n", Data: &Value{Shape: []int{2}, Data: []float64{1, math.NaN()}}},
			{Name: "m", Data: &Value{Shape: []int{2, 2}, Data: []float64{1}}},
		},
		Minimize: "z", Maximize: "[1, 2]", Subject: []string{"w <= 1"},
	})
	for _, want := range []string{
		"model.decision:1:1: q[0]: lengths are whole numbers", "model.state:1:1: p[1000000000]: lengths", "model.trait:1:1: 2 declares nothing",
		"model.let.e:1:1: e is the name of a constant", "model.let.exp:1:1: exp is the name of a function", `"a b" is no name`,
		"model.let.x:1:1: unknown name y", "model.let.x:1:1: x is there already", "model.let.n:1:1: entry 1 is NaN", "1 numbers do not fill the shape [2 2]",
		"model.minimize:1:1: unknown name z", "model.maximize:1:1: there is a minimize as well", "the objective has 2 entries, want a scalar",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not among the mistakes:\n%v", want, err)
		}
	}
}

// Where the derivative of the next state makes more than the limits let through, that is the mistake, and nothing is said of the objective's.
func TestOneMistakeForOneLimit(t *testing.T) {
	numbers := &Value{Shape: []int{1 << 20}, Data: make([]float64, 1<<20)}
	_, err := Compile(Source{Decision: "q", State: "p", Next: "p", Minimize: "p*q", Let: []Binding{{Name: "a", Data: numbers}, {Name: "b", Data: numbers}}})
	if want := "model.next:1:1: the derivative of the formula makes more than 2097152 constants"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestPrecedence(t *testing.T) {
	for body, want := range map[string]float64{
		"2*3^2": 18, "-3^2": -9, "2^-1": 0.5, "2^3^2": 512, "2^-1*4": 2, "7 - 2 - 1": 4, "8/4/2": 1, "2 + 3*4": 14, "-2*3": -6,
		"(2 + 3)*4": 20, "2 - -3": 5, "+3 - +2": 1, "[1, 2, 3][1]^2": 4, "[[1, 2], [3, 4]]'[0, 1]": 3, "[[1, 2], [3, 4]][1] @ [1, 10]": 43,
		"2*[1, 2] @ [3, 4]": 22, "sum([[1, 2], [3, 4]] @ [[0, 1], [1, 0]])": 10, "1.5e1": 15, "1.5E1": 15, "2E-1 + 3E+1": 30.2, ".5": 0.5, "2e-1": 0.2, "sum([1, [2, 3]])": 6,
		"where(1 < 2 <= 2 != 3, 5, 6)": 5, "max([3, 1]) - min(2, 7)": 1, "mean([1, 2, 3])": 2, "e^0 + pi - pi": 1, "2^0.5*2^0.5 - 2": 2*math.Nextafter(1, 2) - 2,
		"floor(-1.5)": -2, "round(2.5) + 10*round(-2.5)": -27, "clip(5, 0, 2) + clip(-5, 0, 2)": 2, "sin(0) + cos(0) + tan(0) + erf(0)": 1,
		"sum(i^2 for i in 0:4)": 14, "sum([1, 10]*i for i in 1:3)[1]": 30, "sum([[i*j for j in 0:3] for i in 0:3][2])": 6, "max([i - 1 for i in 0:3])": 1,
	} {
		m, err := Compile(Source{Decision: "u", State: "x", Next: body})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		got := make([]float64, 1)
		m.Dynamics().Next(got, []float64{0}, []float64{0}, nil)
		if got[0] != want {
			t.Errorf("%s is %v, want %v", body, got[0], want)
		}
	}
}

// Nothing a formula can ask for hangs or fills the memory: the limits answer.
func TestLimits(t *testing.T) {
	deep := strings.Repeat("(", 100_000) + "p" + strings.Repeat(")", 100_000)
	for _, c := range []struct{ body, want string }{
		{deep, "bytes, at most"},
		{strings.Repeat("(", 10_000) + "p" + strings.Repeat(")", 10_000), "nested more than 200 deep"},
		{strings.Repeat("-", 5_000) + "p", "nested more than 200 deep"},
		{strings.Repeat("exp(", 1_000) + "p" + strings.Repeat(")", 1_000), "nested more than 200 deep"},
		{"p" + strings.Repeat("+p", 20_000), "more than 4096 parts"},
		{"p^1e300", ""},
		{"p^2147483647", ""},
		{"p*outer(p, outer(p, p)[0])[0, 0] + outer([q, q, q], [p, p])[0:20, 1]", ""},
		{"p" + strings.Repeat("'", 300), "want a matrix"},
	} {
		if _, err := next(c.body); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.40s: got %v, want %q", c.body, err, c.want)
		}
	}
	for _, c := range []struct{ state, next, want string }{
		{"p[1000000]", "outer(p, p)[0]", "has more than 1048576 entries"},
		{"p[100000]", "outer(p, p)[0]", "has more than 1048576 entries"},
		{"p[1000]", "(outer(p, p) @ outer(p, p))[0]", "costs more than"},
		{"p[1000000]", "exp(exp(exp(exp(exp(exp(p))))))", "more than"},
	} {
		if _, err := Compile(Source{Decision: "q", State: c.state, Next: c.next}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.next, err, c.want)
		}
	}
}

// What does not go together is told with its shapes, and a product of a matrix and a vector with how it is written.
func TestMismatchesAreTold(t *testing.T) {
	for body, want := range map[string]string{
		"p + q": "model.next:1:1: p + q: p has 20 entries, q has 19", "A + q": "model.next:1:1: A + q: A is a 2×3 matrix, q has 19 entries", "q - A": "model.next:1:1: q - A: q has 19 entries, A is a 2×3 matrix",
		"A*A'": "model.next:1:1: A*A': A is a 2×3 matrix, A' is a 3×2 matrix", "p*A": "model.next:1:1: p*A: p has 20 entries, A is a 2×3 matrix; the matrix product is written @", "A*p": "model.next:1:1: A*p: A is a 2×3 matrix, p has 20 entries; the matrix product is written @",
		"A/p": "model.next:1:1: A/p: A is a 2×3 matrix, p has 20 entries", "p @ A": "model.next:1:1: p @ A: p has 20 entries, A is a 2×3 matrix", "p*q": "model.next:1:1: p*q: p has 20 entries, q has 19", "dot(A, p)": "model.next:1:1: dot(A, p): A is a 2×3 matrix, p has 20 entries",
		"p + (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + q[0:5])": "model.next:1:1: p + (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + q[…: p has 20 entries, (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + q[0:5]… has 5",
		"[[[1, 2], [3, 4]]]": "model.next:1:2: row 0 is a 2×2 matrix, the first is a 2×2 matrix", "[[1, 2], [[3, 4]]]": "model.next:1:10: row 1 is a 1×2 matrix, the first has 2 entries",
		"incoming":                  "model.next:1:1: unknown name incoming; known are A, p, q, s",
		"sum(p*rwo for row in 0:3)": "model.next:1:7: unknown name rwo; known are A, p, q, row, s; did you mean row?", "sum(p*ro for row in 0:3)": "model.next:1:7: unknown name ro; known are A, p, q, row, s", // two letters are near everything
	} {
		if _, err := next(body); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}

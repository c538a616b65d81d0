package formula

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// told are the lines of what a model says that is compiled: nothing, or its mistakes.
func told(what string, err error) []string {
	return strings.Split(fmt.Sprintf("%s: %v", what, err), "\n")
}

// Mistakes of all kinds, each by itself, are told in the words and at the places that they were.
func TestWordsForMistakesAreAsRecorded(t *testing.T) {
	var lines []string
	base := Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Let: []Binding{{Name: "A", Expr: "[[1, 2, 3], [4, 5, 6]]"}, {Name: "rate", Expr: "2"}}}
	for _, next := range []string{
		"", " ", "p +", "(p", "p)", "[p", "p]", "p[", "p[]", "p[0", "p[0:", "p[:]", "p[1:1]", "p[2:1]", "p[-1]", "p[3]", "p[0:4]", "p[0.5]", "p[q[0]]", "p[0, 1]", "p[p]", "A[0, 1]*p", "A[2]", "A[:, 3]", "A[0:1, 0:4]", "A[1e9]", "rate[0]", "p'", "A'", "A''", "rate'", "A @ p", "A' @ p", "p @ A", "A @ A", "A*p", "p*A", "A + A'", "p @ rate", "rate @ p", "dot(p, A)", "dot(A, A)*p", "dot(rate, 3)*p", "p @ [1, 2]", "p @ [1]", "[1] @ p", "[1] @ A", "A @ [1]", "[[1]] @ [1]*p", "``*p", "`", "\"\" + p", "`p``q`", "\"a\"\"b\" + p", "`A` @ p", "[1, 2] @ p", "A @ [1, 2]", "[1, 2, 3] @ A", "A' @ A'", "p @ [1, 2, 3]*q", "dot(p[0], q[1])*p", "(p > 0 or q > 0)", "[p > 0 or q > 0]", "sum(p for i in 0 or 1:2)", "sum(p for i in 0:2 or 3)", "p[0 or 1]", "p[0:1 or 2]", "exp(p or q)", "p or", "outer(p, A)", "outer(rate, p)", "normalize(rate)*p", "softmax(A)", "logsumexp(rate)*p", "logsumexp(A)*p", "transpose(p)",
		"where(p, p, q)", "where(p > 0, p)", "where(p > A, p, q)", "where(p > 0, A, q)", "where(p > 0, p, A)", "where(not p, p, q)", "where(not p > 0, p, q)", "where(p > 0 and q, p, q)", "where(p or q > 0, p, q)", "where(0 < p < 1 < q, p, q)", "where(0 < p < A, p, q)", "p > 0", "not p", "p and q", "\"text\"", "p + \"a\"", "`p`", "`p", "\"a", "`rate`*p", "p*`no such`", "[]", "[[1, 2], [3]]", "[[1], 2]", "[A, p]", "[p, [1, 2]]", "[p]", "[[p[0], p[1], p[2]]]", "[(p)]",
		"sum(p[i] for i in 0:3)*p", "sum(p[i] for i in 0:4)*p", "sum(p[i] for i in 3:3)*p", "sum(p[i] for i in 3:0)*p", "sum(p[i] for i in 0:q[0])*p", "sum(p[i] for i in 0.5:2)*p", "sum(p for p in 0:3)*p", "sum(1 for rate in 0:3)*p", "sum(1 for e in 0:3)*p", "sum(1 for exp in 0:3)*p", "sum(p*i for i in 0:3)", "sum(A*i for i in 1:3) @ p", "[p[i] for i in 0:3]", "[p for i in 0:3]", "[p for i in 0:1]", "sum(p for i in 0:1)", "[p[i] for i in 0:1]", "[A for i in 0:3]", "[p[0:i] for i in 1:3]", "[p[i] for i in 0:2, 3]", "[1, p[i] for i in 0:2]", "sum(p[i] for 3 in 0:3)", "sum(p[i] for i on 0:3)", "sum(p[i] for i in 0)", "sum(p[i] for)", "sum(i*j for i in 0:2 for j in 0:2)*p", "max(p[i] for i in 0:3)*p",
		"exp", "exp()", "exp(p, p)", "max()", "max(p, q, d)", "min(p, A)", "clip(p, 1)", "clip(p, 2, 1)", "clip(p, A, 1)", "clip(p, 0, A)", "clip(p, 0, 0)", "crowd(q)", "crowd(p)", "crowd(p + 1)", "foo(p)", "lgo(p)", "ln(p)", "pow(p, 2)", "relu(p)", "rate(p)", "rats*p", "ra*p", "P", "pp", "i*p", "e*p", "pi*p", "p q", "p 2", "2 p", "p if p > 0", "p ? q", "p % 2", "p ** 2", "p & q", "p | q", "p = q", "!p", "p; q", "p # q", "1.2.3*p", "1e5*p", "1e*p", ".5*p", "5.*p", ".*p", "1e400*p", "0x1*p", "p^", "p^q", "p^2^3", "-p^2", "p^-1", "p^0.5", "p^1e10", "(1/0)*p", "log(-1)*p", "sqrt(-1)*p", "0/0*p", "1e308*10*p", "p/0", "p·q − d × 2", "p ≤ q", "where(p ≥ q, p, q)", "where(p ≠ q, p, q)", "Aᵀ @ [1, 2]", "é*p", "p\n+\n\n  foo(p)", "not*p", "not + 1", "p + not", "not", "where(not 1 > p, p, q)", "where(not (p > 1), p, q)", "where(not \"a\", p, q)", "where(not p > 1 and q > 1 or d > 1, p, q)", "where(not -p > 1, p, q)", "where(not and, p, q)", "not or", "sum(p*q[i] for i in 0:2)", "sum([p[i], q[i]] for i in 0:3)", "sum(p[i]*p for i in 1:3)", "rate", "p[0]", "A", "[p, 1]", "[1, 2]",
	} {
		s := base
		s.Next = next
		_, err := Compile(s)
		lines = append(lines, told(next, err)...)
	}
	for _, s := range []Source{
		{Decision: "q", Next: "q"}, {Decision: "q", State: "p[0]", Next: "q"}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Shape: []int{1 << 32, 1 << 32}}}}}, {Decision: "q", State: "p[2]", Next: "0.5*p + 0.2*crowd(p)*q", Minimize: "p[0]"}, {Decision: "q[2]", State: "p[2]", Trait: "d[2]", Next: "tanh(p - crowd(p)*q) + d", Minimize: "p[0]"}, {Decision: "q", State: "p[2]", Noise: []Shock{{"w[2]", 1}, {"v", 2}}, Next: "p*w + v*q"},
		{Decision: "sin[a, b]", State: "p[2]", Next: "p*sin(p)[a]"}, {Decision: "sin[a, b]", State: "p[2]", Next: "p*sin[a] + sin(p)[0]"},
		{}, {Decision: "q"}, {State: "p"}, {Decision: "q", State: "q"}, {Decision: "q", State: "p", Trait: "p"}, {Decision: "q[0]", State: "p"}, {Decision: "q[-1]", State: "p"}, {Decision: "q[1.5]", State: "p"}, {Decision: "q[2, 3, 4]", State: "p"}, {Decision: "q[2, x]", State: "p"}, {Decision: "q[x, 2]", State: "p"}, {Decision: "q[a, b, a]", State: "p"}, {Decision: "q[1:3]", State: "p"}, {Decision: "q[a]", State: "p", Next: "p + q[a] + q[0]"}, {Decision: "q[a, b]", State: "p", Next: "p + sum(q[a:])"},
		{Decision: "q[a, b]", State: "p", Next: "p + q[c]"}, {Decision: "q[a, b]", State: "p", Next: "p + sum(q[:b])"}, {Decision: "exp", State: "p"}, {Decision: "sin", State: "p", Next: "p*sin"}, {Decision: "pi", State: "p"}, {Decision: "q + 1", State: "p"}, {Decision: "q[2] in EUR", State: "p[x, y] in kg", Next: "p + q"}, {Decision: "q", State: "p", Next: "p", Minimize: "p", Maximize: "p"}, {Decision: "q", State: "p[2]", Minimize: "p"}, {Decision: "q", State: "p[2]", Maximize: "p"}, {Decision: "q", State: "p", Minimize: "crowd(p)"},
		{Decision: "q", State: "p", Let: []Binding{{Name: "a", Expr: "b"}, {Name: "b", Expr: "1"}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "p", Expr: "1"}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "a b", Expr: "1"}}}, {Decision: "q", State: "p", Let: []Binding{{Name: " a", Expr: "1"}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Expr: ""}}, Next: "a*p"}, {Decision: "q", State: "p", Let: []Binding{{Name: "exp", Expr: "1"}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "e", Expr: "1"}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "2", Expr: "1"}}},
		{Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{}}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Data: []float64{1}}}}, Next: "a*p"}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Shape: []int{2}, Data: []float64{1}}}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Shape: []int{2, 0}}}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Shape: []int{2}, Data: []float64{1, math.Inf(1)}}}}}, {Decision: "q", State: "p", Let: []Binding{{Name: "a", Data: &Value{Shape: []int{1, 1, 1}, Data: []float64{1}}}}},
		{Decision: "q", State: "p", Beside: []string{"age", "p"}, Next: "p"}, {Decision: "q", State: "p", Beside: []string{"age", "age"}, Next: "p"}, {Decision: "q", State: "p", Trait: "d[2]", Beside: []string{"age", "height"}, Next: "p + d[1] + age*height"}, {Decision: "q", State: "p", Noise: []Shock{{"w", 1}, {"w", 2}}, Next: "p"}, {Decision: "q", State: "p", Noise: []Shock{{"w[0]", 1}}, Next: "p"}, {Decision: "q", State: "p", Noise: []Shock{{"w[2]", 1}, {"v", 2}}, Next: "p + w[1]*v"}, {Decision: "q", State: "p[2]", Noise: []Shock{{"w[2]", 1}}, Next: "w"}, {Decision: "q", State: "p", Noise: []Shock{{"w", 0}}, Next: "p/w"},
	} {
		m, err := Compile(s)
		lines = append(lines, told(fmt.Sprintf("%q %q %q %q %q %v %v", s.Decision, s.State, s.Trait, s.Next, s.Minimize, s.Noise, len(s.Let)), err)...)
		if m != nil {
			out, n, p, u, d := computed(m, rand.New(rand.NewPCG(1, 9)))
			if f := m.Stirred(); f != nil {
				dst, noise := make([]float64, len(p)), make([]float64, n*f.Width())
				for i := range noise {
					noise[i] = float64(i) / 8
				}
				f.NextRows(dst, p, u, d, noise)
				out = append(out, fmt.Sprint("stirred ", sumOf(dst), f.Width(), f.Entries(0), f.IsAffine()))
			}
			lines = append(lines, fmt.Sprint("  ", m.Dims(), m.Social(), m.AffineInState(), m.ReadsTrait(), m.Stirred() != nil, out))
		}
	}
	fitted := Source{Decision: "q", State: "p", Trait: "d", Next: "a*p + q*d"}
	for _, unknowns := range [][]string{nil, {}, {"a"}, {"a", "a"}, {"a[0]"}, {"a + 1"}, {"a[2]"}, {"b"}, {"a[1024, 1024]"}, {"a[1048576]", "b"}, {"p"}, {"exp"}} {
		_, err := fitted.Regress(unknowns)
		_, own := fitted.RegressTraits(unknowns)
		_, rolled := fitted.Roll(unknowns)
		lines = append(lines, told(fmt.Sprint(unknowns), fmt.Errorf("%v | %v | %v", err, own, rolled))...)
	}
	for _, next := range []string{"", "p", "crowd(p)*a", "a*p +", "a*p + [1, 2]", "a*q"} {
		fitted.Next = next
		_, err := fitted.Regress([]string{"a"})
		_, own := fitted.RegressTraits([]string{"a"})
		lines = append(lines, told(next, fmt.Errorf("%v | %v", err, own))...)
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) { // some may be names of a model
		_, err := Compile(Source{Decision: "q", State: "p", Let: []Binding{{Name: name, Expr: "2"}}, Next: "p*" + name})
		lines = append(lines, told(name, err)...)
	}
	evidence.AsRecorded(t, "testdata/words.txt", lines)
}

// Formulas of columns give what they gave, of numbers, texts and what is missing, in the entries that they named, or are refused in the same words.
func TestFormulasOfColumnsAreAsRecorded(t *testing.T) {
	var lines []string
	many := Table{Columns: []TableColumn{{Name: "x"}, {Name: "none", Texts: []int{}}, {Name: "many", Texts: slices.Repeat([]int{0}, 1001)}, {Name: "most", Texts: slices.Repeat([]int{0}, 13)}}, Words: []string{"a"}}
	for _, table := range []Table{shop, many, {}, {Columns: []TableColumn{{Name: "region", Texts: []int{0}, Sample: "row 1"}}, Words: []string{"a"}}} {
		for _, body := range []string{
			"income", "region", "home", "income + 1", "region + 1", "-region", "[income, 2]", "[income, region]", "[[income, 1], [2, 3]]", "sum([income, `age in years`])", "income == 30", "income == region", "region == home", "region != home", "region < home", "region == \"south\"", "\"south\" == region", "region == \"x\"", "region == \"abroad\"", "home == \"abroad\"", "\"a\" == \"b\"", "region == home == region", "income > 0 and region == \"south\"", "not region == \"south\"", "not region", "region and home", "missing(region)", "missing(region, home)", "missing(income + 1)", "not missing(income)",
			"missing([income, 1])", "[income, 2] > 0", "fill(income, 7)", "fill(income, region)", "fill(income, [1, 2])", "fill(income)", "fill(region, \"x\")", "fill(home, \"south\")", "fill(region, 3)", "fill([income, `age in years`], 1)", "fill(fill(home, \"a\"), \"b\") == \"a\"", "onehot(region)", "onehot(home)", "onehot(fill(home, \"none\"))", "onehot(income)", "onehot(region)[0]", "onehot(none)", "onehot(many)", "onehot(most)", "most == \"b\"", "log(income)", "log(-1)", "log(2)", "log([income, 2])", "log(region)", "log(income, 2)", "where(income > 0, 1, 2)", "where(region == \"south\", income, 0)", "where(missing(income), 0, income)", "where(region, 1, 2)", "where(income, 1, 2)",
			"incom", "region(2)", "misssing(income)", "fil(income, 2)", "x", "x > 0", "0 < x < 2", "x > 0 or x < 1", "x/0", "sum(x*i for i in 0:2)", "\"text\"", "(region)", "3", "pi*x", "", "x +",
		} {
			for kind := GivesNumbers; kind <= GivesLabel; kind++ {
				c, err := table.Compile(TableField{"first", "1 + 1", GivesScalar}, TableField{"f", body, kind})
				if err != nil {
					lines = append(lines, told(fmt.Sprintf("%d %s", kind, body), err)...)
					continue
				}
				r := rand.New(rand.NewPCG(1, 2))
				rows := make([]float64, 70*max(1, len(table.Columns)))
				for i := range rows {
					if rows[i] = float64(r.IntN(4) - 1); rows[i] < 0 && r.IntN(2) == 0 {
						rows[i] = math.NaN()
					}
				}
				dst := make([]float64, 70*len(c.Entries))
				c.Rows(dst, rows)
				lines = append(lines, fmt.Sprintf("%d %s: %.200v %q %s %v", kind, body, fmt.Sprint(c.Entries), c.Words, sumOf(dst), dst[:2*len(c.Entries)][:min(8, 2*len(c.Entries))]))
			}
		}
	}
	for _, body := range []string{"x + y*x", "exp(x) + e", "sum(a[i]*i for i in 0:n)", "[i for i in 0:3] + i", "x[lo:hi] + y[k, :]", "where(a > b, c, `d e`)", "x +", "pi*\n  r", "f == \"text\""} {
		list, err := References("field", body)
		lines = append(lines, fmt.Sprintf("%q: %+v %v", body, list, err))
	}
	evidence.AsRecorded(t, "testdata/columns.txt", lines)
}

// Sets of decisions are read as they were, or are refused in the same words: those with one constraint of every form, alone and between bounds.
func TestSetsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, one := range []string{
		"q[0] <= 2", "2 >= q[0]", "-2*q[0] <= 4", "0*q[0] <= 1", "0*q[0] <= -1", "0*q == 0", "0*q == 1", "q[0] - q[0] <= 0", "q <= 1e308*10", "1e-300*q[0] <= 1e300", "q[0] == 1", "q == up", "2*q[0] + 3*q[1] <= 6", "A @ q <= b", "q @ A' <= b", "A @ q == b", "sum(q) == 2", "2*sum(q) == 4", "sum(q) == -1", "sum(q) == 3.5", "mean(q) <= 1", "q[0:2] <= [1, 2]", "q[1:] >= q[:2]", "outer(q, up) <= 9", "outer(q, [1, 1])' <= 9", "[[1, 2, 3], [4, 5, 6]] @ outer(q, [1]) <= 3", "where(up > 1, q, -q) <= 1", "where(up > 1, q[0], 5) <= 4", "q/2 <= up", "-q <= 1", "[q, 1] <= 2", "[q, 3] <= 2",
		"norm(q) <= 2", "norm(q) <= -1", "norm(2*q - up) <= 4", "norm([q[2], q[0], -q[1]]) <= 2", "norm([q[0], q[1]]) <= 2", "norm([q, q[0]]) <= 2", "norm([q[0], 2*q[1], q[2]]) <= 2", "norm(q - up)^2 <= 4", "norm(q)^2 <= -4", "norm(q)^3 <= 8", "dot(q, q) <= 4", "dot(q - up, q - up) <= 4", "dot(q, up) <= 4", "dot(q, 2*q) <= 4", "sum(q^2) <= 4", "sum((q - 1)^2) <= 4", "sum(q^3) <= 4", "sum(q^4) <= 4", "sum(abs(q)) <= 2", "sum(abs(q)) <= -2", "sum(abs(q^2)) <= 2", "norm(q^2) <= 2", "norm(q^2)^2 <= 2", "dot(q^2, q^2) <= 2", "sum((q^2)^2) <= 2", "abs(q^2) <= q", "max(q^2) <= q[0]", "abs(q[0]) <= q[1]^2", "max(q) <= q[0]^2", "q[0]^2 <= min(q)", "max([q[0]^2, q[1], q[2]]) <= 2", "[q[0]^2, q[1]] <= 2", "sum(abs([q[0], 2*q[1]])) + q[2]^2 <= 2", "abs([q[0:2], q[2]^2 + 1]) <= 3", "max([q[0:2], 2*q[2], exp(q[0])]) <= 4", "q[0] - 1 <= min(q)", "min(q) >= 2*q[1]", "q[0]^2 <= q[1]^2", "q[0]^2 >= q[1]^2", "exp(q[0]) <= exp(q[1])", "log(q[0]) <= log(q[1])", "log(q[0]) >= log(q[1])", "q[0]^2 + log(q[1]) <= exp(q[2])", "q[0]*q[1] <= exp(q[2])", "exp(q[2]) <= q[0]*q[1]", "q[0] + q[1]*q[2] + q[0]^2 <= 1", "sum(abs(q)) <= q[0]", "norm(q) <= q[0] + 2", "q[0]^2 <= sqrt(q[1])", "sqrt(q[1]) >= q[0]^2 + q[1]*q[0]", "sum(abs(q - up)) <= 2", "sum(abs(A @ q)) <= 2", "sum(abs(q[0:2])) <= 2", "abs(q) <= up", "abs(q[0] - 1) <= q[1]", "abs(q[0]) <= abs(q[1])", "abs(A @ q) <= b", "max(q) <= 2", "max(q) <= q[0] + 1", "min(q) >= 0.5", "0.5 <= min(q)", "min(q) <= 1", "max(q) >= 1", "norm(q) >= 1", "norm(q) == 1", "dot(q, q) >= 1", "abs(q[0]) >= 1",
		"exp(q[0]) <= 2", "exp(q[0]) + exp(-q[1]) <= 4", "exp(abs(q[0])) <= 4", "exp(q[0]) >= 2", "log(q[0]) >= 0", "log(q[0]) <= 1", "sqrt(q[0]) >= 1", "sqrt(q[0]) <= 1", "1/q[0] <= 2", "-1/q[0] <= 2", "q[0]*q[1] >= 1", "q[0]^2 <= q[1]", "q[0]^2 + q[1]^2 + q[0]*q[1] <= 3", "q[0]^2 + q[1]^2 + 3*q[0]*q[1] <= 3", "q[0]^3 <= 2", "q[0]^-1 <= 2", "q[0]^1.5 <= 2", "q[0]^0.5 >= 1", "2^q[0] <= 8", "q[0]/q[1] <= 1", "logsumexp(q) <= 2", "logsumexp(abs(q)) <= 2", "max(q[0]^2, q[1]) <= 2", "max(abs(q[0]), abs(q[1])) <= 2", "max(abs(q)) + abs(q[0]) <= 2", "min(q[0], -q[0]^2) >= -2", "abs(q[0]) + abs(q[1]) - q[2] <= 2", "2*abs(q[0]) - 3*min(q[1], q[2]) <= 2", "abs(q[0])/2 + max(q)/-1 <= 2", "abs(q[0])*2 + 3*abs(q[1]) <= 6", "sum(max(q, 0)) <= 2", "sum(abs(q) + abs(q - 1)) <= 4", "dot(abs(q), up) <= 4", "norm(abs(q)) <= 2", "abs(q[0])^2 <= 2", "abs(abs(q[0]) - 1) <= 2",
		"sum(max(abs(q), abs(q - 1))) <= 9", "max(max(q), -min(q)) <= 3", "q[0] + floor(q[1]) <= 2", "tanh(q[0]) <= 0.5", "tanh(q[0]) >= 0.5", "sigmoid(q[0]) <= 0.4", "erf(q[0]) <= 0.5", "sin(q[0]) <= 0.5", "softmax(q)[0] <= 0.5", "normalize(q)[0] <= 0.5", "clip(q[0], 0, 1) <= 0.5", "where(q[0] > 0, q[0], 0) <= 1", "p[0] <= 1", "d <= q[0]", "1 <= 2", "q < 1", "q > 1", "q != 1", "q", "q <= A", "q <= [1, 2]", "q >= [1, 2]", "[1, 2] >= q", "0 <= q[0] <= q[1] <= 1", "1 <= q[0] <= 0", "q <=", "not q <= 1", "q <= 1 and q >= 0", "abs(q) <= [1, 2, -1]", "q^2 <= up", "exp(q) <= up", "norm(q)*2 <= 3", "norm(q) + q[0] <= 3", "norm(q[0:2]) <= q[2]", "-norm(q) <= -1", "dot(q, A' @ (A @ q)) <= 2", "-dot(q, q) <= 2", "-dot(q, q) >= -2",
	} {
		for _, with := range [][]string{nil, {"0 <= q <= 3"}, {"q >= 0.1", "norm(q) <= 4", "sum(abs(q)) <= 5"}, {"q <= 0", "q[0] + q[1] >= -3", "q[0] == q[2]"}} {
			list, err := compileConstraints(append([]string{one}, with...)...)
			said := constraintsSay(list, func(v float64, g, h []float64) string { return fmt.Sprintf("%.6g %.6g %s", v, g, sumOf(h)) })
			lines = append(lines, told(fmt.Sprintf("%s %d: %s", one, len(with), strings.Join(said, "; ")), err)...)
		}
	}
	evidence.AsRecorded(t, "testdata/sets.txt", lines)
}

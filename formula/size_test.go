package formula

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
)

// The largest formulas that the limits let through stay below 100 ms and 64 MB.
func TestLargestFormulas(t *testing.T) {
	cost := evidence.For(t, evidence.Promise{Name: "largest", Text: "the largest formulas the limits let through, to compile"})
	if testing.Short() || heap.Race {
		t.Skip("takes seconds, and many times as long under the race detector")
	}
	for name, s := range map[string]Source{
		"sums":      {Decision: "q", State: "p[20]", Next: "p" + strings.Repeat("+p*q", 1000)},
		"products":  {Decision: "q[20]", State: "p[20]", Next: "p" + strings.Repeat("*q", 2000)},
		"functions": {Decision: "q[20]", State: "p[20]", Next: "p" + strings.Repeat("+tanh(p*q)^1.5/exp(p)", 300)},
		"different": {Decision: "q[20]", State: "p[20]", Minimize: "0" + strings.Repeat("+logsumexp(p*logsumexp(q))*p[1]", 400)},
		"nested":    {Decision: "q[20]", State: "p[20]", Minimize: strings.Repeat("logsumexp(p*", 190) + "p" + strings.Repeat(")", 190)},
		"entries":   {Decision: "q[20]", State: "p[400]", Next: "[" + strings.TrimSuffix(strings.Repeat("p[1]*q[0],", 400), ",") + "]"},
		"matrices":  {Decision: "q[500]", State: "p[500]", Next: "outer(p, q) @ p + outer(q, p)[3]*p"},
		"constants": {Decision: "q", State: "p", Next: "p*sum(outer([" + strings.Repeat("1,", 1000) + "1], [" + strings.Repeat("2,", 1000) + "1]))"},
		"doubled":   {Decision: "q", State: "p[3]", Let: doubled("p"), Next: "x150"},
		"dense":     {Decision: "q", State: "p[3]", Let: doubled("[[1, 2, 3], [4, 5, 6], [7, 8, 9]] @ p"), Next: "x150"},
		"scalars":   {Decision: "q", State: "p[3]", Let: doubled("sum(p)"), Next: "x150*p"},
		"lengths":   {Decision: "q", State: "p[3]", Let: doubled("norm(p[0:2])"), Next: "x150*p"},
		"bounds":    {Decision: "q[100000]", State: "p", Subject: []string{"0 <= q <= 1"}},
		"planes":    {Decision: "q[500]", State: "p", Subject: []string{"q + sum(q) <= 1"}},
	} {
		_, took, room := measured(s)
		t.Logf("%s: %v, %.1f MB", name, took, float64(room)/(1<<20))
		cost.AtMost("seconds", took.Seconds(), slowest.Seconds())
		cost.AtMost("MB", float64(room)/(1<<20), largestRoom/(1<<20))
	}
}

// doubled names a formula x0 and the sums x1 = x0 + x0, x2 = x1 + x1 and so on, which written out would fill the universe.
func doubled(start string) []Binding {
	all := []Binding{{Name: "x0", Expr: start}}
	for i := range 150 {
		last := "x" + strconv.Itoa(i)
		all = append(all, Binding{Name: "x" + strconv.Itoa(i+1), Expr: last + " + " + last})
	}
	return all
}

// What operations are counted as, for ten entries each: additions and the like once, others as often as they take longer.
func TestCostsOfOperations(t *testing.T) {
	for body, want := range map[string]int{
		"p + d": 10, "p - d": 10, "p*d": 10, "-p": 10, "p/d": 40, "sum(p)": 10, "dot(p, d)": 10, "p[2:9]": 10, "[p, d]": 20, "outer(p, d)": 100, "outer(p, d)'": 200, "outer(p, d) @ p": 200, "p @ outer(d, d)": 200, "outer(p, d) @ outer(d, d)": 1200, "max(p, d)": 20, "min(p, d)": 20,
		"where(p < d, p, d)": 30, "where(p <= d, p, d)": 30, "where(p == d, p, d)": 30, "where(p != d, p, d)": 30, "where(p < d < 1, p, d)": 60, "abs(p)": 10, "abs(p)^d": 410, "exp(p)": 80, "log(p)": 80, "sqrt(p)": 40, "tanh(p)": 200, "sigmoid(p)": 200, "p^3": 600, "norm(p)": 20, "max(p)": 10, "min(p)": 10,
		"softmax(p)": 120, "normalize(p)": 30, "logsumexp(p)": 10 + 10 + 80 + 10 + 80, "sin(p)": 2000, "cos(p)": 2000, "tan(p)": 4000, "erf(p)": 4000, "floor(p)": 20, "round(p)": 20,
	} {
		c := &compiler{graph: newGraph(), names: map[string]*node{}}
		c.names["p"], c.names["d"] = c.input(opState, vector(10)), c.input(opTrait, vector(10))
		before := c.cost
		if c.builder(text{"test", body}).value(mustParse(body)) == nil {
			t.Fatal(body, c.found)
		}
		if got := c.cost - before; got != want {
			t.Errorf("%s costs %d, want %d", body, got, want)
		}
	}
}

// The same for what derivatives are made of.
func TestCostsOfSlopes(t *testing.T) {
	for o, want := range map[op]int{
		opTanhSlope: 200, opSigmoidSlope: 200, opLogSlope: 40, opPowSlope: 400, opPowLog: 600, opErfSlope: 200, opSign: 10, opOver: 40, opFirstLargest: 10, opFirstSmallest: 10, opPad: 10, opSpread: 10, opRowSum: 10, opAnd: 10,
	} {
		if got := (&node{op: o, shape: vector(10)}).cost(); got != want {
			t.Errorf("operation %d costs %d, want %d", o, got, want)
		}
	}
}

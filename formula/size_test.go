package formula

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// The largest formulas that the limits let through stay below 100 ms and 64 MB.
func TestLargestFormulas(t *testing.T) {
	cost := evidence.For(t, evidence.Promise{Name: "largest", Text: "the largest formulas the limits let through, to compile"})
	if testing.Short() {
		t.Skip("short runs are those under the race detector, which is many times slower")
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

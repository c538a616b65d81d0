package problem

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// curves is a model whose settled loss is (q₀ − 3)² + 2(q₁ − 2)² − q₀, of people who settle at q.
const curves = `iterations: 20
trials: 1
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*q + 0*d
  minimize: "(p[0] - 3)^2 + 2*(p[1] - 2)^2 - q[0]"
  subject to: norm(q) <= 9
population: {size: 3, law: normal, mean: 0, deviation: 1}
start: {law: zero}
algorithms:
  - {name: composite, step: 0.1, batch: 2}
`

// The best decision is that of a grid over the square around the set, and again over the square around the best of that.
func TestConvexConstraintsHaveTheBestDecision(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	loss := func(a, b float64) float64 { return (a-3)*(a-3) + 2*(b-2)*(b-2) - a }
	for _, c := range []struct {
		subject string
		allowed func(a, b float64) bool
	}{
		{`["q[0]^2 + 2*q[1]^2 <= 4", "exp(q[0]) + q[1] <= 3"]`, func(a, b float64) bool { return a*a+2*b*b <= 4 && math.Exp(a)+b <= 3 }},
		{`["exp(q[0]) + q[1] <= 3", "0 <= q[1] <= 1.2", "q[0] >= -2"]`, func(a, b float64) bool { return math.Exp(a)+b <= 3 && b >= 0 && b <= 1.2 && a >= -2 }},
		{`["dot(q, [[2, 1], [1, 3]] @ q) <= 5 + q[0]"]`, func(a, b float64) bool { return 2*a*a+2*a*b+3*b*b <= 5+a }},
		{`["norm(q) <= 1 + q[1]/2", "log(q[0]) >= q[1] - 2"]`, func(a, b float64) bool { return math.Hypot(a, b) <= 1+b/2 && a > 0 && math.Log(a) >= b-2 }},
		{`["max(q[0]^2, q[1]) + abs(q[0] - q[1]) <= 1.5"]`, func(a, b float64) bool { return max(a*a, b)+math.Abs(a-b) <= 1.5 }},
	} {
		p, err := Build("x", mustParse(t, curves, Assign("model.subject to="+c.subject)), nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Steady()
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := p.Best(context.Background(), f, [][]float64{p.Start})
		if err != nil {
			t.Fatal(err)
		}
		want := gridBest(loss, c.allowed)
		best := loss(want[0], want[1]) // or a little less: the grid may miss the rim
		if u := s.Decision; s.Loss > best+1e-9 || s.Loss < best-1e-4 || math.Hypot(u[0]-want[0], u[1]-want[1]) > 1e-2 {
			t.Errorf("%s: %v at %v, want %v at %v", c.subject, s.Loss, s.Decision, loss(want[0], want[1]), want)
		}
		if far := set.Excess(p.Set, s.Decision); far > 1e-9 {
			t.Errorf("%s: %v is outside by %v", c.subject, s.Decision, far)
		}
	}
}

func gridBest(loss func(a, b float64) float64, allowed func(a, b float64) bool) []float64 {
	best, width := []float64{0, 0}, 4.0
	for range 24 {
		center, least := slices.Clone(best), math.Inf(1)
		for i := -60.0; i <= 60; i++ {
			for k := -60.0; k <= 60; k++ {
				if a, b := center[0]+i/60*width, center[1]+k/60*width; allowed(a, b) && loss(a, b) < least {
					best, least = []float64{a, b}, loss(a, b)
				}
			}
		}
		width *= 0.6
	}
	return best
}

// A set in a spec is what the same formulas are in a model, whatever set that turns out to be.
func TestConvexSets(t *testing.T) {
	for _, c := range []struct{ where, as string }{
		{`"u[0]^2 + 2*u[1]^2 <= 4"`, "set.Convex"},
		{`["norm(u) <= 1"]`, "set.Ball"},
		{`["u >= 0", "sum(u) == 1"]`, "set.Simplex"},
		{`["u >= 0", "sum(u) == 1", "u[0]^2 + u[1]^2 <= 0.7"]`, "set.Convex"},
	} {
		p, err := Build("x", mustParse(t, limits(t), Assign("set={kind: convex, where: "+c.where+"}")), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%T", p.Set); got != c.as {
			t.Errorf("%s is a %s, want a %s", c.where, got, c.as)
		}
	}
}

func TestConvexConstraintsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ subject, want string }{
		{"[norm(q) <= 9, \"q[0]*q[1] <= 1\"]", "x.yaml:9: model.subject to[1]:1:1: q[0]*q[1] <= 1: not shown to be convex: q[0]*q[1] may bend both ways; want"},
		{"[\"exp(q[0]) <= q[1]\", \"q[1] <= -0.5\"]", "x.yaml:9: model.subject to: no decision keeps the constraints with room to spare: at best, near ["},
		{"[\"q[0]^2 <= 0\"]", "no decision keeps the constraints with room to spare: at best, near ["},
		{"[\"sqrt(q[0] - 5000) >= q[1]\"]", "no decision was found at which all formulas have a value; want bounds on the entries"},
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(curves, "norm(q) <= 9", c.subject, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.subject, err, c.want)
		}
	}
	text := strings.Replace(limits(t), "{kind: ball, radius: 2}", "{kind: convex, where: [norm(u) <= 9, \"1 <= u[0]^2\"]}", 1)
	if _, err := Parse(kind.Standard(), "x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "set.where[1]:1:1: 1 <= u[0]^2: not convex; decisions between two feasible ones might not be feasible") {
		t.Errorf("%v", err)
	}
}

func limits(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../examples/limits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ = bytes.Cut(text, []byte("changes:"))
	return string(text) + "algorithms:\n  - {name: composite, step: 0.1}\n"
}

package proof_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/proof"
	"github.com/kedge-opt/kedge/set"
)

// riddle is a small problem of which all values are looked at.
type riddle struct {
	source formula.Source
	traits []float64
	set    kedge.Set
	n      int
}

// newRiddle draws problems of one to three decisions: smooth, kinked and jumping losses, states that answer in straight lines or not,
// several people, and sets of every kind.
func newRiddle(r *rand.Rand) riddle {
	n := []int{1, 1, 1, 2, 2, 2, 3}[r.IntN(7)]
	x := riddle{n: n}
	number := func() float64 { return math.Round(8*r.NormFloat64()) / 4 }
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	entry := func() string { return fmt.Sprintf("%s[%d]", pick("p", "p", "q"), r.IntN(n)) }
	term := func() string {
		shape := pick("A^2", "A^4", "A*B", "A", "exp(-(A - 1)^2)", "abs(A - 0.5)", "max(A, B)", "max(0, A - 1)", "tanh(2*A)", "sigmoid(3*A - B)",
			"A^3", "where(A > 0.4, 1, B)", "norm(p - 0.3)", "sqrt(1 + A^2)", "logsumexp(3*p)", "min(A, 0.5)")
		return fmt.Sprint(number(), "*", strings.NewReplacer("A", entry(), "B", entry()).Replace(shape))
	}
	var terms []string
	for range 1 + r.IntN(5) {
		terms = append(terms, term())
	}
	if r.IntN(2) == 0 {
		terms = append(terms, "dot(q, q)")
	}
	x.source = formula.Source{
		Decision: fmt.Sprintf("q[%d]", n), State: fmt.Sprintf("p[%d]", n), Trait: fmt.Sprintf("d[%d]", n),
		Next: pick("0.5*p + 0.5*(q + d)", "0.3*p + 0.6*q*d", "0.2*p*tanh(d) + q", "0.5*tanh(p + d) + 0.5*q", "0.4*sigmoid(2*p - q) + 0.1*d", "0.3*p + 0.1*q*p + d", "0.3*p + 0.4*q*p + d",
			"1.5*p^2/(1 + p^2) + 0.1*q"),
		Minimize: strings.Join(terms, " + "),
	}
	for range n * (1 + r.IntN(4)) {
		x.traits = append(x.traits, r.NormFloat64())
	}
	lower, upper := -1-2*r.Float64(), 1+2*r.Float64()
	x.set = set.Interval{Lower: lower, Upper: upper}
	switch {
	case n == 1:
	case r.IntN(4) == 0:
		x.set = set.Ball{Radius: upper, Center: []float64{r.NormFloat64(), r.NormFloat64(), 0.5}[:n]}
	case r.IntN(4) == 0:
		x.set = set.Intersection{Of: []kedge.Set{set.HalfSpace{Normal: []float64{r.NormFloat64(), r.NormFloat64(), 0.5}[:n], Bound: 0.5}, x.set}}
	case r.IntN(6) == 0:
		x.set = set.Simplex{Sum: upper}
	}
	return x
}

// value is the mean loss of people who walked until they rest, NaN where they do not.
func (x riddle) value(m *formula.Model, u []float64) (mean float64) {
	n := x.n
	count := len(x.traits) / n
	for i := range count {
		d := x.traits[i*n : (i+1)*n]
		p, q := slices.Clone(d), make([]float64, n)
		for range 300 {
			m.Dynamics().Next(q, p, u, d)
			p, q = q, p
			if math.Abs(p[0]-q[0])+math.Abs(p[n-1]-q[n-1]) < 1e-14 {
				break
			}
		}
		for k := range p {
			if math.Abs(p[k]-q[k]) > 1e-9 {
				return math.NaN()
			}
		}
		mean += m.Objective().Eval(nil, nil, p, u, d) / float64(count)
	}
	return mean
}

// grid lists feasible decisions, densely.
func (x riddle) grid() (all [][]float64) {
	steps := []int{300, 30, 10}[x.n-1]
	total := int(math.Pow(float64(steps+1), float64(x.n)))
	for k := range total {
		u := make([]float64, x.n)
		for i := range u {
			u[i] = -4.5 + 9*float64(k%(steps+1))/float64(steps)
			k /= steps + 1
		}
		if x.set.Project(u) == nil {
			all = append(all, u)
		}
	}
	return all
}

// refined goes on from a decision by trying smaller and smaller steps.
func (x riddle) refined(m *formula.Model, u []float64) ([]float64, float64) {
	best := x.value(m, u)
	for h, rounds := 0.2, 0; h > 1e-12 && rounds < 150; rounds++ {
		moved := false
		for k := range 1 << (2 * x.n) {
			z := slices.Clone(u)
			for i := range z { // down, up or not at all
				z[i] += h * []float64{-1, 1, 0, 0}[k>>(2*i)&3]
			}
			if x.set.Project(z) != nil {
				continue
			}
			if v := x.value(m, z); v < best {
				u, best, moved = z, v, true
			}
		}
		if !moved {
			h /= 4
		}
	}
	return u, best
}

// Of random problems none is called proven while a dense grid has something better: not with the best decision found by looking at
// all of them, and not with one that is only the best around.
func TestNothingWrongIsProven(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	counts := map[proof.Grounds]int{}
	better, trials := 0, 60
	switch {
	case evidence.Whole():
		trials = 400
	case testing.Short():
		trials = 20
	}
	for k := range trials {
		x := newRiddle(r)
		m, err := formula.Compile(x.source)
		if err != nil {
			t.Fatal(err)
		}
		f := landscape(t, x.source, x.traits)
		least, at := math.Inf(1), []float64(nil)
		var all [][]float64
		for _, u := range x.grid() {
			if v := x.value(m, u); v == v {
				all = append(all, u)
				if v < least {
					least, at = v, u
				}
			}
		}
		if at == nil {
			continue
		}
		found, value := x.refined(m, at)
		least = min(least, value)
		for i, start := range [][]float64{found, all[r.IntN(len(all))]} {
			u, v := start, value
			if i == 1 {
				u, v = x.refined(m, start)
			}
			p, err := proof.Prove(context.Background(), f, x.set, u, v, proof.Budget{Boxes: 4000, Work: 6_000_000})
			if err != nil {
				t.Fatal(err)
			}
			where := fmt.Sprintf("problem %d: %+v %v %v: %v from %v (%v), best %v: %+v", k, x.source, x.traits, x.set, p.Grounds, u, v, least, p)
			counts[p.Grounds]++
			if p.Lower > least+1e-9*(1+math.Abs(least)) {
				t.Fatalf("the lower bound is too high: %s", where)
			}
			if p.Grounds != proof.Unproven && p.Upper > least+p.Tolerance+1e-9*(1+math.Abs(least)) {
				t.Fatalf("a wrong proof: %s", where)
			}
			if p.Grounds == proof.Unproven && i == 0 {
				t.Logf("%s", where)
			}
			if !p.IsBetter {
				continue
			}
			better++
			z := slices.Clone(p.Decision)
			if err := x.set.Project(z); err != nil || !slices.Equal(z, p.Decision) || x.value(m, z) >= v { // it may take longer to rest
				t.Fatalf("the better one is not: %s", where)
			}
		}
	}
	t.Logf("%v, %d better", counts, better)
}

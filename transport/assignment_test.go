package transport_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

func assignment(t testing.TB, c transport.Cost) transport.Plan {
	t.Helper()
	p, err := transport.Assignment(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Two methods that share no step agree, on clouds and on grids full of ties; the plan is a permutation and proves itself.
func TestAssignmentAgainstExact(t *testing.T) {
	proven := evidence.For(t, evidence.Promise{Name: "assignment", Text: "the same by assignment"})
	s := stream.New(1, "assignment")
	worst := 0.0
	for k := range 1000 {
		n, dim, draw := 1+s.Intn(40), 1+s.Intn(4), cloud
		if k%3 == 0 {
			draw = grid
		}
		c := euclidean(t, draw(s, n, dim), draw(s, n, dim), dim)
		p, q := assignment(t, c), plan(t, nil, nil, c)
		sure(t, p, nil, nil, c)
		for i, f := range p.Flow {
			if f.From != i || len(p.Flow) != n {
				t.Fatalf("no permutation: %v", p.Flow)
			}
		}
		if math.Abs(p.Value-q.Value) > 1e-14*p.Value {
			t.Fatalf("%d points: %v, network simplex %v", n, p.Value, q.Value)
		}
		proven.Case(!t.Failed(), "%d points", n)
		if p.Gap > 0 {
			worst = max(worst, p.Gap/p.Value)
		}
	}
	proven.AtMost("gap", worst, 1e-12)
}

// Source: all permutations.
func TestAssignmentAgainstPermutations(t *testing.T) {
	s := stream.New(2, "permutations")
	for n := 1; n <= 8; n++ {
		c := euclidean(t, cloud(s, n, 2), cloud(s, n, 2), 2)
		if got, want := assignment(t, c).Value, cheapest(c); math.Abs(got-want) > 1e-14*(1+want) {
			t.Fatalf("n = %d: %v, want %v", n, got, want)
		}
	}
}

// Sorted points are an optimal assignment on the line.
func TestAssignmentOnTheLine(t *testing.T) {
	s := stream.New(1, "sorted")
	for _, n := range []int{1, 2, 10, 100, 300} {
		x, y := cloud(s, n, 1), cloud(s, n, 1)
		if got, want := assignment(t, euclidean(t, x, y, 1)).Value, line(t, x, nil, y, nil); !(math.Abs(got-want) <= 1e-13*want) {
			t.Errorf("n = %d: %v, want %v", n, got, want)
		}
	}
}

// N = 1000 against N = 1000 in 20 + 20 dimensions, by both methods.
func TestThousandIndividuals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	c := individuals(t, 1000)
	p, q := assignment(t, c), plan(t, nil, nil, c)
	if t.Logf("W₁ = %v, gaps %.2g and %.2g", p.Value, p.Gap, q.Gap); max(p.Gap, q.Gap, math.Abs(p.Value-q.Value)) > 1e-12*p.Value {
		t.Errorf("%v and %v, gaps %v and %v", p.Value, q.Value, p.Gap, q.Gap)
	}
}

// Of costs over 300 decades, what is 64 roundings of the largest is promised, which is what both do.
func TestAssignmentOfStrangeCosts(t *testing.T) {
	if _, err := transport.Assignment(context.Background(), euclidean(t, []float64{1, 2}, []float64{1}, 1)); !typed(err) {
		t.Error("two places to one:", err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1), 1e301} {
		if _, err := transport.Assignment(context.Background(), holed{v}); !typed(err) {
			t.Errorf("cost %v: %v", v, err)
		}
	}
	s := stream.New(1, "strange")
	for k := range 200 {
		n, size := 1+s.Intn(15), 0.0
		costs := make([]float64, n*n)
		for i := range costs {
			costs[i] = s.Normal() * math.Pow(10, 300*s.Float64()-150)
			size = max(size, math.Abs(costs[i]))
		}
		c, err := transport.Table(costs, n)
		if err != nil {
			t.Fatal(err)
		}
		p, q := assignment(t, c), plan(t, nil, nil, c)
		if sure(t, p, nil, nil, c); max(p.Gap, q.Gap, math.Abs(p.Value-q.Value)) > 64*eps*size {
			t.Errorf("instance %d: %v and %v, gaps %v and %v", k, p.Value, q.Value, p.Gap, q.Gap)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := transport.Assignment(ctx, holed{1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

package transport_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
	"github.com/kedge-opt/kedge/transport"
)

// enclosed checks bounds against the exact value, which is theirs to enclose, and the potentials against the costs.
func enclosed(t testing.TB, e transport.Enclosure, value, size float64, c transport.Cost) {
	t.Helper()
	slack := 1e-14 * size
	if e.Lower > value+slack || e.Upper < value-slack || e.Upper > value+e.Bias+2*e.Residual*size+slack {
		t.Fatalf("%v is not between %v and %v, bias %v, residual %v", value, e.Lower, e.Upper, e.Bias, e.Residual)
	}
	_, m := c.Size()
	costs := entries(c)
	for i, u := range e.Left {
		for j, v := range e.Right {
			if over(u, v, costs[i*m+j]) {
				t.Fatalf("potentials %v + %v are above the cost %v of (%d, %d)", u, v, costs[i*m+j], i, j)
			}
		}
	}
}

// Bounds enclose the value of the network simplex method, from strong to weak regularization, with weights of zero, at any
// scale; and whether the steps suffice or not.
func TestEntropicEnclosesExact(t *testing.T) {
	s := stream.New(1, "entropic")
	stopped := 0
	for k := range 150 {
		n, m, dim, draw := 1+s.Intn(20), 1+s.Intn(20), 1+s.Intn(4), cloud
		if k%3 == 0 {
			draw = grid
		}
		x, y, a, b := draw(s, n, dim), draw(s, m, dim), weights(s, n, 2), weights(s, m, 2)
		for _, z := range [][]float64{x, y} {
			for i := range z {
				z[i] *= math.Pow(10, float64(2*k-150))
			}
		}
		c, size := euclidean(t, x, y, dim), 5e-324
		for _, v := range entries(c) {
			size = max(size, v)
		}
		r := transport.Regularization{Strength: size * math.Pow(10, -3*s.Float64()), MaxSteps: 1 + s.Intn(2000)}
		e, err := transport.Entropic(context.Background(), a, b, c, r)
		var late *kedge.NotConvergedError
		if errors.As(err, &late) {
			stopped++
		} else if err != nil || e.Residual > 1e-6 {
			t.Fatal(e.Residual, err)
		}
		enclosed(t, e, plan(t, a, b, c).Value, size, c)
	}
	if t.Logf("%d of 150 ran out of steps", stopped); stopped == 0 || stopped > 100 {
		t.Errorf("%d of 150 ran out of steps, want some", stopped)
	}
}

// The weaker the regularization, the closer the bounds: with ε = 0.01, of costs around 2, they are within 1 % of each other.
func TestEntropicCloses(t *testing.T) {
	s := stream.New(1, "closes")
	c := euclidean(t, cloud(s, 60, 3), cloud(s, 60, 3), 3)
	last := math.Inf(1)
	for _, strength := range []float64{1, 0.1, 0.01} {
		e, err := transport.Entropic(context.Background(), nil, nil, c, transport.Regularization{Strength: strength, Tolerance: 1e-4})
		if err != nil || e.Upper-e.Lower > last/2 {
			t.Errorf("ε = %v: from %v to %v after %d steps (%v)", strength, e.Lower, e.Upper, e.Steps, err)
		}
		last = e.Upper - e.Lower
	}
	if want := plan(t, nil, nil, c).Value; last > 0.01*want {
		t.Errorf("bounds %v apart, of %v", last, want)
	}
}

// With two places on each side and costs 0 and 1 across, the regularized plan has e^(1/ε) times as much on the diagonal, so
// that it costs 1/(1 + e^(1/ε)).
func TestEntropicOfTwoPlaces(t *testing.T) {
	c := euclidean(t, []float64{0, 1}, []float64{0, 1}, 1)
	e, err := transport.Entropic(context.Background(), nil, nil, c, transport.Regularization{Strength: 0.5, Tolerance: 1e-14})
	if want := 1 / (1 + math.Exp(2)); err != nil || math.Abs(e.Upper-want) > 1e-14 || e.Lower > 0 || e.Bias != 0.5*math.Ln2 {
		t.Errorf("%+v (%v), want cost %v and bias %v", e, err, want, 0.5*math.Ln2)
	}
}

func TestEntropicRefuses(t *testing.T) {
	c := euclidean(t, []float64{0, 1}, []float64{0, 1}, 1)
	for _, r := range []transport.Regularization{
		{}, {Strength: -1}, {Strength: math.NaN()}, {Strength: math.Inf(1)}, {Strength: 1e-10}, {Strength: 1, Tolerance: -1},
		{Strength: 1, Tolerance: math.NaN()}, {Strength: 1, Tolerance: 3}, {Strength: 1, MaxSteps: -1},
	} {
		if _, err := transport.Entropic(context.Background(), nil, nil, c, r); !typed(err) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	one := transport.Regularization{Strength: 1}
	if _, err := transport.Entropic(context.Background(), []float64{1, 1}, nil, c, one); !typed(err) {
		t.Error("mass 2:", err)
	}
	if _, err := transport.Entropic(context.Background(), nil, nil, holed{math.NaN()}, one); !typed(err) {
		t.Error("cost NaN:", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := transport.Entropic(ctx, nil, nil, c, one); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkEntropic encloses the distance of 1000 individuals from 1000 others to half a percent.
func BenchmarkEntropic(b *testing.B) {
	c := individuals(b, 1000)
	for b.Loop() {
		e, err := transport.Entropic(context.Background(), nil, nil, c, transport.Regularization{Strength: 0.1, Tolerance: 1e-3})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(e.Upper/e.Lower-1, "width")
		b.ReportMetric(float64(e.Steps), "steps")
	}
}

// Source: the formula of the plan from its potentials, and the rounding of [altschuler2017] step by step, on a whole matrix.
func TestEntropicRounding(t *testing.T) {
	const n, m, epsilon = 7, 5, 0.3
	s := stream.New(1, "rounding")
	c, a, b := euclidean(t, cloud(s, n, 2), cloud(s, m, 2), 2), choice(s, n), choice(s, m)
	for steps := 1; steps < 12; steps++ {
		e, err := transport.Entropic(context.Background(), a, b, c, transport.Regularization{Strength: epsilon, Tolerance: 1e-15, MaxSteps: steps})
		if err == nil {
			t.Fatal("converged")
		}
		costs := entries(c)
		plan := make([]float64, n*m)
		for i := range n {
			total := 0.0
			for j := range m {
				plan[i*m+j] = b[j] * math.Exp((e.Right[j]-costs[i*m+j])/epsilon)
				total += plan[i*m+j]
			}
			for j := range m {
				plan[i*m+j] *= a[i] / total
			}
		}
		if want := roundedCost(plan, costs, a, b); math.Abs(e.Upper-want) > 1e-13 {
			t.Fatalf("%d steps: %v, want %v", steps, e.Upper, want)
		}
	}
}

func choice(s *stream.Stream, n int) []float64 {
	a, _ := choices(s, n)
	return a
}

// roundedCost is the cost of a plan whose columns are cut to b and to which (a − row sums)(b − column sums)ᵀ/mass is added.
func roundedCost(plan, costs, a, b []float64) (cost float64) {
	m := len(b)
	rest, want, mass := append([]float64{}, a...), append([]float64{}, b...), 0.0
	for j := range b {
		column := 0.0
		for i := range a {
			column += plan[i*m+j]
		}
		for i := range a {
			plan[i*m+j] *= min(1, b[j]/column)
			rest[i], want[j] = rest[i]-plan[i*m+j], want[j]-plan[i*m+j]
		}
		mass += want[j]
	}
	for k, p := range plan {
		cost += costs[k] * (p + rest[k/m]*want[k%m]/mass)
	}
	return cost
}

package objective_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/stream"
)

// subject is an objective with individuals it can judge.
type subject struct {
	name string
	of   kedge.RowObjective
	dim  kedge.Dims
	step float64 // of central differences: 1 where Φ is quadratic in each variable, since they are exact then
	tol  float64 // of central differences, relative to the size of the terms
}

// subjects are all objectives of the package, with and without hidden state.
func subjects(t testing.TB) []subject {
	t.Helper()
	smooth, quadratic := math.Cbrt(0x1p-52), 1.0
	square := kedge.Dims{Decision: 5, State: 5, Trait: 6}
	hidden := kedge.Dims{Decision: 5, State: 7, Trait: 6}
	oblong := kedge.Dims{Decision: 3, State: 4}
	r := stream.New(1, "subjects")
	q, err := objective.NewQuadratic(oblong, normals(r, 9), normals(r, 12), normals(r, 16), normals(r, 3), normals(r, 4))
	if err != nil {
		t.Fatal(err)
	}
	printed := objective.Revenue{Entropy: 0.3}
	logit := objective.Logistic{Ridge: 0.2}
	return []subject{
		{"affinity", objective.Affinity{}, square, quadratic, 1e-14},
		{"affinity, hidden state", objective.Affinity{State: 7}, hidden, quadratic, 1e-14},
		{"revenue as printed", printed, square, smooth, 1e-8},
		{"revenue diverse, hidden state", objective.Revenue{Entropy: 2, Sign: objective.Diverse, State: 7}, hidden, smooth, 1e-8},
		{"quadratic", q, oblong, quadratic, 1e-14},
		{"logistic", logit, square, smooth, 1e-8},
		{"logistic with intercept, hidden state", objective.Logistic{Features: 4, Ridge: 1, State: 7, Trait: 6}, hidden, smooth, 1e-8},
		{"negative", &objective.Weighted{Weight: -1, Of: printed}, square, smooth, 1e-8},
		{"sum", objective.Sum{logit, printed, objective.Affinity{}}, square, smooth, 1e-8},
		{"weighted", &objective.Weighted{Weight: -0.7, Of: logit}, square, smooth, 1e-8},
	}
}

func normals(r *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Normal()
	}
	return x
}

// individuals draws states with positive entries (Revenue needs them), a decision and traits that end in a label.
func individuals(r *stream.Stream, dim kedge.Dims, count int) (p, u, d []float64) {
	p, u, d = normals(r, count*dim.State), normals(r, dim.Decision), normals(r, count*dim.Trait)
	for i := range p {
		p[i] = 0.1 + math.Abs(p[i])
	}
	return p, u, d
}

func TestGradientsAreThoseOfTheLoss(t *testing.T) {
	for _, s := range subjects(t) {
		r := stream.New(2, s.name)
		for range 20 {
			p, u, d := individuals(r, s.dim, 3)
			gp, gu := make([]float64, len(p)), make([]float64, len(u))
			loss := s.of.EvalRows(gp, gu, p, u, d)
			f := func() float64 { return s.of.EvalRows(nil, nil, p, u, d) }
			if again := f(); again != loss {
				t.Fatalf("%s: loss %v with gradients, %v without", s.name, loss, again)
			}
			sameSlopes(t, s, "p", gp, p, loss, f)
			sameSlopes(t, s, "u", gu, u, loss, f)
		}
	}
}

// sameSlopes compares a gradient with central differences of f in x.
func sameSlopes(t *testing.T, s subject, arg string, g, x []float64, loss float64, f func() float64) {
	t.Helper()
	for i, was := range x {
		h := s.step
		if s.step < 1 {
			h *= max(1, math.Abs(was))
		}
		x[i] = was + h
		up, at := f(), x[i]
		x[i] = was - h
		slope := (up - f()) / (at - x[i])
		x[i] = was
		if bad := math.Abs(slope-g[i]) / (1 + math.Abs(loss) + math.Abs(g[i])); !(bad <= s.tol) {
			t.Errorf("%s: ∂Φ/∂%s[%d] is %v, differences say %v: off by %.2g", s.name, arg, i, g[i], slope, bad)
		}
	}
}

// The block is the sum of its rows: to the bit, except where the doc comments say that common factors are taken out.
func TestBlockIsTheSumOfItsRows(t *testing.T) {
	exact := func(x, y float64) bool { return x == y }
	nearly := func(x, y float64) bool { return math.Abs(x-y) <= 1e-14*(1+math.Abs(x)) }
	for _, s := range subjects(t) {
		p, u, d := individuals(stream.New(3, s.name), s.dim, 17)
		gp, gu := make([]float64, len(p)), make([]float64, len(u))
		loss := s.of.EvalRows(gp, gu, p, u, d)
		hp, hu, sum := make([]float64, len(p)), make([]float64, len(u)), 0.0
		for i := range 17 {
			row := func(x []float64, width int) []float64 { return kedge.Row(x, i, width) }
			sum += s.of.Eval(row(hp, s.dim.State), hu, row(p, s.dim.State), u, row(d, s.dim.Trait))
		}
		same := exact
		if s.name == "quadratic" || s.name == "weighted" || s.name == "sum" {
			same = nearly
		}
		if !same(loss, sum) || !slices.EqualFunc(gu, hu, same) || !slices.EqualFunc(gp, hp, exact) {
			t.Errorf("%s: block %v %v\nrows  %v %v", s.name, loss, gu, sum, hu)
		}
	}
}

// What is there already is added to, and a nil destination does not change the other.
func TestGradientsAreAdded(t *testing.T) {
	for _, s := range subjects(t) {
		p, u, d := individuals(stream.New(4, s.name), s.dim, 2)
		gp, gu := make([]float64, len(p)), make([]float64, len(u))
		s.of.EvalRows(gp, nil, p, u, d)
		s.of.EvalRows(nil, gu, p, u, d)
		hp, hu := make([]float64, len(p)), make([]float64, len(u))
		s.of.EvalRows(hp, hu, p, u, d)
		if !slices.Equal(gp, hp) || !slices.Equal(gu, hu) {
			t.Errorf("%s: a nil destination changes the other", s.name)
		}
		s.of.EvalRows(hp, hu, p, u, d)
		for i, g := range append(gp, gu...) {
			if h := append(hp, hu...)[i]; math.Abs(h-2*g) > 1e-13*(1+math.Abs(g)) {
				t.Errorf("%s: entry %d is %v after two evaluations, want %v", s.name, i, h, 2*g)
			}
		}
	}
}

// Hidden entries of a state row are neither read nor written.
func TestHiddenStateIsLeftAlone(t *testing.T) {
	for _, s := range subjects(t) {
		if s.dim.State != 7 {
			continue
		}
		read := 5
		if _, ok := s.of.(objective.Logistic); ok {
			read = 4
		}
		p, u, d := individuals(stream.New(5), s.dim, 3)
		gp := make([]float64, len(p))
		loss := s.of.EvalRows(nil, nil, p, u, d)
		for i := range p {
			if i%7 >= read {
				p[i], gp[i] = math.NaN(), 42
			}
		}
		if got := s.of.EvalRows(gp, nil, p, u, d); got != loss {
			t.Errorf("%s: hidden entries change the loss from %v to %v", s.name, loss, got)
		}
		for i := range gp {
			if i%7 >= read && gp[i] != 42 {
				t.Errorf("%s: gp[%d] is %v, want it left alone", s.name, i, gp[i])
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	for _, s := range subjects(t) {
		p, u, d := individuals(stream.New(6), s.dim, 30)
		gp, gu := make([]float64, len(p)), make([]float64, len(u))
		one := func() {
			s.of.Eval(gp[:s.dim.State], gu, p[:s.dim.State], u, d[:s.dim.Trait])
			s.of.EvalRows(gp, gu, p, u, d)
			s.of.EvalRows(nil, nil, p, u, d)
		}
		if n := testing.AllocsPerRun(100, one); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}

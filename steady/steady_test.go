package steady_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

func draw(t testing.TB, l population.Law, n, dim int) []float64 {
	t.Helper()
	block, err := population.Draw(l, n, dim, stream.New(1, "people"))
	if err != nil {
		t.Fatal(err)
	}
	return block
}

// polarized is a hemisphere of n people in m dimensions.
func polarized(t testing.TB, n, m int) (*steady.Objective, *steady.Rollout) {
	t.Helper()
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	people := draw(t, population.Cap{Angle: 90}, n, m)
	s, err := steady.New(kedge.Model{
		Settler: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: m},
		Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, &steady.Rollout{Model: kedge.Model{Dynamics: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: m}}, Steps: 10}
}

func choice(t testing.TB, n, m int) (*steady.Objective, *steady.Rollout) {
	t.Helper()
	f := dynamics.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
	people := draw(t, population.Dirichlet{Concentration: []float64{2}}, n, m)
	s, err := steady.New(kedge.Model{
		Settler: f, Objective: objective.Revenue{Entropy: 0.1}, Traits: kedge.Block{Data: people, Width: m},
		Sensitivity: &sensitivity.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, &steady.Rollout{Model: kedge.Model{Dynamics: f, Objective: objective.Revenue{Entropy: 0.1}, Traits: kedge.Block{Data: people, Width: m}}, Steps: 10}
}

// function is what both notions of value have in common.
type function interface {
	Value(u []float64) (float64, error)
	Gradient(g, u []float64) (float64, error)
}

// Independent method: central differences of the value, whose own error is about 1e-10 here.
func checkGradient(t *testing.T, off *evidence.Witness, name string, f function, u []float64) {
	t.Helper()
	g := make([]float64, len(u))
	value, err := f.Gradient(g, u)
	if err != nil {
		t.Fatal(name, err)
	}
	// The value alone may come by another way than with the gradient, within rounding.
	if plain, _ := f.Value(u); math.Abs(plain-value) > 1e-15*max(1, math.Abs(value)) {
		t.Errorf("%s: Gradient returns %v, Value %v", name, value, plain)
	}
	const h = 1e-5
	worst := 0.0
	for i := range u {
		x := append([]float64(nil), u...)
		x[i] = u[i] + h
		up, _ := f.Value(x)
		x[i] = u[i] - h
		down, _ := f.Value(x)
		want := (up - down) / (2 * h)
		worst = max(worst, math.Abs(g[i]-want)/max(1, rows.Norm(g)))
	}
	off.AtMost(name, worst, 1e-8)
}

func TestGradientsAgreeWithDifferences(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "gradients", Text: "gradients of Φ̃ against differences"})
	r := stream.New(2, "decisions")
	for _, n := range []int{1, 2, 127, 128, 129, 300} {
		exact, rolled := polarized(t, n, 5)
		u := make([]float64, 5)
		for i := range u {
			u[i] = 0.3 * r.Normal()
		}
		checkGradient(t, off, "polarized", exact, u)
		checkGradient(t, off, "polarized after ten steps", rolled, u)
		exact, rolled = choice(t, n, 5)
		checkGradient(t, off, "choice", exact, u)
		checkGradient(t, off, "choice after ten steps", rolled, u)
	}
}

// A long roll-out settles: λ+σ|u|² < 1 makes the rate at most 0.93, so 400 steps leave less than 1e-12.
func TestRolloutConvergesToTheSettledValue(t *testing.T) {
	exact, rolled := polarized(t, 300, 5)
	rolled.Steps = 400
	u := []float64{0.5, -0.3, 0.4, 0.2, -0.6}
	want, err := exact.Value(u)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rolled.Value(u)
	if err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("after 400 steps the value is %v (%v), settled %v", got, err, want)
	}
	if exact.Residual().Norm > 1e-14 {
		t.Errorf("steady-state residual %.2e", exact.Residual().Norm)
	}
}

// The mean over a crowd is the mean over its halves, whatever the chunks.
func TestValueIsAMean(t *testing.T) {
	f := dynamics.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}
	people := draw(t, population.Cap{Angle: 90}, 400, 4)
	value := func(traits []float64) float64 {
		s, err := steady.New(kedge.Model{Settler: f, Objective: objective.Affinity{}, Traits: kedge.Block{Data: traits, Width: 4}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Value([]float64{0.1, 0.2, 0.3, 0.4})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	whole, halves := value(people), (value(people[:800])+value(people[800:]))/2
	if math.Abs(whole-halves) > 1e-15 {
		t.Errorf("value %v, mean of the halves %v", whole, halves)
	}
}

// Settled is Value and Settle, to the bit, over more than one chunk of people.
func TestSettledIsValueAndSettle(t *testing.T) {
	for name, f := range map[string]*steady.Objective{"polarized": first(polarized(t, 300, 5)), "choice": first(choice(t, 300, 5))} {
		u := draw(t, population.Sphere{}, 1, 5)
		got, want := make([]float64, 1500), make([]float64, 1500)
		value, err := f.Settled(got, u)
		plain, errValue := f.Value(u)
		if err := errors.Join(err, errValue, f.Settle(want, u)); err != nil {
			t.Fatal(name, err)
		}
		if value != plain || !slices.Equal(got, want) {
			t.Errorf("%s: value %v, want %v, or other states", name, value, plain)
		}
		if _, err := f.Settled(got[:5], u); err == nil {
			t.Errorf("%s: states of 300 people fit one", name)
		}
	}
}

func first(s *steady.Objective, _ *steady.Rollout) *steady.Objective { return s }

func TestRefusesBadInput(t *testing.T) {
	s, rolled := polarized(t, 3, 4)
	for _, f := range []function{s, rolled} {
		var dim *kedge.DimError
		if _, err := f.Value(make([]float64, 3)); !errors.As(err, &dim) || dim.Arg != "u" {
			t.Errorf("a short decision gives %v", err)
		}
		var finite *kedge.NotFiniteError
		if _, err := f.Value([]float64{0, math.NaN(), 0, 0}); !errors.As(err, &finite) || finite.Index != 1 {
			t.Errorf("a NaN gives %v", err)
		}
	}
	model := dynamics.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}
	for _, traits := range [][]float64{nil, make([]float64, 5), {1, 0, 0, math.Inf(1)}} {
		if _, err := steady.New(kedge.Model{Settler: model, Objective: objective.Affinity{}, Traits: kedge.Block{Data: traits, Width: 4}}); err == nil {
			t.Errorf("traits %v were accepted", traits)
		}
	}
}

// An individual that cannot settle is named by its number in the crowd: trait 200 is not a unit vector.
func TestErrorsNameTheIndividual(t *testing.T) {
	people := draw(t, population.Sphere{}, 300, 3)
	people[600] = 7
	s, err := steady.New(kedge.Model{Settler: dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: 3}})
	if err != nil {
		t.Fatal(err)
	}
	var row *kedge.RowError
	if _, err := s.Value([]float64{1, 0, 0}); !errors.As(err, &row) || row.Row != 200 {
		t.Errorf("error %v, want one that names individual 200", err)
	}
}

func TestEvaluationsAllocateNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	s, _ := polarized(t, 300, 8)
	g, u := make([]float64, 8), make([]float64, 8)
	u[0] = 0.5
	if n := testing.AllocsPerRun(10, func() { s.Gradient(g, u) }); n > 0 {
		t.Errorf("a gradient allocates %v times", n)
	}
}

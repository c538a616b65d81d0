package steady_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// stated hides that a settler knows planes, so that states are worked out.
type stated struct{ kedge.RowSettler }

// twins are the same crowd with gradients from planes and from states.
func twins(t *testing.T, m kedge.Model) (planes, states *steady.Objective) {
	t.Helper()
	planes, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	m.Settler = stated{m.RowSettler()}
	if states, err = steady.New(m); err != nil {
		t.Fatal(err)
	}
	return planes, states
}

// Independent method: states settled one by one and products with their sensitivity. Both know a state to about 1e-16/D, with D of sensitivity.Polarized,
// and its answer to 1e-16/D²; D is at least 1−λ−σ‖u‖² where that is positive. So differences are told in units of 1/D², relative to max(1, ‖∇Φ̃‖).
func TestGradientsFromPlanesAreThoseOfStates(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "planes", Text: "gradients of settled polarized crowds without states, against those with them: difference, times D²"})
	r := stream.New(3, "planes")
	worst := 0.0
	for trial := range 400 {
		n, m := 1+r.Intn(300), 2+r.Intn(24)
		lambda := 0.95 * r.Float64()
		sigma := (1 - lambda) * (0.05 + 0.93*r.Float64())
		people := draw(t, []population.Law{population.Cap{Angle: 90}, population.Cap{Angle: 180}}[trial%2], n, m)
		model := kedge.Model{
			Settler: dynamics.Polarized{Dim: m, Lambda: lambda, Sigma: sigma}, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: m},
			Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: lambda, Sigma: sigma},
		}
		if trial%3 == 0 {
			weights := make([]float64, n)
			for i := range weights {
				weights[i] = r.Float64() + 0.01
			}
			model.Weights, _ = kedge.ScaleWeights(weights, n)
		}
		u := make([]float64, m)
		for i := range u {
			u[i] = r.Normal()
		}
		rows.Scale(u, math.Pow(10, -3*r.Float64())/rows.Norm(u))
		planes, states := twins(t, model)
		d := 1 - lambda - sigma*rows.Dot(u, u)
		worst = max(worst, d*d*apart(t, planes.Gradient, states.Gradient, u), d*d*apart(t, planes.Partial, states.Partial, u))
	}
	off.AtMost("", worst, 1e-15)
}

// apart returns how far two gradients are from each other, relative to their size.
func apart(t *testing.T, one, other func(g, u []float64) (float64, error), u []float64) float64 {
	t.Helper()
	g, h := make([]float64, len(u)), make([]float64, len(u))
	value, err := one(g, u)
	if err != nil {
		t.Fatal(err)
	}
	want, err := other(h, u)
	if err != nil {
		t.Fatal(err)
	}
	size := max(1, rows.Norm(h))
	rows.AddScaled(g, -1, h)
	return max(rows.MaxAbs(g)/size, math.Abs(value-want)/max(1, math.Abs(want)))
}

// A sensitivity of other numbers than the dynamics', traits off the sphere by little and a decision without direction are left to states: bit by bit
// what they make of it.
func TestGradientsFromStatesWherePlanesDoNotHold(t *testing.T) {
	const n, m = 40, 5
	people := draw(t, population.Cap{Angle: 90}, n, m)
	shifted := append([]float64(nil), people...)
	rows.Scale(shifted[7*m:8*m], 1+1e-10)
	u, nothing := []float64{0.5, -0.3, 0.4, 0.2, -0.6}, make([]float64, m)
	for name, c := range map[string]struct {
		traits, u []float64
		sigma     float64
	}{
		"another sensitivity": {people, u, 0.3},
		"off the sphere":      {shifted, u, 0.5},
		"no decision":         {people, nothing, 0.5},
	} {
		planes, states := twins(t, kedge.Model{
			Settler: dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}, Objective: objective.Affinity{}, Traits: kedge.Block{Data: c.traits, Width: m},
			Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: 0.4, Sigma: c.sigma},
		})
		if off := apart(t, planes.Gradient, states.Gradient, c.u); off != 0 {
			t.Errorf("%s: gradients differ by %v", name, off)
		}
	}
}

// Individual 3 stands across the decision: exactly, where it stays by a hair, and almost, at the very split, where D is about C^⅔ and its product is refused. Errors are
// those of the way by states.
func TestGradientsFromPlanesAtTheSplit(t *testing.T) {
	const n, m = 40, 5
	people := draw(t, population.Cap{Angle: 90}, n, m)
	var unstable *kedge.UnstableError
	for _, c := range []struct {
		cosine, length float64
		is             func(err error) bool
	}{
		{0, 2, func(err error) bool { return errors.As(err, &unstable) }},
		{1e-11, math.Sqrt(0.6 / 0.5), func(err error) bool { return errors.Is(err, kedge.ErrSingular) }},
	} {
		row := kedge.Row(people, 3, m)
		row[0] = 0
		rows.Scale(row, 1/rows.Norm(row))
		row[0] = c.cosine
		planes, states := twins(t, kedge.Model{
			Settler: dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}, Objective: objective.Affinity{}, Traits: kedge.Block{Data: people, Width: m},
			Sensitivity: &sensitivity.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5},
		})
		u, g := []float64{c.length, 0, 0, 0, 0}, make([]float64, m)
		_, err := planes.Gradient(g, u)
		_, want := states.Gradient(g, u)
		var at *kedge.RowError
		if !errors.As(err, &at) || at.Row != 3 || !c.is(err) || want == nil || err.Error() != want.Error() {
			t.Errorf("cosine %v: from planes %v, from states %v", c.cosine, err, want)
		}
	}
}

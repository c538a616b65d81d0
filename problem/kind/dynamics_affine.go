package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/problem/form"
)

// AffineDynamics is p⁺ = Ap + Bu + Ed [he2025, linear dynamics].
type AffineDynamics struct{ A, B, E form.RowList }

// Word implements [form.Kind].
func (*AffineDynamics) Word() form.Option {
	return form.Choice("affine", "Anything linear.", "p⁺ = Ap + Bu + Ed")
}

// Describe implements [Dynamics].
func (d *AffineDynamics) Describe(f *form.Form) {
	form.Field(f, "a", &d.A, form.Rows(), form.Says(
		"How states follow from states, a list of rows. It must be contracting.", "A in p⁺ = Ap + Bu + Ed", "[[0.5, 0.25], [0, 0.5]]"))
	form.Field(f, "b", &d.B, form.Rows(), form.Says(
		"How states answer the decision, a list of rows; it has a column for every entry of the decision.", "B in p⁺ = Ap + Bu + Ed", "[[0.5, 0], [0.25, 0.5]]"))
	form.Field(f, "e", &d.E, form.Rows(), form.Says(
		"How states follow from traits, a list of rows; it has a column for every entry of a trait.", "E in p⁺ = Ap + Bu + Ed", "[[0.5, 0], [0, 0.5]]"))
}

// Dims implements [Dynamics].
func (d *AffineDynamics) Dims(int) kedge.Dims {
	return kedge.Dims{Decision: d.B.Columns(), State: len(d.A), Trait: d.E.Columns()}
}

// DimKeys implements [Sized].
func (*AffineDynamics) DimKeys() []string {
	return form.Paths("dynamics.a", "dynamics.b", "dynamics.e")
}

// Check implements [Dynamics].
func (d *AffineDynamics) Check(s *Scene) {
	if !s.Sound("dynamics") {
		return
	}
	n := len(d.A)
	s.Shape("dynamics.a", d.A, n, n, s.DimKeys)
	s.Shape("dynamics.b", d.B, n, d.B.Columns(), s.DimKeys)
	s.Shape("dynamics.e", d.E, n, d.E.Columns(), s.DimKeys)
	s.FailIf(s.Sound("population.dim") && d.E.Columns() != s.Dim, form.Paths("dynamics.e", "population.dim"),
		"dynamics.e has rows of %s, population.dim is %d", form.Entries(d.E.Columns()), s.Dim)
}

// Build implements [Dynamics].
func (d *AffineDynamics) Build(dim kedge.Dims) (kedge.Model, error) {
	return AffineModel(dynamics.NewAffine(dim, d.A.Flat(), d.B.Flat(), d.E.Flat()))
}

// Words implements [Dynamics].
func (*AffineDynamics) Words() string { return "p⁺ = Ap + Bu + Ed with given matrices" }

// Sketch implements [SketchedDynamics].
func (*AffineDynamics) Sketch(dim int) DynamicsSketch {
	half := banded(dim, 0.5, 0)
	return DynamicsSketch{
		Keys: "a: " + half + ", b: " + half + ", e: " + half, Law: "law: normal, mean: 1, deviation: 0.5",
		Objectives: []string{"quadratic", "affinity"}, Sets: []string{"whole", "ball", "box", "simplex", "capped-simplex"},
		Lower: -1, Upper: 1, Sum: float64(dim) / 2, Least: 1, Dim: 2, Most: 50, People: 100, Turns: 2000, Step: 0.05, Batch: 20,
	}
}

package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/problem/form"
)

// FriedkinJohnsenDynamics is p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d [he2025, opinion dynamics].
type FriedkinJohnsenDynamics struct {
	Susceptibility form.Vector  // the diagonal of Λ₁
	Influence      form.Vector  // the diagonal of Λ₂
	Weights        form.RowList // W
}

const opinionLaw = "p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d"

// Word implements [form.Kind].
func (*FriedkinJohnsenDynamics) Word() form.Option {
	return form.Choice("friedkin-johnsen", "Opinions on several topics that influence each other.", opinionLaw)
}

// Describe implements [Dynamics].
func (d *FriedkinJohnsenDynamics) Describe(f *form.Form) {
	form.Field(f, "susceptibility", &d.Susceptibility, form.VectorOf(form.Share()), form.Says(
		"How much each opinion follows the others, one number or one an opinion.", "the diagonal of Λ₁ in "+opinionLaw, "0.5"))
	form.Field(f, "influence", &d.Influence, form.VectorOf(form.Share()), form.Says(
		"How much each opinion follows the decision. With susceptibility at most 1.", "the diagonal of Λ₂ in "+opinionLaw, "0.3"))
	form.Field(f, "weights", &d.Weights, form.Rows(), form.Says(
		"How opinions average over each other, a list of rows of proportions.", "W in "+opinionLaw, "[[0.5, 0.5], [0.2, 0.8]]"))
}

// Dims implements [Dynamics].
func (d *FriedkinJohnsenDynamics) Dims(dim int) kedge.Dims { return alike(d, dim) }

// Check implements [Dynamics].
func (d *FriedkinJohnsenDynamics) Check(s *Scene) {
	n := s.State()
	if !s.Sound("dynamics") || n.N < 0 {
		return
	}
	s.Shape("dynamics.weights", d.Weights, n.N, n.N, s.DimKeys)
	s.Lives("dynamics.weights", d.Weights, Simplex, "friedkin-johnsen")
	if !s.Vector("dynamics.susceptibility", d.Susceptibility, n) || !s.Vector("dynamics.influence", d.Influence, n) {
		return
	}
	for i := range max(len(d.Susceptibility.Each), len(d.Influence.Each), 1) {
		if sum := d.Susceptibility.Entry(i) + d.Influence.Entry(i); sum > 1 {
			s.Fail(form.Paths("dynamics.influence", "dynamics.susceptibility"),
				"dynamics.susceptibility and dynamics.influence add up to %v in entry %d, want at most 1", sum, i)
			return
		}
	}
}

// Build implements [Dynamics].
func (d *FriedkinJohnsenDynamics) Build(dim kedge.Dims) (kedge.Model, error) {
	n := dim.State
	return AffineModel(dynamics.NewFriedkinJohnsen(d.Weights.Flat(), d.Susceptibility.Expand(n), d.Influence.Expand(n)))
}

// Words implements [Dynamics].
func (*FriedkinJohnsenDynamics) Words() string { return opinionLaw + " with given weights" }

// Sketch implements [SketchedDynamics].
func (*FriedkinJohnsenDynamics) Sketch(dim int) DynamicsSketch {
	return DynamicsSketch{
		Keys: "susceptibility: 0.5, influence: 0.3, weights: " + banded(dim, 0.5, 0.5), Law: "law: normal, mean: 1, deviation: 0.5",
		Objectives: []string{"quadratic", "affinity"}, Sets: []string{"ball", "box", "simplex", "capped-simplex", "whole"},
		Lower: -1, Upper: 1, Sum: float64(dim) / 2, Least: 1, Dim: 3, Most: 50, People: 100, Turns: 2000, Step: 0.05, Batch: 20,
	}
}

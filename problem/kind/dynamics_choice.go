package kind

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// ChoiceDynamics is p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d [he2025, softmax dynamics].
type ChoiceDynamics struct {
	Lambda1, Lambda2, Epsilon float64
	Each                      *ChoiceIntervals // of everybody's own parameters; nil: individuals differ in their traits alone
}

// ChoiceIntervals are between which numbers everybody's own parameters are; nil: the same for all.
type ChoiceIntervals struct{ Lambda1, Lambda2, Epsilon []float64 }

const choiceLaw = "p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d"

// Word implements [form.Kind].
func (*ChoiceDynamics) Word() form.Option {
	return form.Choice("choice", "Proportions of choices that drift away from what is expensive.", choiceLaw)
}

// Describe implements [Dynamics].
func (d *ChoiceDynamics) Describe(f *form.Form) {
	form.Field(f, "lambda1", &d.Lambda1, inertia(), form.Says("Inertia: how much of the present choice stays.", "λ₁ in "+choiceLaw, "0.2"))
	form.Field(f, "lambda2", &d.Lambda2, form.Share(), form.Says(
		"Influence: how much of the choice answers the decision. With lambda1 at most 1.", "λ₂ in "+choiceLaw, "0.5"))
	form.Field(f, "epsilon", &d.Epsilon, form.Positive(), form.Says("Sensitivity to the decision, as of buyers to prices.", "ε in softmax(−εu)", "0.5"))
	form.Field(f, "heterogeneity", &d.Each, form.Part((*ChoiceIntervals).describe).Optional(), heterogeneity())
}

func inertia() form.Codec[float64] {
	return form.Number("a number from 0 to below 1", form.Below(0, 1))
}

func (i *ChoiceIntervals) describe(f *form.Form) {
	describeInterval(f, "lambda1", &i.Lambda1, inertia(), "", "λ₁ in "+choiceLaw, "[0.1, 0.3]")
	describeInterval(f, "lambda2", &i.Lambda2, form.Share(), " With lambda1 at most 1.", "λ₂ in "+choiceLaw, "[0.4, 0.6]")
	describeInterval(f, "epsilon", &i.Epsilon, form.Positive(), "", "ε in softmax(−εu)", "[0.4, 0.6]")
}

// Dims implements [Dynamics].
func (d *ChoiceDynamics) Dims(dim int) kedge.Dims { return alike(d, dim) }

// Check implements [Dynamics].
func (d *ChoiceDynamics) Check(s *Scene) {
	s.FailIf(s.Sound("dynamics") && d.Lambda1+d.Lambda2 > 1, form.Paths("dynamics.lambda2", "dynamics.lambda1"),
		"dynamics.lambda1 and dynamics.lambda2 add up to %v, want at most 1", d.Lambda1+d.Lambda2)
	own := d.Parameters()
	if own == nil || !checkIntervals(s, own) {
		return
	}
	if top := own[0].Interval[1] + own[1].Interval[1]; top > 1 {
		s.Fail(form.Paths("dynamics.heterogeneity", "dynamics.lambda1", "dynamics.lambda2"), "dynamics.heterogeneity lets lambda1 and lambda2 add up to %v, want at most 1", top)
	}
}

// Build implements [Dynamics].
func (d *ChoiceDynamics) Build(dim kedge.Dims) (kedge.Model, error) {
	n := dim.State
	if d.Each != nil {
		f := dynamics.ChoiceEach{Dim: n}
		return kedge.Model{Dynamics: f, Settler: f, Sensitivity: &sensitivity.ChoiceEach{Dim: n}}, nil
	}
	f := dynamics.Choice{Dim: n, Lambda1: d.Lambda1, Lambda2: d.Lambda2, Epsilon: d.Epsilon}
	h := &sensitivity.Choice{Dim: n, Lambda1: d.Lambda1, Lambda2: d.Lambda2, Epsilon: d.Epsilon}
	return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}, errors.Join(f.Check(), h.Check())
}

// Words implements [Dynamics].
func (d *ChoiceDynamics) Words() string {
	return fmt.Sprintf(choiceLaw+" with λ₁ = %s, λ₂ = %s and ε = %s", phrase.Exact(d.Lambda1), phrase.Exact(d.Lambda2), phrase.Exact(d.Epsilon))
}

// Habitat implements [Housed].
func (*ChoiceDynamics) Habitat() Habitat { return Simplex }

// Parameters implements [Diverse].
func (d *ChoiceDynamics) Parameters() []Parameter {
	if d.Each == nil {
		return nil
	}
	return []Parameter{
		parameter("lambda1", "λ₁", d.Each.Lambda1, d.Lambda1), parameter("lambda2", "λ₂", d.Each.Lambda2, d.Lambda2),
		parameter("epsilon", "ε", d.Each.Epsilon, d.Epsilon),
	}
}

// Sketch implements [SketchedDynamics]: prices of at most 5.
func (*ChoiceDynamics) Sketch(dim int) DynamicsSketch {
	return DynamicsSketch{
		Keys: "lambda1: 0.2, lambda2: 0.5, epsilon: 0.5", Law: "law: dirichlet, concentration: 1",
		Objectives: []string{"revenue", "quadratic"}, Sets: []string{"capped-simplex", "simplex", "box", "ball", "whole"},
		Lower: 0, Upper: 5, Sum: 2.5 * float64(dim), Least: 1, Dim: 10, Most: 10_000, People: 100, Turns: 4000, Step: 0.5, Batch: 20,
	}
}

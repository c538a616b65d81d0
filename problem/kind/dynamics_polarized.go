package kind

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// PolarizedDynamics is p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u [he2025, polarized dynamics].
type PolarizedDynamics struct {
	Lambda, Sigma float64
	Each          *PolarizedIntervals // of everybody's own parameters; nil: individuals differ in their traits alone
}

// PolarizedIntervals are between which numbers everybody's own parameters are; nil: the same for all.
type PolarizedIntervals struct{ Lambda, Sigma []float64 }

// Word implements [form.Kind].
func (*PolarizedDynamics) Word() form.Option {
	return form.Choice("polarized", "Opinions on the unit sphere: who agrees is drawn to u, who disagrees is pushed away.",
		"p⁺ = λp + (1−λ)d + σ(pᵀu)u, brought back to length 1")
}

// Describe implements [Dynamics].
func (d *PolarizedDynamics) Describe(f *form.Form) {
	form.Field(f, "lambda", &d.Lambda, form.Share(), form.Says(
		"How much an individual keeps of its present state; the rest pulls it back to its trait.", "λ in p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u", "0.4"))
	form.Field(f, "sigma", &d.Sigma, form.NotNegative(), form.Says(
		"How strongly the decision attracts who agrees with it and repels who does not.", "σ in p⁺ ∝ λp + (1−λ)d + σ(pᵀu)u", "0.5"))
	form.Field(f, "heterogeneity", &d.Each, form.Part((*PolarizedIntervals).describe).Optional(), heterogeneity())
}

func (i *PolarizedIntervals) describe(f *form.Form) {
	describeInterval(f, "lambda", &i.Lambda, form.Share(), "", "λᵢ in p⁺ ∝ λᵢp + (1−λᵢ)d + σᵢ(pᵀu)u", "[0.3, 0.5]")
	describeInterval(f, "sigma", &i.Sigma, form.NotNegative(), "", "σᵢ in p⁺ ∝ λᵢp + (1−λᵢ)d + σᵢ(pᵀu)u", "[0.4, 0.5]")
}

// Dims implements [Dynamics].
func (d *PolarizedDynamics) Dims(dim int) kedge.Dims { return alike(d, dim) }

// Check implements [Dynamics].
func (d *PolarizedDynamics) Check(s *Scene) { checkIntervals(s, d.Parameters()) }

// Build implements [Dynamics].
func (d *PolarizedDynamics) Build(dim kedge.Dims) (kedge.Model, error) {
	n := dim.State
	if d.Each != nil {
		f := dynamics.PolarizedEach{Dim: n}
		return kedge.Model{Dynamics: f, Settler: f, Sensitivity: &sensitivity.PolarizedEach{Dim: n}}, nil
	}
	f := dynamics.Polarized{Dim: n, Lambda: d.Lambda, Sigma: d.Sigma}
	h := &sensitivity.Polarized{Dim: n, Lambda: d.Lambda, Sigma: d.Sigma}
	return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}, errors.Join(f.Check(), h.Check())
}

// Words implements [Dynamics].
func (d *PolarizedDynamics) Words() string {
	return fmt.Sprintf("p⁺ = λp + (1−λ)d + σ(pᵀu)u, brought back to length 1, with λ = %s and σ = %s", phrase.Exact(d.Lambda), phrase.Exact(d.Sigma))
}

// Habitat implements [Housed].
func (*PolarizedDynamics) Habitat() Habitat { return Sphere }

// Parameters implements [Diverse].
func (d *PolarizedDynamics) Parameters() []Parameter {
	if d.Each == nil {
		return nil
	}
	return []Parameter{parameter("lambda", "λ", d.Each.Lambda, d.Lambda), parameter("sigma", "σ", d.Each.Sigma, d.Sigma)}
}

// Warning implements [Wary].
func (d *PolarizedDynamics) Warning(reach float64) string {
	lambda, sigma := d.Lambda, d.Sigma
	if own := d.Parameters(); own != nil {
		lambda, sigma = own[0].Interval[1], own[1].Interval[1]
	}
	if sigma == 0 || (dynamics.Polarized{Dim: 1, Lambda: lambda, Sigma: sigma}).Contracts(reach) {
		return "" // nobody answers a decision, or all settle
	}
	const jump = "settled states jump where an individual stands at a right angle to the decision, and the sensitivity does not exist there."
	if math.IsInf(reach, 1) {
		return "The set has no end, so that no R bounds the decisions and λ + σR² is not below 1: under decisions longer than " +
			fmt.Sprintf("√((1−λ)/σ) = %.4g ", math.Sqrt((1-lambda)/sigma)) + jump
	}
	return fmt.Sprintf("λ + σR² = %.4g is not below 1 for decisions as long as R = %.4g, the farthest point of the set: %s", lambda+float64(sigma*reach*reach), reach, jump)
}

// Remember implements [Remembering].
func (d *PolarizedDynamics) Remember(n int) kedge.Model {
	f := dynamics.PolarizedNorm{Polarized: dynamics.Polarized{Dim: n, Lambda: d.Lambda, Sigma: d.Sigma}}
	h := &sensitivity.PolarizedNorm{}
	h.Dim, h.Lambda, h.Sigma = n, d.Lambda, d.Sigma
	return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}
}

// Sketch implements [SketchedDynamics]: opinions settle for sure only under decisions no longer than 1.
func (*PolarizedDynamics) Sketch(dim int) DynamicsSketch {
	upper := math.Floor(100/math.Sqrt(float64(dim))) / 100
	return DynamicsSketch{
		Keys: "lambda: 0.4, sigma: 0.5", Law: "law: cap, angle: 90",
		Objectives: []string{"affinity", "quadratic"}, Sets: []string{"ball", "box", "simplex", "capped-simplex"},
		Lower: -upper, Upper: upper, Sum: min(1, upper*float64(dim)), Least: 2, Dim: 20, Most: 10_000, People: 1000, Turns: 8000, Step: 0.005, Batch: 50,
	}
}

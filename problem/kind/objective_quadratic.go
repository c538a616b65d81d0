package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/problem/form"
)

// QuadraticObjective is ½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp, to be minimized.
type QuadraticObjective struct {
	Decision       form.Matrix // R
	Cross          form.Matrix // S, one row an entry of the decision
	State          form.Matrix // Q
	LinearDecision form.Vector // r
	LinearState    form.Vector // c
}

const quadraticLaw = "½uᵀRu + uᵀSp + ½pᵀQp + rᵀu + cᵀp"

// Word implements [form.Kind].
func (*QuadraticObjective) Word() form.Option {
	return form.Choice("quadratic", "Any quadratic cost, to be minimized.", quadraticLaw)
}

// Describe implements [Objective].
func (o *QuadraticObjective) Describe(f *form.Form) {
	form.Field(f, "decision", &o.Decision, form.MatrixOf().Or(form.Matrix{}), form.Says(
		"The cost of the decision, rows or a multiple of the identity.", "R in "+quadraticLaw, "2"))
	form.Field(f, "cross", &o.Cross, form.MatrixOf().Or(form.Matrix{}), form.Says(
		"The cost of decision and state together; a row is an entry of the decision.", "S in "+quadraticLaw, "1"))
	form.Field(f, "state", &o.State, form.MatrixOf().Or(form.Matrix{}), form.Says(
		"The cost of the state, rows or a multiple of the identity.", "Q in "+quadraticLaw, "1"))
	form.Field(f, "linear-decision", &o.LinearDecision, form.VectorOf(form.Finite()).Or(form.Vector{}), form.Says(
		"The linear cost of the decision.", "r in "+quadraticLaw, "[1, 0]"))
	form.Field(f, "linear-state", &o.LinearState, form.VectorOf(form.Finite()).Or(form.Vector{}), form.Says(
		"The linear cost of the state.", "c in "+quadraticLaw, "[1, 0]"))
}

// Check implements [Objective].
func (o *QuadraticObjective) Check(s *Scene, path string) {
	m, n := s.Dims.Decision, s.Dims.State
	s.Matrix(path+".decision", o.Decision, m, m, s.DimKeys)
	s.Matrix(path+".cross", o.Cross, m, n, s.DimKeys)
	s.Matrix(path+".state", o.State, n, n, s.DimKeys)
	s.Vector(path+".linear-decision", o.LinearDecision, s.Decision())
	s.Vector(path+".linear-state", o.LinearState, s.State())
}

// Build implements [Objective].
func (o *QuadraticObjective) Build(dim kedge.Dims) (kedge.RowObjective, error) {
	m, n := dim.Decision, dim.State
	return objective.NewQuadratic(dim, o.Decision.Dense(m, m), o.Cross.Dense(m, n), o.State.Dense(n, n), o.LinearDecision.Expand(m), o.LinearState.Expand(n))
}

// Words implements [Objective].
func (*QuadraticObjective) Words() string {
	return "The mean of a quadratic cost of u and p, to be minimized."
}

// IsReward implements [Objective].
func (*QuadraticObjective) IsReward() bool { return false }

// Sketch implements [SketchedObjective].
func (*QuadraticObjective) Sketch() (keys string, curves bool) {
	return ", decision: 2, cross: 1, state: 1", true
}

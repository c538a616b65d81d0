package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/problem/form"
)

// AffinityObjective is pᵀu, to be maximized.
type AffinityObjective struct{}

// Word implements [form.Kind].
func (*AffinityObjective) Word() form.Option {
	return form.Choice("affinity", "How much the crowd likes the decision, to be maximized.", "pᵀu")
}

// Describe implements [Objective].
func (*AffinityObjective) Describe(*form.Form) {}

// Check implements [Objective].
func (o *AffinityObjective) Check(s *Scene, path string) { s.reads(path, o, s.Dims.Decision) }

// Build implements [Objective].
func (*AffinityObjective) Build(dim kedge.Dims) (kedge.RowObjective, error) {
	f := objective.Affinity{State: dim.State}
	return f, f.Check(dim)
}

// Words implements [Objective].
func (*AffinityObjective) Words() string {
	return "The mean of pᵀu over the population, to be maximized."
}

// IsReward implements [Objective].
func (*AffinityObjective) IsReward() bool { return true }

// Sketch implements [SketchedObjective].
func (*AffinityObjective) Sketch() (keys string, curves bool) { return "", false }

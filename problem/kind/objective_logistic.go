package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/problem/form"
)

// LogisticObjective is log(1 + exp(−y(wᵀp + b))) + ½γ‖w‖², to be minimized; the label y is the sign of the trait's last entry.
type LogisticObjective struct {
	Ridge     float64 // γ
	Intercept bool    // the decision ends with b
}

// Word implements [form.Kind].
func (*LogisticObjective) Word() form.Option {
	return form.Choice("logistic", "The loss of a classifier w on features p, to be minimized; the label y is the sign of the trait's last entry.",
		"log(1 + exp(−y(wᵀp + b))) + ½γ‖w‖²")
}

// Describe implements [Objective].
func (o *LogisticObjective) Describe(f *form.Form) {
	form.Field(f, "ridge", &o.Ridge, form.NotNegative().Or(0), form.Says("How much large weights cost.", "γ in ½γ‖w‖²", "0.01"))
	form.Field(f, "intercept", &o.Intercept, form.Boolean().Or(false),
		form.Says("Whether the decision ends with an intercept.", "u = (w, b) instead of w", "true"))
}

// features is how many entries of the decision are weights.
func (o *LogisticObjective) features(dim kedge.Dims) int {
	if o.Intercept {
		return dim.Decision - 1
	}
	return dim.Decision
}

// Check implements [Objective].
func (o *LogisticObjective) Check(s *Scene, path string) {
	s.reads(path, o, o.features(s.Dims))
	s.FailIf(o.features(s.Dims) == 0, append(form.Paths(path+".intercept"), s.DimKeys...), "%s.intercept is true, which leaves no weight of a decision of 1 entry; want false, or a longer decision", path)
}

// Build implements [Objective].
func (o *LogisticObjective) Build(dim kedge.Dims) (kedge.RowObjective, error) {
	f := objective.Logistic{Features: o.features(dim), Ridge: o.Ridge, State: dim.State, Trait: dim.Trait}
	return f, f.Check(dim)
}

// Words implements [Objective].
func (o *LogisticObjective) Words() string {
	return "The mean logistic loss of a classifier u on states p, with ridge " + phrase.Exact(o.Ridge) + ", to be minimized."
}

// IsReward implements [Objective].
func (*LogisticObjective) IsReward() bool { return false }

package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/problem/form"
)

// RevenueObjective is pᵀu + ρ Σ pᵢ log pᵢ, to be maximized [he2025, gain and entropy].
type RevenueObjective struct {
	Entropy float64 // ρ
	Sign    string  // of the entropy term: "printed", as above, or "diversity", which rewards spread proportions
}

// Word implements [form.Kind].
func (*RevenueObjective) Word() form.Option {
	return form.Choice("revenue", "What the choices earn, and how spread they are, to be maximized.", "pᵀu + ρ Σ pᵢ log pᵢ")
}

// Describe implements [Objective].
func (o *RevenueObjective) Describe(f *form.Form) {
	form.Field(f, "entropy", &o.Entropy, form.NotNegative().Or(0), form.Says("The weight of the entropy term.", "ρ in pᵀu + ρ Σ pᵢ log pᵢ", "0.1"))
	form.Field(f, "sign", &o.Sign, form.OneOf(
		form.Choice("printed", "As in the article: concentrated choices are rewarded.", "pᵀu + ρ Σ pᵢ log pᵢ"),
		form.Choice("diversity", "Turned round: spread choices are rewarded.", "pᵀu − ρ Σ pᵢ log pᵢ"),
	).Or("printed"), form.Says("The sign of the entropy term.", "", "diversity"))
}

// Check implements [Objective].
func (o *RevenueObjective) Check(s *Scene, path string) { s.reads(path, o, s.Dims.Decision) }

// Build implements [Objective].
func (o *RevenueObjective) Build(dim kedge.Dims) (kedge.RowObjective, error) {
	f := objective.Revenue{Entropy: o.Entropy, State: dim.State}
	if o.Sign == "diversity" {
		f.Sign = objective.Diverse
	}
	return f, f.Check(dim)
}

// Words implements [Objective].
func (o *RevenueObjective) Words() string {
	term := "no entropy term"
	if o.Entropy > 0 {
		term = "an entropy term of weight " + phrase.Exact(o.Entropy) + " (" + o.Sign + ")"
	}
	return "The mean revenue pᵀu with " + term + ", to be maximized."
}

// IsReward implements [Objective].
func (*RevenueObjective) IsReward() bool { return true }

// Sketch implements [SketchedObjective].
func (*RevenueObjective) Sketch() (keys string, curves bool) { return ", entropy: 0.1", false }

package kind

import (
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/risk"
)

// ChanceCriterion bounds how many exceed a bound, smoothed.
type ChanceCriterion struct {
	Level     float64 // the share that must keep the bound
	Smoothing float64 // the width over which breaking it begins to count
}

const smoothedChance = "mean 1/(1 + exp((bound − ℓ)/smoothing))"

// Word implements [form.Kind].
func (*ChanceCriterion) Word() form.Option {
	return form.Choice("chance", "How many exceed the bound, smoothed.", smoothedChance+" ≤ 1 − level")
}

// Describe implements [Criterion].
func (m *ChanceCriterion) Describe(f *form.Form) {
	describeLevel(f, &m.Level, form.Number("a number above 0 and below 1", form.Open(0, 1)))
	form.Field(f, "smoothing", &m.Smoothing, form.Positive(), form.Says(
		"Over which width of ℓ exceeding the bound begins to count; a tenth of the spread of ℓ is a good start.", smoothedChance, "0.1"))
}

// Check implements [Criterion].
func (*ChanceCriterion) Check(*Scene, string) {}

// Build implements [Criterion].
func (m *ChanceCriterion) Build(mean risk.Constraint) []risk.Constraint {
	mean.Measure, mean.Bound = risk.Chance{Limit: mean.Bound, Width: m.Smoothing}, 1-m.Level
	return []risk.Constraint{mean}
}

// Words implements [Criterion].
func (m *ChanceCriterion) Words(loss, isAtMost string) string {
	return loss + isAtMost + " for " + phrase.Percent(m.Level) + " of people"
}

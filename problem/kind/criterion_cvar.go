package kind

import (
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/risk"
)

// CVaRCriterion bounds the mean over those who fare worst.
type CVaRCriterion struct{ Level float64 } // 1 minus their share

// Word implements [form.Kind].
func (*CVaRCriterion) Word() form.Option {
	return form.Choice("cvar", "The mean over those who fare worst.", "min over t of t + mean (ℓ − t)₊/(1 − level) ≤ bound")
}

// Describe implements [Criterion].
func (m *CVaRCriterion) Describe(f *form.Form) {
	describeLevel(f, &m.Level, form.Number("a number from 0 to below 1", form.Below(0, 1)))
}

// Check implements [Criterion].
func (*CVaRCriterion) Check(*Scene, string) {}

// Build implements [Criterion].
func (m *CVaRCriterion) Build(mean risk.Constraint) []risk.Constraint {
	mean.Measure = risk.CVaR{Level: m.Level}
	return []risk.Constraint{mean}
}

// Words implements [Criterion].
func (m *CVaRCriterion) Words(loss, isAtMost string) string {
	return "the mean of " + loss + " over the worst " + phrase.Percent(1-m.Level) + " of people" + isAtMost
}

// Tail implements [Tailed].
func (m *CVaRCriterion) Tail() float64 { return 1 - m.Level }

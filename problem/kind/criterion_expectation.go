package kind

import (
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/risk"
)

// ExpectationCriterion bounds the mean over the crowd.
type ExpectationCriterion struct{}

// Word implements [form.Kind].
func (*ExpectationCriterion) Word() form.Option {
	return form.Choice("expectation", "The mean over the crowd.", "mean ℓ ≤ bound")
}

// Describe implements [Criterion].
func (*ExpectationCriterion) Describe(*form.Form) {}

// Check implements [Criterion].
func (*ExpectationCriterion) Check(*Scene, string) {}

// Build implements [Criterion].
func (*ExpectationCriterion) Build(mean risk.Constraint) []risk.Constraint {
	return []risk.Constraint{mean}
}

// Words implements [Criterion].
func (*ExpectationCriterion) Words(loss, isAtMost string) string {
	return "the mean of " + loss + isAtMost
}

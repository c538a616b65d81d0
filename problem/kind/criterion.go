package kind

import (
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/risk"
)

// Criterion is a kind of constraints: what about the losses of the settled population is bounded.
type Criterion interface {
	form.Kind
	// Describe describes its keys.
	Describe(f *form.Form)
	// Check looks for what must hold between its keys.
	Check(s *Scene, path string)
	// Build makes the constraint on the mean of a loss one of this kind, or several.
	Build(mean risk.Constraint) []risk.Constraint
	// Words says what must be kept, of a loss that "is at most" a number.
	Words(loss, isAtMost string) string
}

// Grouped is a Criterion that binds several groups of people, each by itself.
type Grouped interface{ Groups() int }

// NamedGroups is a Criterion that may bind groups of people who have names.
type NamedGroups interface {
	// HasNames tells whether it does.
	HasNames() bool
	// BuildNamed makes the constraint on the mean of a loss one for every group; of is the group of everybody.
	BuildNamed(mean risk.Constraint, of []int, names []string) ([]risk.Constraint, error)
}

// ByName tells whether a criterion binds groups that have names.
func ByName(x Criterion) bool {
	n, ok := x.(NamedGroups)
	return ok && n.HasNames()
}

// Tailed is a Criterion that looks at those alone who fare worst.
type Tailed interface{ Tail() float64 } // their share

// DescribeCriterion describes the kind of a constraint; its keys come later.
func (c *Catalogue) DescribeCriterion(f *form.Form, x *Criterion) {
	form.Pick(f, "kind", x, c.Criteria, "", form.Says("What is bounded.", "ρ", "cvar"))
}

// GroupsOf returns how many constraints one of a kind is.
func GroupsOf(x Criterion) int {
	if g, ok := x.(Grouped); ok {
		return g.Groups()
	}
	return 1
}

// describeLevel describes a share of people, which several measures have.
func describeLevel(f *form.Form, x *float64, c form.Codec[float64]) {
	form.Field(f, "level", x, c, form.Says(
		"Of cvar: all but this share are the worst. Of chance: the share that must keep the bound.", "level in P(ℓ ≤ bound) ≥ level", "0.9"))
}

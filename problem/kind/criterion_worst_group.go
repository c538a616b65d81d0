package kind

import (
	"fmt"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/risk"
)

// WorstGroupCriterion bounds the mean over every group of people, each with a multiplier of its own.
type WorstGroupCriterion struct {
	GroupBy int       // the entry of the trait, from 1
	Cuts    []float64 // where one group ends and the next begins
}

// Word implements [form.Kind].
func (*WorstGroupCriterion) Word() form.Option {
	return form.Choice("worst-group", "The mean over every group of people, each with a multiplier of its own.", "max over groups of mean ℓ ≤ bound")
}

// Describe implements [Criterion].
func (m *WorstGroupCriterion) Describe(f *form.Form) {
	form.Field(f, "group-by", &m.GroupBy, form.Count(1, maxCount), form.Says(
		"The entry of the trait, counted from 1, that says which group somebody is in.", "", "1"))
	form.Field(f, "cuts", &m.Cuts, form.Numbers(form.Finite()), form.Says(
		"Where one group ends and the next begins, in growing order; a number on a cut is in the group above.", "", "[0]"))
}

// Check implements [Criterion].
func (m *WorstGroupCriterion) Check(s *Scene, path string) {
	if !s.Sound(path) {
		return
	}
	if n := s.Trait(); n.N >= 0 && m.GroupBy > n.N {
		s.Fail(append(form.Paths(path+".group-by"), n.From...), "%s.group-by is %d, a trait has %s", path, m.GroupBy, form.Entries(n.N))
	}
	for i := 1; i < len(m.Cuts); i++ {
		s.FailIf(m.Cuts[i] <= m.Cuts[i-1], form.Paths(path+".cuts"),
			"%s.cuts do not grow: %v comes after %v", path, m.Cuts[i], m.Cuts[i-1])
	}
}

// Groups implements [Grouped].
func (m *WorstGroupCriterion) Groups() int { return len(m.Cuts) + 1 }

// Build implements [Criterion].
func (m *WorstGroupCriterion) Build(mean risk.Constraint) (list []risk.Constraint) {
	for g := range m.Groups() {
		one := mean
		one.Name = fmt.Sprintf("%s, group %d", mean.Name, g+1)
		one.Among = func(d []float64) bool {
			v := d[m.GroupBy-1]
			return (g == 0 || v >= m.Cuts[g-1]) && (g == len(m.Cuts) || v < m.Cuts[g])
		}
		list = append(list, one)
	}
	return list
}

// Words implements [Criterion].
func (m *WorstGroupCriterion) Words(loss, isAtMost string) string {
	return "the mean of " + loss + " over each of " + phrase.Count(m.Groups(), "group") + isAtMost
}

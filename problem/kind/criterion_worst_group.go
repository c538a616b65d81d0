package kind

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/risk"
)

// WorstGroupCriterion bounds the mean over every group of people, each with a multiplier of its own.
type WorstGroupCriterion struct {
	GroupBy GroupKey
	Cuts    []float64 // where one group ends and the next begins; nil: groups have names
	Names   []string  // of groups; nil: all of them
}

// GroupKey is what tells groups of people apart.
type GroupKey struct {
	Entry int    // of the trait, from 1; 0: groups have names
	Of    string // "group", or the column of a table that holds them
}

// Word implements [form.Kind].
func (*WorstGroupCriterion) Word() form.Option {
	return form.Choice("worst-group", "The mean over every group of people, each with a multiplier of its own.", "max over groups of mean ℓ ≤ bound")
}

// Describe implements [Criterion].
func (m *WorstGroupCriterion) Describe(f *form.Form) {
	form.Field(f, "group-by", &m.GroupBy, groupKeys(), form.Says(
		"What says which group somebody is in: an entry of the trait, counted from 1, which cuts divide, or groups that have names: group, or the column that population.group names.", "", "1"))
	form.Field(f, "cuts", &m.Cuts, form.Numbers(form.Finite()).Optional(), form.Says(
		"Of group-by with an entry of the trait, where it must be there: where one group ends and the next begins, in growing order; a number on a cut is in the group above.", "", "[0]"))
	form.Field(f, "groups", &m.Names, form.ListOf(form.FormulaText("the name of a group"), "a list of groups such as [north, south]").Optional(), form.Says(
		"Of group-by with groups that have names: those that count, each with a multiplier of its own. Without it all do.", "", "[north, south]"))
}

// groupKeys is the number of an entry or a name.
func groupKeys() form.Codec[GroupKey] {
	const want = "a whole number from 1 on, group, or the column of population.group"
	entry, name := form.Count(1, maxCount), form.FormulaText(want)
	c := form.Single(want, form.Schema{Type: form.Types{"integer", "string"}}, func(n *form.Node) (k GroupKey, ok bool) {
		if k.Entry, ok = entry.Read(&form.Mistakes{}, n); ok {
			return k, true
		}
		return GroupKey{Of: n.Text}, n.Text != "" && (n.Quoted || !form.IsNumber(n.Text))
	}, nil)
	c.Write = func(k GroupKey) *form.Node {
		if k.Entry > 0 {
			return entry.Write(k.Entry)
		}
		return name.Write(k.Of)
	}
	return c
}

// Check implements [Criterion].
func (m *WorstGroupCriterion) Check(s *Scene, path string) {
	by, cuts := path+".group-by", path+".cuts"
	switch {
	case !s.Sound(path):
	case m.GroupBy.Entry == 0:
		m.checkNames(s, path)
	default:
		if n := s.Trait(); n.N >= 0 && m.GroupBy.Entry > n.N {
			s.Fail(append(form.Paths(by), n.From...), "%s is %d, a trait has %s", by, m.GroupBy.Entry, form.Entries(n.N))
		}
		s.FailIf(m.Cuts == nil, form.Paths(cuts, path), "%s is missing, want a list of numbers that divides entry %d of the trait", cuts, m.GroupBy.Entry)
		s.FailIf(m.Names != nil, form.Paths(path+".groups", by), "%s.groups are given, but %s is an entry of the trait, whose groups have no names; want group-by: group", path, by)
		for i := 1; i < len(m.Cuts); i++ {
			s.FailIf(m.Cuts[i] <= m.Cuts[i-1], form.Paths(cuts), "%s do not grow: %v comes after %v", cuts, m.Cuts[i], m.Cuts[i-1])
		}
	}
}

// checkNames checks groups that have names, as far as those are known before a table is read.
func (m *WorstGroupCriterion) checkNames(s *Scene, path string) {
	by, known := path+".group-by", []string{"group"}
	if s.GroupKey != "" {
		known = append(known, s.GroupKey)
	}
	switch {
	case !s.Grouped:
		s.Fail(form.Paths(by), "%s is %s, but there are no groups with names; want population.group, a column of a file, or model.groups, or an entry of the trait by its number", by, m.GroupBy.Of)
	case !slices.Contains(known, m.GroupBy.Of):
		s.Fail(form.Paths(by), "%s is %s, want an entry of the trait by its number, or %s%s", by, m.GroupBy.Of, phrase.EnumerateBy(known, "or"), form.Meant(m.GroupBy.Of, known))
	}
	s.FailIf(m.Cuts != nil, form.Paths(path+".cuts", by), "%s.cuts are given, but groups that have names need none", path)
	if fault := m.unknown(s.Groups); s.Groups != nil && fault != "" {
		s.Fail(form.Paths(path+".groups"), "%s.groups %s", path, fault)
	}
}

// unknown says which name is that of no group, "" if all are.
func (m *WorstGroupCriterion) unknown(groups []string) string {
	for _, name := range m.Names {
		if !slices.Contains(groups, name) {
			return fmt.Sprintf("names %s, but the groups are %s%s", name, phrase.Enumerate(groups), form.Meant(name, groups))
		}
	}
	return ""
}

// Groups implements [Grouped]; groups that have names, and are not listed, are counted where they are known.
func (m *WorstGroupCriterion) Groups() int {
	if m.Cuts != nil {
		return len(m.Cuts) + 1
	}
	return max(1, len(m.Names))
}

// Build implements [Criterion].
func (m *WorstGroupCriterion) Build(mean risk.Constraint) (list []risk.Constraint) {
	for g := range m.Groups() {
		one := mean
		one.Name = fmt.Sprintf("%s, group %d", mean.Name, g+1)
		one.Among = func(d []float64) bool {
			v := d[m.GroupBy.Entry-1]
			return (g == 0 || v >= m.Cuts[g-1]) && (g == len(m.Cuts) || v < m.Cuts[g])
		}
		list = append(list, one)
	}
	return list
}

// BuildNamed implements [NamedGroups].
func (m *WorstGroupCriterion) BuildNamed(mean risk.Constraint, of []int, names []string) ([]risk.Constraint, error) {
	if fault := m.unknown(names); fault != "" {
		return nil, form.Under("groups", fmt.Errorf("groups %s", fault))
	}
	var list []risk.Constraint
	for g, name := range names {
		if m.Names != nil && !slices.Contains(m.Names, name) {
			continue
		}
		one := mean
		one.Name = mean.Name + ", " + name
		one.Member = func(who uint64) bool { return who < uint64(len(of)) && of[who] == g }
		list = append(list, one)
	}
	return list, nil
}

// HasNames implements [NamedGroups].
func (m *WorstGroupCriterion) HasNames() bool { return m.GroupBy.Entry == 0 }

// Words implements [Criterion].
func (m *WorstGroupCriterion) Words(loss, isAtMost string) string {
	who := "each of " + phrase.Count(m.Groups(), "group")
	switch {
	case m.Names != nil:
		who = "each of " + phrase.Enumerate(m.Names)
	case m.Cuts == nil:
		who = "every group"
	}
	return "the mean of " + loss + " over " + who + isAtMost
}

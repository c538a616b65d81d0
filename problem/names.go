package problem

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

func (s *Spec) describeNames(f *form.Form) {
	form.Field(f, "names", &s.Names, form.Part((*kind.Naming).Describe).Optional(), form.Says("What decisions, states, traits and the value are called, with their units, in every table, figure and file. Without it they go by numbers.", "", ""))
}

// Called returns what the entries are called, by the spec or by its model.
func (s *Spec) Called() kedge.Names {
	out := s.Names.Called()
	if s.Model == nil {
		return out
	}
	declared, dim := s.Model.declared(), s.Dims()
	if declared.Symbol != "u" { // which it is anyhow
		out.Symbol = declared.Symbol
	}
	for _, one := range []struct {
		list     *[]kedge.Called
		labels   []kedge.Called
		declared string
		entries  int
	}{
		{&out.Decision, declared.Decision, s.Model.Decision, dim.Decision},
		{&out.State, declared.State, s.Model.State, dim.State},
		{&out.Trait, declared.Trait, s.Model.Trait, dim.Trait},
	} {
		if *one.list == nil {
			*one.list = one.labels
		}
		if unit := formula.Declare(one.declared).Unit; *one.list == nil && unit != "" {
			*one.list = make([]kedge.Called, one.entries)
			for i := range *one.list {
				(*one.list)[i].Unit = unit
			}
		}
	}
	return out
}

// declared are the names that the model gives to entries where it declares them.
func (m *Model) declared() kedge.Names {
	if m == nil {
		return kedge.Names{}
	}
	return formula.DeclaredNames(m.Decision, m.State, m.Trait)
}

// entryNames are the names of the decision's entries, nil where they have none.
func (s *Spec) entryNames() []string {
	names := lists.Of(s.Called().Decision, func(c kedge.Called) string { return c.Name })
	if slices.Contains(names, "") {
		return nil
	}
	return names
}

// mostKept is how long a decision may be that is kept without being asked for.
const mostKept = 16

// KeepsDecisions tells whether the decision of every measured turn is kept.
func (s *Spec) KeepsDecisions() bool {
	if kept := s.Record.Decisions; kept != nil {
		return *kept
	}
	return s.Dims().Decision <= mostKept
}

// DecisionColumns are the columns of the series that hold decisions.
func (s *Spec) DecisionColumns() []kedge.Column {
	return loop.DecisionColumns(s.Dims().Decision, s.Called().Decision)
}

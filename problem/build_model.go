package problem

import (
	"io/fs"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
)

// compile makes a model of the formulas. Every error is an *Error at the formula it is about.
func (s *Spec) compile(files fs.FS) (*formula.Model, error) {
	source, err := s.source(files)
	if err != nil {
		return nil, err
	}
	m, err := formula.Compile(source)
	return m, s.FormulaMistakes(err)
}

// source returns the formulas with the numbers of the files they name.
func (s *Spec) source(files fs.FS) (formula.Source, error) {
	m := s.Model
	out := formula.Source{
		Decision: m.Decision, State: m.State, Trait: m.Trait, Beside: m.beside(), Noise: m.noiseSource(),
		Next: m.Next, Minimize: m.Minimize, Maximize: m.Maximize, Subject: m.SubjectTo,
	}
	for _, l := range m.Let {
		if l.File != "" {
			table, err := census.ReadTable(files, l.File, l.Array)
			if err != nil {
				return out, s.errorf(form.Join("model.let", l.Name)+".file", "%s: %v", l.File, err)
			}
			l.Numbers = asValue(table.Data, table.Width)
			if l.Nodes > 0 {
				if l.Numbers, err = formula.Network(table.Data, table.Width, l.Nodes); err != nil {
					return out, s.errorf(form.Join("model.let", l.Name)+".file", "%s: %v", l.File, err)
				}
			}
		}
		if l.Unknown != nil {
			l.Numbers = l.stand()
		}
		out.Let = append(out.Let, formula.Binding{Name: l.Name, Expr: l.Formula, Data: l.Numbers})
	}
	return out, nil
}

// asValue makes one row or one column a vector and anything else a matrix.
func asValue(data []float64, width int) *formula.Value {
	if width == 1 || width == len(data) {
		return &formula.Value{Shape: []int{len(data)}, Data: data}
	}
	return &formula.Value{Shape: []int{len(data) / width, width}, Data: data}
}

// reportFormulas reports the mistakes that the compiler joined, each at its place in the spec.
func (s *Spec) reportFormulas(found *form.Mistakes, err error) {
	kind.ReportFormulas(found, s.origin, err, func(field string) string { return field })
}

// individual is what the formulas say about one. Where they give no steady state or sensitivity, both are found by iteration.
func individual(m *formula.Model) kedge.Model {
	f := m.Dynamics()
	out := kedge.Model{Dynamics: f, Objective: m.Objective(), Sensitivity: m.Sensitivity(), Social: m.Social()}
	if settler, ok := f.(kedge.RowSettler); ok {
		out.Settler = settler
	} else {
		out.Settler = dynamics.NewWalked(f)
	}
	if out.Sensitivity == nil {
		out.Sensitivity = &sensitivity.Implicit{Dynamics: f}
	}
	return out
}

// formulasFit refuses what a model of formulas cannot be together with the rest of the spec.
func (s *Spec) formulasFit(m *formula.Model) *form.Mistake {
	if f := m.Stirred(); f != nil && !f.IsAffine() {
		return s.errorf("model.next", "model.next is not affine in the noise, so that people do not go on the average where the mean noise takes them, and it is not known where they settle; let noise enter as it is, times whatever else there is, and give it the law of what enters (exp of a normal number is lognormal)")
	}
	if !m.Social() {
		return nil
	}
	for _, one := range []struct {
		key    string
		given  bool
		reason string
	}{
		{"record.rollout", s.Record.Rollout > 0, "a roll-out moves individuals one by one"},
		{"record.theory", s.Record.Theory, "the theory is of individuals who are alone"},
		{"population.weights", s.Population.Weights != nil, "who sees the mean of the crowd sees all alike"},
	} {
		if one.given {
			return s.errorf(one.key, "%s is given, but model.next depends on crowd(…), and %s", one.key, one.reason)
		}
	}
	for i := range s.Algorithms {
		if a := &s.Algorithms[i]; strings.Contains(a.Play, "response") {
			path := form.Join("algorithms", a.Name) + ".play"
			return s.errorf(path, "%s is %s, but model.next depends on crowd(…), and responses are those of individuals who do not see each other", path, a.Play)
		}
	}
	return nil
}

// FormulaMistakes tells mistakes that a compiler joined at their places in the spec.
func (s *Spec) FormulaMistakes(err error) error {
	var found form.Mistakes
	s.reportFormulas(&found, err)
	if len(found.Found) == 0 {
		return err
	}
	return found.Join()
}

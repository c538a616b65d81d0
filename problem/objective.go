package problem

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// needObjective reads an objective that must be there: a formula, which is a loss, or a mapping with a kind.
func (s *Spec) needObjective(f *form.Form, key, want string, m form.Meaning, x *kind.Objective) {
	short := ""
	if o, ok := (*x).(*kind.FormulaObjective); ok {
		short = o.Minimize
	}
	text := form.FormulaText(want)
	read := text.Read
	text.Read = func(m *form.Mistakes, n *form.Node) (string, bool) {
		if slices.ContainsFunc(s.kinds().Objectives, func(o kind.Objective) bool { return form.NameOf(o) == n.Text }) {
			m.Wrong(n, "{kind: "+n.Text+"}, or a formula")
			return "", false
		}
		return read(m, n)
	}
	take := func(text string) { *x = &kind.FormulaObjective{Minimize: text} }
	f.NeedTextOrSection(key, short, text, take, want, m, func(f *form.Form) { s.kinds().DescribeObjective(f, x) })
}

// names are what formulas can name: what the model has or, without one, u, p and d.
func (s *Spec) names(files fs.FS) (formula.Source, error) {
	if s.Model == nil {
		return kind.PlainNames(s.Dims()), nil
	}
	from, err := s.source(files)
	return formula.Source{Decision: from.Decision, State: from.State, Trait: from.Trait, Beside: from.Beside, Noise: from.Noise, Let: from.Let}, err
}

// objective checks an objective at a path. A formula in which numbers of files stand is checked when they are read.
func (c *check) objective(path string, o kind.Objective) {
	kind.CheckObjective(&c.Scene, path, o)
	f, ok := o.(kind.FormulatedObjective)
	if !ok || !c.Sound(c.DimKeys...) || !c.Sound(path) || c.s.Model != nil && (c.s.Model.readsFiles() || !c.Sound("model")) {
		return
	}
	names, _ := c.s.names(nil) // no file, no error
	_, err := kind.Formulated(names, f)
	c.s.reportObjective(c.Mistakes, path, err)
}

// reportObjective reports what the compiler found wrong with an objective, at its place in the spec.
func (s *Spec) reportObjective(found *form.Mistakes, path string, err error) {
	kind.ReportFormulas(found, s.origin, err, func(field string) string {
		key := strings.TrimPrefix(field, "model.")
		switch {
		case key != "minimize" && key != "maximize":
			return field
		case s.origin.IsText(path):
			return path
		}
		return form.Join(path, key)
	})
}

// buildObjective makes the objective at a path of the spec.
func (s *Spec) buildObjective(path string, o kind.Objective, files fs.FS) (kedge.RowObjective, error) {
	written, ok := o.(kind.FormulatedObjective)
	if !ok {
		f, err := o.Build(s.Dims())
		return f, s.wrap(path, err)
	}
	names, err := s.names(files)
	if err != nil {
		return nil, err
	}
	m, err := kind.Formulated(names, written)
	if err != nil {
		var found form.Mistakes
		s.reportObjective(&found, path, err)
		return nil, found.Join()
	}
	return m.Objective(), nil
}

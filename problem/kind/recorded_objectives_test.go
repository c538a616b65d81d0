package kind_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// judging are objectives, right and wrong, each with the decision, state and trait that it is asked about.
func judging() []struct {
	dims kedge.Dims
	text string
} {
	two, one, few, wide := kedge.Dims{Decision: 2, State: 2, Trait: 2}, kedge.Dims{Decision: 1, State: 1, Trait: 1}, kedge.Dims{Decision: 2, State: 1, Trait: 3}, kedge.Dims{Decision: 1, State: 2, Trait: 1}
	return []struct {
		dims kedge.Dims
		text string
	}{
		{two, "{kind: affinity}"}, {few, "{kind: affinity}"}, {wide, "{kind: affinity}"}, {two, "{kind: affinity, entropy: 1}"}, {two, "{kind: affinty}"}, {two, "{}"},
		{two, "{kind: revenue}"}, {two, "{kind: revenue, entropy: 0.1}"}, {two, "{kind: revenue, entropy: 0.1, sign: diversity}"}, {two, "{kind: revenue, entropy: -1, sign: both}"}, {few, "{kind: revenue}"}, {wide, "{kind: revenue, entropy: 2}"},
		{two, "{kind: quadratic}"}, {two, "{kind: quadratic, decision: 2, cross: 1, state: 3, linear-decision: 1, linear-state: [1, 0]}"}, {two, "{kind: quadratic, decision: [[2, 1], [1, 3]], cross: [[1, 2], [3, 4]], state: [[1, 0], [0, 2]], linear-decision: [1, -1], linear-state: 0.5}"},
		{few, "{kind: quadratic, decision: 2, cross: [[1], [2]], state: 1, linear-decision: [1, 2], linear-state: [3]}"}, {few, "{kind: quadratic, cross: 1}"}, {few, "{kind: quadratic, decision: [[1]], cross: [[1, 2]], state: [[1, 2], [3, 4]], linear-decision: [1], linear-state: [1, 2]}"}, {two, "{kind: quadratic, decision: x, linear-state: [x]}"},
		{two, "{kind: logistic}"}, {two, "{kind: logistic, ridge: 0.5}"}, {few, "{kind: logistic, ridge: 0.5, intercept: true}"}, {few, "{kind: logistic}"}, {two, "{kind: logistic, ridge: -1, intercept: 2}"}, {wide, "{kind: logistic}"}, {one, "{kind: logistic, intercept: true}"},
		{two, "{kind: formula, minimize: 'p[0]*u[1] + d[1]^2'}"}, {two, "{kind: formula, maximize: 'dot(p, u)'}"}, {two, "{kind: formula, maximize: 'dot(p, u)', minimize: '1'}"}, {two, "{kind: formula}"}, {two, "{kind: formula, minimize: 'p[0]*u['}"}, {two, "{kind: formula, minimize: 'p*u'}"}, {two, "{kind: formula, minimize: 'p[2] + q'}"},
		{one, "{kind: formula, minimize: 'p*u + d'}"}, {one, "{kind: formula, minimize: 'p[0]*u[0] + d[0]'}"}, {one, "{kind: formula, minimize: 'p[0]*u[0] + q'}"}, {one, "{kind: formula, minimize: 'p*u + q'}"}, {one, "{kind: formula, minimize: 'p[0]*u + d'}"}, {few, "{kind: formula, minimize: 'p*u[1] + d[2]'}"}, {few, "{kind: formula, minimize: 'p[0]*u[1] + d[2]'}"},
	}
}

// judged is what a loss says of two people, and how it answers what they do and what is decided.
func judged(o kedge.RowObjective, dim kedge.Dims) string {
	p, d := []float64{0.6, 0.3, 0.1, 0.7, 0.4, 0.2}[:2*dim.State], []float64{0.2, -0.7, 0.4, 0.9, -0.3, 0.5}[:2*dim.Trait]
	u, gp, gu := []float64{0.3, -0.2}[:dim.Decision], make([]float64, len(p)), make([]float64, dim.Decision)
	loss := o.EvalRows(gp, gu, p, u, d)
	return fmt.Sprintf("%T %s %s %s", o, figures([]float64{loss}), figures(gp), figures(gu))
}

// Objectives are read, checked, refused, printed and built as when this was recorded.
func TestObjectivesAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	for _, one := range judging() {
		var x kind.Objective
		describe := below("objective", func(f *form.Form) { c.DescribeObjective(f, &x) })
		s := read("objective: "+one.text, describe)
		got = append(got, fmt.Sprintf("%s of %+v", one.text, one.dims))
		scene := s.scene(nil, one.dims.Trait, 2)
		scene.Dims = one.dims
		kind.CheckObjective(scene, "objective", x)
		if s.found.Join() != nil {
			got = append(got, s.told()...)
			continue
		}
		got = append(got, fmt.Sprintf("  %s; %s reward %v", form.Print(describe).Flow(), x.Words(), x.IsReward()))
		if k, ok := x.(kind.SketchedObjective); ok {
			keys, curves := k.Sketch()
			got = append(got, fmt.Sprintf("  sketched %q curves %v", keys, curves))
		}
		built, err := x.Build(one.dims)
		if err != nil {
			var found form.Mistakes
			kind.ReportFormulas(&found, s.root, err, func(field string) string { return "objective" + field[len("model"):] })
			got = append(got, fmt.Sprintf("  not built: %v; told as %v", err, found.Join()))
			continue
		}
		got = append(got, "  "+judged(built, one.dims))
	}
	s := read("objective: {kind: affinity}\ndynamics: {kind: 7}", below("dynamics", func(f *form.Form) {
		var d kind.Dynamics
		c.DescribeDynamics(f, &d)
	}))
	before := len(s.found.Found)
	kind.CheckObjective(s.scene(nil, 2, 2), "objective", &kind.QuadraticObjective{LinearState: form.Vector{Each: []float64{1}}})
	kind.CheckObjective(s.scene(nil, 2, 2), "objective", nil)
	got = append(got, fmt.Sprintf("%d more where dimensions are not known", len(s.found.Found)-before))
	var x kind.Objective
	recorded(t, "objectives.txt", append(got, vocabulary(func(f *form.Form) { c.DescribeObjective(f, &x) })...))
}

// An objective whose kind was not read is not checked, whatever is known of it: here of one that was made elsewhere, in which a list has an entry too few.
func TestObjectivesOfUnreadKinds(t *testing.T) {
	for text, want := range map[string]int{"{kind: 7}": 0, "{kind: quadratic}": 1} {
		var x kind.Objective
		s := read("objective: "+text, below("objective", func(f *form.Form) { form.Pick(f, "kind", &x, kind.Standard().Objectives, "", says()) }))
		before := len(s.found.Found)
		kind.CheckObjective(s.scene(nil, 2, 2), "objective", &kind.QuadraticObjective{LinearState: form.Vector{Each: []float64{1}}})
		if got := len(s.found.Found) - before; got != want {
			t.Errorf("%s: %d mistakes, want %d: %v", text, got, want, s.found.Join())
		}
	}
}

// Formulas are compiled in the names that people have, with the mistakes that are nearest to what was meant.
func TestFormulasAreCompiledAsRecorded(t *testing.T) {
	var got []string
	for _, names := range []formula.Source{{Decision: "price", State: "demand", Trait: "taste"}, {Decision: "price[2]", State: "demand", Trait: ""}, kind.PlainNames(kedge.Dims{Decision: 1, State: 3, Trait: 2})} {
		for _, text := range []string{"demand*price", "demand[0]*price[0]", "demand[0]*price[1] + x", "demand + price + taste", "p[0]*u", "p[0]*u[0] + d[1]", "p*u"} {
			m, err := kind.Formulated(names, &kind.FormulaObjective{Minimize: text})
			line := fmt.Sprintf("%s of %s, %s, %s: ", text, names.Decision, names.State, names.Trait)
			if err != nil {
				for _, one := range err.(interface{ Unwrap() []error }).Unwrap() {
					var e *formula.Error
					line += fmt.Sprintf("; %v %v", errors.As(one, &e), one)
				}
			} else {
				line += judged(m.Objective(), m.Dims())
			}
			got = append(got, line)
		}
	}
	recorded(t, "formulas.txt", got)
}

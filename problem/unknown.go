package problem

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
)

// UnknownsError says that numbers of a spec are yet to be found from its log.
type UnknownsError struct {
	At    form.Place
	Names []string
}

func (e *UnknownsError) Error() string {
	verb := " is unknown"
	if len(e.Names) > 1 {
		verb = " are unknown"
	}
	return e.At.Mistake("", "%s%s: kedge fit %s finds what is unknown from the log that data names, and writes a spec that runs", phrase.Enumerate(e.Names), verb, e.At.File).Error()
}

// Unfit is an *UnknownsError if numbers of the spec are yet to be found, otherwise nil.
func (s *Spec) Unfit() error {
	names := lists.Of(s.Unknowns(), func(u Asked) string { return u.Name })
	if names == nil {
		return nil
	}
	section := "model.let"
	if s.Model == nil {
		section = "dynamics"
	}
	return &UnknownsError{s.origin.PlaceOf(form.Join(section, names[0])), names}
}

// Asked is a name of a model whose numbers are to be found.
type Asked struct {
	Name string
	record.Question
}

// Unknowns lists what is to be found, in the order of the spec.
func (s *Spec) Unknowns() (list []Asked) {
	list = lists.Of(s.asked, func(a record.Asking) Asked { return Asked{a.Key, a.Of} })
	if s.Model == nil {
		return list
	}
	for _, l := range s.Model.Let {
		if l.Unknown != nil {
			list = append(list, Asked{l.Name, *l.Unknown})
		}
	}
	return list
}

func (s *Spec) describeData(f *form.Form) {
	form.Field(f, "data", &s.Data, form.Part((*record.DataSection).Describe).Optional(), form.Says("The log that kedge fit finds unknown numbers of model.let from: what was deployed when, and what people did afterwards (docs/fitting.md). It has no part in runs.", "", ""))
	if s.Model != nil && !f.Prints() {
		s.Model.covariates = s.Data.Names()
	}
}

// OwnPeople tells whether the spec says itself who its people are, so that those of a log do not take their place.
func (s *Spec) OwnPeople() bool {
	t := s.Population.Table()
	return t == nil || s.Data == nil || path.Base(t.File) != record.PeopleFile
}

// data checks the log, as far as that can be done without its file.
func (c *check) data() {
	if c.s.Data == nil {
		return
	}
	_, ok := c.s.translated()
	c.FailIf(c.s.Model == nil && !ok && c.Sound("dynamics"), form.Paths("data", "dynamics"), "data is given, but a log tells numbers of a model in formulas, or of dynamics polarized or choice in which people are alike; want a model")
	c.FailIf(c.s.Model == nil && len(c.s.Data.Beside) > 0, form.Paths("data.beside"), "data.beside is given without a model whose formulas could use it")
	c.FailIf(c.s.Model == nil && c.s.Data.Effects != record.NoEffects && c.Sound("data.effects"), form.Paths("data.effects"), "data.effects is %s, which wants a model in formulas", c.s.Data.Effects)
	if err := c.s.Data.Check(&c.Check); err != nil {
		c.s.reportFormulas(c.Mistakes, err)
	}
}

// FitSource returns the formulas of the model without what is unknown, and with the names that a log has beside decisions.
func (s *Spec) FitSource(files fs.FS) (formula.Source, error) {
	if s.Model == nil {
		out, _ := s.translated()
		return out, nil
	}
	out, err := s.source(files)
	if err != nil {
		return out, err
	}
	unknown := func(b formula.Binding) bool {
		return slices.ContainsFunc(s.Model.Let, func(l Let) bool { return l.Name == b.Name && l.Unknown != nil })
	}
	out.Let = slices.DeleteFunc(out.Let, unknown)
	return out, nil
}

// Written is the document that the spec was read from, to be changed by whoever wants another.
func (s *Spec) Written() *form.Node { return s.origin.Copied(-1) }

// File is the name of the document.
func (s *Spec) File() string { return strings.TrimSpace(s.origin.At.File) }

// translated are dynamics of a kind as formulas, for fits.
func (s *Spec) translated() (out formula.Source, ok bool) {
	n := s.Dims().State
	each := func(name string) string { return fmt.Sprintf("%s[%d]", name, n) }
	out = formula.Source{Decision: each("u"), State: each("p"), Trait: each("d")}
	number := func(key string, v float64) {
		if !slices.ContainsFunc(s.asked, func(a record.Asking) bool { return a.Key == key }) {
			out.Let = append(out.Let, formula.Binding{Name: key, Data: &formula.Value{Data: []float64{v}}})
		}
	}
	switch d := s.Dynamics.Of.(type) {
	case *kind.PolarizedDynamics:
		number("lambda", d.Lambda)
		number("sigma", d.Sigma)
		out.Let = append(out.Let, formula.Binding{Name: "moved", Expr: "lambda*p + (1-lambda)*d + sigma*dot(p, u)*u"})
		out.Next = "moved/norm(moved)"
		return out, d.Each == nil && s.Dynamics.plain()
	case *kind.ChoiceDynamics:
		number("lambda1", d.Lambda1)
		number("lambda2", d.Lambda2)
		number("epsilon", d.Epsilon)
		out.Next = "lambda1*p + lambda2*softmax(-epsilon*u) + (1-lambda1-lambda2)*d"
		return out, d.Each == nil && s.Dynamics.plain()
	}
	return out, false
}

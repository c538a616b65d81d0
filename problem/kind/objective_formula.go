package kind

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
)

// FormulaObjective is a loss or a reward written as a formula, in the names that the individual has.
type FormulaObjective struct {
	Minimize string // the loss of an individual, or
	Maximize string // its reward
}

// FormulatedObjective is an Objective that is written in the names of the individual, which whoever builds it knows.
type FormulatedObjective interface {
	Objective
	// Formulate adds what is judged to the source that has the names.
	Formulate(s *formula.Source)
}

var _ FormulatedObjective = (*FormulaObjective)(nil)

// Word implements [form.Kind].
func (*FormulaObjective) Word() form.Option {
	return form.Choice("formula", "Whatever a formula says (docs/formula.md), in the names of the model or, where there is none, u for the decision, p for the state and d for the trait. A formula alone, without a mapping around it, is a loss.", "Φ(p, u, d)")
}

// Describe implements [Objective].
func (o *FormulaObjective) Describe(f *form.Form) {
	if f.Decide("maximize", o.Maximize != "") {
		f.Refuse("minimize", "minimize and maximize are both given, want one of them")
		form.Field(f, "maximize", &o.Maximize, form.FormulaText("a formula"), form.Says("The reward of an individual, a single number, in place of a loss.", "−Φ(p, u, d)", "dot(p, u)"))
		return
	}
	form.Field(f, "minimize", &o.Minimize, form.FormulaText("a formula, or maximize with one"), form.Says("The loss of an individual, a single number.", "Φ(p, u, d)", "p[0] + 0.1*u[0]^2"))
}

// Check implements [Objective]; the formula is checked by whoever knows its names.
func (*FormulaObjective) Check(*Scene, string) {}

// Formulate implements [FormulatedObjective].
func (o *FormulaObjective) Formulate(s *formula.Source) {
	s.Minimize, s.Maximize = o.Minimize, o.Maximize
}

// Build implements [Objective], in the names u, p and d.
func (o *FormulaObjective) Build(dim kedge.Dims) (kedge.RowObjective, error) {
	m, err := Formulated(PlainNames(dim), o)
	if err != nil {
		return nil, err
	}
	return m.Objective(), nil
}

// PlainNames are those of an individual that nobody has named: u, p and d.
func PlainNames(dim kedge.Dims) formula.Source {
	declare := func(name string, n int) string {
		if n == 1 {
			return name
		}
		return fmt.Sprintf("%s[%d]", name, n)
	}
	return formula.Source{Decision: declare("u", dim.Decision), State: declare("p", dim.State), Trait: declare("d", dim.Trait)}
}

// Formulated compiles an objective in the given names. What has one entry may be written as a number, p, or as a vector of one, p[0].
func Formulated(names formula.Source, o FormulatedObjective) (*formula.Model, error) {
	o.Formulate(&names)
	m, err := formula.Compile(names)
	if err == nil {
		return m, nil
	}
	for _, one := range []*string{&names.Decision, &names.State, &names.Trait} {
		if *one != "" && !strings.Contains(*one, "[") {
			*one += "[1]"
		}
	}
	m, again := formula.Compile(names)
	if again != nil && len(joined(again)) >= len(joined(err)) {
		again = err // what is nearer to what was meant
	}
	return m, again
}

// joined lists what a compiler joined.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return nil
}

// Words implements [Objective].
func (o *FormulaObjective) Words() string {
	if o.Maximize != "" {
		return "The mean of " + o.Maximize + " over the population, to be maximized."
	}
	return "The mean of " + o.Minimize + " over the population, to be minimized."
}

// IsReward implements [Objective].
func (o *FormulaObjective) IsReward() bool { return o.Maximize != "" }

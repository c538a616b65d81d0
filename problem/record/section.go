// Package record is the section of a spec on a log: what was deployed when, and what people did afterwards. It reads the log of the file.
package record

import (
	"errors"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
)

// DataSection says where a log is, and what of it are people, times, decisions, states and all the rest: columns of a file, or formulas of them.
type DataSection struct {
	File        string
	Kind        string // Panel, Sections or Aggregates
	Person      string // who a row is of; "": nobody is seen twice
	Time        string
	Step        string // how much time a turn is
	States      []string
	Decision    []string
	From        string // AsAnswered or AsBefore: which of two rows has the decision between them
	Traits      []string
	Beside      []Covariate
	Effects     string
	Weight      string
	Group       string
	Where       string
	Missing     string
	Instruments []string
	Errors      []string // laws of the errors of a step, one for all entries of the state or one for each; nil: normal
	Endogenous  []string // decisions and what is beside them that were chosen because of what people would do
}

// Covariate is a number that moves by itself, under the name that formulas of the model have for it.
type Covariate struct{ Name, Formula string }

// Kinds of logs.
const (
	Panel      = "panel"
	Sections   = "sections"
	Aggregates = "aggregates"
)

// Which of two rows one after the other has the decision that was answered between them.
const (
	AsAnswered = "after"
	AsBefore   = "before"
)

// What people or times have of their own.
const (
	NoEffects = "none"
	OfPeople  = "person"
	OfTimes   = "time"
	OfBoth    = "both"

	ByChance        = "random"
	ByChanceAndTime = "random-and-time"
)

// HasPeople tells whether the trait of everybody is to be found.
func (s *DataSection) HasPeople() bool {
	return s.Effects == OfPeople || s.Effects == OfBoth || s.Drawn()
}

// HasTimes tells whether what all had in common at a time is to be found.
func (s *DataSection) HasTimes() bool {
	return s.Effects == OfTimes || s.Effects == OfBoth || s.Effects == ByChanceAndTime
}

// Drawn tells whether traits are to be found as drawn from a law.
func (s *DataSection) Drawn() bool { return s.Effects == ByChance || s.Effects == ByChanceAndTime }

// What is done with rows in which something is missing.
const (
	Refuse = "refuse"
	Drop   = "drop"
)

// Describe reads and writes the section.
func (s *DataSection) Describe(f *form.Form) {
	columns := func(want string) form.Codec[[]string] {
		return form.Formulas(want + ": a column, a formula of columns, or a list of those")
	}
	one := form.FormulaText("a column or a formula of columns")
	form.Field(f, "file", &s.File, form.FileName(), form.Says("The log: a .csv, .tsv, .parquet or .npz file whose columns have names, a row for somebody at a time. Everything below is a column of it, or a formula of columns (docs/data.md).", "", "shop.csv"))
	form.Field(f, "kind", &s.Kind, form.OneOf(
		form.Choice(Panel, "The same people again and again.", ""),
		form.Choice(Sections, "Other people every time.", ""),
		form.Choice(Aggregates, "Means of all, a row a time.", "")).Or(Panel), form.Says("Who is seen.", "", Panel))
	form.Field(f, "person", &s.Person, one.Optional(), form.Says("Whose row it is, by a text or a number: a person, a shop, a region. A panel must have it.", "", "customer"))
	form.Field(f, "time", &s.Time, one, form.Says("When it was, by a number or a date such as 2024-01-31.", "", "week"))
	form.Field(f, "step", &s.Step, steps().Or("1"), form.Says("How much time a turn of the model is; of dates a number is days. Rows of somebody that are a turn apart make a pair, others are a gap.", "", "week"))
	form.Field(f, "states", &s.States, columns("the entries of a state"), form.Says("What people did.", "p", "[apples, pears]"))
	form.Field(f, "decision", &s.Decision, columns("the entries of a decision"), form.Says("What was deployed; it may differ from row to row.", "u", "[price_apples, price_pears]"))
	form.Field(f, "decision-from", &s.From, form.OneOf(
		form.Choice(AsAnswered, "The later: a row has the decision that its state answers.", "p(t) = f(p(t−1), u(t), d)"),
		form.Choice(AsBefore, "The earlier: a row has the decision that the next state answers.", "p(t+1) = f(p(t), u(t), d)")).Or(AsAnswered), form.Says("Which of two rows of somebody has the decision between them, and what is beside it.", "", AsBefore))
	form.Field(f, "traits", &s.Traits, columns("the entries of a trait").Optional(), form.Says("What is fixed about people. It can be left out, and model.trait with it, if next names no trait, or if it is to be found for everybody (effects).", "d", "[taste]"))
	form.Field(f, "beside", &s.Beside, covariates().Optional(), form.Says("Numbers that move by themselves, under names that the formulas of the model can use: income, weather, a season.", "", "{income: log(ndi/cpi)}"))
	form.Field(f, "effects", &s.Effects, form.OneOf(
		form.Choice(NoEffects, "Nothing.", ""),
		form.Choice(OfPeople, "People: the trait of the model, which is found for everybody.", ""),
		form.Choice(OfTimes, "Times: a number that is added to the next state of all.", ""),
		form.Choice(OfBoth, "Both.", ""),
		form.Choice(ByChance, "People, whose traits are drawn from a normal law that is found, for panels that are too short to find them one by one.", ""),
		form.Choice(ByChanceAndTime, "The same, and times.", "")).Or(NoEffects), form.Says("What is unknown besides the numbers of model.let: the trait of everybody, where data.traits does not give it, and what all had in common at a time.", "p⁺ = f(p, u, dᵢ) + bₜ", OfPeople))
	form.Field(f, "weight", &s.Weight, one.Optional(), form.Says("How much a row counts. Without it all count alike.", "", "w"))
	form.Field(f, "group", &s.Group, one.Optional(), form.Says("Which group somebody is in, by a text or a number.", "", "region"))
	form.Field(f, "where", &s.Where, form.FormulaText("a condition such as week >= 10").Optional(), form.Says("Which rows are taken: a condition on columns with and, or and not; missing(x) holds where there is nothing. Without it all are.", "", "not missing(price)"))
	form.Field(f, "missing", &s.Missing, form.OneOf(
		form.Choice(Refuse, "They are refused, with the row.", ""),
		form.Choice(Drop, "They are left out, which makes gaps, and counted.", "")).Or(Refuse), form.Says("What becomes of rows in which a formula has no value.", "", Drop))
	form.Field(f, "errors", &s.Errors, form.OneOrMore(form.TextOf("normal, poisson, bernoulli, or student and its degrees of freedom, as in student 4", validLaw), "a law, or a list with one for each entry of the state").Optional(), form.Says("What the errors of a step are taken to be: normal, student with so many degrees of freedom for heavy tails, poisson for counts, bernoulli for answers of 0 or 1. Numbers are then those under which the log is likeliest. Without it errors are normal.", "p⁺ ~ f(p, u, d) + σ tᵥ, Poisson(f), Bernoulli(f)", "student 4"))
	form.Field(f, "instruments", &s.Instruments, columns("what moves decisions, and people by nothing else").Optional(), form.Says("Numbers that moved the decision and have nothing to do with what people would have done: costs, taxes, a lottery. For decisions that were chosen because of demand.", "", "[tax]"))
	form.Field(f, "endogenous", &s.Endogenous, form.ListOf(form.FormulaText("the name of a decision or of what is beside it"), "a list of names").Optional(), form.Says("With instruments: which decisions, as data.decision writes them, and which numbers beside them were chosen because of what people would do. Without it all decisions were.", "", "[price]"))
}

func validLaw(text string) bool {
	_, err := fit.ParseLaw(text)
	return err == nil
}

// Laws are those of errors for so many entries of the state, nil where all are normal; false: there are as many as it has not.
func (s *DataSection) Laws(states int) ([]fit.ErrorLaw, bool) {
	list := lists.Of(s.Errors, func(text string) fit.ErrorLaw {
		law, _ := fit.ParseLaw(text) // which was read
		return law
	})
	if len(list) == 1 {
		list = slices.Repeat(list, states)
	}
	normal := !slices.ContainsFunc(list, func(w fit.ErrorLaw) bool { return w.Kind != fit.Normal })
	switch {
	case list != nil && len(list) != states:
		return nil, false
	case normal:
		return nil, true
	}
	return list, true
}

// steps is how much time a turn is.
func steps() form.Codec[string] {
	return form.Single("a number above 0, or day, week, month, quarter or year of dates", form.Schema{Type: form.Types{"string", "number"}, MinLength: 1},
		func(n *form.Node) (string, bool) { return n.Text, isStep(n.Text) }, func(s string) string { return s })
}

func covariates() form.Codec[[]Covariate] {
	text := form.FormulaText("a column or a formula of columns")
	return form.NamedOf(text.Schema, "a mapping of names to columns or formulas of columns",
		func(m *form.Mistakes, name string, n *form.Node) (c Covariate, ok bool) {
			c.Name = name
			c.Formula, ok = text.Read(m, n)
			return c, ok
		},
		func(c Covariate) (string, *form.Node) { return c.Name, text.Write(c.Formula) })
}

// Names are those of what is beside the decision.
func (s *DataSection) Names() []string {
	if s == nil {
		return nil
	}
	return lists.Of(s.Beside, func(c Covariate) string { return c.Name })
}

// Check refuses what cannot be a log, as far as that can be told without the file, and hands over what is wrong with formulas.
func (s *DataSection) Check(c *form.Check) error {
	if !c.Sound("data") {
		return nil
	}
	c.FailIf(s.Kind == Panel && s.Person == "", form.Paths("data.person", "data.kind"), "data.person is missing, want the column that says whose row it is; for people who are not seen again data.kind is %s", Sections)
	c.FailIf(len(s.Endogenous) > 0 && len(s.Instruments) == 0, form.Paths("data.endogenous"), "data.endogenous is given without data.instruments, want both or none")
	sheet := s.sheet()
	return errors.Join(sheet.Mistakes()...)
}

// sheet are the formulas of the log.
func (s *DataSection) sheet() *census.Tabulation {
	sheet := &census.Tabulation{File: s.File, Drop: s.Missing == Drop, Where: formula.TableField{Name: "data.where", Body: s.Where, Wants: formula.GivesCondition}}
	add := func(key, body string, wants formula.FieldKind) {
		if body != "" {
			sheet.Fields = append(sheet.Fields, formula.TableField{Name: "data." + key, Body: body, Wants: wants})
		}
	}
	each := func(key string, list []string) {
		for i, body := range list {
			add(key+"["+strconv.Itoa(i)+"]", body, formula.GivesNumbers)
		}
	}
	add("person", s.Person, formula.GivesLabel)
	add("time", s.Time, formula.GivesLabel)
	add("weight", s.Weight, formula.GivesScalar)
	add("group", s.Group, formula.GivesLabel)
	each("states", s.States)
	each("decision", s.Decision)
	each("traits", s.Traits)
	for _, c := range s.Beside {
		add("beside."+c.Name, c.Formula, formula.GivesScalar)
	}
	each("instruments", s.Instruments)
	return sheet
}

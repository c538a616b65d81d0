// Package question says in words what a spec asks: what is decided, who answers, what is judged, who competes.
package question

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// Of says in words what a spec asks, nothing of nil.
func Of(s *problem.Spec) []page.Term {
	if s == nil {
		return nil
	}
	decided := "A decision u of " + phrase.Count(s.Dims().Decision, "number")
	if s.Model != nil {
		decided = s.Model.Decision
	}
	judgement := page.Term{Name: "What is judged"}
	switch {
	case len(s.Players) > 0:
		decided, judgement = decided+", by several players.", page.Term{Name: "Who decides", Text: playersInWords(s)}
	case s.Model != nil:
		decided += ": " + constraints(s.Model.SubjectTo) + wholes(s.Model.Integer) + "."
		judgement.Text = modelJudged(s.Model) + judgedSettled
	default:
		decided += ": " + s.Set.Words() + "."
		judgement.Text = s.Objective.Words() + judgedSettled
	}
	list := []page.Term{{Name: "What is decided", Text: decided}, {Name: "Who answers", Text: Answers(s)}, judgement}
	if len(s.Constraints) > 0 {
		list = append(list, page.Term{Name: "What must be kept", Text: Bounded(s)})
	}
	return append(list, page.Term{Name: "Who competes", Text: competitors(s)})
}

// Answers says who answers decisions, and how; of a model that is written as formulas, in its own letters.
func Answers(s *problem.Spec) string {
	if m := s.Model; m != nil {
		return fmt.Sprintf("%s with a state %s that becomes %s. %s%s",
			s.Population.Who(), m.State, oneLine(m.Next), traits(&s.Population, m.Trait), lets(m.Let)+m.Besides())
	}
	who := "One individual, whose state p of " + phrase.Count(s.Dims().State, "number") + " moves"
	if s.Population.Size != 1 {
		who = fmt.Sprintf("%s, each with a state p of %s that moves", s.Population.Who(), phrase.Count(s.Dims().State, "number"))
	}
	steps := ""
	if s.Hold > 1 {
		steps = fmt.Sprintf(", %d steps a turn", s.Hold)
	}
	return fmt.Sprintf("%s by %s%s.%s %s", who, s.Dynamics.Of.Words(), steps, dynamicsBesides(&s.Dynamics), traits(&s.Population, "d"))
}

const judgedSettled = " Decisions are judged by the population that settles under them, not by the one they meet."

func competitors(s *problem.Spec) string {
	list := lists.Of(s.Algorithms, func(a kind.Algorithm) string { return a.Words() })
	return fmt.Sprintf("%s, each for %s.", phrase.Enumerate(list), phrase.Count(s.Iterations, "turn"))
}

// dynamicsBesides says what the dynamics of individuals have besides their kind.
func dynamicsBesides(d *problem.Dynamics) string {
	var list []string
	for _, p := range kind.ParametersOf(d.Of) {
		if p.Own {
			list = append(list, fmt.Sprintf(" Everybody's own %s is between %s and %s.", p.Symbol, phrase.Exact(p.Interval[0]), phrase.Exact(p.Interval[1])))
		}
	}
	if d.Coupling > 0 {
		list = append(list, fmt.Sprintf(" Everybody is drawn to the mean of the crowd with the weight %s.", phrase.Exact(d.Coupling)))
	}
	if d.Noise.All > 0 || d.Noise.Each != nil {
		list = append(list, " After every step noise pushes the states.")
	}
	return strings.Join(list, "")
}

// traits says what traits of a name are and how they change.
func traits(p *problem.Population, name string) string {
	law := p.Law.Words()
	if p.Drift == nil && p.Churn == 0 {
		return "Traits " + name + " stay as they are: " + law + "." + p.Besides()
	}
	text := "Traits " + name + " are at first " + law
	if p.Drift != nil {
		text += ", and drift from there"
	}
	if p.Churn > 0 {
		text += fmt.Sprintf("; %s of the people leave at every step, and newcomers take their places", phrase.Percent(p.Churn))
	}
	return text + "." + p.Besides()
}

// playersInWords says who plays and what for.
func playersInWords(s *problem.Spec) string {
	list := lists.Of(s.Players, func(p problem.Player) string {
		return fmt.Sprintf("%s decides %s, %s, and minimizes a loss of its own (%s)", p.Name, phrase.Count(p.Size, "number"), p.Set.Words(), lossInWords(p.Objective))
	})
	return phrase.Enumerate(list) + "." + judgedSettled
}

// lossInWords is a formula, or the name of a kind.
func lossInWords(o kind.Objective) string {
	f, ok := o.(*kind.FormulaObjective)
	switch {
	case !ok:
		return form.NameOf(o)
	case f.Maximize != "":
		return "the negative of " + oneLine(f.Maximize)
	}
	return oneLine(f.Minimize)
}

// Bounded says what the settled population must keep.
func Bounded(s *problem.Spec) string {
	list := lists.Of(s.Constraints, func(c problem.Constraint) string {
		return c.Name + ": " + c.Kind.Words("a loss ("+lossInWords(c.Of)+")", " is at most "+phrase.Exact(c.Bound))
	})
	return "Of the settled population: " + phrase.Enumerate(list) + "."
}

// wholes says which entries are whole numbers.
func wholes(which form.Chosen) string {
	switch {
	case which.All:
		return ", all of them whole numbers"
	case !which.None():
		return ", with whole numbers in " + phrase.Enumerate(which.Some)
	}
	return ""
}

// modelJudged says what a model is judged by.
func modelJudged(m *problem.Model) string {
	what, formula := "minimized", m.Minimize
	if m.Maximize != "" {
		what, formula = "maximized", m.Maximize
	}
	return fmt.Sprintf("The mean of %s over the population, to be %s.", oneLine(formula), what)
}

func constraints(all []string) string {
	if len(all) == 0 {
		return "any"
	}
	return phrase.Enumerate(lists.Of(all, oneLine))
}

// lets lists names with what they stand for; of vectors and matrices with their sizes.
func lets(all []problem.Let) string {
	if len(all) == 0 {
		return ""
	}
	return " Here " + phrase.Enumerate(lists.Of(all, let)) + "."
}

func let(l problem.Let) string {
	switch {
	case l.File != "":
		return l.Name + " is read from " + l.File
	case l.Numbers == nil:
		return l.Name + " = " + oneLine(l.Formula)
	case len(l.Numbers.Shape) == 0:
		return l.Name + " = " + phrase.Exact(l.Numbers.Data[0])
	case len(l.Numbers.Shape) == 1:
		return fmt.Sprintf("%s has %d entries", l.Name, l.Numbers.Shape[0])
	}
	return fmt.Sprintf("%s is a %d×%d matrix", l.Name, l.Numbers.Shape[0], l.Numbers.Shape[1])
}

func oneLine(formula string) string { return strings.Join(strings.Fields(formula), " ") }

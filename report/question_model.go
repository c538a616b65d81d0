package report

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/report/page"
)

// modelQuestion says what a spec asks that is written as formulas, in its own letters.
func modelQuestion(s *problem.Spec) []page.Term {
	m := s.Model
	what, formula := "minimized", m.Minimize
	if m.Maximize != "" {
		what, formula = "maximized", m.Maximize
	}
	return []page.Term{
		{Name: "What is decided", Text: fmt.Sprintf("%s: %s.", m.Decision, constraints(m.SubjectTo))},
		{Name: "Who answers", Text: fmt.Sprintf("%s with a state %s that becomes %s. %s%s",
			phrase.Count(s.Population.Size, "individual"), m.State, oneLine(m.Next), traits(&s.Population, m.Trait), lets(m.Let))},
		{Name: "What is judged", Text: fmt.Sprintf("The mean of %s over the population, to be %s.", oneLine(formula), what) + judgedSettled},
		{Name: "Who competes", Text: competitors(s)},
	}
}

func constraints(all []string) string {
	if len(all) == 0 {
		return "any"
	}
	lines := make([]string, len(all))
	for i, c := range all {
		lines[i] = oneLine(c)
	}
	return phrase.Enumerate(lines)
}

// lets lists names with what they stand for; of vectors and matrices with their sizes.
func lets(all []problem.Let) string {
	if len(all) == 0 {
		return ""
	}
	words := make([]string, len(all))
	for i, l := range all {
		switch {
		case l.File != "":
			words[i] = l.Name + " is read from " + l.File
		case l.Numbers == nil:
			words[i] = l.Name + " = " + oneLine(l.Formula)
		case len(l.Numbers.Shape) == 0:
			words[i] = l.Name + " = " + phrase.Exact(l.Numbers.Data[0])
		case len(l.Numbers.Shape) == 1:
			words[i] = fmt.Sprintf("%s has %d entries", l.Name, l.Numbers.Shape[0])
		default:
			words[i] = fmt.Sprintf("%s is a %d×%d matrix", l.Name, l.Numbers.Shape[0], l.Numbers.Shape[1])
		}
	}
	return " Here " + phrase.Enumerate(words) + "."
}

func oneLine(formula string) string { return strings.Join(strings.Fields(formula), " ") }

package report

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// specOf reads a result's own spec, nil when it names what nobody knows.
func specOf(kinds *kind.Catalogue, r *folder.Result) *problem.Spec {
	s, err := problem.Parse(kinds, "spec", []byte(r.Spec))
	if err != nil {
		return nil
	}
	return s
}

// question says in words what the spec asks.
func question(s *problem.Spec) []page.Term {
	if s == nil {
		return nil
	}
	if s.Model != nil {
		return modelQuestion(s)
	}
	decided, judgement := "A decision u of "+phrase.Count(s.Dims().Decision, "number"), page.Term{}
	if len(s.Players) > 0 {
		decided, judgement = decided+", by several players.", page.Term{Name: "Who decides", Text: playersInWords(s)}
	} else {
		decided, judgement = decided+": "+s.Set.Words()+".", page.Term{Name: "What is judged", Text: s.Objective.Words() + judgedSettled}
	}
	list := []page.Term{{Name: "What is decided", Text: decided}, {Name: "Who answers", Text: answers(s)}, judgement, {Name: "Who competes", Text: competitors(s)}}
	if len(s.Constraints) > 0 {
		list = slices.Insert(list, 3, page.Term{Name: "What must be kept", Text: bounded(s)})
	}
	return list
}

func answers(s *problem.Spec) string {
	who := "One individual, whose state p of " + phrase.Count(s.Dims().State, "number") + " moves"
	if n := s.Population.Size; n > 1 {
		who = fmt.Sprintf("%d individuals, each with a state p of %s that moves", n, phrase.Count(s.Dims().State, "number"))
	}
	steps := ""
	if s.Hold > 1 {
		steps = fmt.Sprintf(", %d steps a turn", s.Hold)
	}
	return fmt.Sprintf("%s by %s%s.%s %s", who, s.Dynamics.Of.Words(), steps, dynamicsBesides(&s.Dynamics), traits(&s.Population, "d"))
}

const judgedSettled = " Decisions are judged by the population that settles under them, not by the one they meet."

func competitors(s *problem.Spec) string {
	var list []string
	for i := range s.Algorithms {
		list = append(list, s.Algorithms[i].Words())
	}
	return fmt.Sprintf("%s, each for %s.", phrase.Enumerate(list), phrase.Count(s.Iterations, "turn"))
}

// isExact tells whether nothing about an algorithm is random: it draws nothing, and whom it samples is certain.
func isExact(s *problem.Spec, name string) bool {
	if s == nil {
		return false
	}
	for _, a := range s.Algorithms {
		if a.Name == name {
			return s.Exact(&a)
		}
	}
	return false
}

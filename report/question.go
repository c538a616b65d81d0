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

// specOf reads a result's own spec, nil when it is none that this version knows.
func specOf(r *folder.Result) *problem.Spec {
	s, err := problem.Parse(kind.Standard(), "spec", []byte(r.Spec))
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
		decided, judgement = decided+", by several players.", page.Term{Name: "Who decides", Text: contested(s)}
	} else {
		decided, judgement = decided+": "+s.Set.Words()+".", page.Term{Name: "What is judged", Text: judged(&s.Objective)}
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
	return fmt.Sprintf("%s by %s%s.%s %s", who, moves(&s.Dynamics), steps, dynamicsBesides(&s.Dynamics), traits(&s.Population, "d"))
}

// lawWords describes a law of traits.
func lawWords(l *problem.Law) string {
	switch l.Kind {
	case "sphere":
		return "uniform on the unit sphere"
	case "cap":
		return "uniform on the unit sphere within " + phrase.Exact(l.Angle) + "° of an axis"
	case "bimodal":
		return "on the unit sphere within " + phrase.Exact(l.Angle) + "° of an axis or of its opposite"
	case "proportions":
		return "random proportions"
	case "values":
		return "given one by one"
	case "file":
		return "read from " + l.File
	}
	return "drawn by the law " + l.Kind
}

func moves(d *problem.Dynamics) string {
	switch d.Kind {
	case "polarized":
		return fmt.Sprintf("p⁺ = λp + (1−λ)d + σ(pᵀu)u, brought back to length 1, with λ = %s and σ = %s", phrase.Exact(d.Lambda), phrase.Exact(d.Sigma))
	case "choice":
		return fmt.Sprintf("p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d with λ₁ = %s, λ₂ = %s and ε = %s", phrase.Exact(d.Lambda1), phrase.Exact(d.Lambda2), phrase.Exact(d.Epsilon))
	case "affine":
		return "p⁺ = Ap + Bu + Ed with given matrices"
	case "friedkin-johnsen":
		return "p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d with given weights"
	}
	return "the dynamics " + d.Kind
}

const judgedSettled = " Decisions are judged by the population that settles under them, not by the one they meet."

func judged(o *problem.Objective) string {
	const settled = judgedSettled
	switch o.Kind {
	case "affinity":
		return "The mean of pᵀu over the population, to be maximized." + settled
	case "revenue":
		term := "no entropy term"
		if o.Entropy > 0 {
			term = "an entropy term of weight " + phrase.Exact(o.Entropy) + " (" + o.Sign + ")"
		}
		return "The mean revenue pᵀu with " + term + ", to be maximized." + settled
	case "quadratic":
		return "The mean of a quadratic cost of u and p, to be minimized." + settled
	case "logistic":
		return "The mean logistic loss of a classifier u on states p, with ridge " + phrase.Exact(o.Ridge) + ", to be minimized." + settled
	}
	return "The mean of the objective " + o.Kind + "." + settled
}

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

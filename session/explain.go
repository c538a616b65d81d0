package session

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/session/word"
)

// Reasoning is what a step was taken on, entry by entry of the decision.
type Reasoning struct {
	From    []float64 `json:"from"`              // the iterate before it
	At      []float64 `json:"at"`                // what people met, where the gradient is taken
	Direct  []float64 `json:"direct,omitempty"`  // of the loss: what the decision does by itself
	Answer  []float64 `json:"answer,omitempty"`  // and by the answer of the settled population
	Eta     float64   `json:"eta,omitempty"`     // the step size
	Stepped []float64 `json:"stepped,omitempty"` // before it was brought into the set
}

// mostExplained is how many entries a decision has whose every step is written down entry by entry.
const mostExplained = 256

// strider is a rule that knows its last step.
type strider interface {
	Stride() (eta float64, stepped []float64)
}

// reasoningOf is why the rule has just stepped, nil of a decision too long for that.
func reasoningOf(rule Rule, from, at []float64) *Reasoning {
	if len(from) > mostExplained {
		return nil
	}
	r := &Reasoning{From: slices.Clone(from), At: slices.Clone(at)}
	direct, answer := rule.Terms()
	r.Direct, r.Answer = slices.Clone(direct), slices.Clone(answer)
	if s, ok := rule.(strider); ok {
		eta, stepped := s.Stride()
		r.Eta, r.Stepped = eta, slices.Clone(stepped)
	}
	return r
}

// Explanation says why a decision is what it is.
type Explanation struct {
	K     int   `json:"k"`
	Basis Basis `json:"basis"`
	*Reasoning
	Projected []float64 `json:"projected,omitempty"` // the iterate after the step
	Capped    []float64 `json:"capped,omitempty"`    // what the caps left of it, where they cut it
	U         []float64 `json:"u"`
	Words     string    `json:"words"`
}

// Explain says why a decision is what it is, given the newest one before it that a step was taken on; nil: there is none.
func (l *Loop) Explain(d, before *Decision) Explanation {
	e := Explanation{K: d.K, Basis: d.Basis, U: d.U}
	if slices.ContainsFunc(d.Reasons, func(s string) bool { return strings.HasPrefix(s, "cap.") }) {
		e.Capped = d.U
	}
	if before != nil && (d.Basis == Step || d.Basis == Again) {
		e.Reasoning, e.Projected = before.Outcome.Why, before.Outcome.Iterate
	}
	g := word.Ground{Basis: string(d.Basis), Reasons: d.Reasons}
	if before != nil {
		g.Move = &word.Move{Names: l.plan.Names, Was: before.Deployed.U, U: d.U}
		if e.Reasoning != nil {
			g.Move.Direct, g.Move.Answer = e.Direct, e.Answer
		}
	}
	e.Words = g.Words()
	return e
}

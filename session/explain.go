package session

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/session/plan"
	"github.com/kedge-opt/kedge/session/word"
)

// Reasoning is what a step was taken on, entry by entry of the decision.
type Reasoning = plan.Reasoning

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

// Explain says why a decision is what it is, given the newest one before it that a step was taken on, nil: there is none, and what was live then.
func (l *Loop) Explain(d, before *Decision, was []float64) Explanation {
	e := Explanation{K: d.K, Basis: d.Basis, U: d.U}
	if slices.ContainsFunc(d.Reasons, func(s string) bool { return strings.HasPrefix(s, "cap.") }) {
		e.Capped = d.U
	}
	if before != nil && (d.Basis == Step || d.Basis == Again) {
		e.Reasoning, e.Projected = before.Outcome.Why, before.Outcome.Iterate
	}
	g := word.Ground{Basis: string(d.Basis), Reasons: d.Reasons}
	if before != nil {
		g.Move = &word.Move{Names: l.plan.Names, Was: was, U: d.U}
		if before.K < d.K-1 {
			g.Move.Rests = before.K
		}
		if e.Reasoning != nil {
			g.Move.Direct, g.Move.Answer = e.Direct, e.Answer
		}
	}
	e.Words = g.Words()
	return e
}

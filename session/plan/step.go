package plan

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/view"
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

// ReasoningOf is why the rule has just stepped, nil of a decision too long for that.
func ReasoningOf(rule Rule, from, at []float64) *Reasoning {
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

// TermsOf are the two parts of the gradient, where the rule tells them apart.
func TermsOf(rule Rule, step float64) *view.GradientTerms {
	t := &view.GradientTerms{Step: step}
	direct, answer := rule.Terms()
	t.Direct = rows.Norm(direct)
	if t.Answer = rows.Norm(answer); t.Direct > 0 && t.Answer > 0 {
		t.Cosine = rows.Dot(direct, answer) / t.Direct / t.Answer
	}
	return t
}

// Loss is the mean loss of who was seen.
func (p *Brief) Loss(seen kedge.Observation) float64 {
	if seen.W == nil {
		return p.Objective.EvalRows(nil, nil, seen.P, seen.U, seen.D) / float64(len(seen.P)/p.Dims.State)
	}
	return guard.MeanOf(p.Losses(seen), seen.W).Value
}

// Losses are those of everybody who was seen.
func (p *Brief) Losses(seen kedge.Observation) []float64 {
	dim := p.Dims
	all := make([]float64, len(seen.P)/dim.State)
	for i := range all {
		all[i] = p.Objective.Eval(nil, nil, kedge.Row(seen.P, i, dim.State), seen.U, kedge.Row(seen.D, i, dim.Trait))
	}
	return all
}

package session

import (
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
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
	var move *word.Move
	if before != nil {
		move = &word.Move{Names: l.plan.Names, Was: was, U: d.U}
		if before.K < d.K-1 {
			move.Rests = before.K
		}
		if e.Reasoning != nil {
			move.Direct, move.Answer = e.Direct, e.Answer
		}
	}
	e.Words = word.Ground(string(d.Basis), move, d.Reasons)
	return e
}

// Health says how the loop is at some time, in cards.
func (l *Loop) Health(now time.Time) []word.Card {
	c := word.Condition{Now: now, Mode: string(l.mode), Pinned: l.pin != nil, Terms: l.plan.Live, Alarms: l.alarmed()}
	if l.live != nil {
		c.LiveK, c.LiveSince = l.live.K, l.live.Since
	}
	if d := l.current; d != nil {
		c.K, c.Reasons, c.Have, c.Learned = d.K, d.Reasons, d.Answered(), d.Trust
		if l.live != nil {
			c.Change = rows.Distance(d.U, l.live.U)
		}
		if d.Deployed != nil {
			c.Off = d.Deployed.Off
		}
		if d.Outcome != nil && d.Outcome.Outcome != Stepped {
			c.Held = d.Outcome.Reasons
		}
		switch c.Stage = string(d.State); d.State {
		case IsProposed:
			c.Due = d.ApproveBy
		case IsOpen:
			c.Due = d.DeployBy
		case IsDeployed:
			c.Due = d.Deployed.DataBy
		default:
			c.Stage = ""
		}
	}
	if l.guard != nil {
		c.Guarded = l.guard.Last
	}
	return c.Cards()
}

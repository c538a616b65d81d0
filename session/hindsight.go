package session

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session/plan"
)

// MostHindsight is how many closes guardrails are tried on.
const MostHindsight = 1000

// Plan is what another spec would make of the loop.
func (l *Loop) Plan(spec string) (*Brief, error) {
	plan, err := l.make(spec)
	if err == nil && plan.Dims != l.plan.Dims {
		err = refuse(DimensionMismatch, "the spec has other dimensions than the loop")
	}
	return plan, err
}

// People are those who answered a decision, as far as they are still there and count at a close.
func (l *Loop) People(d *Decision, past Past) (kedge.Observation, error) {
	l.past = past
	seen, _, err := l.gather(d)
	return seen, ignoreDropped(err)
}

// Guess has the people who answered a decision settle, by the model, under what is proposed and under what was deployed; nil if nobody did.
func (l *Loop) Guess(d *Decision, past Past) (*plan.Guess, error) {
	if d.Deployed == nil {
		return nil, nil
	}
	l.past = past
	seen, o, err := l.gather(d)
	if err != nil || o.Sample.Rows == 0 {
		return nil, err
	}
	proposed := d.U
	if d.Basis == Baseline { // in the shadow
		proposed = d.Iterate
	}
	return l.plan.Guess(d.K, proposed, seen)
}

package session

import "github.com/kedge-opt/kedge"

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

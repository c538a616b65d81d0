package session

import "github.com/kedge-opt/kedge/session/plan"

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

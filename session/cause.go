package session

import (
	"crypto/sha256"
	"time"
)

// ByTime is the actor of what the clock brings.
const ByTime = "time"

// CommandOf is the command that an event comes from; nil: none, it is what it is.
func CommandOf(e *Event, past Past) (Command, error) {
	switch e.Kind {
	case Compacted, BuildChanged, Forked:
		return nil, nil
	}
	if e.Actor == ByTime {
		return Pass{}, nil
	}
	switch e.Kind {
	case Created, Revised:
		var b creation
		err := unmarshal(e, &b)
		if e.Kind == Revised {
			return Revise{Spec: b.Spec, Reason: b.Reason, Revision: b.Revision - 1, ofOld: b.Guards == 0}, err
		}
		return Create{Spec: b.Spec, Mode: b.Mode, Labels: b.Labels, Epoch: b.Epoch, ofOld: b.Guards == 0}, err
	case Opened, Proposed:
		return Ask{}, nil
	case Deployed, Corrected, DeployedLate:
		var d Deployment
		err := unmarshal(e, &d)
		return Deploy{K: e.K, U: d.U, At: &d.At, Correct: e.Kind == Corrected}, err
	case Told, ToldLate:
		return tellingOf(e, past)
	case Closed:
		return Close{K: e.K}, nil
	}
	return operationOf(e)
}

// tellingOf is the command that told a batch; nil if its people are gone.
func tellingOf(e *Event, past Past) (Command, error) {
	var r Receipt
	if err := unmarshal(e, &r); err != nil {
		return nil, err
	}
	data, err := past.Blob(r.Content)
	if err != nil {
		return nil, ignoreDropped(err)
	}
	c := Tell{K: e.K, ID: r.ID}
	if err := c.Batch.Decode(data); err != nil {
		return nil, err
	}
	if at := c.Batch.ObservedAt; at.Equal(Later(at, time.Time{})) && sha256.Sum256(data) == r.Content && c.Batch.IsWrittenAs(data) {
		c.frame, c.content = data, r.Content
	}
	return c, nil
}

// operationOf is the command of an operator.
func operationOf(e *Event) (Command, error) {
	var b because
	switch e.Kind {
	case Approved, Rejected, Abandoned, Unpinned, Archived:
		if err := unmarshal(e, &b); err != nil {
			return nil, err
		}
	}
	switch e.Kind {
	case Approved:
		return Approve{e.K, b.Reason}, nil
	case Rejected:
		return Reject{e.K, b.Reason}, nil
	case Abandoned:
		return Abandon{K: e.K, Reason: b.Reason}, nil
	case Unpinned:
		return Unpin{b.Reason}, nil
	case Archived:
		return Archive{b.Reason}, nil
	case ModeChanged:
		var s switching
		err := unmarshal(e, &s)
		return Switch{s.Mode, s.Reason}, err
	case Pinned:
		var p pinned
		err := unmarshal(e, &p)
		return p, err
	case RolledBack:
		var t turnBack
		err := unmarshal(e, &t)
		return t, err
	case MetricTold:
		var m metricTold
		err := unmarshal(e, &m)
		return TellMetric{K: e.K, Name: m.Name, Metered: m.Metered}, err
	case Restored, Imported:
		var n renewal
		err := unmarshal(e, &n)
		return Renew{n.Epoch, n.Reason, e.Kind == Imported}, err
	}
	return nil, nil
}

// Forked is the kind of the event that says what a loop was forked from.
const Forked Kind = "forked"

// Imported is the kind of the event with which a loop of another journal begins an epoch here.
const Imported Kind = "imported"

// Forking is where a fork comes from.
type Forking struct {
	Of   string   `json:"of"`
	Seq  int      `json:"seq"`
	Hash Hash     `json:"hash"`
	AtK  int      `json:"at_k"`
	Set  []string `json:"set,omitempty"` // key=value
}

func (c Forking) do(l *Loop) (any, error) { return nil, l.emit(Forked, 0, "", c, nil) }

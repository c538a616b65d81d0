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
	if again := causes[e.Kind]; again != nil {
		return again(e, past)
	}
	return nil, nil
}

// cause makes the command again that an event of a kind comes from.
type cause = func(e *Event, past Past) (Command, error)

// causes are those of all kinds that come from a command of somebody.
var causes = map[Kind]cause{
	Created: by(func(_ *Event, b creation) Command {
		return Create{Spec: b.Spec, Mode: b.Mode, Labels: b.Labels, Epoch: b.Epoch, ofOld: b.Guards == 0}
	}),
	Revised: by(func(_ *Event, b creation) Command {
		return Revise{Spec: b.Spec, Reason: b.Reason, Revision: b.Revision - 1, ofOld: b.Guards == 0}
	}),
	Opened:       asked,
	Proposed:     asked,
	Deployed:     by(deploying),
	Corrected:    by(deploying),
	DeployedLate: by(deploying),
	Told:         tellingOf,
	ToldLate:     tellingOf,
	MetricTold:   by(func(e *Event, m metricTold) Command { return TellMetric{K: e.K, Name: m.Name, Metered: m.Metered} }),
	Closed:       func(e *Event, _ Past) (Command, error) { return Close{K: e.K}, nil },
	Approved:     by(func(e *Event, b because) Command { return Approve{e.K, b.Reason} }),
	Rejected:     by(func(e *Event, b because) Command { return Reject{e.K, b.Reason} }),
	Abandoned:    by(func(e *Event, b because) Command { return Abandon{K: e.K, Reason: b.Reason} }),
	ModeChanged:  by(func(_ *Event, s switching) Command { return Switch{s.Mode, s.Reason} }),
	Pinned:       by(func(_ *Event, p pinned) Command { return p }),
	Unpinned:     by(func(_ *Event, b because) Command { return Unpin{b.Reason} }),
	RolledBack:   by(func(_ *Event, t turnBack) Command { return t }),
	Archived:     by(func(_ *Event, b because) Command { return Archive{b.Reason} }),
	Restored:     by(renewing),
	Imported:     by(renewing),
}

// by makes a command of an event and its body.
func by[B any](command func(e *Event, body B) Command) cause {
	return func(e *Event, _ Past) (Command, error) {
		var body B
		err := unmarshal(e, &body)
		return command(e, body), err
	}
}

func asked(*Event, Past) (Command, error) { return Ask{}, nil }

func deploying(e *Event, d Deployment) Command {
	return Deploy{K: e.K, U: d.U, At: &d.At, Correct: e.Kind == Corrected}
}

func renewing(e *Event, n renewal) Command {
	return Renew{n.Epoch, n.Reason, e.Kind == Imported}
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

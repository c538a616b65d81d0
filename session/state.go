package session

import (
	"encoding/json"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/saved"
)

// memory is all of a loop besides its rule.
type memory struct {
	Epoch    string            `json:"epoch"`
	Spec     string            `json:"spec"`
	Revision int               `json:"revision"`
	Mode     Mode              `json:"mode"`
	Labels   map[string]string `json:"labels,omitempty"`
	K        int               `json:"k"`
	Current  *Decision         `json:"current,omitempty"`
	Live     *alive            `json:"live,omitempty"`
	Again    bool              `json:"again,omitempty"`
	Target   []float64         `json:"target,omitempty"`
	Pin      *pinned           `json:"pin,omitempty"`
	Moves    []move            `json:"moves,omitempty"`
	Turns    int               `json:"turns"`
	Alarms   map[string]string `json:"alarms,omitempty"`

	Compacted int          `json:"compacted,omitempty"`
	Kept      *Hash        `json:"kept,omitempty"`
	Build     folder.Build `json:"build"`
	Keeps     []string     `json:"keeps,omitempty"`

	Ramps bool               `json:"ramps,omitempty"`
	Rests bool               `json:"rests,omitempty"`
	Guard *guard.Remembrance `json:"guard,omitempty"` // nil: it has none
}

// AppendBinary appends what the loop is after its newest event, so that it need not be worked out of all of them again.
func (l *Loop) AppendBinary(b []byte) ([]byte, error) {
	s := memory{l.epoch, l.spec, l.revision, l.mode, l.labels, l.k, l.current, l.live, l.again, l.target, l.pin, l.moves, l.turns, l.alarms, l.compacted, &l.kept, l.build, l.keeps, l.ramps, l.rests, nil}
	if l.guard != nil {
		s.Guard = &l.guard.Remembrance
	}
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	rule, err := l.plan.Rule.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	frame := saved.Snapshot{Seq: l.seq, Head: l.head, Body: body, Rule: rule}
	return frame.Append(b, l.name)
}

// UnmarshalBinary makes l, a new loop of the same name, go on after the event that it was saved after. On an error it must not be used.
func (l *Loop) UnmarshalBinary(data []byte) error {
	frame, err := saved.Read(data, l.name)
	if err != nil {
		return err
	}
	var s memory
	if err := json.Unmarshal(frame.Body, &s); err != nil {
		return err
	}
	plan, err := l.make(s.Spec)
	if err != nil {
		return err
	}
	if err := plan.Rule.UnmarshalBinary(frame.Rule); err != nil {
		return err
	}
	l.seq, l.head = frame.Seq, frame.Head
	l.plan, l.epoch, l.spec, l.revision, l.mode, l.labels = plan, s.Epoch, s.Spec, s.Revision, s.Mode, s.Labels
	l.keeps = s.Keeps
	l.k, l.current, l.live, l.again, l.target, l.pin, l.moves, l.turns = s.K, s.Current, s.Live, s.Again, s.Target, s.Pin, s.Moves, s.Turns
	l.compacted, l.build, l.ramps, l.rests = s.Compacted, s.Build, s.Ramps, s.Rests
	if s.Guard != nil {
		l.guard = &guard.Guard{Duty: plan.Duty, Remembrance: *s.Guard}
	}
	if s.Kept != nil {
		l.kept = *s.Kept
	}
	if s.Alarms != nil {
		l.alarms = s.Alarms
	}
	return nil
}

package session

import (
	"maps"
	"time"

	"github.com/kedge-opt/kedge/problem/form"
)

// Status is a loop in short.
type Status struct {
	Loop     string            `json:"loop"`
	Epoch    string            `json:"epoch"`
	Mode     Mode              `json:"mode"`
	Revision int               `json:"revision"`
	Dims     [3]int            `json:"dims"`
	Labels   map[string]string `json:"labels,omitempty"`
	K        int               `json:"k"`
	Turns    int               `json:"turns"`
	State    Stage             `json:"state,omitempty"` // of the current decision
	Live     *alive            `json:"live,omitempty"`
	Pin      *pinned           `json:"pin,omitempty"`
	Alarms   map[string]string `json:"alarms,omitempty"`
	Seq      int               `json:"seq"`
	Hash     Hash              `json:"hash"`
}

// Status tells how the loop stands.
func (l *Loop) Status() Status {
	dim := l.plan.Dims
	s := Status{
		Loop: l.name, Epoch: l.epoch, Mode: l.mode, Revision: l.revision, Dims: [3]int{dim.Decision, dim.State, dim.Trait}, Labels: l.labels,
		K: l.k, Turns: l.turns, Live: l.live, Pin: l.pin, Alarms: l.alarmed(), Seq: l.seq, Hash: l.head,
	}
	if l.current.current() {
		s.State = l.current.State
	}
	return s
}

// noted is how the loop stands after what was written down.
func (l *Loop) noted(err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return l.Status(), nil
}

// alarmed are the alarms, with one that is not written down yet: looking changes nothing.
func (l *Loop) alarmed() map[string]string {
	all := maps.Clone(l.alarms)
	if l.saved == unsoundState {
		all[stateUnsound] = unsoundWords
	}
	return all
}

// Safe is the decision after a kill; nil: the spec names none.
func (l *Loop) Safe() []float64 { return l.plan.Live.Safe }

// Spec is the newest, in YAML.
func (l *Loop) Spec() string { return l.spec }

// Later is the later of two times, to the microsecond and in UTC, as it is written down.
func Later(a, b time.Time) time.Time {
	a = a.UTC().Truncate(time.Microsecond)
	if a.Before(b) {
		return b
	}
	return a
}

// after is a time later, nil for never.
func after(at time.Time, span time.Duration) *time.Time {
	if span == form.Never {
		return nil
	}
	t := at.Add(span)
	return &t
}

// BackupMade is a copy of everything.
type BackupMade struct {
	File    string `json:"file"`
	Loops   int    `json:"loops"`
	Events  int    `json:"events"`
	Checked bool   `json:"checked"`
}

// Arranged is the spec of the loop and what was made of it, to look at.
func (l *Loop) Arranged() (spec string, b *Brief) { return l.spec, l.plan }

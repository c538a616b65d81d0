package session

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/session/guard"
)

const loopKind = "session.Loop/1"

// saved is all of a loop besides its rule.
type saved struct {
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
	s := saved{l.epoch, l.spec, l.revision, l.mode, l.labels, l.k, l.current, l.live, l.again, l.target, l.pin, l.moves, l.turns, l.alarms, l.compacted, &l.kept, l.build, l.keeps, l.ramps, l.rests, nil}
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
	return wire.Append(b, loopKind, func(f *wire.Fields) { l.frame(f, &body, &rule, new([]byte)) })
}

// frame describes a saved loop; a sum of its own stands at its end, for nothing else notices a bit that turned.
func (l *Loop) frame(f *wire.Fields, body, rule, sum *[]byte) {
	seq, head := l.seq, l.head[:]
	f.Int(&seq, 1<<53)
	f.Bytes(&head)
	f.Bytes(body)
	f.Bytes(rule)
	own := digest(l.name, seq, head, *body, *rule)
	*sum = own[:]
	f.Bytes(sum)
	if f.Reading() {
		if own = digest(l.name, seq, head, *body, *rule); string(own[:]) != string(*sum) {
			f.Fail("the sum of the saved loop is wrong")
			return
		}
		l.seq = seq
		copy(l.head[:], head)
	}
}

func digest(name string, seq int, parts ...[]byte) Hash {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n", name, seq)
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return Hash(h.Sum(nil))
}

// UnmarshalBinary makes l, a new loop of the same name, go on after the event that it was saved after. On an error it must not be used.
func (l *Loop) UnmarshalBinary(data []byte) error {
	var body, rule, sum []byte
	if err := wire.Restore(data, loopKind, func(f *wire.Fields) { l.frame(f, &body, &rule, &sum) }); err != nil {
		return err
	}
	var s saved
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	plan, err := l.make(s.Spec)
	if err != nil {
		return err
	}
	if err := plan.Rule.UnmarshalBinary(rule); err != nil {
		return err
	}
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

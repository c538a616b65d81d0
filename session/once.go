package session

import (
	"context"
	"encoding/json"
	"fmt"
)

// Once carries out a command once under a word that its sender made, for good: the same again gets the first reply. What was refused was not
// carried out, and may be sent again.
type Once struct {
	Word    string // of which a loop has one alone
	Request Hash   // of all that was sent
	Of      Command
}

// Replayed is a reply that was given before.
type Replayed struct{ Reply json.RawMessage }

// GivenReply is the body of answered.
type GivenReply struct {
	Request Hash            `json:"request"`
	Reply   json.RawMessage `json:"reply"`
}

// OnceRef is how the event is known that has the reply to what was sent under a word.
func OnceRef(word string) string { return "i/" + word }

func (c Once) do(l *Loop) (any, error) {
	was, err := l.past.Find(0, OnceRef(c.Word))
	if err != nil {
		return nil, err
	}
	if was != nil {
		return Repeated(was, c.Word, c.Request)
	}
	reply, err := c.Of.do(l)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return nil, err
	}
	return reply, l.emit(Answered, 0, OnceRef(c.Word), GivenReply{c.Request, text}, nil)
}

// Repeated is the reply that an event has, if it was to the same request.
func Repeated(was *Event, word string, request Hash) (any, error) {
	var a GivenReply
	if err := unmarshal(was, &a); err != nil {
		return nil, err
	}
	if a.Request != request {
		return nil, refuse(KeyReused, "something else was sent under the Idempotency-Key %s", word)
	}
	return Replayed{a.Reply}, nil
}

// Try tells what a command would come to, and changes nothing.
func (h *Fleet) Try(ctx context.Context, name, actor string, c Command) (reply any, err error) {
	err = h.hold(ctx, name, func(e *entry) error {
		l := e.loop
		state, err := l.AppendBinary(nil)
		if err != nil {
			return err
		}
		twin := New(name, h.make)
		if err := twin.UnmarshalBinary(state); err != nil {
			return fmt.Errorf("loop %s: %w", name, err)
		}
		twin.at = l.at
		reply, _, err = twin.Do(h.clock.Now(), actor, c, past{h.journal, name, nothing})
		return err
	})
	return reply, err
}

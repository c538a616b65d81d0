// Package replay decides everything again that a loop has decided, from its log, and finds what differs.
package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/relay"
)

// Recap is what deciding everything again came to.
type Recap struct {
	Loop    string       `json:"loop"`
	Events  int          `json:"events"`
	Decided int          `json:"decided"` // events that were decided again, and came out with the same bytes
	Closes  int          `json:"closes"`
	Lacking []int        `json:"lacking"` // closed decisions that could not be decided again, since people are gone
	Hash    session.Hash `json:"hash"`
}

// Loop checks the chain of a loop and carries out every command again, at its time: every event must come out with the same bytes, and
// with that every decision and the state of the rule after every close. The error names the first event that does not.
//
// Others read ahead, check people and write down what was decided, to compare it: deciding waits for none of them.
func Loop(ctx context.Context, j session.Journal, loop string, plan session.Planner) (Recap, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := session.New(loop, plan)
	r := &rerun{name: loop, loop: l, past: until{session.PastOf(j, loop), l}, recap: Recap{Loop: loop, Lacking: []int{}}, doubts: relay.Doubt()}
	defer r.doubts.Stop()
	l.Suppose(r.supposed)
	ahead := readAhead(ctx, j, loop)
	err := r.all(ahead.Out)
	stop()
	if read := ahead.End(); err == nil {
		err = read
	}
	if early := r.settle(); early != nil {
		err = early
	}
	r.recap.Hash, r.recap.Closes = r.head.Hash, len(r.closes)
	for _, t := range r.taken {
		if t.lacks {
			r.recap.Lacking = append(r.recap.Lacking, t.k)
		}
	}
	switch {
	case err != nil:
		return r.recap, err
	case r.recap.Events == 0:
		return r.recap, &session.Refusal{Type: session.NotFound, Detail: "there is no loop " + loop}
	case len(r.expected) > 0:
		return r.recap, &session.ChainError{Loop: loop, Seq: r.head.Seq + 1, Why: fmt.Sprintf("%s should follow, but the log ends", r.expected[0].Kind)}
	case len(r.waiting) > 0:
		return r.recap, &session.ChainError{Loop: loop, Seq: r.waiting[0].Seq, Why: "what it comes from is not there"}
	}
	return r.recap, r.loop.Whole()
}

// rerun is a replay under way.
type rerun struct {
	name     string
	loop     *session.Loop
	past     until
	recap    Recap
	head     session.Event
	closes   []int // numbers of events
	taken    []taken
	read     []readied       // of which the newest event is one
	waiting  []session.Event // whose cause comes after them
	expected []session.Event // that a command brought, and that must come now
	doubts   *relay.Doubts
}

// taken is an event that was taken as it is written.
type taken struct {
	seq, k int
	lacks  bool // it is a close whose people are gone
}

// readied is an event of a sound chain with the command that it comes from.
type readied struct {
	session.Event
	command session.Command // nil: none
	fault   error           // why it cannot be said
}

// mostAhead is how many bytes of people wait to be decided on.
const mostAhead = 1 << 20

// readAhead checks the chain of a loop and finds the commands that its events come from.
func readAhead(ctx context.Context, j session.Journal, loop string) *relay.Ahead[readied] {
	past := session.PastOf(j, loop)
	var seq int
	var hash session.Hash
	return relay.Read(ctx, mostAhead, func(visit func(readied) error) error {
		return j.Read(ctx, loop, 0, func(e session.Event) error {
			if err := e.Follow(loop, seq, hash); err != nil {
				return err
			}
			seq, hash = e.Seq, e.Hash
			return visit(readied{Event: e})
		})
	}, func(r *readied) (size int) {
		r.command, r.fault = session.CommandOf(&r.Event, past)
		t, _ := r.command.(session.Tell)
		return 8 * (len(t.Batch.P) + len(t.Batch.D))
	})
}

// settle waits for what is still compared. If an event says something else the replay got no further.
func (r *rerun) settle() error {
	wrong, err := r.doubts.End()
	if wrong == nil {
		return err
	}
	r.recap.Events = wrong.Number
	r.closes = slices.DeleteFunc(r.closes, func(seq int) bool { return seq > wrong.Number })
	r.taken = slices.DeleteFunc(r.taken, func(t taken) bool { return t.seq > wrong.Number })
	r.recap.Decided = wrong.Number - 1 - len(r.taken)
	return &session.ChainError{Loop: r.name, Seq: wrong.Number, Why: differs("what is decided", wrong.Now, wrong.Written)}
}

// all decides everything again that is read.
func (r *rerun) all(read <-chan []readied) error {
	for some := range read {
		r.read = some
		for i := range some {
			if err := r.next(&some[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// supposed has an event that was decided again written down like the one of the log, and its content compared later; false: there is none
// that it could be.
func (r *rerun) supposed(e *session.Event, body any) bool {
	w := r.written(e.Seq)
	if w == nil || w.Kind != e.Kind || w.K != e.K || w.Ref != e.Ref || w.Actor != e.Actor || !w.At.Equal(e.At) {
		return false
	}
	e.Body, e.Hash = w.Body, w.Hash
	r.doubts.Add(w.Seq, w.Body, body)
	return true
}

// written is the event of a number, nil if it is not at hand.
func (r *rerun) written(seq int) *session.Event {
	for i := range r.waiting {
		if r.waiting[i].Seq == seq {
			return &r.waiting[i]
		}
	}
	if i := seq - r.read[0].Seq; i >= 0 && i < len(r.read) {
		return &r.read[i].Event
	}
	return nil
}

// until is the memory of a loop up to where it is.
type until struct {
	session.Past
	loop *session.Loop
}

func (u until) Decision(k int) ([]session.Event, error) {
	at, _ := u.loop.Head()
	events, err := u.Past.Decision(k)
	return slices.DeleteFunc(events, func(e session.Event) bool { return e.Seq > at }), err
}

func (r *rerun) next(one *readied) error {
	e := one.Event
	r.head = e
	r.recap.Events++
	if e.Kind == session.Closed {
		r.closes = append(r.closes, e.Seq)
	}
	if len(r.expected) > 0 {
		return r.match(e)
	}
	if r.loop.Blind() {
		return r.take(e)
	}
	if r.waiting = append(r.waiting, e); e.Kind == session.Superseded && e.Actor != session.ByTime {
		return nil
	}
	return r.again(one)
}

// match compares an event with what came out.
func (r *rerun) match(e session.Event) error {
	want := r.expected[0]
	if want.Hash != e.Hash {
		return &session.ChainError{Loop: r.name, Seq: e.Seq, Why: otherwise(&e, &want)}
	}
	r.expected = r.expected[1:]
	r.recap.Decided++
	return nil
}

// again carries out the command that an event comes from.
func (r *rerun) again(e *readied) error {
	r.loop.GoBy(&e.Event)
	if e.fault != nil {
		return &session.ChainError{Loop: r.name, Seq: e.Seq, Why: e.fault.Error()}
	}
	if e.command == nil {
		return r.take(r.waiting...)
	}
	_, events, err := r.loop.Do(e.At, e.Actor, e.command, r.past)
	if len(events) == 0 && errors.Is(err, session.ErrDropped) {
		return r.take(r.waiting...)
	}
	if err != nil {
		return &session.ChainError{Loop: r.name, Seq: e.Seq, Why: fmt.Sprintf("%s does not happen again: %v", e.Kind, err)}
	}
	r.expected = events
	for waiting := r.waiting; len(waiting) > 0; waiting = waiting[1:] {
		if len(r.expected) == 0 {
			return &session.ChainError{Loop: r.name, Seq: waiting[0].Seq, Why: fmt.Sprintf("%s does not happen again", waiting[0].Kind)}
		}
		if err := r.match(waiting[0]); err != nil {
			return err
		}
	}
	r.waiting = nil
	return nil
}

// take folds events in as they are written.
func (r *rerun) take(events ...session.Event) error {
	for _, one := range events {
		blind := r.loop.Blind()
		if err := r.loop.Replay(one, r.past); err != nil {
			return err
		}
		r.loop.GoBy(&one)
		r.taken = append(r.taken, taken{one.Seq, one.K, one.Kind == session.Closed && (blind || r.loop.Blind())})
	}
	r.waiting = nil
	return nil
}

// otherwise says how an event differs from what comes out now.
func otherwise(e, now *session.Event) string {
	switch {
	case e.Kind != now.Kind:
		return fmt.Sprintf("%s is written, %s comes out again", e.Kind, now.Kind)
	case !bytes.Equal(e.Body, now.Body):
		return differs(string(e.Kind), now.Body, e.Body)
	}
	return fmt.Sprintf("%s again differs in its time, actor, decision or reference", e.Kind)
}

func differs(what string, now, written []byte) string {
	return fmt.Sprintf("%s again comes to %.300s, written is %.300s", what, now, written)
}

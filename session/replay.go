package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/session/relay"
)

// Recap is what deciding everything again came to.
type Recap struct {
	Loop    string `json:"loop"`
	Events  int    `json:"events"`
	Decided int    `json:"decided"` // events that were decided again, and came out with the same bytes
	Closes  int    `json:"closes"`
	Lacking []int  `json:"lacking"` // closed decisions that could not be decided again, since people are gone
	Hash    Hash   `json:"hash"`
}

// Replay checks the chain of a loop and carries out every command again, at its time: every event must come out with the same bytes, and
// with that every decision and the state of the rule after every close. The error names the first event that does not.
//
// Others read ahead, check people and write down what was decided, to compare it: deciding waits for none of them.
func Replay(ctx context.Context, j Journal, loop string, plan Planner) (Recap, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := New(loop, plan)
	r := &rerun{loop: l, past: until{past{j, loop, nothing}, l}, recap: Recap{Loop: loop, Lacking: []int{}}, doubts: relay.Doubt()}
	defer r.doubts.Stop()
	l.supposed = r.supposed
	ahead := readAhead(ctx, r.past.past)
	err := r.all(ahead.Out)
	stop()
	if read := ahead.End(); err == nil {
		err = read
	}
	if early := r.settle(); early != nil {
		err = early
	}
	r.recap.Hash = r.head.Hash
	switch {
	case err != nil:
		return r.recap, err
	case r.recap.Events == 0:
		return r.recap, refuse(NotFound, "there is no loop %s", loop)
	case len(r.expected) > 0:
		return r.recap, &ChainError{loop, r.head.Seq + 1, fmt.Sprintf("%s should follow, but the log ends", r.expected[0].Kind)}
	case len(r.waiting) > 0:
		return r.recap, &ChainError{loop, r.waiting[0].Seq, "what it comes from is not there"}
	}
	return r.recap, r.loop.whole()
}

// rerun is a replay under way.
type rerun struct {
	loop     *Loop
	past     until
	recap    Recap
	head     Event
	read     []readied // of which the newest event is one
	waiting  []Event   // whose cause comes after them
	expected []Event   // that a command brought, and that must come now
	doubts   *relay.Doubts
}

// readied is an event of a sound chain with the command that it comes from.
type readied struct {
	Event
	command Command // nil: none
	fault   error   // why it cannot be said
}

// mostAhead is how many bytes of people wait to be decided on.
const mostAhead = 1 << 20

// readAhead checks the chain of a loop and finds the commands that its events come from.
func readAhead(ctx context.Context, from past) *relay.Ahead[readied] {
	var seq int
	var hash Hash
	return relay.Read(ctx, mostAhead, func(visit func(readied) error) error {
		return from.journal.Read(ctx, from.loop, 0, func(e Event) error {
			if err := e.Follow(from.loop, seq, hash); err != nil {
				return err
			}
			seq, hash = e.Seq, e.Hash
			return visit(readied{Event: e})
		})
	}, func(r *readied) (size int) {
		r.command, r.fault = CommandOf(&r.Event, from)
		t, _ := r.command.(Tell)
		return 8 * (len(t.Batch.P) + len(t.Batch.D))
	})
}

// settle waits for what is still compared. If an event says something else the replay got no further.
func (r *rerun) settle() error {
	wrong, after, err := r.doubts.End()
	if wrong == nil {
		return err
	}
	r.recap.Events, r.recap.Decided = wrong.Number, r.recap.Decided-after-1
	return &ChainError{r.loop.name, wrong.Number, differs("what is decided", wrong.Now, wrong.Written)}
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
func (r *rerun) supposed(e *Event, body any) bool {
	w := r.written(e.Seq)
	if e.said == nil || w == nil || w.Kind != e.Kind || w.K != e.K || w.Ref != e.Ref || w.Actor != e.Actor || !w.At.Equal(e.At) {
		return false
	}
	e.Body, e.Hash = w.Body, w.Hash
	r.doubts.Add(w.Seq, w.Body, body)
	return true
}

// written is the event of a number, nil if it is not at hand.
func (r *rerun) written(seq int) *Event {
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
	past
	loop *Loop
}

func (u until) Decision(k int) ([]Event, error) {
	events, err := u.past.Decision(k)
	return slices.DeleteFunc(events, func(e Event) bool { return e.Seq > u.loop.seq }), err
}

func (r *rerun) next(one *readied) error {
	e := one.Event
	r.head = e
	r.recap.Events++
	if e.Kind == Closed {
		r.recap.Closes++
	}
	if len(r.expected) > 0 {
		return r.match(e)
	}
	if r.loop.blind {
		return r.take(e)
	}
	if r.waiting = append(r.waiting, e); e.Kind == Superseded && e.Actor != byTime {
		return nil
	}
	return r.again(one)
}

// match compares an event with what came out.
func (r *rerun) match(e Event) error {
	want := r.expected[0]
	if want.Hash != e.Hash {
		return &ChainError{r.loop.name, e.Seq, otherwise(&e, &want)}
	}
	r.expected = r.expected[1:]
	r.recap.Decided++
	return nil
}

// again carries out the command that an event comes from.
func (r *rerun) again(e *readied) error {
	r.ownBuild(&e.Event)
	if e.fault != nil {
		return &ChainError{r.loop.name, e.Seq, e.fault.Error()}
	}
	if e.command == nil {
		return r.take(r.waiting...)
	}
	_, events, err := r.loop.Do(e.At, e.Actor, e.command, r.past)
	if len(events) == 0 && errors.Is(err, ErrDropped) {
		return r.take(r.waiting...)
	}
	if err != nil {
		return &ChainError{r.loop.name, e.Seq, fmt.Sprintf("%s does not happen again: %v", e.Kind, err)}
	}
	r.expected = events
	for waiting := r.waiting; len(waiting) > 0; waiting = waiting[1:] {
		if len(r.expected) == 0 {
			return &ChainError{r.loop.name, waiting[0].Seq, fmt.Sprintf("%s does not happen again", waiting[0].Kind)}
		}
		if err := r.match(waiting[0]); err != nil {
			return err
		}
	}
	r.waiting = nil
	return nil
}

// ownBuild decides as the build that wrote the event, which had the same arithmetic or is found to differ.
func (r *rerun) ownBuild(e *Event) {
	var b creation
	if e.Kind == Created && unmarshal(e, &b) == nil && b.Build != nil {
		r.loop.own = *b.Build
	}
}

// take folds events in as they are written.
func (r *rerun) take(events ...Event) error {
	for _, one := range events {
		blind := r.loop.blind
		if err := r.loop.Replay(one, r.past); err != nil {
			return err
		}
		if one.Kind == BuildChanged {
			r.loop.own = r.loop.build
		}
		if one.Kind == Closed && (blind || r.loop.blind) {
			r.recap.Lacking = append(r.recap.Lacking, one.K)
		}
	}
	r.waiting = nil
	return nil
}

// otherwise says how an event differs from what comes out now.
func otherwise(e, now *Event) string {
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

// byTime is the actor of what the clock brings.
const byTime = "time"

// CommandOf is the command that an event comes from; nil: none, it is what it is.
func CommandOf(e *Event, past Past) (Command, error) {
	switch e.Kind {
	case Compacted, BuildChanged, Forked:
		return nil, nil
	}
	if e.Actor == byTime {
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
	if at := c.Batch.ObservedAt; (at.IsZero() || at.Equal(Later(at, at))) && sha256.Sum256(data) == r.Content && c.Batch.IsWrittenAs(data) {
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
		return SetPin(p), err
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

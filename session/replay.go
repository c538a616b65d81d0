package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
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
func Replay(ctx context.Context, j Journal, loop string, plan Planner) (Recap, error) {
	l := New(loop, plan)
	r := &rerun{loop: l, past: until{past{j, loop, nothing}, l}, recap: Recap{Loop: loop, Lacking: []int{}}}
	err := j.Read(ctx, loop, 0, r.next)
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
	waiting  []Event // whose cause comes after them
	expected []Event // that a command brought, and that must come now
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

func (r *rerun) next(e Event) error {
	if err := e.Follow(r.loop.name, r.head.Seq, r.head.Hash); err != nil {
		return err
	}
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
	return r.again(e)
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
func (r *rerun) again(e Event) error {
	r.ownBuild(&e)
	command, err := commandOf(&e, r.past)
	if err != nil {
		return &ChainError{r.loop.name, e.Seq, err.Error()}
	}
	if command == nil {
		return r.take(r.waiting...)
	}
	_, events, err := r.loop.Do(e.At, e.Actor, command, r.past)
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
		return fmt.Sprintf("%s again comes to %.300s, written is %.300s", e.Kind, now.Body, e.Body)
	}
	return fmt.Sprintf("%s again differs in its time, actor, decision or reference", e.Kind)
}

// byTime is the actor of what the clock brings.
const byTime = "time"

// commandOf is the command that an event comes from; nil: none, it is what it is.
func commandOf(e *Event, past Past) (Command, error) {
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
	return c, c.Batch.Decode(data)
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

// Fork feeds what happened to a loop to a new one: the same deployments, people and closes at the same times. From decision f.AtK on it has
// the spec edit makes of the loop's, if that differs. In the end it is in the shadow, and its decisions are what would have been proposed; what people
// would have done nobody knows.
func (h *Fleet) Fork(ctx context.Context, f Forking, name string, edit func(spec string) (string, error)) (Status, error) {
	var none Status
	if err := h.Look(ctx, name, func(*Loop) error { return nil }); !IsRefusal(err, NotFound) {
		return none, errors.Join(err, refuse(NameTaken, "there is a loop %s already", name))
	}
	if err := h.Look(ctx, f.Of, func(l *Loop) error {
		f.Seq, f.Hash = l.Head()
		if f.AtK < 1 || f.AtK > l.k {
			return refuse(NotFound, "loop %s has decisions from 1 to %d, none is %d", f.Of, l.k, f.AtK)
		}
		return nil
	}); err != nil {
		return none, err
	}
	feed := &feeding{Forking: f, edit: edit, from: past{h.journal, f.Of, nothing}, loop: New(name, h.make), journal: h.journal}
	if err := h.journal.Read(ctx, f.Of, 0, feed.next); err != nil {
		return none, err
	}
	err := feed.do(h.clock.Now(), "fork", Switch{Shadow, fmt.Sprintf("forked from %s at decision %d", f.Of, f.AtK)})
	if err == nil {
		err = feed.flush()
	}
	return feed.loop.Status(), err
}

// feeding is a fork under way.
type feeding struct {
	Forking
	edit    func(spec string) (string, error)
	from    past
	loop    *Loop
	journal Journal
	written int
	events  []Event
	bytes   int
	changed bool
}

func (f *feeding) next(e Event) error {
	if e.Seq > f.Seq {
		return nil
	}
	if (e.Kind == Opened || e.Kind == Proposed) && e.K == f.AtK && !f.changed {
		f.changed = true
		if err := f.revise(e.At); err != nil {
			return err
		}
	}
	switch e.Kind {
	case Superseded, Raised, Cleared, Archived, Restored, Imported, Forked, BuildChanged:
		return nil // what follows from others, and what is of the other loop alone
	}
	command, err := commandOf(&e, f.from)
	if err != nil {
		return err
	}
	if command == nil && (e.Kind == Told || e.Kind == ToldLate || e.Kind == Compacted) {
		return refuse(NotFound, "the people of decision %d of loop %s were dropped, so that nothing can be learned from them again", max(1, e.K), f.Of)
	}
	if command == nil {
		return nil
	}
	if begin, is := command.(Create); is {
		begin.Epoch = NewEpoch()
		command = begin
	}
	if err := f.do(e.At, e.Actor, command); err != nil {
		return fmt.Errorf("event %d of loop %s, %s: %w", e.Seq, f.Of, e.Kind, err)
	}
	if e.Kind == Created {
		return f.do(e.At, "fork", f.Forking)
	}
	return nil
}

// revise gives the fork its own spec.
func (f *feeding) revise(at time.Time) error {
	spec, err := f.edit(f.loop.spec)
	if err != nil || spec == f.loop.spec {
		return err
	}
	return f.do(at, "fork", Revise{Spec: spec, Reason: "forked", Revision: f.loop.revision})
}

// most bytes of events that a fork holds before it writes them.
const mostUnwritten = 4 << 20

func (f *feeding) do(at time.Time, actor string, c Command) error {
	_, events, err := f.loop.Do(at, actor, c, forkPast{f})
	f.events = append(f.events, events...)
	for _, e := range events {
		f.bytes += len(e.Body) + len(e.Blob)
	}
	if err == nil && f.bytes > mostUnwritten {
		err = f.flush()
	}
	return err
}

func (f *feeding) flush() error {
	if len(f.events) == 0 {
		return nil
	}
	err := f.journal.Append(f.loop.name, f.written, f.events, nil)()
	f.written, f.events, f.bytes = f.written+len(f.events), nil, 0
	return err
}

// forkPast is the memory of a fork that may not be written yet.
type forkPast struct{ *feeding }

func (p forkPast) Decision(k int) ([]Event, error) {
	if err := p.flush(); err != nil {
		return nil, err
	}
	return p.journal.Decision(p.loop.name, k)
}

func (p forkPast) Find(k int, ref string) (*Event, error) {
	if err := p.flush(); err != nil {
		return nil, err
	}
	return p.journal.Find(p.loop.name, k, ref)
}

func (p forkPast) Blob(sum Hash) ([]byte, error) { return p.from.Blob(sum) }

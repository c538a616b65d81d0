// Package fork feeds what happened to a loop to another with another spec.
package fork

import (
	"context"
	"fmt"
	"time"

	"github.com/kedge-opt/kedge/session"
)

func refuse(kind, format string, args ...any) error {
	return &session.Refusal{Type: kind, Detail: fmt.Sprintf(format, args...)}
}

// Fork feeds what happened to a loop to a new one: the same deployments, people and closes at the same times. From decision f.AtK on it has
// the spec edit makes of the loop's, if that differs. In the end it is in the shadow, and its decisions are what would have been proposed; what people
// would have done nobody knows.
func Fork(ctx context.Context, h *session.Fleet, f session.Forking, name string, edit func(spec string) (string, error)) (session.Status, error) {
	var none session.Status
	switch err := h.Look(ctx, name, func(*session.Loop) error { return nil }); {
	case err == nil:
		return none, refuse(session.NameTaken, "there is a loop %s already", name)
	case !session.IsRefusal(err, session.NotFound):
		return none, err
	}
	if err := h.Look(ctx, f.Of, func(l *session.Loop) error {
		f.Seq, f.Hash = l.Head()
		if f.AtK < 1 || f.AtK > l.Status().K {
			return refuse(session.NotFound, "loop %s has decisions from 1 to %d, none is %d", f.Of, l.Status().K, f.AtK)
		}
		return nil
	}); err != nil {
		return none, err
	}
	journal, clock, plan := h.Parts()
	if err := foresee(ctx, h, f, edit); err != nil {
		return none, err
	}
	defer h.Apart(name)()
	feed := &feeding{Forking: f, edit: edit, from: session.PastOf(journal, f.Of), name: name, loop: session.New(name, plan), journal: journal}
	if err := journal.Read(context.WithoutCancel(ctx), f.Of, 0, feed.next); err != nil { // also for one who has left: a part of a fork is none
		return none, err
	}
	err := feed.do(clock.Now(), "fork", session.Switch{To: session.Shadow, Reason: fmt.Sprintf("forked from %s at decision %d", f.Of, f.AtK)})
	if err == nil {
		err = feed.flush()
	}
	return feed.loop.Status(), err
}

// foresee refuses what a fork would be refused for on its way, when some of it is written: people who are gone, and a spec that cannot take the place of
// the one of that time.
func foresee(ctx context.Context, h *session.Fleet, f session.Forking, edit func(spec string) (string, error)) error {
	journal, clock, plan := h.Parts()
	from, create, changed := session.PastOf(journal, f.Of), session.Create{}, false
	return journal.Read(ctx, f.Of, 0, func(e session.Event) error {
		switch opens := e.Kind == session.Opened || e.Kind == session.Proposed; {
		case e.Seq > f.Seq:
			return nil
		case opens && e.K == f.AtK:
			changed = true
			return tryEdit(session.New(f.Of, plan), clock.Now(), create, edit, from)
		case e.Kind != session.Told && e.Kind != session.ToldLate && e.Kind != session.Compacted && e.Kind != session.Created && e.Kind != session.Revised:
			return nil
		}
		command, err := session.CommandOf(&e, from)
		if err != nil { // which says nothing of whether people are there
			return err
		}
		switch c := command.(type) {
		case nil:
			return gone(&e, f.Of)
		case session.Create:
			create = c
		case session.Revise:
			if create.Spec = c.Spec; changed {
				return tryEdit(session.New(f.Of, plan), clock.Now(), create, edit, from)
			}
		}
		return nil
	})
}

// tryEdit has a loop of its own take the spec that a fork is to have.
func tryEdit(l *session.Loop, now time.Time, c session.Create, edit func(spec string) (string, error), past session.Past) error {
	spec, err := edit(c.Spec)
	if err != nil || spec == c.Spec {
		return err
	}
	if _, _, err := l.Do(now, "fork", c, past); err != nil {
		return err
	}
	_, _, err = l.Do(now, "fork", session.Revise{Spec: spec, Reason: "forked", Revision: l.Status().Revision}, past)
	return err
}

// gone refuses to feed people who are not there.
func gone(e *session.Event, of string) error {
	return refuse(session.NotFound, "the people of decision %d of loop %s were dropped, so that nothing can be learned from them again", max(1, e.K), of)
}

// feeding is a fork under way.
type feeding struct {
	session.Forking
	edit    func(spec string) (string, error)
	from    session.Past
	name    string
	loop    *session.Loop
	journal session.Journal
	written int
	events  []session.Event
	bytes   int
	changed bool
}

func (f *feeding) next(e session.Event) error {
	if e.Seq > f.Seq {
		return nil
	}
	if (e.Kind == session.Opened || e.Kind == session.Proposed) && e.K == f.AtK {
		f.changed = true
		if err := f.revise(e.At); err != nil {
			return err
		}
	}
	switch e.Kind {
	case session.Superseded, session.Raised, session.Cleared, session.Archived, session.Restored, session.Imported, session.Forked, session.BuildChanged:
		return nil // what follows from others, and what is of the other loop alone
	}
	command, err := session.CommandOf(&e, f.from)
	if err != nil {
		return err
	}
	switch c := command.(type) {
	case nil:
		if e.Kind == session.Told || e.Kind == session.ToldLate || e.Kind == session.Compacted {
			return gone(&e, f.Of)
		}
		return nil
	case session.Create:
		c.Epoch = session.NewEpoch()
		command = c
	case session.Revise:
		if command, err = f.edited(c); err != nil {
			return err
		}
	}
	if err := f.do(e.At, e.Actor, command); err != nil {
		return fmt.Errorf("event %d of loop %s, %s: %w", e.Seq, f.Of, e.Kind, err)
	}
	if e.Kind == session.Created {
		return f.do(e.At, "fork", f.Forking)
	}
	return nil
}

// revise gives the fork its own spec.
func (f *feeding) revise(at time.Time) error {
	spec, err := f.edit(f.loop.Spec())
	if err != nil || spec == f.loop.Spec() {
		return err
	}
	return f.do(at, "fork", session.Revise{Spec: spec, Reason: "forked", Revision: f.loop.Status().Revision})
}

// edited is a revision of the loop as the fork takes it: with what the fork changes, once it has.
func (f *feeding) edited(c session.Revise) (_ session.Revise, err error) {
	if c.Revision = f.loop.Status().Revision; f.changed {
		c.Spec, err = f.edit(c.Spec)
	}
	return c, err
}

// mostUnwritten is how many bytes of events and people a fork holds before it writes them. One that has no more is written at once: a part of a fork, which a
// service that is killed would leave, is live.
const mostUnwritten = 16 << 20

func (f *feeding) do(at time.Time, actor string, c session.Command) error {
	_, events, err := f.loop.Do(at, actor, c, forkPast{session.PastOf(f.journal, f.name), f})
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
	err := f.journal.Append(f.name, f.written, f.events, nil)()
	f.written, f.events, f.bytes = f.written+len(f.events), nil, 0
	return err
}

// forkPast is the memory of a fork that may not be written yet.
type forkPast struct {
	session.Past
	*feeding
}

func (p forkPast) Decision(k int) (list []session.Event, err error) {
	if p.written > 0 {
		list, err = p.Past.Decision(k)
	}
	for _, e := range p.events {
		if e.K == k {
			list = append(list, e)
		}
	}
	return list, err
}

func (p forkPast) Blob(sum session.Hash) ([]byte, error) { return p.from.Blob(sum) }

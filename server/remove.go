package server

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// remove takes an archived loop out of the journal.
func remove(c *call, b reasoned) (int, any, error) {
	if b.Reason == "" {
		return 0, nil, problem(session.Malformed, "reason is missing: why the loop may go for good")
	}
	if c.dry {
		return look(c, func(l *session.Loop) (chronicle.Removal, error) { return c.removal(l, b.Reason) })
	}
	var done chronicle.Removal
	err := c.host.Dismiss(c.Context(), c.loop, func(l *session.Loop) error {
		if l.Status().Mode == session.Ended {
			c.kills.Unmark(c.Context(), c.loop) // which goes by the number of the loop, that another may get
		}
		return c.keys.chronicle.Write(c.Context(), c.who.Prefix, func(time.Time) (n chronicle.Notice, err error) {
			done, err = c.removal(l, b.Reason)
			return chronicle.Notice{Kind: chronicle.LoopRemoved, Body: done, Removes: done.Tip}, err
		})
	})
	if session.IsRefusal(err, session.NotFound) {
		if was, found := c.removed(); found { // whoever got no answer asks again
			return http.StatusOK, was, nil
		}
	}
	if err == nil {
		c.tally.Forget(c.loop)
		c.hub.Forget(c.loop)
	}
	return http.StatusOK, done, err
}

// removal is what would be left of a loop. One that is not archived cannot go.
func (c *call) removal(l *session.Loop, reason string) (r chronicle.Removal, err error) {
	s := l.Status()
	if s.Mode != session.Ended {
		return r, &session.Refusal{Type: session.WrongMode, Detail: "loop " + s.Loop + " is " + string(s.Mode) + "; archive it first"}
	}
	r = chronicle.Removal{Tip: session.Tip{Loop: s.Loop, Seq: s.Seq, Hash: s.Hash}, Events: s.Seq, Reason: reason}
	var newest session.Tip
	err = c.journal.Read(c.Context(), s.Loop, 0, func(e session.Event) error {
		newest = session.Tip{Loop: s.Loop, Seq: e.Seq, Hash: e.Hash}
		if e.Kind == session.Told || e.Kind == session.ToldLate {
			r.Batches++
		}
		return nil
	})
	if err == nil && newest != r.Tip { // another server wrote meanwhile, or removed it
		err = session.ErrConflict
	}
	return r, err
}

// removed is what is left of a loop that was removed before.
func (c *call) removed() (was chronicle.Removal, found bool) {
	list, err := c.journal.Newest(c.Context(), session.OfServer, []session.Kind{chronicle.LoopRemoved}, mostEvents)
	for _, e := range list {
		var r chronicle.Removal
		if json.Unmarshal(e.Body, &r) == nil && r.Loop == c.loop {
			was, found = r, true
		}
	}
	return was, found && err == nil
}

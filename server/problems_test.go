package server

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// What problems are called, by which status, and whether the same message is taken later, is what it was when it was last looked at: clients rely on it.
func TestProblemsAsRecorded(t *testing.T) {
	var got []string
	for _, one := range append(problemTypes(), typeOf("nobody knows it")) {
		if is := typeOf(one.name); is != one {
			t.Errorf("%s is found as %s", one.name, is.name)
		}
		got = append(got, fmt.Sprintf("%s %d %t %s", one.name, one.status, one.waits(), one.title))
	}
	evidence.AsRecorded(t, "testdata/problems.txt", got)
}

// What another server has written is read for those who watch the loop, and for nobody else.
func TestEventsOfOtherServers(t *testing.T) {
	j := store.NewMemory()
	s := New(Setup{Journal: j, Clock: Wall(), Limits: DefaultLimits()})
	defer s.Stop()
	c := &journal.Chain{Loop: "shop"}
	write := func() session.Tip {
		t.Helper()
		after := c.Seq
		if err := j.Append("shop", after, []session.Event{c.Next(0, "", nil)}, nil)(); err != nil {
			t.Fatal(err)
		}
		return session.Tip{Loop: "shop", Seq: c.Seq, Hash: c.Hash}
	}
	if err := s.heard(t.Context(), write()); err != nil || len(s.hub.Watched()) > 0 {
		t.Errorf("%v, watched %v", err, s.hub.Watched())
	}
	leave, ok := s.hub.Watch("shop", 9)
	if !ok {
		t.Fatal("nobody may watch")
	}
	defer leave()
	for n := 2; n <= 4; n++ {
		if err := s.heard(t.Context(), write()); err != nil {
			t.Error(err)
		}
		if events, _, behind := s.hub.After("shop", n-1); behind || len(events) != 1 || events[0].Seq != n {
			t.Errorf("event %d: %v, behind %t", n, events, behind)
		}
	}
}

// A value of another kind is told as that, a number that is no finite one or no whole one as that.
func TestUnreadableValues(t *testing.T) {
	for text, want := range map[string]string{
		`{"x": 1e999}`: "not-finite: /x is 1e999, which is no finite number",
		`{"n": 1.5}`:   "malformed: /n is 1.5, want a whole number of 64 bits",
		`{"n": 1e30}`:  "malformed: /n is 1e30, want a whole number of 64 bits",
		`{"l": 3}`:     "malformed: /l is a number",
		`{"x": "3"}`:   "malformed: /x is a text",
		`{"l": [[]]}`:  "malformed: /l/0 is a list",
	} {
		var v struct {
			X float64
			N int
			L []string
		}
		if err := unreadable(json.Unmarshal([]byte(text), &v), []byte(text)); err.Error() != "/problems/"+want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/plan"
	"github.com/kedge-opt/kedge/session/saved"
)

var errFate = errors.New("struck by fate")

// fate strikes once, at some call; if it garbles, with other bytes instead of an error, and if it panics, by that.
type fate struct {
	calls, at       int
	garbles, panics bool
}

func (f *fate) strike() error {
	if f.calls++; f.calls != f.at {
		return nil
	}
	if f.panics {
		panic(errFate)
	}
	return errFate
}

func (f *fate) struck() bool { return f.at > 0 && f.calls >= f.at }

// frail is a rule of which a call can fail, with nothing done.
type frail struct {
	plan.Rule
	*fate
}

func (r frail) Rebase(u []float64, lead float64) error {
	if err := r.strike(); err != nil {
		return err
	}
	return r.Rule.Rebase(u, lead)
}

func (r frail) Tell(o kedge.Observation) error {
	if err := r.strike(); err != nil {
		return err
	}
	return r.Rule.Tell(o)
}

func (r frail) AppendBinary(b []byte) ([]byte, error) {
	if err := r.strike(); err != nil {
		return nil, err
	}
	return r.Rule.AppendBinary(b)
}

func (r frail) UnmarshalBinary(b []byte) error {
	if err := r.strike(); err != nil {
		return err
	}
	return r.Rule.UnmarshalBinary(b)
}

// act is a command of a story, and how long it is sent after the one before it.
type act struct {
	session.Command
	after time.Duration
}

// story is a life of a loop in which its rule is saved, read, moved and told, and in which it looks up its past.
func story() (list []act) {
	u, b := []float64{3, 3}, people(1, 10, []float64{3, 3})
	b.Who = []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	round := func(k int, b session.Batch, u []float64) {
		list = append(list, act{session.Ask{}, 0}, act{session.Approve{K: k}, 0}, act{session.Deploy{K: k, U: u}, 0}, act{session.Tell{K: k, ID: "am", Batch: b}, 0}, act{session.Close{K: k}, time.Hour})
	}
	add := func(commands ...session.Command) {
		for _, c := range commands {
			list = append(list, act{c, time.Minute})
		}
	}
	add(session.Create{Spec: frailShop, Mode: session.Live, Epoch: "e"})
	round(1, b, u)
	round(2, people(2, 10, u), u)
	add(session.Ask{}, session.Reject{K: 3}, session.Deploy{K: 1, U: u}, session.Tell{K: 1, ID: "late", Batch: people(3, 5, u)}, session.Close{K: 1})
	add(session.RollBack{K: 2}, session.Switch{To: session.Killed}, session.Ask{}, session.Deploy{K: 4, U: []float64{4, 4}}, session.Switch{To: session.Live, Reason: "mended"})
	add(session.Ask{}, session.Approve{K: 5}, session.Deploy{K: 5, U: []float64{4, 4}})
	list = append(list, act{session.Pass{}, 73 * time.Hour}) // it is closed by time
	add(session.Once{Word: "w", Of: session.Revise{Spec: strings.Replace(frailShop, "step: 0.05", "step: 0.1", 1), Revision: 1}})
	add(session.Abandon{K: 4}, session.TellMetric{K: 5, Name: "complaints", Metered: guard.Metered{Value: 1}})
	list = append(list, act{session.Compact{}, 48 * time.Hour})
	add(session.Erase{Who: 3})
	return list
}

var frailShop = strings.Replace(strings.Replace(with("approval: always", "retain: {samples: 24h}", "guardrails: [{name: complaints, kind: external, most: 3, action: warn}]"), "weights: optional", "weights: optional, ids: optional", 1), "start:", "start:", 1)

// frailPast is a memory of which a call can fail.
type frailPast struct {
	*ledger
	*fate
}

func (p frailPast) Decision(k int) ([]session.Event, error) {
	err := p.strike()
	if err != nil && !p.garbles {
		return nil, err
	}
	list, _ := p.ledger.Decision(k)
	if err != nil {
		list[0].Body = []byte(`["nothing"]`)
	}
	return list, nil
}

func (p frailPast) Find(k int, ref string) (*session.Event, error) {
	switch err := p.strike(); {
	case err == nil:
	case p.garbles:
		return &session.Event{Kind: session.Answered, Body: []byte(`["nothing"]`)}, nil
	default:
		return nil, err
	}
	return p.ledger.Find(k, ref)
}

func (p frailPast) Blob(sum session.Hash) ([]byte, error) {
	switch err := p.strike(); {
	case err == nil:
	case p.garbles:
		return []byte("nothing"), nil
	default:
		return nil, err
	}
	return p.ledger.Blob(sum)
}

// live carries the story out, read again before every close, so that people are looked up. Told is what is known of the command in which fate struck.
func live(t *testing.T, rule, memory *fate, told func(n int, c session.Command, reply any, err error)) {
	t.Helper()
	past, now := ledger{blobs: map[session.Hash][]byte{}}, time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
	plan := func(spec string) (*session.Brief, error) {
		b, err := session.Standard(spec)
		if err == nil {
			b.Rule = frail{b.Rule, rule}
		}
		return b, err
	}
	loop := session.New("shop", plan)
	all := story()
	for n, a := range all {
		now = now.Add(a.after)
		before := rule.struck() || memory.struck()
		reply, events, err := loop.Do(now, "test", a.Command, frailPast{&past, memory})
		past.keep(events)
		if (rule.struck() || memory.struck()) != before {
			told(n, a.Command, reply, err)
			return
		}
		if _, refused := errors.AsType[*session.Refusal](err); err != nil && !refused {
			t.Fatalf("command %d, %T: %v", n, a.Command, err)
		}
		if _, closes := all[min(n+1, len(all)-1)].Command.(session.Close); !closes {
			continue
		}
		fateful := []int{rule.at, memory.at}
		rule.at, memory.at = 0, 0
		calls := []int{rule.calls, memory.calls}
		loop = session.New("shop", plan)
		for _, e := range past.events {
			if err := loop.Replay(e, &past); err != nil {
				t.Fatalf("after command %d, %T: %v", n, a.Command, err)
			}
		}
		rule.at, memory.at, rule.calls, memory.calls = fateful[0], fateful[1], calls[0], calls[1]
	}
	told(-1, nil, nil, nil)
}

// Whatever call of its rule or its past fails, the command says so: it is an error, a close that holds for that reason, or a revision that keeps nothing. People who cannot be read can be dropped all the same.
func TestFailedCallsAreTold(t *testing.T) {
	for name, of := range map[string]func(at int) (rule, memory *fate){
		"rule":  func(at int) (rule, memory *fate) { return &fate{at: at}, &fate{} },
		"past":  func(at int) (rule, memory *fate) { return &fate{}, &fate{at: at} },
		"bytes": func(at int) (rule, memory *fate) { return &fate{}, &fate{at: at, garbles: true} },
	} {
		ended, errs := false, 0
		for at := 1; !ended; at++ {
			rule, memory := of(at)
			live(t, rule, memory, func(n int, c session.Command, reply any, err error) {
				switch closed, isClose := reply.(session.Closing); {
				case n < 0:
					ended = true
				case errors.Is(err, errFate), name == "bytes" && err != nil && !isRefusal(err):
					errs++
				case isClose && err == nil && closed.Outcome.Outcome == session.Held && slices.ContainsFunc(closed.Reasons, func(s string) bool { return strings.Contains(s, errFate.Error()) }):
				case name == "rule" && err == nil && strings.Contains(text(reply), `"keeps":[]`):
				case name != "rule" && err == nil && strings.Contains(text(reply), `"to_k":3,"blobs":3,"rows":25,`): // people who cannot be read are dropped with the others
				default:
					t.Errorf("call %d of the %s, at command %d, %T: %s, %v", at, name, n, c, text(reply), err)
				}
			})
			if at > 500 {
				t.Fatal("the story does not end")
			}
		}
		if errs < 8 {
			t.Errorf("only %d errors of the %s", errs, name)
		}
	}
}

// What cannot be written down, since its time has no name, is an error and has not happened.
func TestWhatCannotBeWritten(t *testing.T) {
	end := time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)
	beyond := end.Add(2 * time.Hour)
	fails := func(s *scene, c session.Command) {
		t.Helper()
		s.now = end
		before := len(s.past.events)
		reply, err := s.do(c)
		if err == nil || isRefusal(err) || reply != nil && reply != (session.Exchanged{}) || len(s.past.events) != before {
			t.Errorf("%T: %v, %v, %d events", c, reply, err, len(s.past.events)-before)
		}
	}
	never := with("deadlines: {deploy: never, data: never}")
	s := newScene(t, shop, session.Live)
	fails(s, session.Ask{})
	s = newScene(t, shop, session.Live)
	fails(s, session.SetPin{U: []float64{3, 3}, Until: &beyond})
	s = newScene(t, with("approval: always", "deadlines: {approve: never}"), session.Live)
	s.must(session.Ask{})
	fails(s, session.Approve{K: 1})
	s = newScene(t, strings.Replace(never, "data: never", "data: 36h", 1), session.Live)
	s.must(session.Ask{})
	fails(s, session.Deploy{K: 1, U: []float64{3, 3}})
	s = newScene(t, never, session.Live)
	s.must(session.Ask{})
	s.must(session.Deploy{K: 1, U: []float64{3, 3}})
	b := people(1, 5, []float64{3, 3})
	b.ObservedAt = beyond
	s.refuses(session.Malformed, "a batch keeps times from 1678 to 2262", session.Tell{K: 1, ID: "am", Batch: b})
}

// What a loop is cannot be saved where a time of it has no name, as that at which a minute ends with all times; nor is it taken from what is not as it was saved.
func TestStatesThatCannotBe(t *testing.T) {
	s := newScene(t, strings.Replace(with("deadlines: {deploy: never, data: never}"), "norm: 0.5", "norm: 0.5, day: 1", 1), session.Live)
	s.now = time.Date(9999, 12, 31, 23, 58, 30, 0, time.UTC)
	for k := 1; k <= 2; k++ { // the second is a change of what is live, which counts until the minute ends
		s.must(session.Deploy{K: k, U: s.ask().U})
		s.must(session.Abandon{K: k})
	}
	state, err := s.loop.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := saved.Read(state, "shop")
	if err != nil {
		t.Fatal(err)
	}
	for was, now := range map[string]string{`"k":2`: `"k":2`, `"k":2,`: `"k":"two",`} {
		other := frame
		other.Body = []byte(strings.Replace(string(frame.Body), was, now, 1))
		text, err := other.Append(nil, "shop")
		if err != nil {
			t.Fatal(err)
		}
		if err := session.New("shop", session.Standard).UnmarshalBinary(text); (err == nil) != (was == now) {
			t.Errorf("%s instead of %s: %v", now, was, err)
		}
	}
	s.now = s.now.Add(time.Minute)
	s.must(session.Deploy{K: 3, U: s.ask().U})
	if _, err := s.loop.AppendBinary(nil); err == nil {
		t.Error("what cannot be written is saved")
	}
}

// Deadlines that are never are not met.
func TestNever(t *testing.T) {
	s := newScene(t, with("approval: always", "deadlines: {deploy: never, data: never, approve: never, give-up: never}"), session.Live)
	for _, c := range []session.Command{session.Ask{}, session.Approve{K: 1}, session.Deploy{K: 1, U: []float64{3, 3}}} {
		s.must(c)
		s.now = s.now.Add(10_000 * time.Hour)
		s.brings(session.Pass{})
		if at, ever := s.loop.Due(); ever {
			t.Errorf("after %T something is due at %v", c, at)
		}
	}
	s.replays()
}

// What is not closed by the time at which it is given up is abandoned, to the moment; before that somebody is told that answers are due, once, and at twice that time it holds.
func TestOverdue(t *testing.T) {
	for giveUp, kinds := range map[string][]session.Kind{"50h": {session.Raised, session.Abandoned}, "never": {session.Raised, session.Closed}} {
		s := newScene(t, with("deadlines: {data: 30h, give-up: "+giveUp+"}"), session.Live)
		s.ask()
		s.must(session.Deploy{K: 1, U: []float64{3, 3}})
		start := s.now
		at := func(d time.Duration, kinds ...session.Kind) {
			t.Helper()
			due, ever := s.loop.Due()
			s.now = start.Add(d - time.Microsecond)
			s.brings(session.Pass{})
			s.now = start.Add(d)
			if len(kinds) > 0 && (!ever || !due.Equal(s.now)) {
				t.Errorf("%v before it is due it is said to be due at %v", d, due)
			}
			s.brings(session.Pass{}, kinds...)
		}
		at(30*time.Hour, kinds[0])
		if e := s.last(); e.K != 1 || !strings.Contains(s.loop.Status().Alarms["data-overdue"], "answers were due by "+s.now.Format(time.RFC3339)) {
			t.Errorf("%+v: %v", e, s.loop.Status().Alarms)
		}
		if state, _, _ := s.card("decision"); state != "fine" {
			t.Errorf("at the deadline: %s", state)
		}
		if at(31 * time.Hour); giveUp == "50h" {
			at(50*time.Hour, kinds[1])
		} else {
			at(60*time.Hour, kinds[1])
		}
		if now := s.loop.Status(); now.State != "" || now.Turns != 0 {
			t.Errorf("%+v", now)
		}
		s.replays()
	}
}

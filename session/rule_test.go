package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/plan"
)

// A rule that learns people's answer says with every decision how far that is trusted, and one that heeds constraints what they cost.
func TestWhatRulesSayOfThemselves(t *testing.T) {
	s := newScene(t, change("step: 0.05,", "sensitivity: learned, learn: {dither: 0.1}, step: 0.05,"), session.Live)
	if a := s.ask(); a.Trust == nil || *a.Trust != 0 || s.decision(1).Trust == nil {
		t.Errorf("nothing is learned yet: %+v", a)
	}
	if state, words, _ := s.card("learning"); state != "wait" || !strings.Contains(words, "not trusted yet") {
		t.Errorf("card: %s, %s", state, words)
	}
	s.sound()
	s = newScene(t, change("algorithms:\n", "constraints:\n  - {name: load, kind: expectation, of: 'p[0]', bound: 1}\nalgorithms:\n"), session.Live)
	if a := s.ask(); a.Trust != nil || !slices.Equal(a.Prices, []float64{0}) {
		t.Errorf("nobody has broken the constraint yet: %+v", a)
	}
	s.must(session.Abandon{K: 1})
	s.round(same)
	if a := s.ask(); len(a.Prices) != 1 || a.Prices[0] <= 0 { // p settles far above 1
		t.Errorf("the constraint was broken: %+v", a)
	}
	s.replays()
}

// A rule that tries decisions out may step across the edge of the set: deployed as decided that is no fault, also when it is offered again; anything else out there is one.
func TestRulesThatTryDecisions(t *testing.T) {
	spec := strings.Replace(change("kind: composite, step: 0.05, batch: 10", "kind: two-point, step: 0.01, delta: 0.5, batch: 10"), "start: {law: values, values: [3, 3]}", "start: {law: values, values: [0, 0]}", 1)
	spec = strings.Replace(spec, "norm: 0.5", "norm: .inf", 1)
	s := newScene(t, spec, session.Live)
	outside := func(a session.Offer) bool { return a.U[0] < -1e-6 || a.U[1] < -1e-6 }
	for range 2 { // it is in the one turn or in the other
		if a := s.ask(); outside(a) {
			break
		}
		s.round(same)
	}
	a := s.ask()
	if !outside(a) {
		t.Fatalf("no decision is across the edge: %+v", a)
	}
	if r := s.must(session.Deploy{K: a.K, U: a.U}).(session.Reached); a.Basis != session.Step || !r.Feasible {
		t.Errorf("as decided: %+v, %+v", a, r.Deployment)
	}
	s.must(session.Abandon{K: a.K})
	a = s.ask()
	if a.Basis != session.Again || !outside(a) {
		t.Errorf("again: %+v", a)
	}
	if r := s.must(session.Deploy{K: a.K, U: a.U}).(session.Reached); !r.Feasible {
		t.Errorf("as decided: %+v", r.Deployment)
	}
	off := slices.Clone(a.U)
	off[0], off[1] = off[0]-0.1, off[1]-0.1
	if r := s.brings(session.Deploy{K: a.K, U: off, Correct: true}, session.Corrected, session.Raised).(session.Reached); r.Feasible || s.loop.Status().Alarms["infeasible"] == "" {
		t.Errorf("otherwise: %+v", r.Deployment)
	}
	s.must(session.Abandon{K: a.K})
	s.must(session.Switch{To: session.Paused})
	a = s.ask()
	if r := s.must(session.Deploy{K: a.K, U: a.U}).(session.Reached); r.Feasible {
		t.Errorf("what is live and infeasible, offered once more: %+v", r.Deployment)
	}
}

// A rule that draws at random draws the same after a restart, whenever that is.
func TestRulesThatDraw(t *testing.T) {
	spec := change("kind: composite, step: 0.05, batch: 10", "kind: two-point, step: 0.001, delta: 0.1, batch: 10")
	one, other := newScene(t, spec, session.Live), newScene(t, spec, session.Live)
	for k := 1; k <= 6; k++ {
		var u []float64
		do := func(c session.Command) {
			t.Helper()
			if other.restart(); k%2 == 0 {
				other.sound()
			}
			got, want := other.must(c), one.must(c)
			if a, isOffer := want.(session.Offer); isOffer {
				u = a.U
			}
			if text(got) != text(want) {
				t.Fatalf("decision %d, %T: %s, want %s", k, c, text(got), text(want))
			}
		}
		do(session.Ask{})
		do(session.Deploy{K: k, U: u})
		do(session.Tell{K: k, ID: "am", Batch: people(uint64(k), 10, u)})
		do(session.Close{K: k})
	}
	one.replays()
}

// Somebody who resumes a loop has looked: guardrails and model are judged afresh. A pause alone is no look.
func TestResumedLoopsAreJudgedAfresh(t *testing.T) {
	for _, c := range []struct {
		modes []session.Mode
		acts  string
	}{{nil, "warn"}, {[]session.Mode{session.Paused}, "warn"}, {[]session.Mode{session.Paused, session.Live}, ""}, {[]session.Mode{session.Shadow}, ""}, {[]session.Mode{session.Killed}, "warn"}} {
		s := newScene(t, guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'mean(p[0])', most: 6, action: warn}\n"), session.Live)
		s.meet(at(9))
		for _, mode := range c.modes {
			s.must(session.Switch{To: mode, Reason: "looked"})
		}
		if _, o := s.meet(at(9)); o.Guardrails[0].Verdict != guard.Fail || o.Guardrails[0].Acts != c.acts {
			t.Errorf("after %v: %+v, want %q", c.modes, o.Guardrails[0], c.acts)
		}
		s.replays()
	}
	s := newScene(t, guarded("  trust: {window: 10, otherwise: vanilla}\n"), session.Live)
	falls := func() bool { _, plan := s.loop.Arranged(); return plan.Fallback.Distrusted() }
	for range 20 {
		s.meet(func(k int, u []float64) session.Batch { // three times what the model says
			b := usual(k, u)
			for i := range b.P {
				b.P[i] += 2 * (b.P[i] - b.D[i])
			}
			return b
		})
	}
	if !falls() || s.loop.Status().Alarms["trust"] == "" {
		t.Error("the rule does not fall back")
	}
	s.must(session.Switch{To: session.Paused})
	if !falls() {
		t.Error("a pause has it trusted again")
	}
	if s.must(session.Switch{To: session.Live}); falls() {
		t.Error("resumed, the rule still falls back")
	}
	s.replays()
}

// A guardrail that sends a loop back pauses it there; with nothing that passed it goes to the safe decision. Whoever resumes it has it decide again.
func TestRetreats(t *testing.T) {
	s := newScene(t, guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'mean(p[0])', most: 6, action: rollback}\n"), session.Live)
	s.meet(at(9))
	s.meet(at(9))
	a := s.ask()
	if a.Basis != session.Rollback || !slices.Equal(a.U, []float64{4, 4}) {
		t.Errorf("nothing has passed: %+v", a)
	}
	s.must(session.Deploy{K: a.K, U: a.U})
	s.must(session.Tell{K: a.K, ID: "am", Batch: at(3)(a.K, a.U)})
	before := len(s.past.events)
	c := s.must(session.Close{K: a.K}).(session.Closing)
	if c.Outcome.Outcome != session.Held || !slices.Contains(c.Reasons, "a guardrail sent the loop back here") || s.loop.Status().Mode != session.Paused {
		t.Errorf("%+v, %s", c.Outcome, s.loop.Status().Mode)
	}
	for _, e := range s.past.events[before:] {
		if want := map[session.Kind]string{session.Closed: "test", session.Cleared: "guard", session.ModeChanged: "guard"}[e.Kind]; e.Actor != want {
			t.Errorf("%s is by %s, want %q", e.Kind, e.Actor, want)
		}
	}
	s.must(session.Switch{To: session.Live})
	if a, c := s.meet(at(3)); a.Basis != session.Step || c.Outcome.Outcome != session.Stepped || s.loop.Status().Mode != session.Live {
		t.Errorf("resumed: %+v, %+v", a, c.Outcome)
	}
	s.must(session.RollBack{To: "safe"}) // by somebody, who wants no rest
	if a, c := s.meet(at(3)); a.Basis != session.Rollback || c.Outcome.Outcome != session.Stepped || s.loop.Status().Mode != session.Live {
		t.Errorf("rolled back by hand: %+v, %+v", a, c.Outcome)
	}
	s.replays()
}

// Whoever pauses and resumes a loop on its way back has looked: it goes there, learns and decides on.
func TestRetreatsThatSomebodyLookedAt(t *testing.T) {
	s := newScene(t, guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'mean(p[0])', most: 6, action: rollback}\n"), session.Live)
	s.meet(at(9))
	s.meet(at(9))
	if a := s.ask(); a.Basis != session.Rollback {
		t.Fatalf("%+v", a)
	}
	s.must(session.Switch{To: session.Paused})
	s.must(session.Switch{To: session.Live})
	if a, c := s.meet(at(3)); a.Basis != session.Rollback || c.Outcome.Outcome != session.Stepped || s.loop.Status().Mode != session.Live {
		t.Errorf("%s, then %s %v, %s", a.Basis, c.Outcome.Outcome, c.Reasons, s.loop.Status().Mode)
	}
	s.replays()
}

// Where a guardrail cannot send the loop back whoever closes is told so.
func TestRetreatsThatFail(t *testing.T) {
	n := 0
	for _, fails := range []bool{false, true} {
		s := newScene(t, guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'mean(p[0])', most: 6, action: rollback, after: 1}\n"), session.Live)
		a := s.ask()
		s.must(session.Deploy{K: a.K, U: a.U})
		s.must(session.Tell{K: a.K, ID: "am", Batch: at(9)(a.K, a.U)})
		rule := &fate{}
		s.loop = session.New("shop", func(spec string) (*session.Brief, error) {
			b, err := session.Standard(spec)
			if err == nil {
				b.Rule = frail{b.Rule, rule}
			}
			return b, err
		})
		for _, e := range s.past.events {
			if err := s.loop.Replay(e, &s.past); err != nil {
				t.Fatal(err)
			}
		}
		if fails {
			rule.at = rule.calls + n // that moves the rule to where it goes back to, the last of the close
		}
		before := rule.calls
		if _, err := s.do(session.Close{K: a.K}); fails != errors.Is(err, errFate) || !fails && err != nil {
			t.Errorf("fails %t: %v", fails, err)
		}
		n = rule.calls - before
	}
}

// A revision that says to keep what the rule remembers is of no use where the rule of now cannot: whoever reads the log is told so.
func TestWhatARevisionKeepsMustBeKept(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.steps(1, usual)
	if r := s.must(session.Revise{Spec: change("step: 0.05", "step: 0.1"), Revision: 1}).(session.RevisedTo); !slices.Equal(r.Keeps, []string{"rule"}) {
		t.Fatalf("%+v", r)
	}
	plans := 0
	l := session.New("shop", func(spec string) (*session.Brief, error) {
		b, err := session.Standard(spec)
		if plans++; plans == 2 && err == nil {
			b.Rule = strange{b.Rule}
		}
		return b, err
	})
	var err error
	for i := 0; i < len(s.past.events) && err == nil; i++ {
		err = l.Replay(s.past.events[i], &s.past)
	}
	if err == nil || err.Error() != "of another version" {
		t.Errorf("%v after %d plans", err, plans)
	}
}

// stubborn is a rule that takes neither what another remembers nor what is live.
type stubborn struct{ plan.Rule }

var errStubborn = errors.New("it does not move")

func (stubborn) UnmarshalBinary([]byte) error    { return errStubborn }
func (stubborn) Rebase([]float64, float64) error { return errStubborn }

// A revision whose rule can neither go on nor begin at what is live has failed.
func TestRevisionsThatBeginNowhere(t *testing.T) {
	plans := 0
	past := ledger{blobs: map[session.Hash][]byte{}}
	s := &scene{T: t, past: past, now: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC), loop: session.New("shop", func(spec string) (*session.Brief, error) {
		b, err := session.Standard(spec)
		if plans++; plans > 1 && err == nil {
			b.Rule = stubborn{b.Rule}
		}
		return b, err
	})}
	s.must(session.Create{Spec: shop, Mode: session.Live, Epoch: "e"})
	s.must(session.Deploy{K: s.ask().K, U: []float64{3, 3}})
	if _, _, err := s.loop.Do(s.now, "test", session.Revise{Spec: change("step: 0.05", "step: 0.1"), Revision: 1}, &s.past); !errors.Is(err, errStubborn) {
		t.Errorf("%v after %d plans", err, plans)
	}
}

// In the shadow and in a pause guardrails only warn; a kill goes before a rollback.
func TestWhenGuardrailsAct(t *testing.T) {
	rails := guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'mean(p[0])', most: 6, action: rollback, after: 1}\n    - {name: more, of: 'mean(p[0])', most: 8, action: kill, after: 1}\n    - {name: most, of: 'mean(p[0])', most: 20, action: hold, after: 1}\n")
	for _, c := range []struct {
		mode session.Mode
		mean float64
		then session.Mode
		is   session.Basis
	}{
		{session.Live, 3, session.Live, session.Step}, {session.Live, 7, session.Live, session.Rollback}, {session.Live, 12, session.Killed, session.Safe}, {session.Shadow, 12, session.Shadow, session.Baseline}, {session.Paused, 12, session.Paused, session.Hold},
	} {
		s := newScene(t, rails, session.Live)
		s.must(session.Switch{To: c.mode})
		s.meet(at(c.mean))
		if a := s.ask(); s.loop.Status().Mode != c.then || a.Basis != c.is {
			t.Errorf("%s at %v: %s, %+v", c.mode, c.mean, s.loop.Status().Mode, a)
		}
		if alarm := s.loop.Status().Alarms["guardrail.demand"] != ""; alarm != (c.mean > 6) {
			t.Errorf("%s at %v: alarms are %v", c.mode, c.mean, s.loop.Status().Alarms)
		}
		s.replays()
	}
}

// Where the rule may be ahead of what is live it learns from where it is, within the lead; in the shadow and under a pin from what is live itself.
func TestLeads(t *testing.T) {
	spec := change("cap: {norm: 0.5}", "cap: {norm: 0.5}\n  lead: 0.25")
	for _, c := range []struct {
		name string
		do   func(s *scene)
		from []float64
	}{
		{"live", func(*scene) {}, []float64{3.75, 3}}, // a quarter from (4, 3), towards (3, 3)
		{"pinned", func(s *scene) { s.must(session.SetPin{U: []float64{3, 3}}) }, []float64{4, 3}},
		{"shadow", func(s *scene) { s.must(session.Switch{To: session.Shadow}) }, []float64{4, 3}},
	} {
		s := newScene(t, spec, session.Live)
		c.do(s)
		if _, o := s.round(func([]float64) []float64 { return []float64{4, 3} }); o.Why == nil || !slices.Equal(o.Why.From, c.from) || !slices.Equal(o.Why.At, []float64{4, 3}) {
			t.Errorf("%s: %+v, want from %v", c.name, o.Why, c.from)
		}
		s.replays()
	}
}

// Whoever does something is named: what time and guards bring is theirs, and the rest of a command is of who sent it.
func TestActors(t *testing.T) {
	s := newScene(t, with("guardrails: [{name: demand, of: 'mean(p[0])', most: 6, action: warn, after: 1}]", "outliers: {beyond: .inf}"), session.Live)
	s.ask()
	s.now = s.now.Add(25 * time.Hour)
	a := s.ask()
	s.must(session.Deploy{K: a.K, U: []float64{-1, 3}})
	s.now = s.now.Add(36 * time.Hour)
	s.must(session.Tell{K: a.K, ID: "am", Batch: at(9)(1, a.U)})
	s.must(session.Close{K: a.K})
	var got []string
	for _, e := range s.past.events {
		got = append(got, e.Actor+" "+string(e.Kind))
	}
	want := []string{"test created", "test opened", "time lapsed", "time alarm", "test opened", "test deployed", "test alarm", "time alarm", "test batch", "test closed", "guard alarm", "test cleared"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	h := newHost(t)
	h.create("shop")
	h.Rest()
	h.journal.saved["shop"] = []byte("nothing")
	h = h.again()
	h.must("shop", session.Ask{})
	events := h.journal.of("shop").events
	if n := len(events); n != 3 || events[1].Actor != "kedge" || events[1].K != 0 || events[1].Kind != session.Raised || events[2].Actor != "test" || events[2].Kind != session.Opened {
		t.Errorf("%+v", events[1:])
	}
}

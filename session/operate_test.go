package session_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session"
)

// change is the shop with a text in the place of another.
func change(was, is string) string { return strings.Replace(shop, was, is, 1) }

// last is the newest event.
func (s *scene) last() session.Event { return s.past.events[len(s.past.events)-1] }

// began is an ask that must open or propose a decision.
func (s *scene) began() session.Offer {
	s.Helper()
	return s.brings(session.Ask{}, session.Opened).(session.Offer)
}

// A proposal waits for somebody: until then what stands is answered, and once it is approved it has its time to be deployed.
func TestProposalsWaitForApproval(t *testing.T) {
	s := newScene(t, with("approval: always", "deadlines: {approve: 3h, deploy: 5h}"), session.Live)
	a := s.brings(session.Ask{}, session.Proposed).(session.Offer)
	if a.State != session.IsProposed || a.Pending != 1 || a.Basis != session.Hold || !slices.Equal(a.U, []float64{4, 4}) || a.DeployBy != nil || !slices.Equal(a.Reasons, []string{"decision 1 waits for approval"}) {
		t.Errorf("proposed: %+v", a)
	}
	if state, words, _ := s.card("decision"); state != "wait" || !strings.Contains(words, s.now.Add(3*time.Hour).Format(time.RFC3339)) {
		t.Errorf("card: %s, %s", state, words)
	}
	if d := s.refuses(session.NotOpen, "decision 1 is proposed", session.Close{K: 1}); d.State != "proposed" {
		t.Errorf("it is %s", d.State)
	}
	s.now = s.now.Add(time.Hour)
	if r := s.brings(session.Approve{K: 1, Reason: "looked at"}, session.Approved); r != (session.Reached{K: 1, State: session.IsOpen}) {
		t.Errorf("approved: %+v", r)
	}
	s.brings(session.Approve{K: 1})
	s.refuses(session.NotOpen, "decision 1 is open", session.Reject{K: 1})
	if a = s.ask(); a.State != session.IsOpen || a.Pending != 0 || !slices.Equal(a.U, []float64{3, 3}) || a.DeployBy == nil || !a.DeployBy.Equal(s.now.Add(5*time.Hour)) {
		t.Errorf("approved: %+v", a)
	}
	s.must(session.Deploy{K: 1, U: a.U})
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 10, a.U)})
	s.must(session.Close{K: 1})
	iterate := s.brings(session.Ask{}, session.Proposed).(session.Offer).Iterate
	if slices.Equal(iterate, a.U) {
		t.Errorf("the step came to nothing: %v", iterate)
	}
	s.refuses(session.NotFound, "there is no decision 3; the newest is 2", session.Reject{K: 3})
	s.brings(session.Reject{K: 2, Reason: "no"}, session.Rejected)
	s.brings(session.Reject{K: 2, Reason: "no"})
	s.refuses(session.NotOpen, "decision 2 is rejected", session.Approve{K: 2})
	if b := s.brings(session.Ask{}, session.Proposed).(session.Offer); !slices.Equal(b.Iterate, a.U) || b.Pending != 3 {
		t.Errorf("after a rejection the next one begins at %v, not at what is live", b.Iterate)
	}
	s.now = s.now.Add(3*time.Hour - time.Microsecond)
	s.brings(session.Pass{})
	s.now = s.now.Add(time.Microsecond)
	s.brings(session.Pass{}, session.Rejected)
	if e := s.last(); e.Actor != session.ByTime || e.K != 3 || !strings.Contains(string(e.Body), "nobody approved it in time") {
		t.Errorf("in time: %+v", e)
	}
	s.replays()
}

// Beyond a change that is named a decision wants approval, and so does the first; up to it none does.
func TestLargeChangesWaitForApproval(t *testing.T) {
	for _, c := range []struct {
		beyond string
		kind   session.Kind
	}{{"0.25", session.Opened}, {"0.2499", session.Proposed}} {
		s := newScene(t, with("approval: beyond", "beyond: "+c.beyond), session.Live)
		s.brings(session.Ask{}, session.Proposed)
		s.must(session.Approve{K: 1})
		s.must(session.Deploy{K: 1, U: []float64{3.25, 3}})
		s.must(session.Abandon{K: 1})
		s.brings(session.Ask{}, c.kind) // the first decision again, (3, 3), which is 1/4 from what is live
		s.must(session.Abandon{K: 2})
		s.must(session.SetPin{U: []float64{9, 9}})
		s.brings(session.Ask{}, session.Opened)
		s.must(session.Unpin{})
		s.must(session.RollBack{To: "safe"})
		s.brings(session.Ask{}, session.Opened)
		s.must(session.Switch{To: session.Paused})
		s.brings(session.Ask{}, session.Opened)
		s.replays()
	}
}

// What nobody approved and was deployed all the same is live, with an alarm.
func TestDeployedWithoutApproval(t *testing.T) {
	s := newScene(t, with("approval: always"), session.Live)
	s.ask()
	r := s.brings(session.Deploy{K: 1, U: []float64{3, 3}}, session.DeployedLate, session.Raised, session.Superseded).(session.Reached)
	if !r.Late || !slices.Equal(r.U, []float64{3, 3}) {
		t.Errorf("%+v", r)
	}
	if now := s.loop.Status(); now.Live == nil || now.Live.K != 1 || now.Alarms["deployed-late"] != "decision 1 was deployed without approval" {
		t.Errorf("%+v", now)
	}
	s.replays()
}

// The modes of a loop: what each answers, what it learns, and what must be there for it.
func TestModes(t *testing.T) {
	s := newScene(t, shop, "")
	if a := s.began(); a.Basis != session.Baseline || !slices.Equal(a.U, []float64{4, 4}) || !slices.Equal(a.Reasons, []string{"nobody has said what is live"}) {
		t.Errorf("in the shadow, where nobody has said what is live: %+v", a)
	}
	s.must(session.Deploy{K: 1, U: []float64{5, 5}})
	if r := s.brings(session.Switch{To: session.Paused, Reason: "a holiday"}, session.ModeChanged).(session.Switched); r.Mode != session.Paused || !slices.Equal(r.Answers, []float64{5, 5}) {
		t.Errorf("paused: %+v", r)
	}
	s.brings(session.Switch{To: session.Paused})
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 10, []float64{5, 5})})
	if c := s.must(session.Close{K: 1}).(session.Closing); c.Outcome.Outcome != session.Held || !slices.Equal(c.Reasons, []string{"the loop is paused"}) {
		t.Errorf("what was deployed is closed under a pause: %+v", c.Outcome)
	}
	if a := s.began(); a.Basis != session.Hold || !slices.Equal(a.U, []float64{5, 5}) || !slices.Equal(a.Reasons, []string{"the loop is paused"}) {
		t.Errorf("paused: %+v", a)
	}
	if r := s.brings(session.Switch{To: session.Killed}, session.Superseded, session.ModeChanged).(session.Switched); !slices.Equal(r.Answers, []float64{4, 4}) {
		t.Errorf("killed: %+v", r)
	}
	if a := s.began(); a.Basis != session.Safe || !slices.Equal(a.U, []float64{4, 4}) || !slices.Equal(a.Reasons, []string{"the loop was killed"}) {
		t.Errorf("killed: %+v", a)
	}
	s.must(session.Deploy{K: 3, U: []float64{4, 4}})
	s.must(session.Tell{K: 3, ID: "am", Batch: people(1, 10, []float64{4, 4})})
	if c := s.must(session.Close{K: 3}).(session.Closing); c.Outcome.Outcome != session.Held || !slices.Equal(c.Reasons, []string{"the loop is killed"}) {
		t.Errorf("closed after a kill: %+v", c.Outcome)
	}
	s.refuses(session.WrongMode, "only with a reason", session.Switch{To: session.Live})
	if r := s.brings(session.Switch{To: session.Live, Reason: "mended"}, session.ModeChanged).(session.Switched); r.Mode != session.Live || r.Answers != nil {
		t.Errorf("live: %+v", r)
	}
	if a := s.began(); a.Basis != session.Step || !slices.Equal(a.U, []float64{4, 4}) || !slices.Equal(a.Iterate, []float64{4, 4}) || len(a.Reasons) > 0 || a.Reasons == nil {
		t.Errorf("after a kill the rule goes on from what is live: %+v", a)
	}
	s.must(session.Abandon{K: 4})
	s.must(session.Switch{To: session.Paused})
	s.brings(session.Switch{To: session.Live}, session.ModeChanged)
	if a := s.began(); a.Basis != session.Step {
		t.Errorf("after a pause nothing is offered again: %+v", a)
	}
	s.refuses(session.WrongMode, `no mode "merry"`, session.Switch{To: "merry"})
	s.refuses(session.WrongMode, `no mode "archived"`, session.Switch{To: session.Ended})
	s.replays()
}

// What must be in a spec for a loop to leave the shadow, and to be killed.
func TestWhatALiveLoopNeeds(t *testing.T) {
	unsafe, boundless := change("  safe: [4, 4]\n", ""), change("  cap: {norm: 0.5}\n", "")
	for spec, words := range map[string]string{unsafe: "live.safe", boundless: "live.cap.norm"} {
		none := &scene{T: t, loop: session.New("shop", session.Standard)}
		none.refuses(session.NoSafeDecision, words, session.Create{Spec: spec, Mode: session.Live})
		s := newScene(t, spec, session.Shadow)
		s.refuses(session.NoSafeDecision, words, session.Switch{To: session.Live, Reason: "try"})
	}
	none := &scene{T: t, loop: session.New("shop", session.Standard)}
	none.refuses(session.WrongMode, "not paused", session.Create{Spec: shop, Mode: session.Paused})
	none.refuses(session.Infeasible, "live.safe", session.Create{Spec: change("safe: [4, 4]", "safe: [4, 21]")})
	none.refuses(session.NotFound, "no loop shop", session.Ask{})
	none.refuses(session.NotFound, "no loop shop", session.Archive{})
	none.refuses(session.NotFound, "no loop shop", session.Renew{Epoch: "e"})
	none.refuses(session.NotFound, "no loop shop", session.Compact{})
	none.refuses(session.NotFound, "no loop shop", session.Erase{})
	if r := none.refuses(session.BadSpec, "iterations", session.Create{Spec: "iterations: -1\nnonsense: 1"}); len(r.Errors) < 2 || r.Errors[0].Pointer != "/spec" {
		t.Errorf("two mistakes: %+v", r.Errors)
	}
	s := newScene(t, unsafe, session.Shadow)
	s.brings(session.Create{Spec: unsafe})
	s.refuses(session.NameTaken, "another spec", session.Create{Spec: shop})
	if a := s.began(); !slices.Equal(a.U, []float64{3, 3}) {
		t.Errorf("with no safe decision the first one stands: %+v", a)
	}
	s.refuses(session.NoSafeDecision, "live.safe", session.Switch{To: session.Killed})
	if now := s.must(session.Create{Spec: unsafe, Labels: map[string]string{"a": "b"}}).(session.Status); now.Labels != nil || now.Mode != session.Shadow {
		t.Errorf("the same again: %+v", now)
	}
}

// A pin with an end is another than one without, whichever comes first: what is shown is the newest.
func TestPinsWithAndWithoutAnEnd(t *testing.T) {
	s := newScene(t, shop, session.Live)
	until := s.now.Add(2 * time.Hour)
	with := session.SetPin{U: []float64{9, 9}, Until: &until, Reason: "a sale"}
	without := with
	without.Until = nil
	for _, pin := range []session.SetPin{without, with, without} {
		s.brings(pin, session.Pinned)
		s.brings(pin)
		if now := s.loop.Status().Pin; now == nil || (now.Until == nil) != (pin.Until == nil) {
			t.Errorf("%+v is pinned, want %+v", now, pin)
		}
	}
}

// A pin is for a live loop and a decision that can be deployed, and lasts until its decision or its time has passed.
func TestPins(t *testing.T) {
	s := newScene(t, shop, session.Live)
	u, until := []float64{9, 9}, s.now.Add(2*time.Hour)
	s.refuses(session.DimensionMismatch, "1 numbers, want 2", session.SetPin{U: []float64{9}})
	s.refuses(session.NotFinite, "NaN", session.SetPin{U: []float64{9, math.NaN()}})
	s.refuses(session.Infeasible, "not feasible", session.SetPin{U: []float64{9, 21}})
	s.round(same)
	if r := s.refuses(session.OutsideRange, "the next decision is 2", session.SetPin{U: u, UntilK: 1}); r.Errors[0].Pointer != "/until_k" {
		t.Errorf("%+v", r)
	}
	if r := s.refuses(session.OutsideRange, "which is over", session.SetPin{U: u, Until: &s.now}); r.Errors[0].Pointer != "/until" {
		t.Errorf("%+v", r)
	}
	s.brings(session.Unpin{})
	s.brings(session.SetPin{U: u, UntilK: 3, Reason: "a sale"}, session.Pinned)
	pin := session.SetPin{U: u, UntilK: 3, Until: &until, Reason: "a sale"}
	later, again := until.Add(time.Hour), until
	s.brings(pin, session.Pinned)
	pin.Until = &again
	s.brings(pin)
	for _, other := range []session.SetPin{{U: u, UntilK: 3, Until: &later, Reason: "a sale"}, {U: u, Until: &later, Reason: "a sale"}, {U: u, Until: &later, Reason: "no"}, {U: []float64{9, 8}, Until: &later, Reason: "no"}, {U: u, UntilK: 3, Reason: "a sale"}} {
		s.brings(other, session.Pinned)
		s.brings(other)
	}
	if a := s.began(); a.Basis != session.Pin || !slices.Equal(a.U, u) || !slices.Equal(a.Reasons, []string{"a sale"}) {
		t.Errorf("pinned: %+v", a)
	}
	s.brings(session.Abandon{K: 2}, session.Abandoned)
	if _, ever := s.loop.Due(); ever {
		t.Error("the pin of two decisions is over after one")
	}
	s.began()
	s.brings(session.Abandon{K: 3}, session.Abandoned)
	if at, ever := s.loop.Due(); !ever || s.now.Before(at) {
		t.Errorf("its last decision has ended: %v, %v", at, ever)
	}
	s.brings(session.Ask{}, session.Unpinned, session.Opened)
	s.brings(session.SetPin{U: u, Reason: "for good"}, session.Superseded, session.Pinned)
	if _, ever := s.loop.Due(); ever {
		t.Error("a pin for good is over")
	}
	s.began()
	s.brings(session.Unpin{Reason: "over"}, session.Superseded, session.Unpinned)
	s.must(session.SetPin{U: u, Until: &until})
	s.must(session.Switch{To: session.Paused})
	if s.loop.Status().Pin != nil {
		t.Error("a paused loop is pinned")
	}
	s.refuses(session.WrongMode, "this one is paused", session.SetPin{U: u})
	s.replays()
}

// A rollback goes where it is told, at once or under the caps, and the rule goes on from there.
func TestRollbacks(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.round(func([]float64) []float64 { return []float64{3.5, 3} })
	s.round(func([]float64) []float64 { return []float64{21, 3} })
	s.refuses(session.Malformed, "safe or baseline", session.RollBack{To: "elsewhere"})
	s.refuses(session.NotFound, "no decision 0", session.RollBack{})
	s.refuses(session.Infeasible, "[21 3]", session.RollBack{K: 2})
	s.ask()
	s.refuses(session.NotOpen, "decision 3 is open", session.RollBack{K: 3})
	s.must(session.Deploy{K: 3, U: []float64{5, 3}})
	if r := s.brings(session.RollBack{K: 1}, session.Superseded, session.RolledBack).(session.RolledTo); !slices.Equal(r.To, []float64{3.5, 3}) {
		t.Errorf("%+v", r)
	}
	if a := s.began(); a.Basis != session.Rollback || !slices.Equal(a.U, []float64{3.5, 3}) || !slices.Equal(a.Iterate, a.U) || len(a.Reasons) > 0 {
		t.Errorf("at once: %+v", a)
	}
	s.must(session.Abandon{K: 4})
	s.brings(session.RollBack{To: "baseline", Ramp: true}, session.RolledBack)
	for _, u := range [][]float64{{4.5, 3}, {4, 3}, {3.5, 3}, {3, 3}} { // half of 1 a decision, as the cap has it
		a := s.began()
		if capped := u[0] > 3; a.Basis != session.Rollback || rows.Distance(a.U, u) > 1e-12 || capped != (len(a.Reasons) > 0) {
			t.Errorf("under the caps: %+v, want %v", a, u)
		}
		s.must(session.Deploy{K: a.K, U: u})
		s.must(session.Abandon{K: a.K})
	}
	if a := s.began(); a.Basis != session.Again || !slices.Equal(a.U, []float64{3, 3}) {
		t.Errorf("once there: %+v", a)
	}
	s.must(session.RollBack{To: "safe"})
	if a := s.began(); !slices.Equal(a.U, []float64{4, 4}) {
		t.Errorf("to the safe decision: %+v", a)
	}
	s.must(session.Abandon{K: s.loop.Status().K})
	s.must(session.RollBack{To: "baseline"})
	s.must(session.Deploy{K: s.loop.Status().K, U: []float64{3, 3}}) // late, and just there
	if a := s.began(); a.Basis != session.Step {
		t.Errorf("what is there already needs no going back, and nothing is offered again: %+v", a)
	}
	s.must(session.Switch{To: session.Killed})
	s.refuses(session.WrongMode, "this one is killed", session.RollBack{To: "safe"})
	s.must(session.Switch{To: session.Live, Reason: "mended"})
	if a := s.began(); a.Basis != session.Step {
		t.Errorf("after a kill nobody goes back any more: %+v", a)
	}
	s.replays()
}

// A revision keeps what the rule remembers where it can, else the rule begins at what is live. What is made from another revision is refused.
func TestRevisions(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.round(same)
	s.round(same)
	before := s.ask()
	s.must(session.Deploy{K: 3, U: []float64{3.25, 3}})
	s.refuses(session.StaleRevision, "revision 1, not 2", session.Revise{Spec: shop, Revision: 2})
	s.refuses(session.BadSpec, "", session.Revise{Spec: "iterations: 1", Revision: 1})
	s.refuses(session.NoSafeDecision, "live.safe", session.Revise{Spec: change("  safe: [4, 4]\n", ""), Revision: 1})
	s.refuses(session.Infeasible, "live.safe", session.Revise{Spec: change("safe: [4, 4]", "safe: [4, 21]"), Revision: 1})
	s.refuses(session.DimensionMismatch, "make another loop", session.Revise{Spec: polarized(0.2), Revision: 1})
	spec := change("step: 0.05", "step: 0.1")
	if r := s.brings(session.Revise{Spec: spec, Revision: 1}, session.Superseded, session.Revised).(session.RevisedTo); !reflect.DeepEqual(r, session.RevisedTo{Revision: 2, Keeps: []string{"rule"}}) {
		t.Errorf("%+v", r)
	}
	if r := s.brings(session.Revise{Spec: spec, Revision: 1}).(session.RevisedTo); !reflect.DeepEqual(r, session.RevisedTo{Revision: 2, Keeps: []string{"rule"}}) {
		t.Errorf("again: %+v", r)
	}
	s.refuses(session.StaleRevision, "revision 2, not 1", session.Revise{Spec: shop, Revision: 1})
	if a := s.began(); !slices.Equal(a.Iterate, before.Iterate) || a.Revision != 2 || a.Basis != session.Step {
		t.Errorf("the rule goes on from %v: %+v", before.Iterate, a)
	}
	s.must(session.Abandon{K: 4})
	other := change("batch: 10}", "batch: 10, momentum: 0.5}")
	if r := s.brings(session.Revise{Spec: other, Revision: 2}, session.Revised).(session.RevisedTo); r.Revision != 3 || len(r.Keeps) != 0 || r.Keeps == nil {
		t.Errorf("%+v", r)
	}
	if a := s.began(); !slices.Equal(a.Iterate, []float64{3.25, 3}) || a.Basis != session.Step {
		t.Errorf("another rule begins at what is live: %+v", a)
	}
	s.must(session.Switch{To: session.Killed})
	s.refuses(session.NoSafeDecision, "live.safe", session.Revise{Spec: change("  safe: [4, 4]\n", ""), Revision: 3})
	s.must(session.Switch{To: session.Shadow})
	s.must(session.Revise{Spec: change("  safe: [4, 4]\n", ""), Revision: 3})
	s.replays()
}

// An archived loop takes nothing any more but an archive and another epoch, and time does nothing to it.
func TestArchives(t *testing.T) {
	s := newScene(t, shop, session.Live)
	until := s.now.Add(time.Hour)
	s.must(session.SetPin{U: []float64{3, 3}, Until: &until})
	a := s.ask()
	if now := s.brings(session.Archive{Reason: "done"}, session.Superseded, session.Archived).(session.Status); now.Mode != session.Ended || now.State != "" {
		t.Errorf("%+v", now)
	}
	s.brings(session.Archive{})
	if _, ever := s.loop.Due(); ever {
		t.Error("time does something to what has ended")
	}
	s.now = s.now.Add(1000 * time.Hour)
	for _, c := range []session.Command{
		session.Ask{}, session.Deploy{K: 1, U: a.U}, session.Tell{K: 1, ID: "am", Batch: people(1, 5, a.U)}, session.Close{K: 1}, session.Abandon{K: 1}, session.Approve{K: 1}, session.Reject{K: 1}, session.Switch{To: session.Paused},
		session.SetPin{U: a.U}, session.Unpin{}, session.RollBack{To: "safe"}, session.Revise{Spec: shop, Revision: 1}, session.TellMetric{K: 1, Name: "x"},
	} {
		s.refuses(session.IsArchived, "loop shop is archived", c)
	}
	s.replays()
	for kind, imported := range map[session.Kind]bool{session.Restored: false, session.Imported: true} {
		epoch := "e" + string(kind)
		if now := s.brings(session.Renew{Epoch: epoch, Imported: imported}, kind).(session.Status); now.Epoch != epoch {
			t.Errorf("%+v", now)
		}
	}
}

// In another epoch what was given out before is not known any more.
func TestEpochs(t *testing.T) {
	s := newScene(t, shop, session.Live)
	a := s.ask()
	if a.Epoch != "4q7c" {
		t.Errorf("the epoch is %s", a.Epoch)
	}
	s.brings(session.Renew{Epoch: "next", Reason: "a copy"}, session.Superseded, session.Restored)
	s.refuses(session.StaleEpoch, "epoch next", session.Deploy{K: 1, Epoch: a.Epoch, U: a.U})
	if b := s.began(); b.Epoch != "next" || b.K != 2 {
		t.Errorf("%+v", b)
	}
	s.must(session.Deploy{K: 2, Epoch: "next", U: a.U})
	s.replays()
}

package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/replay"
)

// Whatever comes in whatever order, repeated, late, of other epochs, under clocks that jump back: a decision takes one step at most, none
// without people, proposals stay within the caps, a repeat changes nothing, and everything can be decided again from the events.
func TestRandomScripts(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-scripts", Text: "10,000 random scripts of 120 commands, repeated, late, of other epochs, under clocks that jump back: scripts in which an inconclusive close or a hold took a step, a decision took two or one without people, a proposal left the caps, a repeat changed something, or deciding again came to something else", Short: "60 scripts"})
	scripts := 60
	if evidence.Whole() {
		scripts = 10_000
	}
	for seed := range scripts {
		spec := shop
		if seed%3 == 1 {
			spec = strings.Replace(shop, "safe: [4, 4]", "safe: [4, 4]\n  approval: always\n  lead: 0.1", 1)
		}
		if seed%4 == 2 {
			spec = strings.Replace(shop, "safe: [4, 4]", "safe: [4, 4]\n  guardrails:\n    - {name: complaints, kind: external, most: 3}\n    - {name: load, of: 'mean(p[0])', most: 4.5, action: rollback}", 1)
		}
		mode := session.Live
		if seed%5 == 4 {
			mode = session.Shadow
		}
		s := newScene(t, spec, mode)
		runScript(s, uint64(seed))
		row.Case(!t.Failed(), "script %d", seed)
		if t.Failed() {
			return
		}
	}
}

func runScript(s *scene, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	steps := map[int]int{}
	rowsOf := map[int]int{}
	var last session.Command
	for range 120 {
		before := s.loop.Status()
		c := draw(s, r, last)
		s.now = s.now.Add(time.Duration(r.IntN(400)-100) * time.Minute)
		reply, err := s.do(c)
		if err != nil && !isRefusal(err) {
			s.Errorf("%T: %v", c, err)
			return
		}
		if d, ok := c.(session.Deploy); ok && d.Epoch != "" && (err == nil || err.(*session.Refusal).Type != session.StaleEpoch) {
			s.Errorf("a message of epoch %q was answered %v", d.Epoch, err)
			return
		}
		after := s.loop.Status()
		if after.Turns > before.Turns {
			o, ok := reply.(session.Closing)
			if _, closes := c.(session.Close); !ok || !closes || after.Turns != before.Turns+1 || o.Outcome.Outcome != session.Stepped {
				s.Errorf("%T took a step", c)
				return
			}
			for _, j := range o.Guardrails {
				if j.Verdict != guard.Pass || j.Acts != "" {
					s.Errorf("decision %d took a step, though %s", o.K, j.Words)
				}
			}
			if steps[o.K]++; steps[o.K] > 1 || o.Sample.Rows < 5 || rowsOf[o.K] < o.Sample.Rows {
				s.Errorf("decision %d took %d steps on %d of %d rows", o.K, steps[o.K], o.Sample.Rows, rowsOf[o.K])
			}
		}
		switch reply := reply.(type) {
		case session.Received:
			rowsOf[c.(session.Tell).K] = reply.Have
			if told := s.told(c.(session.Tell).K); told != reply.Have {
				s.Errorf("decision %d has %d rows, and says %d", c.(session.Tell).K, told, reply.Have)
			}
		case session.Offer:
			free := reply.Basis == session.Safe || reply.Basis == session.Pin || reply.Basis == session.Rollback
			if before.Live != nil && !free && reply.State == session.IsOpen && before.K < reply.K && rows.Distance(reply.U, before.Live.U) > 0.5*(1+1e-9) {
				s.Errorf("decision %d, %s, is %g from what is live", reply.K, reply.Basis, rows.Distance(reply.U, before.Live.U))
			}
			if math.IsNaN(reply.U[0]) {
				s.Errorf("decision %d is not a number", reply.K)
			}
		}
		if err == nil {
			seq := len(s.past.events)
			again, err := s.do(c)
			own := 0
			for _, e := range s.past.events[seq:] {
				if e.Actor != "time" {
					own++
				}
			}
			if isRepeatable(c) && (err != nil || own > 0 || text(again) != text(reply)) {
				s.Errorf("%T repeated: %d events, %v, %s instead of %s", c, own, err, text(again), text(reply))
				return
			}
		}
		last = c
	}
	s.replays()
}

// told is how many rows of a decision count, by its events: those that came in time, of people who were seen once they had had the time to answer.
func (s *scene) told(k int) (rows int) {
	var due struct {
		At time.Time `json:"measure_after"`
	}
	var all []session.Receipt
	for _, e := range s.past.events {
		if e.K == k && (e.Kind == session.Deployed || e.Kind == session.Corrected || e.Kind == session.DeployedLate) {
			if err := json.Unmarshal(e.Body, &due); err != nil {
				s.Error(err)
			}
		}
		if e.K == k && e.Kind == session.Told {
			r, err := e.Receipt()
			if err != nil {
				s.Error(err)
			}
			all = append(all, r)
		}
	}
	for _, r := range all {
		if !r.ObservedAt.Before(due.At) {
			rows += r.Rows
		}
	}
	return rows
}

// replays decides everything again.
func (s *scene) replays() {
	s.Helper()
	again := session.New("shop", session.Standard)
	for _, e := range s.past.events {
		if err := again.Replay(e, &s.past); err != nil {
			s.Error(err)
			return
		}
	}
	if !reflect.DeepEqual(again.Status(), s.loop.Status()) {
		s.Errorf("replayed %s, want %s", text(again.Status()), text(s.loop.Status()))
	}
	// A loop takes what it decided as it is, and reads what it replays: both come to the same, to the byte.
	is, err := s.loop.AppendBinary(nil)
	was, fault := again.AppendBinary(nil)
	if err != nil || fault != nil || !bytes.Equal(is, was) {
		s.Errorf("a loop that read its events is another one: %v, %v\n%q\n%q", err, fault, was, is)
	}
	if r, err := replay.Loop(s.Context(), kept{scene: s}, "shop", session.Standard); err != nil || r.Events != len(s.past.events) || len(r.Lacking) > 0 {
		s.Errorf("carried out again: %+v, %v", r, err)
	}
}

// kept is the events of a scene as a journal that can be read.
type kept struct {
	session.Journal // of what a replay does not ask
	*scene
}

func (k kept) Append(string, int, []session.Event, []byte) (wait func() error) {
	return func() error { return errors.New("it can only be read") }
}

func (k kept) Read(_ context.Context, _ string, after int, visit func(session.Event) error) error {
	for _, e := range k.past.events[after:] {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

func (k kept) Decision(_ string, n int) ([]session.Event, error)   { return k.past.Decision(n) }
func (k kept) Find(string, int, string) (*session.Event, error)    { return nil, nil }
func (k kept) Blob(_ string, sum session.Hash) ([]byte, error)     { return k.past.Blob(sum) }
func (k kept) State(string) ([]byte, error)                        { return nil, nil }
func (k kept) Loops(context.Context) (list []session.Tip, _ error) { return list, nil }

// draw is a command that somebody might send now.
func draw(s *scene, r *rand.Rand, last session.Command) (c session.Command) {
	k := 1 + max(0, s.loop.Status().K-r.IntN(3))
	if r.IntN(4) > 0 {
		k = max(1, s.loop.Status().K)
	}
	u := []float64{3 + r.Float64(), 3 + r.Float64()}
	switch n := r.IntN(20); {
	case n < 5:
		c = session.Ask{}
	case n < 8:
		c = session.Deploy{K: k, U: u, Correct: r.IntN(8) == 0}
	case n < 11:
		b := people(r.Uint64(), r.IntN(8)+1, u)
		b.ObservedAt = s.now
		c = session.Tell{K: k, ID: string(rune('a' + r.IntN(4))), Batch: b}
	case n < 14:
		c = session.Close{K: k}
	case n == 14:
		c = session.Abandon{K: k}
	case n == 15:
		c = session.Approve{K: k}
	case n == 16:
		c = []session.Command{session.Reject{K: k}, session.SetPin{U: u, UntilK: k + 2}, session.Unpin{}, session.RollBack{K: k, Ramp: true}, session.RollBack{To: "safe"}}[r.IntN(5)]
	case n == 17:
		c = session.Switch{To: []session.Mode{session.Live, session.Shadow, session.Paused, session.Killed}[r.IntN(4)], Reason: "script"}
	case n == 18 && last != nil:
		c = last
	case n == 19 && r.IntN(3) > 0:
		c = session.TellMetric{K: k, Name: "complaints", Metered: guard.Metered{Value: 2 + 2*r.Float64(), SE: 0.2}}
	default:
		c = session.Deploy{K: k, Epoch: "other", U: u}
	}
	return c
}

// isRepeatable tells whether a command is known by what it says, so that the same again changes nothing.
func isRepeatable(c session.Command) bool {
	switch c := c.(type) {
	case session.Ask, session.Tell, session.Close, session.Abandon, session.Approve, session.Reject, session.Switch:
		return true
	case session.Deploy:
		return !c.Correct
	}
	return false
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func isRefusal(err error) bool {
	_, ok := err.(*session.Refusal)
	return ok
}

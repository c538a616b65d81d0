package session_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session"
)

// shop is a linear shop whose best decision is known: p settles at d − Bu.
const shop = `
iterations: 100
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  let: {B: [[2, 0.25], [0.25, 1]], cost: [1, 2]}
  next: 0.5*p + 0.5*(d - B @ q)
  maximize: dot(p, q - cost)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live:
  samples: {least: 5, weights: optional}
  cap: {norm: 0.5}
  safe: [4, 4]
`

// ledger is a memory of a loop in a test.
type ledger struct {
	events []session.Event
	blobs  map[session.Hash][]byte
}

func (m *ledger) Decision(k int) (list []session.Event, err error) {
	for _, e := range m.events {
		if e.K == k {
			list = append(list, e)
		}
	}
	return list, nil
}

func (m *ledger) Find(k int, ref string) (*session.Event, error) {
	for _, e := range m.events {
		if e.K == k && e.Ref == ref {
			return &e, nil
		}
	}
	return nil, nil
}

func (m *ledger) Blob(sum session.Hash) ([]byte, error) {
	if b, ok := m.blobs[sum]; ok {
		return b, nil
	}
	return nil, session.ErrDropped
}

func (m *ledger) keep(events []session.Event) {
	for _, e := range events {
		if e.Blob != nil {
			m.blobs[sha256.Sum256(e.Blob)] = e.Blob
		}
		for _, sum := range e.Drops {
			delete(m.blobs, sum)
		}
		m.events = append(m.events, e.Kept())
	}
}

// scene is a loop with its memory and its clock.
type scene struct {
	*testing.T
	loop *session.Loop
	past ledger
	now  time.Time
}

func newScene(t *testing.T, spec string, mode session.Mode) *scene {
	t.Helper()
	s := &scene{T: t, loop: session.New("shop", session.Standard), past: ledger{blobs: map[session.Hash][]byte{}}, now: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	s.must(session.Create{Spec: spec, Mode: mode, Epoch: "4q7c"})
	return s
}

// ofDecisions are the kinds of events that belong to one.
var ofDecisions = []session.Kind{
	session.Opened, session.Proposed, session.Approved, session.Rejected, session.Deployed, session.Corrected, session.DeployedLate, session.Told, session.ToldLate, session.Closed, session.Abandoned, session.Lapsed, session.Superseded, session.MetricTold,
}

func (s *scene) do(c session.Command) (any, error) {
	s.Helper()
	before, hash := s.loop.Head()
	reply, events, err := s.loop.Do(s.now, "test", c, &s.past)
	s.past.keep(events)
	for _, e := range events {
		if (e.K > 0) != slices.Contains(ofDecisions, e.Kind) && !(e.Kind == session.Raised && e.K > 0) || e.Ref != "" && e.Kind != session.Told && e.Kind != session.ToldLate && e.Kind != session.Answered {
			s.Fatalf("%T: %s is of decision %d, %q", c, e.Kind, e.K, e.Ref)
		}
	}
	seq, _ := s.loop.Head()
	if seq != before+len(events) {
		s.Fatalf("%T: %d events, but the head went from %d to %d", c, len(events), before, seq)
	}
	if len(events) == 0 {
		if _, now := s.loop.Head(); now != hash {
			s.Fatalf("%T: no event, but another hash", c)
		}
	}
	return reply, err
}

func (s *scene) must(c session.Command) any {
	s.Helper()
	reply, err := s.do(c)
	if err != nil {
		s.Fatalf("%T: %v", c, err)
	}
	return reply
}

// refuses carries out what must be refused, with some words, and changes nothing.
func (s *scene) refuses(kind, words string, c session.Command) *session.Refusal {
	s.Helper()
	before := len(s.past.events)
	_, err := s.do(c)
	r, _ := errors.AsType[*session.Refusal](err)
	if r == nil || r.Type != kind || !strings.Contains(r.Detail, words) || len(s.past.events) != before {
		s.Errorf("%T%+v: %v, with %d events, want %s and %q", c, c, err, len(s.past.events)-before, kind, words)
		return &session.Refusal{}
	}
	return r
}

// brings carries out a command that must bring events of some kinds, in this order.
func (s *scene) brings(c session.Command, kinds ...session.Kind) any {
	s.Helper()
	before := len(s.past.events)
	reply := s.must(c)
	var got []session.Kind
	for _, e := range s.past.events[before:] {
		got = append(got, e.Kind)
	}
	if !slices.Equal(got, kinds) {
		s.Errorf("%T%+v brings %v, want %v", c, c, got, kinds)
	}
	s.sound()
	return reply
}

// sound saves the loop and reads it again: it is the same, to the byte.
func (s *scene) sound() {
	s.Helper()
	is, err := s.loop.AppendBinary(nil)
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range s.past.events { // an alarm of a decision says of what is live there that people's answers are overdue
		if is := strings.Contains(string(e.Body), `"data-overdue"`); e.Kind == session.Raised && (e.K > 0) != is {
			s.Errorf("the alarm %s is of decision %d", e.Body, e.K)
		}
	}
	again := session.New("shop", session.Standard)
	if err := again.UnmarshalBinary(is); err != nil {
		s.Fatal(err)
	}
	if was, err := again.AppendBinary(nil); err != nil || !bytes.Equal(is, was) || !reflect.DeepEqual(again.Status(), s.loop.Status()) {
		s.Errorf("read again it is another one, %v: %s, want %s", err, text(again.Status()), text(s.loop.Status()))
	}
}

// with is the shop with lines of its section live after the others.
func with(lines ...string) string { return shop + "  " + strings.Join(lines, "\n  ") + "\n" }

func (s *scene) ask() session.Offer { s.Helper(); return s.must(session.Ask{}).(session.Offer) }

// people answer u as the model says, settled.
func people(seed uint64, n int, u []float64) session.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	var b session.Batch
	for range n {
		d := []float64{10 + r.NormFloat64(), 8 + r.NormFloat64()}
		b.D = append(b.D, d...)
		b.P = append(b.P, d[0]-2*u[0]-0.25*u[1], d[1]-0.25*u[0]-u[1])
	}
	return b
}

// round is one decision from ask to close.
func (s *scene) round(deploy func([]float64) []float64) (session.Offer, session.Closing) {
	s.Helper()
	a := s.ask()
	u := deploy(a.U)
	s.must(session.Deploy{K: a.K, U: u})
	s.must(session.Tell{K: a.K, ID: "am", Batch: people(uint64(a.K), 10, u)})
	s.now = s.now.Add(time.Hour)
	return a, s.must(session.Close{K: a.K}).(session.Closing)
}

func same(u []float64) []float64 { return u }

// The optimum is known: (B + Bᵀ)u = d̄ + Bᵀc = (12.5, 10.25), so that u = (23.9375, 39.75)/7.75… of a crowd with d̄ = (10, 8).
func TestALiveLoopFindsTheOptimum(t *testing.T) {
	s := newScene(t, shop, session.Live)
	var a session.Offer
	for range 150 {
		var c session.Closing
		a, c = s.round(same)
		if c.Outcome.Outcome != session.Stepped {
			t.Fatalf("decision %d: %+v", a.K, c.Outcome)
		}
	}
	// 4u₁ + 0.5u₂ = 10 + 2·1 + 0.25·2, 0.5u₁ + 2u₂ = 8 + 0.25·1 + 1·2
	want := []float64{(12.5*2 - 0.5*10.25) / 7.75, (4*10.25 - 0.5*12.5) / 7.75}
	if rows.Distance(a.U, want) > 0.2 {
		t.Errorf("after 150 decisions %v, want about %v", a.U, want)
	}
	s.replays()
}

// Rows 1 to 14 of the life of a decision, each with its repeat.
func TestLifeOfADecision(t *testing.T) {
	s := newScene(t, shop, session.Live)
	a := s.ask()
	if b := s.ask(); b.K != a.K || !slices.Equal(b.U, a.U) || a.K != 1 || a.State != session.IsOpen {
		t.Fatalf("asked twice: %+v, %+v", a, b)
	}
	refused := func(kind string, c session.Command) {
		t.Helper()
		if _, err := s.do(c); !session.IsRefusal(err, kind) {
			t.Errorf("%T%+v: %v, want %s", c, c, err, kind)
		}
	}
	refused(session.NotFound, session.Deploy{K: 2, U: a.U})
	refused(session.StaleEpoch, session.Deploy{K: 1, Epoch: "else", U: a.U})
	refused(session.NotDeployed, session.Close{K: 1})
	refused(session.DimensionMismatch, session.Deploy{K: 1, U: []float64{1}})
	s.must(session.Deploy{K: 1, U: a.U})
	s.must(session.Deploy{K: 1, U: a.U})
	refused(session.DeploymentConflict, session.Deploy{K: 1, U: []float64{1, 1}})
	s.must(session.Deploy{K: 1, U: []float64{3, 3.5}, Correct: true})
	b := people(1, 6, []float64{3, 3.5})
	s.must(session.Tell{K: 1, ID: "am", Batch: b})
	s.now = s.now.Add(time.Second) // nobody said when they were observed, so the same people later are the same batch
	s.must(session.Tell{K: 1, ID: "am", Batch: b})
	refused(session.BatchConflict, session.Tell{K: 1, ID: "am", Batch: people(2, 6, a.U)})
	bad := people(3, 2, a.U)
	bad.P[3] = bad.P[3] / 0 * 0
	refused(session.NotFinite, session.Tell{K: 1, ID: "pm", Batch: bad})
	c := session.Close{K: 1}
	c.Expect.Rows = 7
	refused(session.Incomplete, c)
	first := s.must(session.Close{K: 1}).(session.Closing)
	again := s.must(session.Close{K: 1}).(session.Closing)
	if first.Outcome.Outcome != session.Stepped || !reflect.DeepEqual(first.Outcome, again.Outcome) {
		t.Errorf("closed twice: %+v, %+v", first.Outcome, again.Outcome)
	}
	if r := s.must(session.Tell{K: 1, ID: "late", Batch: b}).(session.Received); r.Used {
		t.Error("a batch after the close was used")
	}
	s.must(session.Abandon{K: s.ask().K, Reason: "closed today"})
	if a := s.ask(); a.K != 3 || a.Basis != session.Again {
		t.Errorf("after an abandoned decision: %+v", a)
	}
	s.now = s.now.Add(25 * time.Hour)
	if a := s.ask(); a.K != 4 || a.Basis != session.Again || s.loop.Status().Alarms["not-deployed"] == "" {
		t.Errorf("after a lapsed decision: %+v, alarms %v", a, s.loop.Status().Alarms)
	}
	if d := s.must(session.Deploy{K: 3, U: []float64{4, 4}}).(session.Reached); !d.Late {
		t.Errorf("a late deployment: %+v", d)
	}
	if now := s.loop.Status().Live; now.K != 3 || now.U[0] != 4 {
		t.Errorf("live is %+v", now)
	}
	if a := s.ask(); a.K != 5 {
		t.Errorf("a proposal made around the wrong live decision is still offered: %+v", a)
	}
	s.must(session.Switch{To: session.Killed, Reason: "test"})
	if a := s.ask(); a.Basis != session.Safe || a.U[0] != 4 {
		t.Errorf("killed: %+v", a)
	}
	refused(session.WrongMode, session.Switch{To: session.Live})
	s.must(session.Switch{To: session.Live, Reason: "mended"})
	s.must(session.Archive{Reason: "done"})
	refused(session.IsArchived, session.Ask{})
}

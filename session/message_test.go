package session_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// When and as what a decision went live: what is said of the future is refused, what is said of the time before it was opened is of when it was.
func TestDeployments(t *testing.T) {
	s := newScene(t, change("live:\n", "live:\n  time: {settle: 6h}\n  deadlines: {data: 36h}\n"), session.Live)
	begun := s.now
	s.now = s.now.Add(time.Hour)
	s.ask()
	opened := s.now
	s.now = s.now.Add(time.Hour)
	at := func(d time.Duration) *time.Time { moment := s.now.Add(d); return &moment }
	if r := s.refuses(session.NotFinite, "NaN", session.Deploy{K: 1, U: []float64{3, math.NaN()}}); len(r.Errors) != 1 || r.Errors[0].Pointer != "/u" {
		t.Errorf("%+v", r)
	}
	s.refuses(session.OutsideRange, "which has not come yet", session.Deploy{K: 1, U: []float64{3, 4}, At: at(time.Minute + time.Microsecond)})
	s.refuses(session.OutsideRange, "farther from what was decided than numbers go", session.Deploy{K: 1, U: []float64{1.7e308, -1.7e308}})
	s.refuses(session.NotFound, "no decision 0; the newest is 1", session.Deploy{K: 0, U: []float64{3, 4}})
	deployed := func(how session.Kind, d session.Deploy, at time.Time) {
		t.Helper()
		r := s.brings(d, how).(session.Reached)
		// (3, 3) was decided, and (3, 4) is 1 from it.
		if r.State != session.IsDeployed || r.Late || r.Repeat || !r.At.Equal(at) || r.Off != 1 || !r.Feasible || !r.MeasureAfter.Equal(at.Add(6*time.Hour)) || !r.DataBy.Equal(at.Add(36*time.Hour)) {
			t.Errorf("%+v", r.Deployment)
		}
		if now := s.loop.Status().Live; now.K != 1 || !now.Since.Equal(at) {
			t.Errorf("live is %+v", now)
		}
	}
	deployed(session.Deployed, session.Deploy{K: 1, U: []float64{3, 4}, At: &begun}, opened)
	deployed(session.Corrected, session.Deploy{K: 1, U: []float64{3, 4}, Correct: true, At: at(-time.Minute)}, s.now.Add(-time.Minute))
	deployed(session.Corrected, session.Deploy{K: 1, U: []float64{3, 4}, Correct: true, At: at(time.Minute)}, s.now.Add(time.Minute))
	if r := s.brings(session.Deploy{K: 1, U: []float64{3, 4}}).(session.Reached); !r.Repeat || r.Late || r.State != session.IsDeployed {
		t.Errorf("again: %+v", r)
	}
	s.refuses(session.DeploymentConflict, "say correct", session.Deploy{K: 1, U: []float64{3, 4}, At: at(0)})
	s.now = s.now.Add(7 * time.Hour)
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 10, []float64{3, 4})})
	s.must(session.Close{K: 1})
	if r := s.refuses(session.DeploymentConflict, "can no longer be corrected", session.Deploy{K: 1, U: []float64{3, 5}, Correct: true}); r.State != "closed" {
		t.Errorf("%+v", r)
	}
	if r := s.brings(session.Deploy{K: 1, U: []float64{3, 4}, Correct: true}).(session.Reached); !r.Repeat || !r.Late || r.State != session.IsClosed {
		t.Errorf("again after the close: %+v", r)
	}
	s.replays()
}

// What went live before what is live does not take its place, though it was told later; what went live at the same moment does.
func TestLateDeployments(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.ask()
	s.must(session.Abandon{K: 1})
	s.now = s.now.Add(time.Hour)
	s.ask()
	since := s.now
	s.must(session.Deploy{K: 2, U: []float64{3, 3.5}})
	s.now = s.now.Add(time.Hour)
	early := since.Add(-time.Minute)
	r := s.brings(session.Deploy{K: 1, U: []float64{5, 5}, At: &early}, session.DeployedLate, session.Raised).(session.Reached)
	if !r.Late || r.State != session.IsAbandoned {
		t.Errorf("%+v", r)
	}
	now := s.loop.Status()
	if now.Live.K != 2 || now.State != session.IsDeployed || now.Alarms["deployed-late"] != "decision 1 was deployed when it was abandoned" {
		t.Errorf("%+v, live %+v", now, now.Live)
	}
	if r := s.brings(session.Deploy{K: 2, U: []float64{3, 3.5}}).(session.Reached); !r.Repeat || !r.At.Equal(since) {
		t.Errorf("what is deployed has become another: %+v", r)
	}
	s.must(session.Abandon{K: 2})
	s.ask()
	s.must(session.Abandon{K: 3})
	s.ask()
	s.brings(session.Deploy{K: 3, U: []float64{3.25, 3.5}, At: &s.now}, session.DeployedLate, session.Raised, session.Superseded)
	if now := s.loop.Status(); now.Live.K != 3 || now.State != "" {
		t.Errorf("%+v, live %+v", now, now.Live)
	}
	s.replays()
}

// Changes of what is live within 24 hours add up, those of a minute as one of its end, and what is left of cap.day bounds the next.
func TestChangesOfADay(t *testing.T) {
	s := newScene(t, change("cap: {norm: 0.5}", "cap: {norm: .inf, day: 2}"), session.Live)
	s.now = s.now.Add(10 * time.Second)
	s.ask()
	goes := func(k int, to float64) {
		t.Helper()
		s.must(session.Deploy{K: k, U: []float64{to, 3}, Correct: true})
	}
	goes(1, 4) // what is live at first is no change
	goes(1, 4.25)
	s.now = s.now.Add(49 * time.Second) // in the same minute
	goes(1, 4.75)
	s.now = s.now.Add(time.Second) // at its end, which is the next minute
	end := s.now
	goes(1, 5.75)
	left := func(want float64) {
		t.Helper()
		a := s.ask()
		wanted := math.Hypot(a.Iterate[0]-5.75, a.Iterate[1]-3) // from what is live
		got := math.Hypot(a.U[0]-5.75, a.U[1]-3)
		if math.Abs(got-min(want, wanted)) > 1e-9 || (wanted > want) != (len(a.Reasons) == 1 && strings.HasPrefix(a.Reasons[0], "cap.day binds")) {
			t.Errorf("%v after the end of the first minute the decision is %v from what is live, want %v of %v: %v", s.now.Sub(end), got, want, wanted, a.Reasons)
		}
		s.must(session.Abandon{K: a.K})
	}
	s.must(session.Abandon{K: 1})
	left(2 - 0.25 - 0.5 - 1)
	s.now = end.Add(24 * time.Hour)
	left(0.25)
	s.now = s.now.Add(time.Microsecond)
	left(1) // the first two are of the day before
	s.now = end.Add(24*time.Hour + time.Minute)
	left(1)
	s.now = s.now.Add(time.Microsecond)
	left(2)
	s.sound()
	s.replays()
	free := newScene(t, shop, session.Live)
	free.ask()
	for n := range 20 {
		free.must(session.Deploy{K: 1, U: []float64{float64(n), 3}, Correct: true})
	}
	if state, err := free.loop.AppendBinary(nil); err != nil || strings.Contains(string(state), `"moves"`) {
		t.Errorf("changes are kept where no day is limited: %v", err)
	}
}

// Batches are known by their names and what they hold; who comes too late, too early or without traits is kept and does not count.
func TestBatches(t *testing.T) {
	s := newScene(t, change("samples: {least: 5, weights: optional}", "samples: {least: 5, weights: optional, traits: optional}\n  time: {settle: 6h}"), session.Live)
	a := s.ask()
	s.must(session.Deploy{K: 1, U: a.U})
	for _, id := range []string{"", strings.Repeat("a", 129), "a b", "a/b", "é"} {
		s.refuses(session.Malformed, "1 to 128 letters", session.Tell{K: 1, ID: id, Batch: people(1, 5, a.U)})
	}
	wrong := people(1, 2, a.U)
	wrong.P = wrong.P[:3]
	if r := s.refuses(session.DimensionMismatch, "; nothing was stored", session.Tell{K: 1, ID: "am", Batch: wrong}); len(r.Errors) != 1 {
		t.Errorf("%+v", r)
	}
	tell := func(id string, n int, change func(*session.Batch)) session.Received {
		t.Helper()
		b := people(uint64(n), n, a.U)
		if change != nil {
			change(&b)
		}
		return s.brings(session.Tell{K: 1, ID: id, Batch: b}, session.Told).(session.Received)
	}
	observed := func(at time.Time) func(*session.Batch) { return func(b *session.Batch) { b.ObservedAt = at } }
	due := s.now.Add(6 * time.Hour)
	if r := tell("early", 3, observed(due.Add(-time.Microsecond))); r.Have != 0 || r.Least != 5 || r.Used || r.Rows != 3 || r.Late || r.Repeat {
		t.Errorf("%+v", r)
	}
	if r := tell("Z-9_."+strings.Repeat("z", 123), 4, observed(due.Add(300))); r.Have != 4 || !r.Used || !r.ObservedAt.Equal(due) { // to the microsecond
		t.Errorf("%+v", r)
	}
	if r := tell("a", 2, func(b *session.Batch) { b.ObservedAt, b.Missing = due, []int{1} }); r.Have != 6 || r.WithoutTrait != 1 {
		t.Errorf("%+v", r)
	}
	c := s.refuses(session.Incomplete, "batch b is not there yet", session.Close{K: 1, Expect: expect(0, "a", "b")})
	if c.State != "deployed" {
		t.Errorf("%+v", c)
	}
	s.refuses(session.Incomplete, "9 of 10 rows are there", session.Close{K: 1, Expect: expect(10)})
	o := s.must(session.Close{K: 1, Expect: expect(9, "a", "early")}).(session.Closing)
	if o.Outcome.Outcome != session.Stepped || o.Sample != (session.Sample{Rows: 5, Effective: 5, Early: 3, WithoutTrait: 1}) {
		t.Errorf("%+v of %+v", o.Outcome, o.Sample)
	}
	if r := s.brings(session.Tell{K: 1, ID: "late", Batch: people(9, 4, a.U)}, session.ToldLate).(session.Received); r.Used || !r.Late || r.Have != 6 {
		t.Errorf("%+v", r)
	}
	if r := s.brings(session.Tell{K: 1, ID: "late", Batch: people(9, 4, a.U)}).(session.Received); r.Used || !r.Repeat || r.Have != 6 {
		t.Errorf("%+v", r)
	}
	s.replays()
}

func expect(rows int, batches ...string) (e struct {
	Batches []string `json:"batches,omitempty"`
	Rows    int      `json:"rows,omitempty"`
}) {
	e.Batches, e.Rows = batches, rows
	return e
}

// A close without people enough, or most of whom have no traits, comes to nothing, and says why. Weighted people count as many as they are worth.
func TestSamplesThatAreNoGround(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(b *session.Batch)
		n       int
		outcome string
		words   string
	}{
		"four":       {nil, 4, session.Inconclusive, "4 of the 5 people wanted have answered"},
		"five":       {nil, 5, session.Stepped, ""},
		"weighted":   {func(b *session.Batch) { b.W = []float64{3, 1, 1, 1, 1, 1} }, 6, session.Inconclusive, "4.57 of the 5 people wanted"}, // 8²/14
		"most":       {func(b *session.Batch) { b.Missing = []int{0, 1, 2, 3, 4, 5} }, 11, session.Inconclusive, "only 5 of 11 people have the traits"},
		"half":       {func(b *session.Batch) { b.Missing = []int{0, 1, 2, 3, 4} }, 10, session.Stepped, ""},
		"infeasible": {nil, 5, session.Held, "what is live breaks the set of the spec by 1"},
	} {
		s := newScene(t, change("weights: optional", "weights: optional, traits: optional"), session.Live)
		a := s.ask()
		if name == "infeasible" {
			a.U = []float64{-1, 3}
		}
		s.must(session.Deploy{K: 1, U: a.U})
		b := people(1, c.n, a.U)
		if c.change != nil {
			c.change(&b)
		}
		s.must(session.Tell{K: 1, ID: "am", Batch: b})
		o := s.must(session.Close{K: 1}).(session.Closing)
		if o.Outcome.Outcome != c.outcome || c.words == "" != (len(o.Reasons) == 0) || o.Reasons == nil || c.words != "" && !strings.Contains(o.Reasons[0], c.words) || !slices.Equal(o.Iterate, s.ask().Iterate) {
			t.Errorf("%s: %+v", name, o.Outcome)
		}
		s.replays()
	}
}

// A decision takes 1,000 batches and 1,000,000 rows, and not one more.
func TestMostOfADecision(t *testing.T) {
	const narrow = `
iterations: 100
model: {decision: "q[1]", state: "p[1]", trait: "d[1]", next: 0.5*p + 0.5*(d - q), maximize: "dot(p, q)", subject to: 0 <= q <= 20}
population: {size: 10, law: normal, mean: [10], deviation: [1]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: .inf}, safe: [4]}
`
	for _, c := range []struct{ batches, rows int }{{1000, 1}, {10, 100_000}} {
		s := newScene(t, narrow, session.Live)
		u := s.ask().U
		s.must(session.Deploy{K: 1, U: u})
		b := session.Batch{P: make([]float64, c.rows), D: make([]float64, c.rows)}
		for n := range c.batches {
			if r := s.must(session.Tell{K: 1, ID: fmt.Sprint(n), Batch: b}).(session.Received); r.Have != (n+1)*c.rows {
				t.Fatalf("%d batches of %d rows have %d", n+1, c.rows, r.Have)
			}
		}
		s.refuses(session.TooLarge, fmt.Sprintf("decision 1 has %d batches of %d rows", c.batches, c.batches*c.rows), session.Tell{K: 1, ID: "more", Batch: session.Batch{P: []float64{1}, D: []float64{1}}})
	}
}

// Few people are at hand when their decision is closed; those beyond 32,768 numbers are read again. A batch is never taken for another decision's.
func TestPeopleAtHand(t *testing.T) {
	for rows, read := range map[int]bool{8192: false, 8193: true} { // of four numbers
		for _, at := range []int{0, 4096} { // rows of a batch before it
			s := newScene(t, shop, session.Live)
			a := s.ask()
			s.must(session.Deploy{K: 1, U: a.U})
			if at > 0 {
				s.must(session.Tell{K: 1, ID: "am", Batch: people(1, at, a.U)})
			}
			s.must(session.Tell{K: 1, ID: "pm", Batch: people(2, rows-at, a.U)})
			blobs := s.past.blobs
			s.past.blobs = map[session.Hash][]byte{}
			_, err := s.do(session.Close{K: 1})
			if errors.Is(err, session.ErrDropped) != read || read && !strings.Contains(err.Error(), "batch pm of decision 1") {
				t.Errorf("%d rows, %d of them before: %v", rows, at, err)
			}
			if s.past.blobs = blobs; read {
				s.must(session.Close{K: 1})
			}
			s.replays()
		}
	}
}

// People who are not what was told are noticed when they are read.
func TestPeopleWhoAreOthers(t *testing.T) {
	s := newScene(t, shop, session.Live)
	a := s.ask()
	s.must(session.Deploy{K: 1, U: a.U})
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 5, a.U)})
	other := people(2, 5, a.U)
	frame, err := other.Encode()
	if err != nil {
		t.Fatal(err)
	}
	s.restart()
	for sum := range s.past.blobs {
		s.past.blobs[sum] = frame
	}
	_, err = s.do(session.Close{K: 1})
	if wrong, is := errors.AsType[*session.ChainError](err); !is || wrong.Seq != 4 || !strings.Contains(wrong.Why, "batch am of decision 1 is not what was told") {
		t.Errorf("others: %v", err)
	}
}

// A round in one command comes to what its parts come to one after the other.
func TestExchanges(t *testing.T) {
	parts, whole := newScene(t, shop, session.Live), newScene(t, shop, session.Live)
	var next session.Offer
	for n := range 5 {
		a := parts.ask()
		if n == 0 {
			next = *whole.must(session.Exchange{Ask: true}).(session.Exchanged).Next
		}
		if !reflect.DeepEqual(next.U, a.U) {
			t.Fatalf("round %d offers %v, want %v", n, next.U, a.U)
		}
		b := people(uint64(n), 10, a.U)
		deployed := parts.must(session.Deploy{K: a.K, U: a.U}).(session.Reached)
		told := parts.must(session.Tell{K: a.K, ID: "am", Batch: b}).(session.Received)
		closed := parts.must(session.Close{K: a.K}).(session.Closing)
		r := whole.must(session.Exchange{K: a.K, Epoch: a.Epoch, Deploy: &session.Deploy{U: a.U}, Tell: &session.Tell{ID: "am", Batch: b}, Close: &session.Close{}, Ask: true}).(session.Exchanged)
		if !reflect.DeepEqual(*r.Deployed, deployed) || !reflect.DeepEqual(*r.Told, told) || !reflect.DeepEqual(*r.Closed, closed) {
			t.Errorf("round %d: %s, want %s, %s and %s", n, text(r), text(deployed), text(told), text(closed))
		}
		next = *r.Next
	}
	a := parts.ask()
	if a.K != next.K || !reflect.DeepEqual(a.U, next.U) {
		t.Errorf("%+v, want %+v", next, a)
	}
	if r := whole.must(session.Exchange{K: 6, Deploy: &session.Deploy{U: a.U}}).(session.Exchanged); r.Deployed == nil || r.Told != nil || r.Closed != nil || r.Next != nil {
		t.Errorf("a deployment alone: %+v", r)
	}
	for _, c := range []session.Exchange{{K: 6, Epoch: "other", Deploy: &session.Deploy{U: a.U}}, {K: 6, Epoch: "other", Tell: &session.Tell{ID: "am"}}, {K: 6, Epoch: "other", Close: &session.Close{}}} {
		whole.refuses(session.StaleEpoch, "", c)
	}
	whole.must(session.Archive{})
	whole.refuses(session.IsArchived, "", session.Exchange{Ask: true})
}

package session_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
)

// guarded is the shop with lines of its section live.
func guarded(lines string) string {
	return strings.Replace(shop, "live:\n", "live:\n"+lines, 1)
}

// meet is one decision from ask to close, with people who answer as they like.
func (s *scene) meet(answer func(k int, u []float64) session.Batch, told ...session.TellMetric) (session.Offer, session.Closing) {
	s.Helper()
	a := s.ask()
	s.must(session.Deploy{K: a.K, U: a.U})
	s.must(session.Tell{K: a.K, ID: "am", Batch: answer(a.K, a.U)})
	for _, m := range told {
		m.K = a.K
		s.must(m)
	}
	s.now = s.now.Add(time.Hour)
	return a, s.must(session.Close{K: a.K}).(session.Closing)
}

func usual(k int, u []float64) session.Batch { return people(uint64(k), 60, u) }

// moved are people whose first entry is so much higher.
func moved(by float64) func(int, []float64) session.Batch {
	return func(k int, u []float64) session.Batch {
		b := usual(k, u)
		for i := 0; i < len(b.P); i += 2 {
			b.P[i] += by
		}
		return b
	}
}

// at are people whose first entries have a mean.
func at(mean float64) func(int, []float64) session.Batch {
	return func(k int, u []float64) session.Batch {
		b, sum := usual(k, u), 0.0
		for i := 0; i < len(b.P); i += 2 {
			sum += b.P[i]
		}
		return moved(mean-sum/float64(len(b.P)/2))(k, u)
	}
}

func (s *scene) steps(n int, answer func(int, []float64) session.Batch) {
	s.Helper()
	for range n {
		if a, c := s.meet(answer); c.Outcome.Outcome != session.Stepped {
			s.Fatalf("decision %d: %s, %v", a.K, c.Outcome.Outcome, c.Reasons)
		}
	}
}

func (s *scene) card(name string) (state, words, do string) {
	s.Helper()
	for _, c := range s.loop.Health(s.now) {
		if c.Name == name {
			return c.State, c.Words, c.Do
		}
	}
	s.Fatalf("no card %s in %v", name, s.loop.Health(s.now))
	return
}

// Somebody who is far from all who answered before does not count; if there are many, no step is taken.
func TestOutliers(t *testing.T) {
	s := newScene(t, guarded("  outliers: {state: [-100, 1000]}\n"), session.Live)
	s.steps(5, usual)
	_, c := s.meet(func(k int, u []float64) session.Batch {
		b := usual(k, u)
		b.P[7] = 5000
		return b
	})
	if c.Outcome.Outcome != session.Stepped || c.Sample.Quarantined != 1 || c.Sample.Rows != 59 || c.Quarantine[0] != (guard.Suspect{Row: 3, What: "p", Entry: 1, Value: 5000}) {
		t.Errorf("one of 60 outside the range: %+v", c.Outcome)
	}
	_, c = s.meet(func(k int, u []float64) session.Batch {
		b := usual(k, u)
		b.P[7], b.P[9], b.P[10] = 500, 500, 500
		return b
	})
	if c.Outcome.Outcome != session.Held || c.Sample.Quarantined != 3 || !strings.Contains(c.Reasons[0], " of answers are far from all seen before") {
		t.Errorf("three of 60 far away: %+v", c.Outcome)
	}
	if state, words, do := s.card("people"); state != "hold" || !strings.Contains(words, " of answers are far") || do == "" {
		t.Errorf("card: %s, %s, %s", state, words, do)
	}
	s.steps(1, usual)
	if _, c = s.meet(moved(1000)); c.Outcome.Outcome != session.Held || !strings.Contains(c.Reasons[0], "of answers are outside what live.outliers allows") {
		t.Errorf("all far away: %+v", c.Outcome)
	}
	s.replays()
}

// A guardrail that fails holds at once, acts after two fails, and lets go when a close passes, but not twice within its cool-down.
func TestGuardrailHolds(t *testing.T) {
	s := newScene(t, guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'mean(p[0])', most: 6}\n"), session.Live)
	s.steps(3, usual)
	verdicts := func(answer func(int, []float64) session.Batch) (outcome, verdict, acts string) {
		_, c := s.meet(answer)
		return c.Outcome.Outcome, c.Guardrails[0].Verdict, c.Guardrails[0].Acts
	}
	for i, one := range []struct {
		mean                   float64
		outcome, verdict, acts string
	}{
		{6.2, session.Inconclusive, guard.Inconclusive, ""}, // the interval is 0.3 to either side, as 60 people have a deviation of 1
		{9, session.Held, guard.Fail, ""},
		{9, session.Held, guard.Fail, "hold"},
		{4, session.Stepped, guard.Pass, ""},
		{9, session.Held, guard.Fail, ""},
		{9, session.Held, guard.Fail, "hold"},
		{4, session.Held, guard.Pass, "hold"}, // three closes after the last hold ended
		{4, session.Stepped, guard.Pass, ""},
	} {
		outcome, verdict, acts := verdicts(at(one.mean))
		if outcome != one.outcome || verdict != one.verdict || acts != one.acts {
			t.Fatalf("close %d: %s, %s, %q, want %+v", i, outcome, verdict, acts, one)
		}
	}
	raised := 0
	for _, e := range s.past.events {
		if e.Kind == session.Raised {
			raised++
		}
	}
	if raised != 2 {
		t.Errorf("%d alarms, want one for each time that it acts, however long that lasts", raised)
	}
	s.replays()
}

// Rolled back, a loop goes at once to the newest decision that passed, and pauses there.
func TestGuardrailRollsBack(t *testing.T) {
	s := newScene(t, guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: demand, of: 'share(p[0] > 8)', most: 0.2, action: rollback}\n"), session.Live)
	s.steps(6, usual)
	good, c := s.meet(usual)
	if c.Outcome.Outcome != session.Stepped {
		t.Fatal(c.Reasons)
	}
	s.meet(moved(30))
	s.meet(moved(30))
	a := s.ask()
	if a.Basis != session.Rollback || a.U[0] != good.U[0] || a.U[1] != good.U[1] {
		t.Errorf("after two fails: %s %v, want a rollback to %v", a.Basis, a.U, good.U)
	}
	if _, c := s.meet(usual); c.Outcome.Outcome != session.Held {
		t.Errorf("at the rollback: %s", c.Outcome.Outcome)
	}
	if mode := s.loop.Status().Mode; mode != session.Paused {
		t.Errorf("then the loop is %s", mode)
	}
	s.replays()
}

func TestGuardrailKills(t *testing.T) {
	s := newScene(t, guarded("  guardrails:\n    - {name: least, of: 'quantile(p[1], 0.5)', least: 0, action: kill, after: 1}\n"), session.Live)
	s.steps(2, usual)
	s.meet(func(k int, u []float64) session.Batch {
		b := usual(k, u)
		for i := 1; i < len(b.P); i += 2 {
			b.P[i] -= 20
		}
		return b
	})
	if a := s.ask(); a.Basis != session.Safe || a.U[0] != 4 {
		t.Errorf("after a fail of a guardrail that kills: %+v", a)
	}
	if state, words, _ := s.card("guardrail.least"); state != "alarm" || !strings.Contains(words, "wanted at least 0") {
		t.Errorf("card: %s, %s", state, words)
	}
	s.replays()
}

// What nobody told is no ground for a step.
func TestExternalGuardrail(t *testing.T) {
	s := newScene(t, guarded("  guardrails:\n    - {name: complaints, kind: external, most: 3}\n"), session.Live)
	if _, c := s.meet(usual); c.Outcome.Outcome != session.Inconclusive || c.Reasons[0] != "complaints was not told" {
		t.Errorf("nothing told: %+v", c.Outcome)
	}
	n := 12000.0
	if _, c := s.meet(usual, session.TellMetric{Name: "complaints", Metered: guard.Metered{Value: 4, SE: 0.1, N: &n}}, session.TellMetric{Name: "complaints", Metered: guard.Metered{Value: 2.7, SE: 0.1, N: &n}}); c.Outcome.Outcome != session.Stepped {
		t.Errorf("corrected to 2.7: %+v", c.Outcome)
	}
	if _, c := s.meet(usual, session.TellMetric{Name: "complaints", Metered: guard.Metered{Value: 3.2, SE: 0.1}}); c.Outcome.Outcome != session.Inconclusive {
		t.Errorf("3.2 ± 0.26 is no fail: %+v", c.Outcome)
	}
	if _, err := s.do(session.TellMetric{K: 1, Name: "complaint"}); !session.IsRefusal(err, session.NotFound) {
		t.Errorf("an unknown metric: %v", err)
	}
	if _, err := s.do(session.TellMetric{K: 1, Name: "complaints"}); !session.IsRefusal(err, session.NotOpen) {
		t.Errorf("after the close: %v", err)
	}
	s.replays()
}

// The value may not be worse than it was, constraints are judged by their gauges, and steps that go to and fro are seen.
func TestOtherGuardrails(t *testing.T) {
	spec := strings.Replace(guarded("  outliers: {beyond: .inf}\n  guardrails:\n    - {name: value, kind: value, by: 0.1, window: 3, after: 1}\n    - {name: load, kind: constraint, of: load, after: 1}\n    - {name: swing, kind: swing, window: 4, after: 1}\n"),
		"algorithms:\n", "constraints:\n  - {name: load, kind: expectation, of: 'p[0]', bound: 7}\nalgorithms:\n", 1)
	s := newScene(t, spec, session.Live)
	s.steps(4, usual)
	_, c := s.meet(moved(-4)) // less demand of the first, less value
	if j := c.Guardrails[0]; c.Outcome.Outcome != session.Held || j.Verdict != guard.Fail || j.Acts != "hold" {
		t.Errorf("value: %+v", j)
	}
	s.meet(usual)
	_, c = s.meet(moved(20))
	if j := c.Guardrails[1]; j.Verdict != guard.Fail || j.Acts != "hold" {
		t.Errorf("constraint: %+v", j)
	}
	if j := c.Guardrails[2]; j.Verdict != guard.Pass {
		t.Errorf("swing: %+v", j)
	}
	s.replays()
	swings := newScene(t, strings.Replace(guarded("  guardrails:\n    - {name: swing, kind: swing, window: 6, after: 1}\n"), "step: 0.05", "step: 0.55", 1), session.Live)
	for range 14 {
		_, c = swings.meet(usual)
	}
	if j := c.Guardrails[0]; j.Verdict != guard.Fail || j.Acts != "warn" || c.Outcome.Outcome != session.Stepped {
		t.Errorf("steps that go to and fro: %+v, %s", j, c.Outcome.Outcome)
	}
}

// Others who answer twice one after the other hold the loop.
func TestMix(t *testing.T) {
	s := newScene(t, guarded("  mix: {of: [1]}\n"), session.Live)
	s.steps(6, usual)
	others := func(k int, u []float64) session.Batch {
		b := usual(k, u)
		for i := 1; i < len(b.D); i += 2 {
			b.D[i] += 1.5
		}
		return b
	}
	s.steps(1, others)
	if _, c := s.meet(others); c.Outcome.Outcome != session.Held || !strings.Contains(c.Reasons[0], "others answer than at first: the mix of trait 1") {
		t.Errorf("others, twice: %+v", c.Outcome)
	}
	s.steps(1, usual)
	s.replays()
}

// A declared mix must be one of the model's traits, whole and in order.
func TestDeclaredMixesAreChecked(t *testing.T) {
	for mix, want := range map[string]string{
		"{of: [1], edges: [9, 8], shares: [0.2, 0.3, 0.5]}": "live.mix.declared.0.edges are [9 8], want rising numbers",
		"{of: [1], edges: [9], shares: [1]}":                "live.mix.declared.0.shares are 1, want one for each of the 2 bins",
		"{of: [1], edges: [9], shares: [0.5, 0.4]}":         "live.mix.declared.0.shares are 0.9 together, want 1",
		"{of: [2], edges: [9], shares: [0.5, 0.5]}":         "live.mix.declared.0.of names no trait of the model",
	} {
		if _, err := session.Standard(guarded("  mix: {declared: [" + mix + "]}\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", mix, err, want)
		}
	}
	if _, err := session.Standard(guarded("  mix: {declared: [{of: [1], edges: [9], shares: [0.667, 0.333]}]}\n")); err != nil {
		t.Errorf("rounded shares: %v", err)
	}
}

// A crowd that answers three times as much as the model says is not trusted after a window or two, and the loop holds; as much as it says is.
func TestTrust(t *testing.T) {
	for _, one := range []struct {
		otherwise string
		times     float64
		verdict   string
		outcome   string
	}{{"hold", 1, guard.Trusted, session.Stepped}, {"hold", 3, guard.Distrusted, session.Held}, {"warn", 3, guard.Distrusted, session.Stepped}, {"vanilla", 3, guard.Distrusted, session.Stepped}} {
		s := newScene(t, guarded("  trust: {window: 10, otherwise: "+one.otherwise+"}\n"), session.Live)
		var c session.Closing
		for range 20 {
			_, c = s.meet(func(k int, u []float64) session.Batch {
				b := usual(k, u)
				for i := range b.P {
					b.P[i] += (one.times - 1) * (b.P[i] - b.D[i])
				}
				return b
			})
		}
		if c.Trust.Verdict != one.verdict || c.Outcome.Outcome != one.outcome {
			t.Errorf("%s at %v times: %s, %s %v", one.otherwise, one.times, c.Trust.Verdict, c.Outcome.Outcome, c.Reasons)
		}
		if state, words, _ := s.card("model"); (state == "fine") != (one.verdict == guard.Trusted) || !strings.Contains(words, "of what the model says") {
			t.Errorf("card: %s, %s", state, words)
		}
		s.replays()
	}
}

// A loop whose log was begun before there were guards is decided again without.
func TestLoopsOfOldHaveNoGuards(t *testing.T) {
	s := newScene(t, change("weights: optional", "weights: optional, traits: optional"), session.Live)
	old := s.past.events[0]
	old.Body = []byte(strings.Replace(string(old.Body), `,"guards":1`, "", 1))
	old.Hash = old.Chained("shop", session.Hash{})
	s.loop, s.past.events = session.New("shop", session.Standard), []session.Event{old}
	if err := s.loop.Replay(old, &s.past); err != nil {
		t.Fatal(err)
	}
	s.steps(4, usual)
	_, c := s.meet(moved(1e6))
	if c.Outcome.Outcome != session.Stepped || c.Seen != nil || c.Trust != nil {
		t.Errorf("a loop without guards: %+v", c.Outcome)
	}
	if _, c = s.meet(func(k int, u []float64) session.Batch {
		b := people(1, 11, u)
		b.Missing = []int{0, 1, 2, 3, 4, 5}
		return b
	}); c.Outcome.Outcome != session.Stepped || c.Sample.Rows != 5 {
		t.Errorf("most of whom have no traits: %+v", c.Outcome)
	}
	if _, c = s.round(func([]float64) []float64 { return []float64{-1, 3} }); c.Outcome.Outcome != session.Held || len(c.Reasons) != 1 || !strings.Contains(c.Reasons[0], "breaks the set") {
		t.Errorf("at what is infeasible: %+v", c.Outcome)
	}
	s.refuses(session.NotFound, "has no guardrails", session.TellMetric{K: 1, Name: "x"})
	s.round(func([]float64) []float64 { return []float64{3, 3} })
	s.must(session.RollBack{To: "safe"}) // which was always under the caps
	if a := s.ask(); a.Basis != session.Rollback || math.Abs(rows.Distance(a.U, []float64{3, 3})-0.5) > 1e-9 {
		t.Errorf("%+v", a)
	}
	s.must(session.Switch{To: session.Paused})
	s.must(session.Switch{To: session.Live})
	s.sound()
	s.replays()
}

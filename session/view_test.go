package session_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/word"
)

// decision is one as its events tell it.
func (s *scene) decision(k int) *session.Decision {
	s.Helper()
	events, _ := s.past.Decision(k)
	d, err := session.DecisionOf(events)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// three is a loop that was told three people, by hand: their states settle at d − Bu of the shop.
func three(t *testing.T, spec string) *scene {
	s := newScene(t, spec, session.Live)
	s.ask()
	s.must(session.Deploy{K: 1, U: []float64{3, 4}})
	s.must(session.Tell{K: 1, ID: "am", Batch: session.Batch{P: []float64{3, 3, 4, 5, 5, 4}, D: []float64{10, 8, 11, 9, 12, 7}}})
	return s
}

// The states of three people by hand: B(3, 4) = (7, 4.75), so that they settle at d − (7, 4.75), which is (3, 3.25), (4, 4.25) and (5, 2.25).
func TestDistributions(t *testing.T) {
	s := three(t, with("mix: {of: [1]}"))
	look := func(a session.Aspect) *session.Distribution {
		t.Helper()
		d, err := s.loop.Distribution(s.decision(1), a, &s.past)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	third := 1.0 / 3
	near := func(got, want []float64) bool { return len(got) == len(want) && rows.Distance(got, want) < 1e-12 }
	if d := look(session.Aspect{Entry: 0, Bins: 2}); d.K != 1 || d.Entry != 0 || d.People != 3 || d.Name != "p[0]" && d.Name != "" || !near(d.Edges, []float64{3, 4, 5}) || !near(d.Now, []float64{third, 2 * third}) || !near(d.Settled, d.Now) || *d.W1 != 0 {
		t.Errorf("%+v", d)
	}
	if d := look(session.Aspect{Entry: 1, Bins: 1}); !near(d.Edges, []float64{2.25, 5}) || math.Abs(*d.W1-(0.75+0.75+0.75)/3) > 1e-12 { // 3, 4, 5 beside 2.25, 3.25, 4.25
		t.Errorf("%+v, %v apart", d, *d.W1)
	}
	// Under (0, 0) they settle at their traits.
	if d := look(session.Aspect{Entry: 0, Bins: 1, U: []float64{0, 0}}); !near(d.Edges, []float64{3, 12}) || *d.W1 != 7 {
		t.Errorf("%+v, %v apart", d, *d.W1)
	}
	if d := look(session.Aspect{Trait: true, Entry: 1, Bins: 2}); !near(d.Edges, []float64{7, 8, 9}) || !near(d.Now, []float64{third, 2 * third}) || d.Settled != nil || d.W1 != nil || d.First != nil || d.Chance != nil {
		t.Errorf("%+v", d)
	}
	for entry, is := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
		for what, trait := range map[string]bool{"states": false, "traits": true} {
			_, err := s.loop.Distribution(s.decision(1), session.Aspect{Trait: trait, Entry: entry, Bins: 2}, &s.past)
			if (err == nil) != is || !is && (!session.IsRefusal(err, session.OutsideRange) || !strings.Contains(err.Error(), what+" have the entries 0 to 1")) {
				t.Errorf("entry %d of %s: %v", entry, what, err)
			}
		}
	}
	s.must(session.Abandon{K: 1})
	s.ask()
	if _, err := s.loop.Distribution(s.decision(2), session.Aspect{Bins: 2}, &s.past); !session.IsRefusal(err, session.NotDeployed) {
		t.Errorf("not deployed: %v", err)
	}
	s.must(session.Deploy{K: 2, U: []float64{3, 4}})
	if _, err := s.loop.Distribution(s.decision(2), session.Aspect{Bins: 2}, &s.past); !session.IsRefusal(err, session.Incomplete) {
		t.Errorf("without people: %v", err)
	}
	s.past.blobs = map[session.Hash][]byte{}
	if _, err := s.loop.Distribution(s.decision(1), session.Aspect{Bins: 2}, &s.past); err == nil {
		t.Error("of people who are gone there is a distribution")
	}
}

// Where the mix of a trait is watched, it is shown beside who answered at first; names and units are those of the spec.
func TestDistributionsOfMixes(t *testing.T) {
	s := newScene(t, with("mix: {of: [1]}"), session.Live)
	s.steps(2, usual)
	d, err := s.loop.Distribution(s.decision(2), session.Aspect{Trait: true, Entry: 1, Bins: 4}, &s.past)
	if err != nil || len(d.First) != len(d.Now) || len(d.Edges) == 5 || d.Chance == nil || !(*d.Chance > 0 && *d.Chance <= 1) {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := s.loop.Distribution(s.decision(2), session.Aspect{Trait: true, Entry: 0, Bins: 4}, &s.past); err != nil || d.First != nil || len(d.Edges) != 5 {
		t.Errorf("of another trait: %+v, %v", d, err)
	}
}

// Three people by hand: their value is dot(p, q − cost) with cost (1, 2), in the mean.
func TestGuesses(t *testing.T) {
	s := three(t, shop)
	d := s.decision(1)
	g, err := s.loop.Guess(d, &s.past)
	if err != nil || g == nil {
		t.Fatal(g, err)
	}
	// As seen: the mean of p is (4, 4), times (2, 2). Under (3, 4) they settle at (4, 3.25) in the mean, times (2, 2); under (3, 3), where B(3, 3) = (6.75, 3.75), at (4.25, 4.25), times (2, 1).
	if g.K != 1 || g.People != 3 || math.Abs(g.Seen-16) > 1e-9 || math.Abs(g.Instead-14.5) > 1e-9 || math.Abs(g.Value-12.75) > 1e-9 || !slices.Equal(g.Proposed, []float64{3, 3}) || !slices.Equal(g.Deployed, []float64{3, 4}) {
		t.Errorf("%+v", g)
	}
	s.must(session.Abandon{K: 1})
	s.ask()
	if g, err := s.loop.Guess(s.decision(2), &s.past); g != nil || err != nil {
		t.Errorf("of what is not deployed: %+v, %v", g, err)
	}
	s.must(session.Deploy{K: 2, U: []float64{3, 4}})
	if g, err := s.loop.Guess(s.decision(2), &s.past); g != nil || err != nil {
		t.Errorf("of nobody: %+v, %v", g, err)
	}
	s.must(session.Tell{K: 2, ID: "am", Batch: session.Batch{P: []float64{3, 3}, D: []float64{10, 8}}})
	if g, err := s.loop.Guess(s.decision(2), &s.past); err != nil || g.People != 1 || math.Abs(g.Seen-12) > 1e-9 {
		t.Errorf("of one: %+v, %v", g, err)
	}
	shadow := newScene(t, shop, session.Shadow)
	shadow.round(func([]float64) []float64 { return []float64{3, 4} })
	a, _ := shadow.round(func([]float64) []float64 { return []float64{3, 4} })
	if g, err := shadow.loop.Guess(shadow.decision(2), &shadow.past); err != nil || !slices.Equal(g.Proposed, a.Iterate) || slices.Equal(a.Iterate, a.U) {
		t.Errorf("in the shadow: %+v, %v, where the iterate is %v", g, err, a.Iterate)
	}
	s.past.blobs = map[session.Hash][]byte{}
	if g, err := s.loop.Guess(d, &s.past); g != nil || err == nil {
		t.Errorf("of people who are gone: %+v, %v", g, err)
	}
	if seen, err := s.loop.People(d, &s.past); len(seen.P) != 0 || err != nil {
		t.Errorf("people who are gone: %+v, %v", seen, err)
	}
}

// People are those of all batches that count, in the order of their names.
func TestPeople(t *testing.T) {
	s := three(t, shop)
	s.must(session.Tell{K: 1, ID: "0", Batch: session.Batch{P: []float64{1, 2}, D: []float64{3, 4}}})
	seen, err := s.loop.People(s.decision(1), &s.past)
	if err != nil || !slices.Equal(seen.P, []float64{1, 2, 3, 3, 4, 5, 5, 4}) || !slices.Equal(seen.D, []float64{3, 4, 10, 8, 11, 9, 12, 7}) || !slices.Equal(seen.U, []float64{3, 4}) {
		t.Errorf("%+v, %v", seen, err)
	}
	if p, err := s.loop.Plan(change("step: 0.05", "step: 0.1")); err != nil || p.Dims.Decision != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.loop.Plan(polarized(0.2)); !session.IsRefusal(err, session.DimensionMismatch) {
		t.Errorf("of other dimensions: %v", err)
	}
	if _, err := s.loop.Plan("nonsense"); !session.IsRefusal(err, session.BadSpec) {
		t.Errorf("of nonsense: %v", err)
	}
}

// Why a decision is what it is: the step it comes from, what caps left of it, and which close it rests on.
func TestExplanations(t *testing.T) {
	s := newScene(t, change("cap: {norm: 0.5}", "cap: {norm: 0.1}\n  lead: 0.5"), session.Live)
	first, c := s.round(same)
	second := s.ask()
	e := s.loop.Explain(s.decision(2), s.decision(1), first.U)
	if e.K != 2 || e.Basis != session.Step || !slices.Equal(e.U, second.U) || !slices.Equal(e.Capped, second.U) || !slices.Equal(e.Projected, c.Iterate) || !reflect.DeepEqual(e.Reasoning, c.Why) || !slices.Equal(e.From, []float64{3, 3}) || !strings.Contains(e.Words, "Cap.norm binds") {
		t.Errorf("a step: %+v", e)
	}
	if b := s.loop.Explain(s.decision(1), nil, nil); b.Reasoning != nil || b.Projected != nil || b.Capped != nil || !strings.Contains(b.Words, "where the spec begins") {
		t.Errorf("the first: %+v", b)
	}
	s.must(session.Deploy{K: 2, U: first.U})
	s.must(session.Close{K: 2})
	if s.ask(); !strings.Contains(s.loop.Explain(s.decision(3), s.decision(1), s.ask().U).Words, "no close since that of decision 1 took a step") || strings.Contains(s.loop.Explain(s.decision(2), s.decision(1), second.U).Words, "no close since") {
		t.Errorf("what rests on an older step: %s", s.loop.Explain(s.decision(3), s.decision(1), s.ask().U).Words)
	}
	s.must(session.Abandon{K: 3})
	s.ask()
	if e := s.loop.Explain(s.decision(4), s.decision(1), first.U); e.Basis != session.Again || !reflect.DeepEqual(e.Reasoning, c.Why) {
		t.Errorf("again: %+v", e)
	}
	s.must(session.Switch{To: session.Killed})
	s.ask()
	if e := s.loop.Explain(s.decision(5), s.decision(1), first.U); e.Reasoning != nil || e.Projected != nil || e.Capped != nil || !strings.Contains(e.Words, "the safe decision") {
		t.Errorf("safe: %+v", e)
	}
}

// The cards say how far the newest decision is, who has answered, and what is live since when.
func TestCards(t *testing.T) {
	s := newScene(t, shop, session.Live)
	says := func(name, state, words string) {
		t.Helper()
		if is, has, _ := s.card(name); is != state || !strings.Contains(has, words) {
			t.Errorf("card %s is %s: %s, want %s and %q", name, is, has, state, words)
		}
	}
	says("live", "wait", "Nobody has said what is live")
	says("mode", "fine", "The loop decides")
	a := s.ask()
	says("decision", "wait", "Decision 1 is open. It lapses unless it is deployed by "+s.now.Add(24*time.Hour).Format(time.RFC3339))
	says("samples", "wait", "0 of the 5 people wanted")
	s.must(session.Deploy{K: 1, U: []float64{3.25, 3}})
	s.now = s.now.Add(time.Hour)
	says("live", "fine", "Decision 1 is live, for 1 h")
	says("decision", "fine", "Decision 1 is deployed. People's answers are due by "+s.now.Add(35*time.Hour).Format(time.RFC3339))
	says("deployment", "fine", "is 0.25 from what was decided")
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 4, a.U)})
	says("samples", "wait", "4 of the 5 people wanted")
	s.must(session.Close{K: 1})
	says("close", "hold", "Decision 1 took no step: 4 of the 5 people wanted have answered")
	if slices.ContainsFunc(s.loop.Health(s.now), func(c card) bool { return c.Name == "decision" }) {
		t.Error("a closed decision is on its way")
	}
	s.round(same)
	if slices.ContainsFunc(s.loop.Health(s.now), func(c card) bool { return c.Name == "close" }) {
		t.Error("a step is said to be none")
	}
	says("people", "fine", "All 10 people of decision 2 count")
	s.must(session.SetPin{U: []float64{9, 9}})
	says("mode", "fine", "A decision is pinned")
	s.must(session.Switch{To: session.Killed})
	says("mode", "alarm", "the safe decision, 4 4")
	s = newScene(t, with("approval: always"), session.Live)
	s.ask()
	s.must(session.Approve{K: 1})
	s.must(session.Deploy{K: 1, U: []float64{3.25, 3}})
	s.must(session.Abandon{K: 1})
	s.ask() // (3, 3) again
	says("decision", "wait", "Decision 2, 0.25 from what is live, waits for approval")
}

type card = word.Card

// All that a decision says in numbers, under their names.
func TestNumbers(t *testing.T) {
	s := newScene(t, with("outliers: {state: [-100, 1000]}", "trust: {window: 10}"), session.Live)
	numbers := func(k int) map[string]float64 {
		all := map[string]float64{}
		s.decision(k).Numbers(func(name string, v float64) {
			if _, twice := all[name]; twice {
				t.Errorf("%s is told twice", name)
			}
			all[name] = v
		})
		return all
	}
	s.ask()
	if n := numbers(1); !reflect.DeepEqual(n, map[string]float64{"u.0": 3, "u.1": 3, "iterate.0": 3, "iterate.1": 3}) {
		t.Errorf("of an open decision: %v", n)
	}
	var c session.Closing
	for range 12 {
		_, c = s.meet(usual)
	}
	n, o := numbers(12), c.Outcome
	for name, want := range map[string]float64{
		"stepped": 1, "rows": 60, "effective": 60, "early": 0, "without_trait": 0, "quarantined": 0, "value": o.Value.Mean, "value.low": o.Value.Low, "value.high": o.Value.High,
		"direct": o.Terms.Direct, "answer": o.Terms.Answer, "cosine": o.Terms.Cosine, "step": o.Terms.Step, "ratio": *o.Trust.Ratio, "ratio.low": *o.Trust.Low, "ratio.high": *o.Trust.High, "off": 0, "deployed.0": s.loop.Status().Live.U[0], "deployed.1": s.loop.Status().Live.U[1],
	} {
		if got, has := n[name]; !has || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	s.ask()
	s.must(session.Deploy{K: 13, U: []float64{3, 3}})
	s.must(session.Close{K: 13})
	if n := numbers(13); n["stepped"] != 0 || n["rows"] != 0 || has(n, "value") || has(n, "direct") || has(n, "ratio") {
		t.Errorf("without a step: %v", n)
	}
	var d session.Decision
	half := 0.5
	d.Trust, d.Prices = &half, []float64{2, 5}
	got := map[string]float64{}
	d.Numbers(func(name string, v float64) { got[name] = v })
	if !reflect.DeepEqual(got, map[string]float64{"trust": 0.5, "multipliers.0": 2, "multipliers.1": 5}) {
		t.Errorf("of a rule that learns and heeds constraints: %v", got)
	}
}

func has(m map[string]float64, name string) bool { _, is := m[name]; return is }

// The status of a loop, and what events and names say of themselves.
func TestStatuses(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.ask()
	now := s.loop.Status()
	seq, hash := s.loop.Head()
	if now.Loop != "shop" || now.State != session.IsOpen || now.Dims != [3]int{2, 2, 2} || now.Revision != 1 || now.K != 1 || now.Turns != 0 || now.Seq != seq || now.Hash != hash || seq != 2 {
		t.Errorf("%+v", now)
	}
	if spec, plan := s.loop.Arranged(); spec != shop || s.loop.Spec() != shop || !slices.Equal(plan.Live.Safe, s.loop.Safe()) || !slices.Equal(s.loop.Safe(), []float64{4, 4}) {
		t.Error("its spec is another")
	}
	if e := s.past.events[0]; session.SpecOf(&e) != shop || session.SpecOf(&s.past.events[1]) != "" {
		t.Error("its first event gives another spec")
	}
	if !session.IsOwn(session.OfServer) || session.IsOwn("shop") {
		t.Error("names are taken for others'")
	}
	if a, b := session.NewEpoch(), session.NewEpoch(); len(a) != 12 || a == b || strings.ToLower(a) != a {
		t.Errorf("epochs %s and %s", a, b)
	}
	early, late := time.Date(2026, 1, 1, 1, 0, 0, 999, time.FixedZone("", 3600)), time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	if session.Later(early, late) != late || session.Later(early, time.Time{}) != time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) || session.Later(late, early) != late {
		t.Error("the later of two times")
	}
	if text, err := session.EditSpec(kind.Standard(), shop, nil); err != nil || text != shop {
		t.Errorf("nothing to change: %v", err)
	}
	if text, err := session.EditSpec(kind.Standard(), shop, []string{"iterations=7"}); err != nil || !strings.Contains(text, "iterations: 7") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := session.EditSpec(kind.Standard(), shop, []string{"iterations=-7"}); !session.IsRefusal(err, session.BadSpec) {
		t.Errorf("%v", err)
	}
	var r *session.Refusal = &session.Refusal{Type: "a", Detail: "b"}
	if r.Error() != "a: b" || session.IsRefusal(nil, "a") || !session.IsRefusal(r, "a") {
		t.Error(r)
	}
}

// Metrics: the same again changes nothing, what is no number is refused, and loops of old have none.
func TestMetrics(t *testing.T) {
	s := newScene(t, with("guardrails: [{name: complaints, kind: external, most: 3}]"), session.Live)
	s.ask()
	n, other := 3.0, 4.0
	tell := func(m guard.Metered) session.TellMetric {
		return session.TellMetric{K: 1, Name: "complaints", Metered: m}
	}
	if v := s.brings(tell(guard.Metered{Value: 0}), session.MetricTold).(session.MetricVerdict); v.Name != "complaints" || v.Verdict != guard.Pass || v.Repeat {
		t.Errorf("%+v", v)
	}
	for _, m := range []guard.Metered{{Value: 4}, {Value: 4, SE: 0.1}, {Value: 4, SE: 0.1, N: &n}, {Value: 4, SE: 0.1, N: &other}} {
		if v := s.brings(tell(m), session.MetricTold).(session.MetricVerdict); v.Verdict != guard.Fail {
			t.Errorf("%+v", v)
		}
		if v := s.brings(tell(m)).(session.MetricVerdict); !v.Repeat {
			t.Errorf("%+v", v)
		}
	}
	if r := s.refuses(session.NotFinite, "", tell(guard.Metered{Value: math.NaN()})); len(r.Errors) != 1 {
		t.Errorf("%+v", r)
	}
	s.refuses(session.StaleEpoch, "", session.TellMetric{K: 1, Name: "complaints", Epoch: "x"})
	s.replays()
}

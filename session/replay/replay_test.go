package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
)

const shop = `
iterations: 100
model: {decision: "q[2]", state: "p[2]", trait: "d[2]", next: "0.5*p + 0.5*(d - q)", maximize: "dot(p, q)", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1, ids: optional}, cap: {norm: 0.5}, safe: [4, 4]}
`

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// lived is a journal with a loop that much has happened to, and how more does.
func lived(t *testing.T) (*store.InMemory, func(session.Command)) {
	t.Helper()
	j, c := store.NewMemory(), &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	h := session.NewFleet(j, c, session.Standard, nil)
	do := func(command session.Command) {
		t.Helper()
		c.now = c.now.Add(time.Hour)
		if _, err := h.Do(t.Context(), "shop", "test", command); err != nil {
			t.Fatalf("%T: %v", command, err)
		}
	}
	do(session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
	r := rand.New(rand.NewPCG(1, 2))
	for k := 1; k <= 6; k++ {
		do(session.Ask{})
		do(session.Deploy{K: k, U: []float64{3, 3}})
		for n, id := range []string{"am", "pm"} {
			b := session.Batch{P: []float64{4 + r.Float64(), 4}, D: []float64{9, 8 + r.Float64()}, Who: []uint64{uint64(10*k + n)}}
			do(session.Tell{K: k, ID: id, Batch: b})
		}
		switch k {
		case 2:
			do(session.Abandon{K: k, Reason: "rain"})
		case 3: // which ends the decision
			do(session.Revise{Spec: strings.Replace(shop, "step: 0.05", "step: 0.1", 1), Reason: "faster", Revision: 1})
		case 4:
			do(session.Close{K: k})
			do(session.SetPin{U: []float64{3, 4}, UntilK: 5})
		case 5:
			do(session.Close{K: k})
			do(session.Switch{To: session.Paused, Reason: "look"})
			do(session.Switch{To: session.Live, Reason: "on"})
		default:
			do(session.Close{K: k})
		}
	}
	return j, do
}

// events are all of the loop.
func events(t *testing.T, j session.Journal) (list []session.Event) {
	t.Helper()
	if err := j.Read(t.Context(), "shop", 0, func(e session.Event) error { list = append(list, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// forged is a journal whose loop has other events, with people of the true one; seal makes a chain of them.
type forged struct {
	session.Journal
	list []session.Event
}

func (f *forged) seal() {
	var hash session.Hash
	for i := range f.list {
		e := &f.list[i]
		e.Seq = i + 1
		e.Hash = e.Chained("shop", hash)
		hash = e.Hash
	}
}

func (f *forged) Read(_ context.Context, _ string, after int, visit func(session.Event) error) error {
	for _, e := range f.list[after:] {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

func (f *forged) Decision(_ string, k int) (list []session.Event, _ error) {
	for _, e := range f.list {
		if e.K == k {
			list = append(list, e)
		}
	}
	return list, nil
}

func (f *forged) Find(_ string, k int, ref string) (*session.Event, error) {
	for _, e := range f.list {
		if e.K == k && e.Ref == ref {
			return &e, nil
		}
	}
	return nil, nil
}

// digit is a number of a body that can be another.
var digit = regexp.MustCompile(`[1-8]([,}\]])`)

// forgeries are what can be done to an event and the log around it.
func forgeries() []func(list []session.Event, i int) []session.Event {
	change := func(f func(e *session.Event)) func([]session.Event, int) []session.Event {
		return func(list []session.Event, i int) []session.Event { f(&list[i]); return list }
	}
	return []func([]session.Event, int) []session.Event{
		change(func(e *session.Event) {
			n := 0
			e.Body = digit.ReplaceAllFunc(e.Body, func(was []byte) []byte {
				if n++; n > 1 {
					return was
				}
				return append([]byte{was[0] + 1}, was[1:]...)
			})
		}),
		change(func(e *session.Event) { e.Body = json.RawMessage(strings.Replace(string(e.Body), ",", ", ", 1)) }),
		change(func(e *session.Event) { e.Body = json.RawMessage("[") }),
		change(func(e *session.Event) { e.At = e.At.Add(time.Second) }),
		change(func(e *session.Event) { e.Actor = "another" }),
		change(func(e *session.Event) { e.K++ }),
		change(func(e *session.Event) { e.Ref += "x" }),
		change(func(e *session.Event) { e.Kind = session.Abandoned }),
		func(list []session.Event, i int) []session.Event { return slices.Delete(list, i, i+1) },
		func(list []session.Event, i int) []session.Event { return slices.Insert(list, i, list[i]) },
		func(list []session.Event, i int) []session.Event { return list[:i] },
		func(list []session.Event, i int) []session.Event {
			if i > 0 {
				list[i-1], list[i] = list[i], list[i-1]
			}
			return list
		},
	}
}

var sums = regexp.MustCompile(`"(epoch|hash|build|state|spec|of|epoch_before)":"[^"]*"|[0-9a-f]{64}`)

// tells is what a replay comes to, in a line.
func tells(r replay.Recap, err error) string {
	text := fmt.Sprintf("%s %d events, %d decided, %d closes, lacking %v: %v", r.Loop, r.Events, r.Decided, r.Closes, r.Lacking, err)
	return strings.Join(evidence.Rounded(fmt.Sprintf("%.260s", sums.ReplaceAllString(strings.ReplaceAll(text, "\n", " / "), "…"))), " ")
}

// What replays make of logs that somebody changed, with chains that hold, is what it was when this was recorded: which event is the first that does not come out again, and
// how many did.
func TestForgeriesAsRecorded(t *testing.T) {
	j, _ := lived(t)
	list := events(t, j)
	var got []string
	for i, e := range list {
		got = append(got, fmt.Sprintf("%d %s %d %s", i+1, e.Kind, e.K, e.Ref))
	}
	for n, forge := range forgeries() {
		for i := range list {
			if (i+n)%4 > 0 {
				continue
			}
			f := &forged{j, forge(slices.Clone(list), i)}
			f.seal()
			r, err := replay.Loop(t.Context(), f, "shop", session.Standard)
			if len(f.list) > 0 && r.Events == len(f.list) && r.Hash != f.list[len(f.list)-1].Hash {
				t.Errorf("the hash is not that of the last event")
			}
			got = append(got, fmt.Sprintf("forgery %d of %d: %s", n, i+1, tells(r, err)))
		}
	}
	evidence.AsRecorded(t, "testdata/forgeries.txt", got)
}

// A loop comes out again as it was, whoever else wrote to the journal; one that is not there, a chain that does not hold and a context that ends before all is read are errors.
func TestReplays(t *testing.T) {
	j, _ := lived(t)
	list := events(t, j)
	r, err := replay.Loop(t.Context(), j, "shop", session.Standard)
	if err != nil || r.Events != len(list) || r.Decided != len(list) || r.Closes != 4 || len(r.Lacking) != 0 || r.Lacking == nil || r.Hash != list[len(list)-1].Hash || r.Loop != "shop" {
		t.Errorf("%d events came to %+v, %v", len(list), r, err)
	}
	if _, err := replay.Loop(t.Context(), j, "nobody", session.Standard); !session.IsRefusal(err, session.NotFound) || !strings.Contains(err.Error(), "there is no loop nobody") {
		t.Errorf("a loop that is not there: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if r, err := replay.Loop(ctx, j, "shop", session.Standard); err == nil && r.Events != len(list) {
		t.Errorf("once the context has ended %d of %d events are all", r.Events, len(list))
	}
	for i := 0; i < len(list); i += 5 {
		f := &forged{j, slices.Clone(list)}
		f.list[i].Hash[7]++
		var broken *session.ChainError
		if _, err := replay.Loop(t.Context(), f, "shop", session.Standard); !errors.As(err, &broken) || broken.Seq != i+1 || broken.Loop != "shop" {
			t.Errorf("event %d with another hash: %v", i+1, err)
		}
	}
}

// What time brings must be there as it is brought, as the end of a pin; and what comes before its cause needs that.
func TestWhatFollows(t *testing.T) {
	j, _ := lived(t)
	list := events(t, j)
	at := slices.IndexFunc(list, func(e session.Event) bool { return e.Kind == session.Unpinned })
	for want, forge := range map[string]func([]session.Event) []session.Event{
		"unpinned again differs in its time, actor, decision or reference":          func(l []session.Event) []session.Event { l[at].Actor = "another"; return l },
		"mode is written, unpinned comes out again":                                 func(l []session.Event) []session.Event { return slices.Delete(l, at, at+1) },
		"unpinned again comes to {\"reason\":\"its time was over\"}, written is {}": func(l []session.Event) []session.Event { l[at].Body = []byte("{}"); return l },
	} {
		f := &forged{j, forge(slices.Clone(list))}
		f.seal()
		r, err := replay.Loop(t.Context(), f, "shop", session.Standard)
		var broken *session.ChainError
		if !errors.As(err, &broken) || broken.Seq != at+1 || broken.Why != want || r.Decided != at {
			t.Errorf("%d decided, %v, want %s", r.Decided, err, want)
		}
	}
	at = slices.IndexFunc(list, func(e session.Event) bool { return e.Kind == session.Superseded })
	r, err := replay.Loop(t.Context(), &forged{j, list[:at+1]}, "shop", session.Standard)
	var broken *session.ChainError
	if !errors.As(err, &broken) || broken.Seq != at+1 || broken.Why != "what it comes from is not there" || r.Decided != at {
		t.Errorf("%d decided, %v", r.Decided, err)
	}
}

// Closes of people who are gone are taken as they are written, and named; what comes after them is decided again once a close has its people.
func TestReplaysWithoutPeople(t *testing.T) {
	var got []string
	for _, who := range []uint64{10, 31, 40, 61} {
		j, do := lived(t)
		do(session.Erase{Who: who})
		r, err := replay.Loop(t.Context(), j, "shop", session.Standard)
		got = append(got, tells(r, err))
		do(session.Ask{})
		r, err = replay.Loop(t.Context(), j, "shop", session.Standard)
		got = append(got, tells(r, err))
	}
	j, do := lived(t)
	for _, who := range []uint64{10, 11, 20, 30, 40, 50} {
		do(session.Erase{Who: who})
	}
	r, err := replay.Loop(t.Context(), j, "shop", session.Standard)
	evidence.AsRecorded(t, "testdata/without.txt", append(got, tells(r, err)))
}

// An event that cannot be read is told also where nothing is decided again, since people are gone.
func TestUnreadEventsWithoutPeople(t *testing.T) {
	j, do := lived(t)
	do(session.Erase{Who: 10}) // of the first close
	list := events(t, j)
	at := slices.IndexFunc(list, func(e session.Event) bool { return e.Kind == session.Deployed && e.K == 2 })
	f := &forged{j, list}
	f.list[at].Body = []byte("[")
	f.seal()
	if r, err := replay.Loop(t.Context(), f, "shop", session.Standard); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("event %d, deployed: ", at+1)) || r.Events != at+1 {
		t.Errorf("%d events, %v, want of event %d", r.Events, err, at+1)
	}
}

// An event of another kind, under another reference or of another actor than what comes out again is found out, also where it says the same; so are its people.
func TestEventsThatSayTheSameAreNotTheSame(t *testing.T) {
	j, _ := lived(t)
	list := events(t, j)
	seen := map[session.Kind]bool{}
	for i, e := range list {
		others := map[session.Kind][]session.Kind{session.Opened: {session.Proposed}, session.Told: {session.ToldLate}, session.Deployed: {session.Corrected, session.DeployedLate}, session.Closed: nil}[e.Kind]
		if _, is := map[session.Kind]bool{session.Opened: true, session.Told: true, session.Deployed: true, session.Closed: true}[e.Kind]; !is || seen[e.Kind] {
			continue
		}
		seen[e.Kind] = true
		changes := map[string]func(e *session.Event){
			"differs in its time, actor, decision or reference": func(e *session.Event) { e.Ref += "x" },
			string(e.Kind) + " does not happen again":           func(e *session.Event) { e.Actor = session.ByTime },
		}
		for _, kind := range others {
			changes[fmt.Sprintf("%s is written, %s comes out again", kind, e.Kind)] = func(e *session.Event) { e.Kind = kind }
		}
		for want, change := range changes {
			f := &forged{j, slices.Clone(list)}
			change(&f.list[i])
			f.seal()
			var broken *session.ChainError
			if r, err := replay.Loop(t.Context(), f, "shop", session.Standard); !errors.As(err, &broken) || broken.Seq != i+1 || !strings.Contains(broken.Why, want) || r.Decided != i {
				t.Errorf("event %d: %d decided, %v, want %s", i+1, r.Decided, err, want)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("only %v have happened", seen)
	}
}

// What another build of the same arithmetic wrote comes out again as that build wrote it, and so does what this one wrote after it.
func TestReplaysOfWhatAnotherBuildWrote(t *testing.T) {
	j, _ := lived(t)
	f := &forged{j, events(t, j)}
	before := string(f.list[0].Body)
	f.list[0].Body = json.RawMessage(regexp.MustCompile(`"build":\{"version":"[^"]*"`).ReplaceAllString(before, `"build":{"version":"v0.1.0"`))
	if string(f.list[0].Body) == before {
		t.Fatalf("it says %s", before)
	}
	f.seal()
	if r, err := replay.Loop(t.Context(), f, "shop", session.Standard); err != nil || r.Decided != len(f.list) {
		t.Errorf("%d of %d decided, %v", r.Decided, len(f.list), err)
	}
	changed := session.Event{At: f.list[0].At, Kind: session.BuildChanged, Actor: "test", Body: json.RawMessage(regexp.MustCompile(`"build":(\{[^}]*\})`).FindStringSubmatch(before)[1])}
	f.list = slices.Insert(f.list, 1, changed)
	f.seal()
	if r, err := replay.Loop(t.Context(), f, "shop", session.Standard); err != nil || r.Decided != len(f.list)-1 || r.Events != len(f.list) {
		t.Errorf("%d of %d decided, %v", r.Decided, len(f.list), err)
	}
}

// Commands that bring several events come out again wherever a part of the log that is read at once ends.
func TestReplaysOfExchanges(t *testing.T) {
	for first := range 4 {
		j, c := store.NewMemory(), &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
		h := session.NewFleet(j, c, session.Standard, nil)
		do := func(command session.Command) {
			t.Helper()
			c.now = c.now.Add(time.Minute)
			if _, err := h.Do(t.Context(), "shop", "test", command); err != nil {
				t.Fatalf("%T: %v", command, err)
			}
		}
		do(session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
		for range first {
			do(session.Forking{Of: "other"})
		}
		do(session.Exchange{Ask: true})
		for k := 1; k <= 20; k++ {
			b := session.Batch{P: []float64{4, 4}, D: []float64{9, 8}, Who: []uint64{uint64(k)}}
			do(session.Exchange{K: k, Deploy: &session.Deploy{U: []float64{3, 3}}, Tell: &session.Tell{ID: "am", Batch: b}, Close: &session.Close{}, Ask: true})
		}
		if r, err := replay.Loop(t.Context(), j, "shop", session.Standard); err != nil || r.Events != 82+first || r.Decided != 82 || r.Closes != 20 {
			t.Errorf("%d events before: %+v, %v", first, r, err)
		}
	}
}

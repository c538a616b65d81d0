package tally

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/saved"
	"github.com/kedge-opt/kedge/store"
)

const shop = `
iterations: 100
model: {decision: "q[2]", state: "p[2]", trait: "d[2]", next: "0.5*p + 0.5*(d - q)", maximize: "dot(p, q)", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: %s}, safe: [4, 4]}
`

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// diary is a journal in memory of which a call fails, and that tells how long it takes to write.
type diary struct {
	*store.InMemory
	fails    string
	observed func(events int, took time.Duration)
	read     int // events
}

var errDisk = errors.New("the disk is gone")

func (d *diary) Observe(f func(events int, took time.Duration)) { d.observed = f }

func (d *diary) fault(of string) error {
	if d.fails == of {
		return errDisk
	}
	return nil
}

func (d *diary) Loops(ctx context.Context) ([]session.Tip, error) {
	tips, err := d.InMemory.Loops(ctx)
	return tips, errors.Join(err, d.fault("loops"))
}

func (d *diary) State(loop string) ([]byte, error) {
	state, err := d.InMemory.State(loop)
	return state, errors.Join(err, d.fault("state"))
}

func (d *diary) Newest(ctx context.Context, loop string, kinds []session.Kind, most int) ([]session.Event, error) {
	list, err := d.InMemory.Newest(ctx, loop, kinds, most)
	return list, errors.Join(err, d.fault("newest"))
}

func (d *diary) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	return errors.Join(d.fault("read"), d.InMemory.Read(ctx, loop, after, func(e session.Event) error { d.read++; return visit(e) }))
}

// log makes events of a loop that follow each other.
type log struct {
	t    *testing.T
	j    *diary
	loop string
	seq  int
	hash session.Hash
}

// next writes an event, and what was saved after it.
func (l *log) next(kind session.Kind, body string, state func(seq int, head session.Hash) []byte) session.Event {
	l.t.Helper()
	l.seq++
	e := session.Event{Seq: l.seq, At: noon, Kind: kind, Actor: "test", Body: json.RawMessage(body)}
	e.Hash = e.Chained(l.loop, l.hash)
	l.hash = e.Hash
	var s []byte
	if state != nil {
		s = state(e.Seq, e.Hash)
	}
	if err := l.j.Append(l.loop, e.Seq-1, []session.Event{e}, s)(); err != nil {
		l.t.Fatal(err)
	}
	return e
}

// begins is a tally of a service of a journal.
func begins(j session.Journal, c session.Clock) *Tally {
	return New(Service{Journal: j, Clock: c, Kinds: kind.Standard(), Watching: func() int { return 7 }, Free: func() float64 { return 1e9 }, Build: "test"})
}

// page is what Prometheus reads.
func page(m *Tally) []string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return strings.Split(strings.TrimSpace(w.Body.String()), "\n")
}

// samples are the numbers of a page.
func samples(m *Tally) []string {
	return slices.DeleteFunc(page(m), func(line string) bool {
		return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "kedge_commit") || strings.HasPrefix(line, "kedge_request")
	})
}

// happens draws something that happens to a loop.
func happens(r *rand.Rand) (session.Kind, string) {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	at := noon.Add(time.Duration(r.IntN(7200)-3600) * time.Second).Format(time.RFC3339)
	u := of("[1,2]", "[4,6]", "[3,3]", "[1]")
	switch r.IntN(16) {
	case 0:
		return session.ModeChanged, fmt.Sprintf(`{"mode":%q}`, of("live", "shadow", "paused"))
	case 1:
		spec, _ := json.Marshal(of(fmt.Sprintf(shop, "0.5"), fmt.Sprintf(shop, "2"), fmt.Sprintf(shop, ".inf"), "no spec"))
		return session.Revised, fmt.Sprintf(`{"spec":%s}`, spec)
	case 2, 3:
		return session.Kind(of("opened", "proposed")), fmt.Sprintf(`{"u":%s,"trust":0.5}`, u)
	case 4, 5:
		return session.Kind(of("deployed", "corrected", "deployed-late")), fmt.Sprintf(`{"u":%s,"deployed_at":%q%s}`, u, at, of("", fmt.Sprintf(`,"data_by":%q`, at)))
	case 6, 7:
		return session.Kind(of("batch", "batch-late")), fmt.Sprintf(`{"rows":%d,"without_trait":%d}`, r.IntN(9), r.IntN(3))
	case 8:
		return session.Kind(of("abandoned", "lapsed", "superseded", "rejected", "approved")), `{}`
	case 9, 10, 11:
		reason := of("the loop is paused", "it breaks the set", "9 % of answers are far", "others answer", "0.2 of what the model says", "so it is")
		rails := of("", `{"name":"a","verdict":"pass"},{"name":"b","verdict":"fail"}`, `{"name":"a","verdict":"inconclusive"}`, `{"name":"a","verdict":"pass","acts":"hold"}`, `{"name":"a","verdict":"pass"}`)
		return session.Closed, fmt.Sprintf(`{"outcome":%q,"reasons":["first",%q],"sample":{"rows":%d,"early":%d},"guardrails":[%s]%s%s%s}`, of("step", "held", "inconclusive"), reason, r.IntN(9), r.IntN(9), rails,
			of("", `,"value":{"mean":1.5,"low":1,"high":2}`), of("", fmt.Sprintf(`,"terms":{"step":%d}`, 1+r.IntN(8))), of("", `,"trust":{"ratio":0.5,"low":0.25,"high":0.75}`, `,"trust":{"turns":3}`, `,"trust":0.5`))
	case 12, 13:
		return session.Raised, fmt.Sprintf(`{"name":%q}`, of("late", "rail", "trust"))
	case 14:
		return session.Cleared, fmt.Sprintf(`{"name":%q}`, of("late", "rail", "trust"))
	}
	return session.Kind(of("archived", "batch", "pinned", "closed")), of(`{}`, `[]`, `{"rows":"x"}`)
}

// keeps draws what is saved of a loop; nil: nothing is.
func keeps(r *rand.Rand, loop string) func(seq int, head session.Hash) []byte {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	if r.IntN(4) > 0 {
		return nil
	}
	spec, _ := json.Marshal(fmt.Sprintf(shop, "0.25"))
	body := fmt.Sprintf(`{"mode":"live","spec":%s,"alarms":%s,"current":%s,"live":%s}`, spec, of("{}", `{"late":"x","old":"y"}`),
		of("null", `{"u":[1,2]}`, `{"u":[1]}`, `{"u":[1,2],"state":"deployed","deployment":{"data_by":"2026-11-16T11:00:00Z"}}`, `{"u":[1,2],"state":"closed","deployment":{"data_by":"2026-11-16T11:00:00Z"}}`, `{"u":[1,2],"state":"deployed","deployment":{}}`),
		of("null", `{"u":[4,6],"since":"2026-11-16T10:00:00Z"}`))
	name := of(loop, loop, loop, loop, "another")
	text := of(body, body, body, body, "[")
	return func(seq int, head session.Hash) []byte {
		s := saved.Snapshot{Seq: seq, Head: head, Body: []byte(text)}
		b, _ := s.Append(nil, name)
		return b
	}
}

// lives lets things happen to loops: to some the service writes, some others write, of some it hears late; now and then another service begins. It returns
// what changed on the page.
func lives(t *testing.T, seed uint64) (got []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	j, c := &diary{InMemory: store.NewMemory()}, &clock{noon}
	m := begins(j, c)
	logs := []*log{{t: t, j: j, loop: "a"}, {t: t, j: j, loop: "b"}, {t: t, j: j, loop: "_own"}}
	spec, _ := json.Marshal(fmt.Sprintf(shop, "4"))
	var before []string
	for turn := range 24 {
		j.fails = ""
		l := logs[r.IntN(len(logs))]
		var events []session.Event
		for range 1 + r.IntN(3) {
			kind, body := session.Created, fmt.Sprintf(`{"mode":"shadow","spec":%s}`, spec)
			if l.seq > 0 {
				kind, body = happens(r)
			}
			events = append(events, l.next(kind, body, keeps(r, l.loop)))
		}
		switch r.IntN(4) {
		case 0: // another service wrote
		case 1:
			slices.Reverse(events)
			fallthrough
		default:
			m.Tell(l.loop, events)
		}
		if r.IntN(8) == 0 {
			m = begins(j, c)
			before = nil
		}
		if r.IntN(3) == 0 {
			j.fails = []string{"loops", "state", "newest", "read"}[r.IntN(4)]
		}
		j.read = 0
		now := samples(m)
		got = append(got, fmt.Sprintf("%d.%d: %s %s, %d read", seed, turn, l.loop, events[0].Kind, j.read))
		for _, line := range before {
			if !slices.Contains(now, line) {
				got = append(got, "- "+line)
			}
		}
		for _, line := range now {
			if !slices.Contains(before, line) {
				got = append(got, "+ "+line)
			}
		}
		before = now
	}
	return got
}

// What happens to loops, told and read, makes the numbers that it made when this was recorded.
func TestNumbersAsRecorded(t *testing.T) {
	var got []string
	for seed := range uint64(12) {
		got = append(got, lives(t, seed)...)
	}
	evidence.AsRecorded(t, "testdata/numbers.txt", got)
}

// The page of a service with one loop, with all its words and all it measures.
func TestPageAsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &diary{InMemory: store.NewMemory()}
		m := begins(j, &clock{noon})
		l := &log{t: t, j: j, loop: "shop"}
		spec, _ := json.Marshal(fmt.Sprintf(shop, "0.5"))
		for _, e := range [][2]string{
			{"created", fmt.Sprintf(`{"mode":"live","spec":%s}`, spec)}, {"deployed", `{"u":[3,3],"deployed_at":"2026-11-16T11:00:00Z","data_by":"2026-11-16T11:59:30Z"}`}, {"batch", `{"rows":5,"without_trait":2}`}, {"batch-late", `{"rows":4}`},
			{"proposed", `{"u":[3.3,3.4]}`}, {"closed", `{"outcome":"step","sample":{"rows":3,"early":1},"value":{"mean":1.5},"terms":{"step":0.25},"guardrails":[{"name":"r","verdict":"pass"}],"trust":{"ratio":0.5,"low":0.25,"high":0.75}}`},
			{"deployed", `{"u":[3,3],"deployed_at":"2026-11-16T11:00:00Z","data_by":"2026-11-16T11:59:30Z"}`}, {"closed", `{"outcome":"held"}`}, {"deployed", `{"u":[3,3],"deployed_at":"2026-11-16T11:00:00Z","data_by":"2026-11-16T11:59:30Z"}`}, {"rejected", `{}`},
		} {
			m.Tell("shop", []session.Event{l.next(session.Kind(e[0]), e[1], nil)})
		}
		for _, status := range []int{200, 200, 401, 403, 404, 500} {
			m.Took("GET /x", status, time.Now().Add(-time.Duration(status)*time.Millisecond))
		}
		j.observed(3, 2*time.Millisecond)
		evidence.AsRecorded(t, "testdata/page.txt", page(m))
	})
}

// Beyond the first thousand loops only those have numbers of their own that ask for it; all are counted, and of one that is gone nothing is left.
func TestManyLoops(t *testing.T) {
	for _, told := range []bool{false, true} {
		j := &diary{InMemory: store.NewMemory()}
		m := begins(j, &clock{noon})
		for i := range 1003 {
			l, labels := &log{t: t, j: j, loop: fmt.Sprintf("loop-%04d", i)}, "{}"
			if i == 1001 {
				labels = `{"metrics":"on"}`
			}
			events := []session.Event{l.next(session.Created, fmt.Sprintf(`{"mode":"live","spec":"none","labels":%s}`, labels), nil), l.next(session.Opened, `{"u":[1]}`, nil), l.next(session.Closed, `{"outcome":"held","value":{"mean":2}}`, nil)}
			if told {
				m.Tell(l.loop, events)
			}
		}
		text := strings.Join(page(m), "\n")
		for name, want := range map[string]bool{"loop-0000": true, "loop-0999": true, "loop-1000": false, "loop-1001": true, "loop-1002": false} {
			for _, number := range []string{"kedge_alarms", "kedge_value"} {
				if got := strings.Contains(text, fmt.Sprintf(`%s{loop=%q}`, number, name)); got != want {
					t.Errorf("told: %t; %s of %s is there: %t, want %t", told, number, name, got, want)
				}
			}
		}
		if !strings.Contains(text, `kedge_loops{mode="live"} 1003`) {
			t.Error("not all loops are counted")
		}
		if a := m.loops["loop-1000"]; a.spec != "" || a.live != nil || a.seq != 3 {
			t.Errorf("of a loop without numbers there is kept %+v", a)
		}
		j.fails = "loops"
		m.Forget("loop-0000")
		if text := strings.Join(page(m), "\n"); strings.Contains(text, `"loop-0000"`) || !strings.Contains(text, `kedge_loops{mode="live"} 1002`) {
			t.Error("of a loop that is gone there is something left")
		}
	}
}

// A loop that is gone from the journal is forgotten; one of its name that began since has its own numbers, though fewer events happened to it.
func TestLoopsThatBeginAnew(t *testing.T) {
	j := &diary{InMemory: store.NewMemory()}
	m := begins(j, &clock{noon})
	l := &log{t: t, j: j, loop: "shop"}
	events := []session.Event{l.next(session.Created, `{"mode":"live"}`, nil), l.next(session.Raised, `{"name":"late"}`, nil), l.next(session.Closed, `{"outcome":"held","value":{"mean":2}}`, nil)}
	m.Tell("shop", events)
	page(m)
	j.InMemory = store.NewMemory()
	again := &log{t: t, j: j, loop: "shop"}
	again.next(session.Created, `{"mode":"shadow"}`, nil)
	if text := strings.Join(samples(m), "\n"); !strings.Contains(text, `kedge_loops{mode="shadow"} 1`) || !strings.Contains(text, `kedge_chain_checked_seq{loop="shop"} 1`) || !strings.Contains(text, `kedge_alarms{loop="shop"} 0`) || strings.Contains(text, `mode="live"`) {
		t.Errorf("the loop that began anew: %s", text)
	}
	j.InMemory = store.NewMemory()
	if text := strings.Join(samples(m), "\n"); strings.Contains(text, "shop") || strings.Contains(text, "kedge_loops") {
		t.Errorf("a loop that is gone: %s", text)
	}
}

// A chain that does not hold tells nothing.
func TestUnsoundChainsTellNothing(t *testing.T) {
	j := &diary{InMemory: store.NewMemory()}
	e := session.Event{Seq: 1, At: noon, Kind: session.Created, Body: []byte(`{"mode":"live"}`)}
	if err := j.Append("shop", 0, []session.Event{e}, nil)(); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(samples(begins(j, &clock{noon})), "\n"); strings.Contains(text, "kedge_loops") {
		t.Errorf("an event whose hash is another's counts: %s", text)
	}
}

package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// labourer is a worker on the queue of a bench.
func (b *bench) labourer() *labourer {
	w := &labourer{WorkerOptions: WorkerOptions{Kinds: kind.Standard(), Workers: 2, Told: b.tell}, name: "me", tmp: b.t.TempDir(), jobs: map[string]*assignment{}, refused: map[string]*BuildError{}, at: map[*shift]bool{}, last: time.Now()}
	w.nc, w.js = b.h.nc, b.h.js
	w.fill()
	return w
}

// What nobody says is filled in, and what somebody says stays.
func TestUsualSettings(t *testing.T) {
	w := new(labourer)
	if w.fill(); w.Workers != runtime.GOMAXPROCS(0) || w.Hold != time.Hour || w.Told == nil || w.Runner == nil || len(w.slots) != w.Workers {
		t.Errorf("%+v", w.WorkerOptions)
	}
	w = &labourer{WorkerOptions: WorkerOptions{Workers: 1, Hold: time.Minute, Told: func(string) {}, Runner: nil}}
	if w.fill(); w.Workers != 1 || w.Hold != time.Minute || len(w.slots) != 1 {
		t.Errorf("%+v", w.WorkerOptions)
	}
	h := &harvest{sweep: grid(t, 2), place: map[string]int{}}
	if h.fill(); h.Lease != 30*time.Second || h.Look != 10*time.Second || h.Progress == nil || h.Told == nil || len(h.place) != 8 || h.place[h.sweep.Cells[5].ID] != 5 {
		t.Errorf("%+v", h.QueueOptions)
	}
	h = &harvest{sweep: grid(t, 2), place: map[string]int{}, QueueOptions: QueueOptions{Lease: 1, Look: 2}}
	if h.fill(); h.Lease != 1 || h.Look != 2 {
		t.Errorf("%+v", h.QueueOptions)
	}
	meta := h.about([]byte("text"))
	var id folder.Identity
	if err := errors.Join(json.Unmarshal([]byte(meta[metaBuild]), &id.Build), json.Unmarshal([]byte(meta[metaCode]), &id.Code)); err != nil || id.Build != folder.CurrentBuild() || id.Code != folder.CurrentCode() {
		t.Errorf("%+v, %v", id, err)
	}
	if meta[metaName] != "grid" || meta[metaSweep] != headOf([]byte("text")).Sum || meta[metaCells] != "8" || meta[metaLayout] != layout || meta[metaLease] != "1ns" {
		t.Errorf("%v", meta)
	}
}

// A worker is idle when it has no cell and had none for long enough, and it says what it does.
func TestHowAWorkerStands(t *testing.T) {
	b := newBench(t)
	w := b.labourer()
	one, _ := b.shift(1, 1)
	two, _ := b.shift(0, 1)
	b.a.taken.Add(5)
	if w.isIdle() || !w.enter(one, false) || !w.enter(two, false) || len(w.at) != 2 {
		t.Error("it does not begin")
	}
	if three, _ := b.shift(2, 1); w.enter(three, true) || len(w.at) != 2 || w.at[three] {
		t.Error("a third is alone")
	}
	w.refuse("k", &BuildError{"s", "it is old"})
	if s := w.state(); s.Name != "me" || s.Slots != 2 || s.Process != os.Getpid() || s.Build != folder.CurrentBuild().String() || s.Done != 0 || len(s.At) != 2 || s.At[0].Cell > s.At[1].Cell || !slices.Equal(s.Refused, []string{"s"}) || !b.heard("it is old") {
		t.Errorf("%+v", s)
	}
	w.Idle, w.last = time.Minute, time.Now().Add(-time.Hour)
	if w.isIdle() || !w.isRefused("k") || w.isRefused("l") {
		t.Error("idle, or refused")
	}
	w.leave(one, true)
	if w.leave(two, false); len(w.at) != 0 || w.done != 1 || w.isIdle() {
		t.Errorf("%d busy, %d done, %v", len(w.at), w.done, w.at)
	}
	four, _ := b.shift(3, 1)
	if w.leave(four, true); len(w.at) != 0 || w.done != 1 {
		t.Errorf("who never came leaves: %d busy, %d done", len(w.at), w.done)
	}
	w.last = time.Now().Add(-time.Hour)
	if !w.isIdle() {
		t.Error("it is never idle")
	}
	if w.Idle = 0; w.isIdle() {
		t.Error("it is idle though it never may be")
	}
}

// A worker ends with what stopped it, or with why it was never wanted.
func TestHowAWorkerEnds(t *testing.T) {
	b := newBench(t)
	w := b.labourer()
	w.refuse("k", &BuildError{"s", "it is old"})
	one, _ := b.shift(1, 1)
	five, _ := b.shift(4, 1)
	if !w.enter(five, true) || !w.isAlone() || w.enter(one, false) {
		t.Error("it is not alone")
	}
	if w.unite(); w.isAlone() {
		t.Error("it stays alone")
	}
	w.done = 0
	ctx, stop := context.WithCancelCause(t.Context())
	if err := w.verdict(ctx); err == nil || !strings.Contains(err.Error(), "it is old") {
		t.Error(err)
	}
	if w.done = 1; w.verdict(ctx) != nil {
		t.Error("it has done something")
	}
	if stop(errEmpty); !errors.Is(w.verdict(ctx), errEmpty) {
		t.Error(w.verdict(ctx))
	}
}

// Free slots are taken all at once, and none when there is none.
func TestFreeSlots(t *testing.T) {
	w := &labourer{WorkerOptions: WorkerOptions{Workers: 3}}
	w.fill()
	ctx, stop := stopped(t)
	defer stop()
	if n := w.freeSlots(t.Context()); n != 3 || len(w.slots) != 0 {
		t.Errorf("%d, %d left", n, len(w.slots))
	}
	if n := w.freeSlots(ctx); n != 0 {
		t.Errorf("%d", n)
	}
	w.slots <- struct{}{}
	if n := w.freeSlots(t.Context()); n != 1 {
		t.Errorf("%d", n)
	}
}

// A worker lists the sweeps that are there, refuses those of other builds, leaves those that are gone, and begins with another each time.
func TestSweepsOfAWorker(t *testing.T) {
	b := newBench(t)
	w := b.labourer()
	other := *b.h.queue
	other.key, other.meta = "ffffffffffff", map[string]string{metaName: "old", metaLayout: "1"}
	twin := *b.h.queue
	twin.key = "eeeeeeeeeeee"
	for _, q := range []*queue{&other, &twin} {
		if err := q.make(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	list, err := w.assignments(t.Context())
	if err != nil || len(list) != 2 || list[0].key == list[1].key || !w.isRefused(other.key) || !b.heard("works for sweep grid (8 cells)") || !b.heard("sweep old is of another build") {
		t.Fatalf("%v, %v, said %q", list, err, b.told)
	}
	again, err := w.assignments(t.Context())
	if err != nil || len(again) != 2 || again[0] != list[1] || again[1] != list[0] {
		t.Errorf("%v then %v, %v", list, again, err)
	}
	if err := w.list(t.Context()); err != nil || w.jobs[list[0].key] != list[0] || strings.Count(strings.Join(b.told, "\n"), "works for") != 2 || len(b.told) != 3 {
		t.Errorf("begun again: %v, said %q", err, b.told)
	}
	if err := errors.Join(other.remove(t.Context()), twin.remove(t.Context()), w.list(t.Context())); err != nil || w.isRefused(other.key) || len(w.jobs) != 1 || w.jobs[b.h.key] == nil {
		t.Errorf("%v, %v", w.jobs, err)
	}
	close(w.jobs[b.h.key].ended)
	if list, err := w.assignments(t.Context()); len(list) > 0 || err != nil || len(w.jobs) != 0 {
		t.Errorf("a sweep that is cancelled: %v, %v", list, err)
	}
	if list, err := w.assignments(t.Context()); list != nil || err != nil || len(w.jobs) != 0 {
		t.Errorf("listed again at once: %v, %v", list, err)
	}
	w.looked, w.delay = time.Time{}, time.Millisecond
	w.nc.Close()
	if _, err := w.assignments(t.Context()); err == nil {
		t.Error("a closed line is listed")
	}
}

// Sweeps are listed anew where the queue of one is gone; a queue has its key in the name of its stream.
func TestWhenSweepsAreListedAnew(t *testing.T) {
	w := new(labourer)
	for _, lost := range []error{nats.ErrNoResponders, jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, fmt.Errorf("x: %w", nats.ErrNoResponders)} {
		w.looked = time.Now()
		if w.retire(lost); !w.looked.IsZero() {
			t.Errorf("%v: they are not listed anew", lost)
		}
	}
	w.looked = time.Now()
	if w.retire(nats.ErrTimeout); w.looked.IsZero() {
		t.Error("a slow answer has them listed anew")
	}
	for _, key := range []string{"x", "x-cells", "kedge-x-cells", "kedge-x"} {
		if got := keyIn(&jetstream.StreamInfo{Config: jetstream.StreamConfig{Name: key}}); got != "x" {
			t.Errorf("%s is %s", key, got)
		}
	}
}

// A worker that cannot begin says why: no folder, no queue in the time that it may be idle, a wrong secret.
func TestWorkersThatCannotBegin(t *testing.T) {
	f := newFair(t)
	at := f.address()
	at.secret = "wrong"
	if n, err := Work(t.Context(), at, WorkerOptions{Idle: time.Minute}); n != 0 || !errors.Is(err, nats.ErrAuthorization) || !strings.HasPrefix(err.Error(), "the queue nats://127.0.0.1:") {
		t.Errorf("a wrong secret: %d, %v", n, err)
	}
	at, err := ParseAddress("nats://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := Work(t.Context(), at, WorkerOptions{Idle: time.Millisecond}); n != 0 || err == nil || !strings.Contains(err.Error(), "the queue nats://127.0.0.1:1 cannot be reached") {
		t.Errorf("no queue: %d, %v", n, err)
	}
	if _, err := OpenControl(t.Context(), at); err == nil {
		t.Error("it controls nothing")
	}
	if err := f.sweepOn(at); err == nil {
		t.Error("it sweeps nowhere")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if n, err := Work(t.Context(), f.address(), WorkerOptions{}); n != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %d, %v", n, err)
	}
}

// A worker says when its line to the queue is cut, and when it is there again.
func TestLinesThatAreCut(t *testing.T) {
	f := newFair(t)
	w := &labourer{WorkerOptions: WorkerOptions{Told: f.tell}}
	if err := w.connect(t.Context(), f.address()); err != nil {
		t.Fatal(err)
	}
	defer w.nc.Close()
	if err := w.nc.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if f.heard("the queue is back") {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if want := []string{"the queue is away; cells at work go on", "the queue is back"}; !slices.Equal(f.told, want) {
		t.Errorf("said %q", f.told)
	}
}

// sweepOn sweeps by the queue of another address.
func (f *fair) sweepOn(at Address) error {
	f.t.Helper()
	g := &fair{t: f.t, at: at}
	return g.sweep(f.t.Context(), grid(f.t, 2), filepath.Join(f.t.TempDir(), "grid"), QueueOptions{})
}

// twin is the queue of another sweep, whose key is behind others and whose name is before "grid".
func (b *bench) twin() *queue {
	t := b.t
	t.Helper()
	twin := *b.h.queue
	twin.key, twin.meta = "ffffffffffff", map[string]string{metaName: "another", metaLayout: layout, metaCells: "3", metaBuild: b.h.meta[metaBuild]}
	if err := twin.make(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	return &twin
}

// answers has a collector answer.
func (b *bench) answers() {
	b.t.Helper()
	for what, sheet := range map[string]string{"collector": `{"done": 1, "failed": 2}`, "retry": `{"failed": 4}`} {
		sub, err := b.h.nc.Subscribe(b.h.subject(what), func(m *nats.Msg) { m.Respond([]byte(sheet)) })
		if err != nil {
			b.t.Fatal(err)
		}
		b.t.Cleanup(func() { sub.Unsubscribe() })
	}
	if err := b.h.nc.Flush(); err != nil { // the server knows of it before anybody asks on another line
		b.t.Fatal(err)
	}
}

// A queue is shown with its sweeps and workers in order.
func TestQueuesAreShown(t *testing.T) {
	b := newBench(t)
	twin := b.twin()
	b.refill(0, 1, 2, 3, 4, 5, 6, 7)
	if _, err := b.a.pull(t.Context(), 3, 5*time.Second, func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"x", "y"} {
		if err := b.h.send(t.Context(), &nats.Msg{Subject: b.h.subject("done", cell)}, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, who := range []string{`{"name":"b","host":"h"}`, `{"name":"c","host":"g"}`, `{"name":"b","host":"h"}`, `{"name":"a","host":"h"}`, `{`, `{}`} {
		sub, err := b.h.nc.Subscribe(roll, func(m *nats.Msg) { m.Respond([]byte(who)) })
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Unsubscribe()
	}
	b.answers()
	c, err := OpenControl(t.Context(), b.address())
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.State(t.Context())
	build := folder.CurrentBuild().String()
	want := []QueuedSweep{{Key: twin.key, Name: "another", Cells: 3, Build: build}, {Key: b.h.key, Name: "grid", Cells: 8, Waiting: 5, Leased: 3, Results: 2, Build: build}}
	if one := &s.Sweeps[1]; err != nil || one.Done == nil || one.Failed == nil || *one.Done != 1 || *one.Failed != 2 {
		t.Errorf("%+v, %v", s, err)
	} else if one.Done, one.Failed = nil, nil; !slices.Equal(s.Sweeps, want) {
		t.Errorf("%+v", s)
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Host+w.Name)
	}
	if got := strings.Join(names, " "); got != "gc ha hb" {
		t.Errorf("workers %s", got)
	}
}

// Names and keys choose sweeps, and a sweep without a collector has nobody to be asked.
func TestSweepsAreChosen(t *testing.T) {
	b := newBench(t)
	twin := b.twin()
	b.answers()
	c, err := OpenControl(t.Context(), b.address())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"": 2, "grid": 1, "another": 1, b.h.key: 1, twin.key: 1, "x": 0} {
		list, err := c.chosen(t.Context(), name)
		if no := new(NoSweepError); len(list) != want || errors.As(err, &no) != (want == 0) || want == 0 && len(no.Has) != 2 {
			t.Errorf("%q: %d, %v", name, len(list), err)
		}
	}
	if n, unasked, err := c.Retry(t.Context(), "another"); n != 0 || err != nil || !slices.Equal(unasked, []string{"another"}) {
		t.Errorf("%d, %v, %v", n, unasked, err)
	}
	if n, unasked, err := c.Retry(t.Context(), ""); n != 4 || err != nil || !slices.Equal(unasked, []string{"another"}) {
		t.Errorf("%d, %v, %v", n, unasked, err)
	}
	if _, _, err := c.Retry(t.Context(), "x"); err == nil {
		t.Error("nothing is tried again")
	}
	b.a.cancel.Unsubscribe() // who hears it does not answer, which takes two seconds
	if names, err := c.Cancel(t.Context(), ""); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if list, err := queues(t.Context(), b.h.js); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	c.Close()
	_, err = c.State(t.Context())
	_, err2 := c.Cancel(t.Context(), "")
	if err == nil || err2 == nil || !strings.HasPrefix(err.Error(), "the queue: ") || !strings.HasPrefix(err2.Error(), "the queue: ") {
		t.Errorf("closed: %v, %v", err, err2)
	}
	if _, err := callRoll(t.Context(), c.nc); err == nil {
		t.Error("a roll is called on a closed line")
	}
}

// A queue off the loopback speaks TLS with its own certificate, and one whose place is taken says so.
func TestQueuesOfThisProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queue")
	e, err := Serve(dir, "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(e.URLFile); err != nil || string(text) != e.Address.Text()+"\n" || e.Address.scheme != "tls" || len(e.Address.pin) != 64 || e.Address.IsLocal() {
		t.Errorf("%s, %v", text, err)
	}
	_, port, err := net.SplitHostPort(e.Address.host)
	if err != nil {
		t.Fatal(err)
	}
	at := e.Address
	at.host = "127.0.0.1:" + port
	nc, err := at.call(t.Context(), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	at.pin = strings.Repeat("0", 64)
	if _, err := at.call(t.Context(), "test", false); err == nil || !strings.Contains(err.Error(), "not the pinned one") {
		t.Errorf("another pin: %v", err)
	}
	if _, err := Serve(filepath.Join(t.TempDir(), "queue"), "0.0.0.0:"+port); err == nil || !strings.HasPrefix(err.Error(), "--serve: ") {
		t.Errorf("a port that is taken: %v", err)
	}
	if err := e.Stop(true); err != nil {
		t.Error(err)
	}
}

// A queue that is begun again has its secret, one that is finished leaves nothing, and one that cannot keep anything says so.
func TestQueuesBeginAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queue")
	e, err := Serve(dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, keepName)); err != nil {
		t.Errorf("its secret is gone: %v", err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look: %v, %v", info.Mode(), err)
	}
	again, err := Serve(dir, "127.0.0.1:0")
	if err != nil || again.Address.secret != e.Address.secret || again.Address.scheme != "nats" {
		t.Fatal(err)
	}
	if err := again.Stop(true); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is left: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(file, "127.0.0.1:0"); err == nil {
		t.Error("it is served in a file")
	}
	if err := os.MkdirAll(filepath.Join(dir, keepName, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(dir, "127.0.0.1:0"); err == nil {
		t.Error("it keeps its secret nowhere")
	}
}

// Two cannot collect one sweep, and nobody collects who is stopped.
func TestOneCollectsASweep(t *testing.T) {
	f := newFair(t)
	nc, err := f.queue.call(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	w := grid(t, 2)
	q := &queue{key: keyOf(w.YAML())}
	sub, err := nc.Subscribe(q.subject("collector"), func(m *nats.Msg) { m.Respond([]byte("1")) }) // whatever it says
	if err != nil || nc.Flush() != nil {
		t.Fatal(err)
	}
	brief, end := context.WithTimeout(t.Context(), 10*time.Second) // which it does not take
	defer end()
	if err := f.sweep(brief, w, filepath.Join(t.TempDir(), "grid"), QueueOptions{}); !errors.Is(err, ErrCollected) {
		t.Error(err)
	}
	sub.Unsubscribe()
	ctx, stop := stopped(t)
	defer stop()
	if err := f.sweep(ctx, w, filepath.Join(t.TempDir(), "grid"), QueueOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A worker asks all its sweeps at once but the last, for which it waits, for as many cells as it has slots.
func TestFeeding(t *testing.T) {
	b := newBench(t)
	twin := *b.h.queue
	twin.key = "eeeeeeeeeeee"
	if err := twin.make(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	asked, err := b.h.nc.SubscribeSync("$JS.API.CONSUMER.MSG.NEXT.>")
	if err != nil {
		t.Fatal(err)
	}
	w := b.labourer()
	w.empty = func(string) (string, []byte) { return kindError, []byte("x") }
	var cause error
	stop := func(err error) { cause = err }
	begun := time.Now()
	w.feed(t.Context(), stop) // nobody has a cell: asked for at once, then waited for
	first, err := asked.NextMsg(5 * time.Second)
	if err != nil || string(first.Data) != `{"batch":2,"no_wait":true}` {
		t.Errorf("%s, %v", first.Data, err)
	}
	if second, err := asked.NextMsg(5 * time.Second); err != nil || string(second.Data) != `{"batch":2,"expires":1000000000}` || second.Subject == first.Subject || time.Since(begun) < time.Second {
		t.Errorf("%s, %v", second.Data, err)
	}
	asked.Unsubscribe()
	if len(w.slots) != 2 || cause != nil {
		t.Errorf("%d slots, %v", len(w.slots), cause)
	}
}

// Cells are computed in the slots of a worker, which it has again then; of queues that are gone it asks no more.
func TestSlotsAreUsedAgain(t *testing.T) {
	b := newBench(t)
	w := b.labourer()
	w.empty = func(string) (string, []byte) { return kindError, []byte("x") }
	stop := func(err error) { t.Error(err) }
	b.refill()
	done := func() int { w.mu.Lock(); defer w.mu.Unlock(); return w.done }
	for range 500 {
		if b.state(b.h.cells()).Msgs > 0 {
			w.feed(t.Context(), stop)
		}
		if b.state(b.h.results()).Msgs > 0 && done() == 8 && b.state(b.h.cells()).Msgs == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if s := w.state(); s.Done != 8 || len(s.At) != 0 || len(w.slots) != 2 || len(w.at) != 0 || b.state(b.h.cells()).Msgs != 0 {
		t.Errorf("%+v, %d slots, %d busy, %d cells left", s, len(w.slots), len(w.at), b.state(b.h.cells()).Msgs)
	}
	come, err := b.h.inside(t.Context(), b.h.results())
	if err != nil || len(come) != 8 {
		t.Errorf("%v, %v", come, err)
	}
	if err := b.h.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	for w.looked = time.Now(); !w.looked.IsZero() && len(w.slots) == 2 && time.Since(w.looked) < 5*time.Second; { // what is said of requests before comes first
		w.feed(t.Context(), stop)
	}
	if !w.looked.IsZero() || len(w.slots) != 2 {
		t.Errorf("a queue that is gone: looked %v, %d slots", w.looked, len(w.slots))
	}
	w.alone = true
	if w.feed(t.Context(), stop); len(w.slots) != 2 {
		t.Error("who is alone is fed")
	}
}

// A cell that hangs ends its worker; what is small waits to be delivered with others, and what is large is delivered at once; what else goes wrong with one is said, unless the worker is stopped.
func TestCellsThatEndAWorker(t *testing.T) {
	b := newBench(t)
	if err := b.h.supply(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := stopped(t)
	defer stop()
	for _, x := range []struct {
		ctx          context.Context
		err          error
		said         string
		ends, isDone bool
		body         int
	}{
		{t.Context(), &HungError{"c"}, "", true, false, 0}, {t.Context(), errGone, "its sweep is over", false, false, 0}, {ctx, errGone, "", false, false, 0}, {t.Context(), errEmpty, "", false, true, 0}, {t.Context(), nil, "", false, true, partSize + 1}, {t.Context(), nil, "", false, true, partSize},
	} {
		b.told = nil
		w := b.labourer()
		<-w.slots
		b.a.Runner = func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, x.err }
		if x.err == nil {
			b.a.Runner, b.a.empty = nil, func(string) (string, []byte) { return kindError, make([]byte, x.body) }
		}
		c, _ := b.shift(0, 1)
		b.a.taken.Add(1)
		var cause error
		w.do(x.ctx, func(err error) { cause = err }, c)
		waits := len(b.a.done) > 0 // for others, to be delivered with them
		if waits {
			(<-b.a.done).end(true)
		}
		if waits != (x.isDone && x.body <= partSize) || (cause != nil) != x.ends || cause != nil && !errors.Is(cause, x.err) || (x.said == "") != (len(b.told) == 0) || !b.heard(x.said) || len(w.slots) != 2 || (w.done == 1) != x.isDone || len(w.at) != 0 {
			t.Errorf("%v: waits %t, ends with %v, said %q, %d slots, %d done, %d busy", x.err, waits, cause, b.told, len(w.slots), w.done, len(w.at))
		}
		<-c.over
	}
}

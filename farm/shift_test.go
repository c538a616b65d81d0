package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A sweep that a worker cannot compute is refused with the reason.
func TestSweepsThatAreRefused(t *testing.T) {
	b := newBench(t)
	with := func(key, value string) map[string]string {
		meta := map[string]string{}
		for k, v := range b.h.meta {
			meta[k] = v
		}
		meta[key] = value
		return meta
	}
	options := func() WorkerOptions { return WorkerOptions{Workers: 2} }
	for _, x := range []struct {
		meta map[string]string
		o    WorkerOptions
		want string
	}{
		{with(metaLayout, "2"), options(), `its queue is laid out as "2", here as "3"`},
		{with(metaLease, "soon"), options(), `its leases take "soon"`},
		{with(metaLease, "0s"), options(), `its leases take "0s"`},
		{with(metaLease, "-1s"), options(), `its leases take "-1s"`},
		{with(metaBuild, "{"), options(), "unexpected end of JSON input"},
		{with(metaCode, "{"), options(), "unexpected end of JSON input"},
		{with(metaBuild, "{}"), options(), ""},
		{b.h.meta, WorkerOptions{Workers: 2, build: func(id *folder.Identity) { id.Code.Go = "go0" }}, "the version of Go was"},
	} {
		_, err := newAssignment(b.h.nc, b.h.key, x.meta, x.o, "me", t.TempDir())
		if no := new(BuildError); !errors.As(err, &no) || no.Sweep != "grid" || !strings.Contains(no.Why, x.want) || !strings.Contains(no.Error(), "sweep grid is of another build, of which this worker computes no cell: "+no.Why) {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
	if a, err := newAssignment(b.h.nc, b.h.key, with(metaLease, "1ns"), options(), "me", t.TempDir()); err != nil || a.lease != 1 {
		t.Errorf("the shortest lease: %v", err)
	}
	if _, err := newAssignment(b.h.nc, b.h.key, b.h.meta, options(), "me", filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// A sweep that is cancelled is left, once, and nothing is begun on a closed line.
func TestSweepsThatAreCancelled(t *testing.T) {
	b := newBench(t)
	options := func() WorkerOptions { return WorkerOptions{Workers: 2} }
	a, err := newAssignment(b.h.nc, b.h.key, b.h.meta, options(), "me", t.TempDir())
	if err != nil || a.isCancelled() || a.lease != 30*time.Second || a.name != "grid" || cap(a.done) != mostBundled || cap(a.out) != 24 {
		t.Errorf("%+v, %v", a, err)
	}
	for range 2 {
		if err := errors.Join(b.h.nc.Publish(b.h.subject("cancel"), nil), b.h.nc.Flush()); err != nil {
			t.Error(err)
		}
	}
	<-a.ended
	if !a.isCancelled() {
		t.Error("it is not cancelled")
	}
	a.leave()
	for range a.done {
		t.Error("something is done")
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(a.dir); err != nil {
			break
		}
	}
	if _, err := os.Stat(a.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is left: %v", err)
	}
	b.h.nc.Close()
	if _, err := newAssignment(b.h.nc, b.h.key, b.h.meta, options(), "me", t.TempDir()); err == nil {
		t.Error("a line that is closed")
	}
}

// Who asks for cells gets those that have come, at most so many; then it asks the queue, and says why none come.
func TestCellsAreAskedFor(t *testing.T) {
	b := newBench(t)
	var got []string
	take := func(m *nats.Msg) { got = append(got, string(m.Data)) }
	if n, err := b.a.pull(t.Context(), 3, 0, take); n != 0 || err != nil {
		t.Errorf("none: %d, %v", n, err)
	}
	b.a.out <- &nats.Msg{Reply: "x", Data: []byte("a")}
	b.a.out <- &nats.Msg{Reply: "x", Header: nats.Header{"Status": {"404"}}, Data: []byte("no")}
	b.a.out <- &nats.Msg{Data: []byte("no")}
	for _, name := range []string{"b", "c", "d"} {
		b.a.out <- &nats.Msg{Reply: "x", Data: []byte(name)}
	}
	asked, err := b.h.nc.SubscribeSync("$JS.API.CONSUMER.MSG.NEXT.>")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{3, 1} {
		if n, err := b.a.pull(t.Context(), 3, 0, take); n != want || err != nil {
			t.Errorf("%d, %v, want %d", n, err, want)
		}
	}
	if b.h.nc.Flush(); strings.Join(got, "") != "abcd" {
		t.Errorf("%q", got)
	}
	if n, _, err := asked.Pending(); n != 0 || err != nil {
		t.Errorf("more were asked for, %v", err)
	}
	asked.Unsubscribe()
}

// Cells are handed out while there are some; where none can come it is said why.
func TestQueuesThatHandNothingOut(t *testing.T) {
	b := newBench(t)
	var got []string
	take := func(m *nats.Msg) { got = append(got, string(m.Data)) }
	b.refill()
	for _, x := range []struct {
		most, want int
		wait       time.Duration
	}{{3, 3, 5 * time.Second}, {9, 5, 500 * time.Millisecond}, {1, 0, 0}} {
		if n, err := b.a.pull(t.Context(), x.most, x.wait, take); n != x.want || err != nil {
			t.Errorf("%d of %d, %v", n, x.most, err)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d came", len(got))
	}
	ctx, stop := stopped(t)
	defer stop()
	if n, err := b.a.pull(ctx, 1, time.Second, take); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %d, %v", n, err)
	}
}

// A queue that says nothing is not waited for, and one that is gone is told from it.
func TestQueuesThatAreSilent(t *testing.T) {
	b := newBench(t)
	take := func(*nats.Msg) {}
	silent := &assignment{queue: &queue{key: "silent", nc: b.h.nc, wait: time.Millisecond}, inbox: b.a.inbox, out: make(chan *nats.Msg)}
	sub, err := b.h.nc.SubscribeSync("$JS.API.CONSUMER.MSG.NEXT." + silent.cells() + "." + workers)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := silent.pull(t.Context(), 7, 3*time.Millisecond, take); n != 0 || !errors.Is(err, nats.ErrTimeout) {
		t.Errorf("silence: %d, %v", n, err)
	}
	if m, err := sub.NextMsg(time.Second); err != nil || string(m.Data) != `{"batch":7,"expires":3000000}` {
		t.Errorf("asked %s, %v", m.Data, err)
	}
	if err := b.h.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	for { // what is said of requests before comes first
		if n, err := b.a.pull(t.Context(), 1, 0, take); n != 0 || err != nil {
			if !errors.Is(err, nats.ErrNoResponders) {
				t.Errorf("a queue that is gone: %d, %v", n, err)
			}
			break
		}
	}
	b.h.nc.Close()
	if _, err := b.a.pull(t.Context(), 1, 0, take); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("a line that is closed: %v", err)
	}
}

// Files that specs name are put below the worker's folder and nowhere else; one that the sweep's host has not is missing.
func TestInputsOfWorkers(t *testing.T) {
	b := newBench(t)
	text := []byte("1,2\n")
	if err := b.h.offer(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	sum := headOf(text).Sum
	for name, want := range map[string]string{"../x": "no file below its folder", "/x": "no file below its folder", "a/../../x": "no file below its folder", "": "no file below its folder", "a/b.csv": "", "c.csv": ""} {
		if err := b.a.fetchInput(t.Context(), name, sum); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"a", "c.csv/d"} {
		if err := b.a.fetchInput(t.Context(), name, sum); err == nil {
			t.Errorf("%s is written over", name)
		}
	}
	if err := b.a.fetchInput(t.Context(), "e.csv", strings.Repeat("0", 64)); err != nil {
		t.Error(err)
	}
	if got := len(sums(t, b.a.dir)); got != 2 || sums(t, b.a.dir)["a/b.csv"] != sum {
		t.Errorf("%v", sums(t, b.a.dir))
	}
	if info, err := os.Stat(filepath.Join(b.a.dir, "a", "b.csv")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(b.a.dir, "a")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may look: %v, %v", info.Mode(), err)
	}
}

// A sweep is fetched once, and refused where it is none.
func TestSweepsAreFetched(t *testing.T) {
	b := newBench(t)
	if _, err := b.a.ready(t.Context()); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Errorf("a sweep that is not there: %v", err)
	}
	b.h.sweep.Inputs = nil
	if err := b.h.supply(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, err := b.a.ready(t.Context())
	if err != nil || w.Name != "grid" || string(w.YAML()) != string(b.h.sweep.YAML()) {
		t.Errorf("%v", err)
	}
	if again, err := b.a.ready(t.Context()); again != w || err != nil {
		t.Errorf("fetched twice, %v", err)
	}
	for _, spoil := range []string{"nonsense: [", "name: grid\nbase: none\n"} {
		b.a.sweep, b.a.meta = nil, map[string]string{metaSweep: headOf([]byte(spoil)).Sum}
		if err := b.h.offer(t.Context(), []byte(spoil)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.a.ready(t.Context()); err == nil {
			t.Errorf("%q is a sweep", spoil)
		}
	}
}

// A lease is renewed, ended and given back in the words of the queue, and by nobody who is dead.
func TestLeases(t *testing.T) {
	b := newBench(t)
	var dead atomic.Bool
	b.a.silent = dead.Load
	b.a.lease = 60 * time.Millisecond
	for place, isDead := range []bool{false, true} {
		dead.Store(isDead)
		c, heard := b.shift(place, 1)
		c.giveBack(1500 * time.Millisecond)
		c.acknowledge()
		want := `-NAK {"delay": 1500000000}|+ACK`
		if isDead {
			want = ""
		}
		if got := b.said(heard); got != want {
			t.Errorf("dead %t: %q", isDead, got)
		}
		c.renew()
		m, err := heard.NextMsg(map[bool]time.Duration{false: 10 * time.Second, true: 100 * time.Millisecond}[isDead])
		if isDead != (err != nil) || err == nil && string(m.Data) != "+WPI" {
			t.Errorf("dead %t: renewed with %v, %v", isDead, m, err)
		}
		close(c.over)
	}
	dead.Store(false)
	b.a.deaf = true
	c, heard := b.shift(2, 1)
	if c.acknowledge(); b.said(heard) != "" {
		t.Error("the deaf acknowledges")
	}
}

// A shift says what it is.
func TestShiftsSayWhatTheyAre(t *testing.T) {
	b := newBench(t)
	c, _ := b.shift(2, 1)
	for n := range 3 {
		if c, _ := b.shift(n, n+1); c.deliveries() != uint64(n+1) || c.cell() != b.h.sweep.Cells[n].ID {
			t.Errorf("%s, %d deliveries, want %d", c.cell(), c.deliveries(), n+1)
		}
	}
	if c.msg.Reply = "x"; c.deliveries() != 1 {
		t.Error("a message of nobody")
	}
	c.turns.Done.Store(3)
	c.turns.Total.Store(5)
	if s := c.state(); s.Sweep != b.a.key || s.Cell != c.cell() || s.Turns != 3 || s.Of != 5 || s.Phase != "computing" || s.Seconds < 0 {
		t.Errorf("%+v", s)
	}
	if newOutcome(c, kindCell, nil); c.state().Phase != "delivering" {
		t.Errorf("%+v", c.state())
	}
}

// A cell comes to its files, to what it died of, or to nothing where that says nothing of the cell.
func TestWhatCellsComeTo(t *testing.T) {
	b := newBench(t)
	w := b.h.sweep
	large, ctx := &problem.MemoryError{Of: "this host"}, t.Context()
	for _, x := range []struct {
		what   string
		runner lab.Runner
		data   string
		kind   string
		body   string
		err    string
	}{
		{"an error", func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, errEmpty }, "0", kindError, errEmpty.Error(), ""},
		{"a part", func(context.Context, lab.CellJob) (*folder.Result, error) { return &folder.Result{Partial: true}, nil }, "0", kindError, "stopped", ""},
		{"too large", func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, large }, "0", "", "", large.Error()},
		{"too late", func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, errLate }, "0", "", "", errLate.Error()},
		{"over", func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, errGone }, "0", "", "", errGone.Error()},
		{"hung", func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, &HungError{"c"} }, "0", "", "", "cell c took longer than it may and does not stop; the worker ends, and another tries the cell"},
		{"no number", nil, "x", "", "", `strconv.Atoi: parsing "x": invalid syntax`},
		{"another number", nil, "1", "", "", "the queue has it as number 1, which is " + w.Cells[1].ID},
		{"no such number", nil, "99", "", "", "99"},
	} {
		b.a.Runner = x.runner
		c, _ := b.shift(0, 1)
		c.msg.Data = []byte(x.data)
		kind, body, err := c.compute(ctx, w)
		if kind != x.kind || string(body) != x.body || (err == nil) != (x.err == "") || err != nil && !strings.Contains(err.Error(), x.err) {
			t.Errorf("%s: %s %q, %v", x.what, kind, body, err)
		}
	}
}

// A cell is computed from its sweep by its share of the cores, and its files are what is sent.
func TestCellsAreComputed(t *testing.T) {
	b := newBench(t)
	w, ctx := b.h.sweep, t.Context()
	var job lab.CellJob
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	b.a.Runner = func(ctx context.Context, j lab.CellJob) (*folder.Result, error) {
		job = j
		return lab.RunCell(ctx, j)
	}
	c, _ := b.shift(0, 1)
	for cores, share := range map[int]int{1: 1, 6: 3} { // of two cells at once
		runtime.GOMAXPROCS(cores)
		kind, body, err := c.compute(ctx, w)
		if err != nil || kind != kindCell || string(body) != string(computed(t, w, 0)) {
			t.Errorf("%s, %v", kind, err)
		}
		if job.Sweep != "grid" || job.Cell.ID != w.Cells[0].ID || job.Workers != share || runtime.GOMAXPROCS(0) != cores || job.Progress != &c.turns || c.turns.Done.Load() == 0 {
			t.Errorf("%d cores: %+v", cores, job)
		}
	}
	b.a.empty = func(cell string) (string, []byte) { return "k", []byte(cell) }
	if kind, body, err := c.compute(ctx, w); kind != "k" || string(body) != c.cell() || err != nil {
		t.Errorf("%s %s, %v", kind, body, err)
	}
}

// A cell is stopped when its time or its sweep is over, or its worker is stopped, with the reason.
func TestCellsAreStopped(t *testing.T) {
	b := newBench(t)
	b.a.Runner = func(ctx context.Context, _ lab.CellJob) (*folder.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	c, _ := b.shift(0, 1)
	b.a.Limit = 20 * time.Millisecond
	if _, err := c.run(t.Context(), lab.CellJob{}); !errors.Is(err, errLate) || err.Error() != "took longer than it may, 20ms" {
		t.Error(err)
	}
	b.a.Limit = 0
	ctx, stop := stopped(t)
	defer stop()
	if _, err := c.run(ctx, lab.CellJob{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(b.a.ended)
	if _, err := c.run(t.Context(), lab.CellJob{}); !errors.Is(err, errGone) {
		t.Error(err)
	}
}

// noted is what is written down of a cell's tries.
func (b *bench) noted(c *shift) string {
	b.t.Helper()
	text, _, err := b.h.last(b.t.Context(), b.h.subject("try", c.cell()))
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		b.t.Fatal(err)
	}
	return string(text)
}

// What a cell came to is delivered; where it is none the cell is given back, and only tries that somebody began in vain are written down.
func TestWorkOfAShift(t *testing.T) {
	b := newBench(t)
	ctx, stop := stopped(t)
	defer stop()
	large := &problem.MemoryError{Of: "this host"}
	fails := func(err error) lab.Runner {
		return func(context.Context, lab.CellJob) (*folder.Result, error) { return nil, err }
	}
	c, heard := b.shift(0, 1)
	if o, err := c.work(t.Context(), attempts{Tries: 1, Why: "it rained"}); o != nil || !errors.Is(err, jetstream.ErrMsgNotFound) || b.said(heard) != `-NAK {"delay": 5000000000}` || b.noted(c) != `{"tries":1,"why":"it rained"}` {
		t.Errorf("without a sweep: %v, %v, %s", o, err, b.noted(c))
	}
	if err := b.h.supply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.a.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct {
		ctx    context.Context
		runner lab.Runner
		past   attempts
		said   string
		noted  string
		err    error
	}{
		{ctx, fails(errEmpty), attempts{}, `-NAK {"delay": 0}`, "", context.Canceled},
		{ctx, fails(errEmpty), attempts{2, "w", nil}, `-NAK {"delay": 0}`, `{"tries":2,"why":"w"}`, context.Canceled},
		{t.Context(), fails(large), attempts{2, "w", []string{"x"}}, `-NAK {"delay": 500000000}`, string(must(json.Marshal(attempts{3, large.Error(), []string{"x"}}))), large},
		{t.Context(), fails(errLate), attempts{}, `-NAK {"delay": 500000000}`, `{"tries":1,"why":"took longer than it may"}`, errLate},
		{t.Context(), fails(errGone), attempts{}, "", "", errGone},
	} {
		b.a.Runner = x.runner
		c, heard := b.shift(i+1, 1)
		o, err := c.work(x.ctx, x.past)
		if said, noted := b.said(heard), b.noted(c); o != nil || !errors.Is(err, x.err) || said != x.said || noted != x.noted {
			t.Errorf("%d: %v, %v, said %s, noted %s", i, o, err, said, noted)
		}
	}
	b.a.Runner = fails(errEmpty)
	c, heard = b.shift(7, 1)
	if o, err := c.work(t.Context(), attempts{}); o == nil || err != nil || o.kind != kindError || string(o.body) != errEmpty.Error() || o.shift != c || b.said(heard) != "" {
		t.Errorf("%v, %v", o, err)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// try is a cell that was handed out so often, what is written down of it, and what a worker makes of it that has others.
type try struct {
	deliveries int
	noted      any
	busy       int
	alone      bool
	kind, said string
	after      string // what is noted then
}

func tries() []try {
	nak, other := `-NAK {"delay": 1000000000}`, []string{"other"}
	return []try{
		{1, nil, 3, false, kindError, "", ""},
		{2, nil, 3, false, kindError, "", `{"tries":1,"why":"its worker was lost","workers":["me"]}`},
		{2, attempts{4, "w", nil}, 3, false, kindError, "", `{"tries":4,"why":"w","workers":["me"]}`},
		{2, attempts{4, "w", other}, 3, false, kindError, "", `{"tries":4,"why":"w","workers":["other","me"]}`},
		{2, attempts{5, "w", nil}, 0, false, kindError, "", `{"tries":5,"why":"w","workers":["me"]}`},
		{2, attempts{5, "w", nil}, 1, false, "", nak, `{"tries":5,"why":"w"}`},
		{2, attempts{5, "w", other}, 0, false, kindError, "", `{"tries":5,"why":"w","workers":["other","me"]}`},
		{2, attempts{6, "w", other}, 0, false, "", nak, `{"tries":6,"why":"w","workers":["other"]}`},
		{2, attempts{6, "w", nil}, 0, false, kindError, "", `{"tries":6,"why":"w","workers":["me"]}`},
		{2, attempts{7, "w", nil}, 3, false, kindLost, "", `{"tries":7,"why":"w"}`},
		{1, nil, 0, true, "", nak, ""},
		{2, 7, 0, false, "", nak, "7"},
	}
}

// A cell is tried five times among others and twice alone, and nobody begins it while those who have it may be the last.
func TestTriesOfACell(t *testing.T) {
	b := newBench(t)
	b.a.empty = func(string) (string, []byte) { return kindError, []byte("x") }
	if err := b.h.supply(t.Context()); err != nil {
		t.Fatal(err)
	}
	sub, err := b.h.nc.Subscribe(roll+".other", func(m *nats.Msg) {
		m.Respond(fmt.Appendf(nil, `{"at": [{"sweep": %q, "cell": %q}]}`, b.a.key, b.h.sweep.Cells[0].ID))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	for i, x := range tries() {
		b.purge(b.h.data())
		if err := b.h.supply(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, heard := b.shift(0, x.deliveries)
		if x.noted != nil {
			if err := b.h.send(t.Context(), &nats.Msg{Subject: b.h.subject("try", c.cell()), Data: must(json.Marshal(x.noted))}, ""); err != nil {
				t.Fatal(err)
			}
		}
		w := &labourer{alone: x.alone, at: map[*shift]bool{}}
		for range x.busy {
			w.at[new(shift)] = true
		}
		o, err := w.attempt(t.Context(), c)
		kind := ""
		if o != nil {
			kind = o.kind
		}
		if said, noted := b.said(heard), b.noted(c); err != nil || kind != x.kind || said != x.said || noted != x.after || w.alone != x.alone || w.at[c] != (kind == kindError) {
			t.Errorf("%d: %s, %v, said %s, noted %s, alone %t", i, kind, err, said, noted, w.alone)
		}
		if kind == kindLost && string(o.body) != "tried 7 times, at last alone on a worker; in the end: w" {
			t.Errorf("%s", o.body)
		}
	}
}

// Of who has begun a cell the last six are written down.
func TestWhoHasBegunACell(t *testing.T) {
	var a attempts
	for i := range 9 {
		a = a.with(fmt.Sprint(i))
	}
	if want := strings.Fields("3 4 5 6 7 8"); !slices.Equal(a.Workers, want) {
		t.Errorf("%q, want %q", a.Workers, want)
	}
}

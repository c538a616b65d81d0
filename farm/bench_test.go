package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unique"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bench has the parts of a worker and of a collector by themselves, on a queue of their own.
type bench struct {
	*fair
	h   *harvest
	a   *assignment
	dir string // of the sweep
}

func newBench(t *testing.T) *bench {
	t.Helper()
	f, w := newFair(t), grid(t, 2)
	nc, err := f.queue.call(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	run, dir := receiving(t, w)
	h := &harvest{QueueOptions: QueueOptions{Told: f.tell}, sweep: w, run: run, place: map[string]int{}, dir: dir, who: make([]unique.Handle[string], len(w.Cells)), hurry: make(chan struct{}, 1)}
	h.fill()
	text := w.YAML()
	h.queue = newQueue(nc, keyOf(text), h.about(text), 0)
	if err := h.make(t.Context(), h.Lease); err != nil {
		t.Fatal(err)
	}
	b := &bench{fair: f, h: h, dir: dir}
	b.a, err = newAssignment(nc, h.key, h.meta, WorkerOptions{Kinds: kind.Standard(), Workers: 2, Hold: time.Hour, Told: f.tell, Runner: lab.RunCell}, "me", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shift is a cell that was handed out so often, and what is said about its lease.
func (b *bench) shift(place, deliveries int) (*shift, *nats.Subscription) {
	b.t.Helper()
	reply := fmt.Sprintf("$JS.ACK.%s.%s.%d.%d.%d.1700000000000000000.0", b.a.cells(), workers, deliveries, 900+place, 900+place)
	heard, err := b.a.nc.SubscribeSync(reply)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { heard.Unsubscribe() })
	m := &nats.Msg{Subject: b.a.subject("cell", b.h.sweep.Cells[place].ID), Reply: reply, Sub: b.a.hatch, Data: fmt.Append(nil, b.h.sweep.Cells[place].Index())}
	return &shift{assignment: b.a, msg: m, begun: time.Now(), over: make(chan struct{})}, heard
}

// said is what was said about a lease up to now.
func (b *bench) said(heard *nats.Subscription) string {
	b.t.Helper()
	if err := b.a.nc.Flush(); err != nil {
		b.t.Fatal(err)
	}
	var list []string
	for {
		m, err := heard.NextMsg(20 * time.Millisecond)
		if err != nil {
			return strings.Join(list, "|")
		}
		list = append(list, string(m.Data))
	}
}

// state is how a stream stands.
func (b *bench) state(stream string) jetstream.StreamState {
	b.t.Helper()
	s, err := b.h.js.Stream(b.t.Context(), stream)
	if err != nil {
		b.t.Fatal(err)
	}
	return s.CachedInfo().State
}

func (b *bench) purge(stream string) {
	b.t.Helper()
	s, err := b.h.js.Stream(b.t.Context(), stream)
	if err == nil {
		err = s.Purge(b.t.Context())
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// refill fills the queue and returns the places of the cells that are in it, once it has taken those that are wanted: it takes what is published in its own time.
func (b *bench) refill(want ...int) (places []int) {
	b.t.Helper()
	if err := b.h.refill(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		in, err := b.h.inside(b.t.Context(), b.h.cells())
		if err != nil {
			b.t.Fatal(err)
		}
		places = nil
		for id := range in {
			places = append(places, b.h.place[id])
		}
		if slices.Sort(places); len(places) >= len(want) || time.Now().After(deadline) {
			return places
		}
	}
}

// A queue is filled with the cells that are neither finished nor failed, neither waiting nor come, each once; it is not listed while results come, ten times at most.
func TestWhatAQueueIsFilledWith(t *testing.T) {
	b := newBench(t)
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	if got := b.refill(all...); !slices.Equal(got, all) || b.h.calm != mostCalm {
		t.Errorf("%v, calm %d", got, b.h.calm)
	}
	if got := b.refill(all...); !slices.Equal(got, all) || b.state(b.h.cells()).LastSeq != 8 {
		t.Errorf("%v, with %d messages in all", got, b.state(b.h.cells()).LastSeq)
	}
	taken := map[string]string{}
	n, err := b.a.pull(t.Context(), 8, 5*time.Second, func(m *nats.Msg) { taken[m.Subject] = string(m.Data) })
	if err != nil || n != 8 {
		t.Errorf("%d, %v", n, err)
	}
	for _, c := range b.h.sweep.Cells {
		if got := taken[b.h.subject("cell", c.ID)]; got != fmt.Sprint(c.Index()) {
			t.Errorf("cell %s is %q", c.ID, got)
		}
	}
	files, err := unpack(computed(t, b.h.sweep, 0))
	if err == nil {
		err = errors.Join(b.h.run.Receive(0, files), b.h.run.Fail(1, "of something"))
	}
	c, _ := b.shift(2, 1)
	if err == nil {
		err = b.a.hand(t.Context(), "x", []*outcome{newOutcome(c, kindError, nil)})
	}
	if err != nil {
		t.Fatal(err)
	}
	b.purge(b.h.cells())
	for left := mostCalm; left > 0; left-- {
		b.h.landed.Store(1)
		if got := b.refill(); len(got) > 0 || b.h.calm != left-1 || b.h.landed.Load() != 0 {
			t.Errorf("%v, calm %d, %d landed", got, b.h.calm, b.h.landed.Load())
		}
	}
	b.h.landed.Store(1)
	if got := b.refill(3, 4, 5, 6, 7); !slices.Equal(got, []int{3, 4, 5, 6, 7}) {
		t.Errorf("%v", got)
	}
	b.fails(2)
}

// fails has cells fail from one on, and tells when the sweep is complete.
func (b *bench) fails(from int) {
	t := b.t
	t.Helper()
	if b.h.isComplete() {
		t.Error("it is complete")
	}
	for place := from; place < 8; place++ {
		if err := b.h.run.Fail(place, "of something"); err != nil || b.h.isComplete() != (place == 7) {
			t.Errorf("%d: complete %t, %v", place, b.h.isComplete(), err)
		}
	}
}

// Whatever of a queue is gone or cannot be asked is said when it is filled.
func TestQueuesThatCannotBeFilled(t *testing.T) {
	for _, ground := range []string{"closed", "files"} {
		b := newBench(t)
		switch ground {
		case "closed":
			b.h.wait = time.Millisecond
			b.h.nc.Close()
		case "files":
			b.h.sweep.Inputs = map[string]string{".": "x"}
			b.h.Files = folderFS(t)
		}
		if err := b.h.refill(t.Context()); err == nil {
			t.Errorf("%s: it is filled", ground)
		}
		if _, err := b.h.inside(t.Context(), "kedge-missing"); err == nil {
			t.Errorf("%s: a stream that is not there is listed", ground)
		}
	}
}

// arrives is a result that has come to the collector.
func (b *bench) arrives(place int, kind string, body []byte) arrival {
	from := &bundle{Msg: letter{worker: "smith"}}
	from.open.Store(1)
	return arrival{result{Cell: b.h.sweep.Cells[place].ID, Kind: kind, Bytes: len(body)}, from, body}
}

// letter is a message of a worker.
type letter struct {
	jetstream.Msg
	worker string
	acked  *int
}

func (l letter) Headers() nats.Header { return nats.Header{headWorker: {l.worker}} }
func (l letter) Ack() error           { *l.acked++; return nil }

// wrong is a cell as a worker sends it whose last bit is another.
func (b *bench) wrong(place int) []byte {
	b.t.Helper()
	c := b.h.sweep.Cells[place]
	r, err := lab.RunCell(b.t.Context(), lab.CellJob{Sweep: b.h.sweep.Name, Cell: c, Spec: b.h.sweep.Spec(c), Workers: 1, Progress: new(lab.Progress)})
	if err != nil {
		b.t.Fatal(err)
	}
	wrongBit(r)
	files, err := r.CellFiles()
	if err != nil {
		b.t.Fatal(err)
	}
	return must(pack(files))
}

// What comes is kept, thrown away, asked for again, or ends the sweep.
func TestWhatComesIsTaken(t *testing.T) {
	b := newBench(t)
	ctx, whole, other := t.Context(), computed(t, b.h.sweep, 0), computed(t, b.h.sweep, 1)
	wrong := b.wrong(0)
	apart := func(under string) arrival {
		one := b.arrives(0, kindCell, nil)
		one.Under, one.Parcel = under, &parcelHead{Parts: 1, Bytes: 5, Sum: "no"}
		return one
	}
	missing := b.arrives(0, kindCell, nil)
	missing.Cell = "nobody"
	for _, x := range []struct {
		what   string
		one    arrival
		isHeld bool
		said   string // by the collector
		err    string
		landed int64
	}{
		{"a cell of no sweep", missing, false, "", "", 0},
		{"no archive", b.arrives(0, kindCell, []byte("x")), false, "what worker smith sent is thrown away: cell " + b.h.sweep.Cells[0].ID + " is not taken: unexpected EOF", "", 1},
		{"another cell's", b.arrives(0, kindCell, other), false, "smith sent is thrown away", "", 2},
		{"no kind", b.arrives(0, "none", nil), false, `its kind is "none"`, "", 3},
		{"parts of another", apart("kedge.x"), false, "its bytes are where no cell's are", "", 4},
		{"parts that are gone", apart(b.h.subject("part", b.h.sweep.Cells[0].ID) + ".x"), false, "message not found", "", 5},
		{"the cell", b.arrives(0, kindCell, whole), false, "", "", 6},
		{"the cell again", b.arrives(0, kindCell, whole), false, "", "", 7},
		{"given up when it is there", b.arrives(0, kindLost, []byte("x")), false, "", "", 8},
		{"another bit", b.arrives(0, kindCell, wrong), true, "", "the second time by smith, the first time by smith", 8},
		{"an error", b.arrives(1, kindError, []byte("bad luck")), false, "", "", 9},
		{"the same error", b.arrives(1, kindError, []byte("bad luck")), false, "", "", 10},
		{"given up after an error", b.arrives(1, kindLost, []byte("x")), false, "", "", 11},
		{"another error", b.arrives(1, kindError, []byte("good luck")), true, "", "failed in two ways: bad luck; good luck", 11},
		{"given up", b.arrives(2, kindLost, []byte("x")), false, "", "", 12},
		{"an error after it was", b.arrives(2, kindError, []byte("bad luck")), false, "", "", 13},
	} {
		b.told = nil
		isHeld, err := b.h.take(ctx, x.one)
		if isHeld != x.isHeld || (err == nil) != (x.err == "") || err != nil && !strings.Contains(err.Error(), x.err) || (x.said == "") != (len(b.told) == 0) || !b.heard(x.said) || b.h.landed.Load() != x.landed {
			t.Errorf("%s: held %t, %v, said %q, %d landed", x.what, isHeld, err, b.told, b.h.landed.Load())
		}
	}
	b.cameTo("", "bad luck", LostPrefix+"x")
	b.cannotBeTaken()
}

// cameTo compares what cells died of, the first of which is finished.
func (b *bench) cameTo(died ...string) {
	t := b.t
	t.Helper()
	for place, want := range died {
		if finished, died := b.h.run.Fate(b.h.sweep.Cells[place].ID); finished != (place == 0) || died != want {
			t.Errorf("cell %d: finished %t, %q", place, finished, died)
		}
	}
	if n := len(sums(t, b.dir+"-differs")); n != len(folder.CellNames()) {
		t.Errorf("%d files are set aside", n)
	}
}

// cannotBeTaken has a collector that is stopped, or whose queue is away, hold what comes.
func (b *bench) cannotBeTaken() {
	b.t.Helper()
	ctx, stop := stopped(b.t)
	if isHeld, err := b.h.take(ctx, b.arrives(3, kindCell, nil)); !isHeld || err != nil {
		b.t.Errorf("too late: held %t, %v", isHeld, err)
	}
	stop()
	b.h.wait = time.Millisecond
	b.h.nc.Close()
	one := b.arrives(3, kindCell, nil)
	one.Under, one.Parcel = b.h.subject("part", one.Cell)+".x", &parcelHead{Parts: 1, Bytes: 5, Sum: "no"}
	if isHeld, err := b.h.take(b.t.Context(), one); !isHeld || err != nil {
		b.t.Errorf("a queue that is away: held %t, %v", isHeld, err)
	}
}

// A message is acknowledged when all its results are kept, and never where one must come again.
func TestBundlesAreFinished(t *testing.T) {
	for _, held := range [][]bool{{false}, {false, false, false}, {true}, {false, true, false}, {true, false}, {false, true}} {
		acked := 0
		b := &bundle{Msg: letter{acked: &acked}}
		b.open.Store(int64(len(held)))
		for i, isHeld := range held {
			if b.finish(isHeld); acked > 0 && i < len(held)-1 {
				t.Errorf("%v: acknowledged after %d", held, i+1)
			}
		}
		if (acked == 1) != !slices.Contains(held, true) || acked > 1 {
			t.Errorf("%v: acknowledged %d times", held, acked)
		}
	}
}

// Who computed a cell is remembered by its place.
func TestWhoComputedACell(t *testing.T) {
	h := &harvest{who: make([]unique.Handle[string], 4)}
	for place, who := range []string{"ann", "bob", "ann"} {
		h.cameFrom(place, who)
	}
	for place, want := range []string{"eve, the first time by ann", "eve, the first time by bob", "eve, the first time by ann", "eve"} {
		if got := h.twice(place, "eve"); got != want {
			t.Errorf("%d: %s, want %s", place, got, want)
		}
	}
}

// Results are handed over as they are, small ones together and a large one in parts; what a worker has is bundled up to 32 cells and half a MiB.
func TestResultsAreBundled(t *testing.T) {
	b := newBench(t)
	var ends int
	put := func(place, size int) {
		c, _ := b.shift(place%8, 1)
		o := newOutcome(c, kindError, bytes.Repeat([]byte{byte('a' + place)}, size))
		o.end = func(is bool) {
			if is {
				ends++
			}
		}
		b.a.done <- o
	}
	for _, size := range []int{1, partSize - 1, 1, partSize, 0} { // 1 + (partSize-1) fit exactly
		put(len(b.a.done), size)
	}
	close(b.a.done)
	b.a.deliverAll(t.Context())
	if want := []string{"01:1 524287", "2:1", "34:524288 0"}; !slices.Equal(b.bundles(), want) || ends != 5 {
		t.Errorf("%q, %d ended; want %q", b.bundles(), ends, want)
	}
	b.a.done = make(chan *outcome, 100)
	for i := range 40 {
		put(i, 2)
	}
	close(b.a.done)
	b.purge(b.h.results())
	if b.a.deliverAll(t.Context()); b.state(b.h.results()).Msgs != 2 || ends != 45 {
		t.Errorf("%d bundles of 40, %d ended", b.state(b.h.results()).Msgs, ends)
	}
	b.purge(b.h.results())
	c, _ := b.shift(0, 1)
	large := bytes.Repeat([]byte("0123456789"), partSize/4)
	if err := b.a.hand(t.Context(), "x", []*outcome{newOutcome(c, kindCell, large)}); err != nil {
		t.Fatal(err)
	}
	list, _ := b.results()[0].heads(t)
	back, err := b.h.fetchParts(t.Context(), list[0].Under, *list[0].Parcel, len(large))
	if err != nil || !bytes.Equal(back, large) || list[0].Bytes != 0 || list[0].Kind != kindCell || list[0].Under != b.h.subject("part", c.cell(), "x") {
		t.Errorf("%+v, %v", list, err)
	}
}

type stored struct{ *jetstream.RawStreamMsg }

func (m stored) heads(t *testing.T) ([]result, [][]byte) {
	t.Helper()
	list, bodies, err := unbundle(m.Subject, m.Header.Get(headResults), m.Data)
	if err != nil || m.Header.Get(headWorker) != "me" {
		t.Fatalf("%v by %q", err, m.Header.Get(headWorker))
	}
	return list, bodies
}

// results are the messages that wait for the collector.
func (b *bench) results() (list []stored) {
	b.t.Helper()
	s, err := b.h.js.Stream(b.t.Context(), b.h.results())
	if err != nil {
		b.t.Fatal(err)
	}
	state := s.CachedInfo().State
	for i := state.FirstSeq; i <= state.LastSeq; i++ {
		m, err := s.GetMsg(b.t.Context(), i)
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, stored{m})
	}
	return list
}

// bundles are the places of cells in each message and how many bytes they have.
func (b *bench) bundles() (texts []string) {
	for _, m := range b.results() {
		var places, sizes strings.Builder
		list, bodies := m.heads(b.t)
		for i, r := range list {
			fmt.Fprint(&places, b.h.place[r.Cell])
			fmt.Fprintf(&sizes, " %d", len(bodies[i]))
			if want := bytes.Repeat([]byte{byte('a' + b.h.place[r.Cell])}, r.Bytes); !bytes.Equal(bodies[i], want) {
				b.t.Errorf("cell %d has bytes of another", b.h.place[r.Cell])
			}
		}
		texts = append(texts, places.String()+":"+sizes.String()[1:])
	}
	return texts
}

// A result that cannot be delivered is told, given back where the worker is stopped, and kept by nobody who is dead.
func TestResultsThatCannotBeDelivered(t *testing.T) {
	b := newBench(t)
	one := func() (*outcome, *nats.Subscription) {
		c, heard := b.shift(0, 1)
		return newOutcome(c, kindError, []byte("x")), heard
	}
	o, heard := one()
	if err := b.a.deliver(t.Context(), []*outcome{o}); err != nil || b.said(heard) != "+ACK" {
		t.Errorf("%v", err)
	}
	if err := b.h.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := stopped(t)
	defer stop()
	o, heard = one()
	if err := b.a.deliver(ctx, []*outcome{o}); !errors.Is(err, ctx.Err()) || b.said(heard) != `-NAK {"delay": 0}` {
		t.Errorf("of a worker that is stopped: %v", err)
	}
	b.a.Hold = time.Nanosecond
	o, heard = one()
	if err := b.a.deliver(t.Context(), []*outcome{o}); err == nil || !strings.HasPrefix(err.Error(), "they could not be delivered: ") || b.said(heard) != "" {
		t.Errorf("of a queue that is gone: %v", err)
	}
	ended := 0
	o.end = func(is bool) {
		if !is {
			ended++
		}
	}
	b.a.done <- o
	close(b.a.done)
	if b.a.deliverAll(t.Context()); ended != 1 || !b.heard("results of 1 cells: they could not be delivered") {
		t.Errorf("%d ended, said %q", ended, b.told)
	}
	b.a.silent = func() bool { return true }
	if err := b.a.deliver(t.Context(), []*outcome{o}); !errors.Is(err, errGone) {
		t.Errorf("of the dead: %v", err)
	}
}

// What is asked of a collector is answered: how far it is, that cells are tried again, that it ends.
func TestCollectorsAnswer(t *testing.T) {
	b := newBench(t)
	b.h.Progress = b.h.run.Progress
	var cause error
	subs, err := b.h.answer(func(err error) { cause = err })
	if err != nil || len(subs) != 3 {
		t.Fatal(err)
	}
	ask := func(what string) (s tallySheet) {
		t.Helper()
		m, err := b.h.nc.Request(b.h.subject(what), nil, 5*time.Second)
		if err == nil {
			err = json.Unmarshal(m.Data, &s)
		}
		if err != nil {
			t.Error(err)
		}
		return s
	}
	if err := errors.Join(b.h.run.Fail(0, LostPrefix+"x"), b.h.run.Fail(1, "x"), b.a.queue.send(t.Context(), &nats.Msg{Subject: b.h.subject("try", b.h.sweep.Cells[0].ID)}, "")); err != nil {
		t.Fatal(err)
	}
	if s := ask("collector"); s != (tallySheet{0, 2}) {
		t.Errorf("%+v", s)
	}
	if s := ask("retry"); s != (tallySheet{0, 1}) || len(b.h.hurry) != 1 || b.state(b.h.data()).Msgs != 0 {
		t.Errorf("%+v, %d hurry, %d notes", s, len(b.h.hurry), b.state(b.h.data()).Msgs)
	}
	if s := ask("retry"); s != (tallySheet{}) || len(b.h.hurry) != 1 {
		t.Errorf("%+v, %d hurry", s, len(b.h.hurry))
	}
	if s := ask("cancel"); s != (tallySheet{}) || !errors.Is(cause, ErrCancelled) {
		t.Errorf("%+v, %v", s, cause)
	}
	b.h.nc.Close()
	if _, err := b.h.answer(nil); err == nil {
		t.Error("nobody can ask, and nobody says so")
	}
	if err := b.h.gather(t.Context()); err == nil {
		t.Error("nobody can ask, and it gathers")
	}
}

// stopped is a context that is over.
func stopped(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	return ctx, stop
}

// folderFS are the files of an empty folder.
func folderFS(t *testing.T) fs.FS { return os.DirFS(t.TempDir()) }

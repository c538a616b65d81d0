package farm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unique"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// While a sweep goes on its cells wait in memory where the queue is the same process, and on the disk where it is another, and who looks sees what is computed
// elsewhere. Once it is over nothing of it is left in the queue, and the same again has nothing to do.
func TestASweepFromBeginToEnd(t *testing.T) {
	for isOwn, storage := range map[bool]jetstream.StorageType{true: jetstream.MemoryStorage, false: jetstream.FileStorage} {
		t.Run(storage.String(), func(t *testing.T) {
			t.Parallel()
			w, f := grid(t, 2), newFair(t)
			nc, err := f.address().call(t.Context(), "test", false)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			q := newQueue(nc, keyOf(w.YAML()), nil, 0)
			said := fmt.Sprintf(`{"name": "w", "at": [{"sweep": %q, "cell": %q}]}`, q.key, w.Cells[0].ID)
			if _, err := nc.Subscribe(roll, func(m *nats.Msg) { m.Respond([]byte(said)) }); err != nil || nc.Flush() != nil {
				t.Fatal(err)
			}
			begin := make(chan struct{})
			let := sync.OnceFunc(func() { close(begin) })
			defer let()
			f.work(WorkerOptions{Workers: 2, Runner: func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
				<-begin
				return lab.RunCell(ctx, job)
			}})
			dir, ended, progress := filepath.Join(t.TempDir(), "grid"), make(chan error, 1), new(lab.SweepProgress)
			o := QueueOptions{SweepOptions: lab.SweepOptions{Progress: progress}}
			if isOwn {
				o.Embedded = f.queue
			}
			go func() { ended <- f.sweep(t.Context(), w, dir, o) }()
			running := func() int { return len(progress.State().Running) }
			for range 2000 {
				if running() > 0 {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			s, err := q.js.Stream(t.Context(), q.cells())
			if err != nil || s.CachedInfo().Config.Storage != storage || running() != 1 {
				t.Errorf("%v, %d are seen", err, running())
			}
			let()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			for range 2 { // and again
				if left, err := queues(t.Context(), q.js); err != nil || len(left) > 0 {
					t.Errorf("left are %v, %v", left, err)
				}
				if err := f.sweep(t.Context(), w, dir, QueueOptions{}); err != nil {
					t.Error(err)
				}
			}
			if err := f.sweep(t.Context(), mustParse(t, strings.Replace(gridText(2), "0.01, to: 0.3", "0.02, to: 0.4", 1)), dir, QueueOptions{}); !errors.As(err, new(*folder.HeldError)) {
				t.Errorf("another sweep in its folder: %v", err)
			}
		})
	}
}

// A server that is not good enough is refused before anything is written.
func TestRefusedServersLeaveNothing(t *testing.T) {
	f := &fair{t: t, at: foreign(t, func(o *server.Options) { o.MaxPayload = 100_000 })}
	dir := filepath.Join(t.TempDir(), "grid")
	if err := f.sweep(t.Context(), grid(t, 2), dir, QueueOptions{}); !errors.As(err, new(*SettingsError)) {
		t.Error(err)
	}
	if list, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(list) > 0 {
		t.Errorf("left are %q, %v", list, err)
	}
}

// Who has ended to gather answers nobody any more.
func TestWhoHasGatheredIsSilent(t *testing.T) {
	b := newBench(t)
	ctx, stop := stopped(t)
	defer stop()
	if err := b.h.gather(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, what := range []string{"collector", "retry"} {
		if m, err := b.h.nc.Request(b.h.subject(what), nil, 5*time.Second); !errors.Is(err, nats.ErrNoResponders) {
			t.Errorf("%s: %v, %v", what, m, err)
		}
	}
}

// Of many cells every 1024th waits until the queue has taken it, and where it has not the filling ends.
func TestManyCellsAreNotSentBlindly(t *testing.T) {
	f, w := newFair(t), grid(t, 260)
	nc, err := f.queue.call(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	run, dir := receiving(t, w)
	h := &harvest{QueueOptions: QueueOptions{Told: f.tell}, sweep: w, run: run, place: map[string]int{}, dir: dir, who: make([]unique.Handle[string], len(w.Cells))}
	h.fill()
	h.queue = newQueue(nc, keyOf(w.YAML()), h.about(w.YAML()), 0)
	if err := h.make(t.Context(), h.Lease); err != nil {
		t.Fatal(err)
	}
	sub, err := nc.SubscribeSync(h.subject("cell", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.refill(t.Context()); err != nil {
		t.Fatal(err)
	}
	var asked []int
	for i := range w.Cells {
		m, err := sub.NextMsg(10 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if m.Reply != "" {
			asked = append(asked, i+1)
		}
	}
	if want := []int{1024}; !slices.Equal(asked, want) {
		t.Errorf("of %d cells these are waited for: %d, want %d", len(w.Cells), asked, want)
	}
	s, err := h.js.Stream(t.Context(), h.cells())
	if err == nil {
		err = s.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	js := &refusing{JetStream: h.js, reasons: []error{errEmpty}, always: true}
	h.js, h.calm = js, 0
	if err := h.refill(t.Context()); !errors.Is(err, errEmpty) || js.sent != 1 || h.calm != 0 {
		t.Errorf("%v after %d, calm %d", err, js.sent, h.calm)
	}
}

// unlisted are streams that do not say what is in them.
type unlisted struct{ jetstream.JetStream }

type mute struct{ jetstream.Stream }

func (u unlisted) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := u.JetStream.Stream(ctx, name)
	return mute{s}, err
}

func (mute) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	return nil, errEmpty
}

// What is in the way when a queue is filled is told, whatever it is: its streams, its files, what is in it.
func TestWhyAQueueIsNotFilled(t *testing.T) {
	b := newBench(t)
	js := b.h.js
	b.h.js = &answering{JetStream: js, answers: []error{errEmpty}}
	if err := b.h.refill(t.Context()); !errors.Is(err, errEmpty) {
		t.Errorf("it is not found: %v", err)
	}
	b.h.js = js
	b.refill(0)
	b.h.js = unlisted{js}
	if err := b.h.refill(t.Context()); !errors.Is(err, errEmpty) {
		t.Errorf("it cannot be listed: %v", err)
	}
	b.h.js = js
	b.h.sweep.Inputs, b.h.Files = map[string]string{"missing.csv": "x"}, folderFS(t)
	if err := b.h.supply(t.Context()); err != nil { // the cells that name it say so
		t.Errorf("a file that is missing: %v", err)
	}
	other := jetstream.StreamConfig{Name: "other", Subjects: []string{b.h.subject("done", "*")}}
	err := js.DeleteStream(t.Context(), b.h.results())
	if err == nil {
		_, err = js.CreateStream(t.Context(), other)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := b.h.refill(t.Context()); !errors.As(err, new(*SettingsError)) || !strings.Contains(err.Error(), b.h.results()) {
		t.Errorf("a stream is in the way: %v", err)
	}
	b.h.wait, b.h.sweep.Inputs = 10*time.Millisecond, nil
	b.h.nc.Close()
	if err := b.h.supply(t.Context()); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("a line that is closed: %v", err)
	}
}

// A consumer that is there and is another is told.
func TestConsumersInTheWay(t *testing.T) {
	b := newBench(t)
	other := jetstream.ConsumerConfig{Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, MaxWaiting: 5}
	err := b.h.js.DeleteConsumer(t.Context(), b.h.cells(), workers)
	if err == nil {
		_, err = b.h.js.CreateConsumer(t.Context(), b.h.cells(), other)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := b.h.refill(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "the queue: workers of "+b.h.cells()+": ") {
		t.Error(err)
	}
}

// sealing are streams of a server that seals them, whatever it is asked for.
type sealing struct{ jetstream.JetStream }

type sealed struct{ jetstream.Stream }

func (j sealing) CreateOrUpdateStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := j.JetStream.CreateOrUpdateStream(ctx, c)
	return sealed{s}, err
}

func (s sealed) CachedInfo() *jetstream.StreamInfo {
	info := *s.Stream.CachedInfo()
	info.Config.Sealed = true
	return &info
}

// A stream that is made otherwise than was asked for ends the making.
func TestStreamsThatAreMadeOtherwise(t *testing.T) {
	b := newBench(t)
	b.h.js = sealing{b.h.js}
	if err := b.h.make(t.Context(), b.h.Lease); !errors.As(err, new(*SettingsError)) || !strings.Contains(err.Error(), "stream "+b.h.data()+": sealed is true") {
		t.Error(err)
	}
}

// Parts of a result are forgotten when it is kept, and stay where it must come again; what cannot be set aside is nowhere.
func TestPartsAreForgotten(t *testing.T) {
	b := newBench(t)
	id := b.h.sweep.Cells[0].ID
	send := func(name string, body []byte) arrival {
		t.Helper()
		one := b.arrives(0, kindCell, nil)
		one.Under = b.h.subject("part", id, name)
		head, err := b.h.sendParts(t.Context(), one.Under, body)
		if err != nil {
			t.Fatal(err)
		}
		one.Parcel = &head
		return one
	}
	whole, wrong := send("a", computed(t, b.h.sweep, 0)), send("b", b.wrong(0))
	if n := b.state(b.h.data()).Msgs; n != 2 {
		t.Fatalf("%d parts", n)
	}
	if isHeld, err := b.h.take(t.Context(), whole); isHeld || err != nil || b.state(b.h.data()).Msgs != 1 {
		t.Errorf("held %t, %v, %d parts", isHeld, err, b.state(b.h.data()).Msgs)
	}
	aside := filepath.Join(b.dir+"-differs", id)
	differs := new(folder.DiffersError)
	if isHeld, err := b.h.take(t.Context(), wrong); !isHeld || !errors.As(err, &differs) || differs.Where != aside || b.state(b.h.data()).Msgs != 1 {
		t.Errorf("held %t, %v, %d parts", isHeld, err, b.state(b.h.data()).Msgs)
	}
	for _, name := range folder.CellNames() {
		path := filepath.Join(aside, name)
		if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if isHeld, err := b.h.take(t.Context(), wrong); !isHeld || !errors.As(err, &differs) || differs.Where != "" {
		t.Errorf("held %t, %v", isHeld, err)
	}
	if err := b.h.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.h.forget(t.Context(), "x") // where there is nothing
}

// A sweep whose workers' consumer is gone cannot be shown, which is told.
func TestSweepsThatCannotBeShown(t *testing.T) {
	b := newBench(t)
	c, err := OpenControl(t.Context(), b.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := b.h.js.DeleteConsumer(t.Context(), b.h.cells(), workers); err != nil {
		t.Fatal(err)
	}
	if s, err := c.State(t.Context()); s != nil || !errors.Is(err, jetstream.ErrConsumerNotFound) || !strings.HasPrefix(err.Error(), "the queue: ") {
		t.Errorf("%+v, %v", s, err)
	}
}

// A file that is not what was sent is no file of a worker, and a sweep that names it is none.
func TestSpoiltFilesOfWorkers(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"a/./x", "a//x", "a/../x", "a/"} {
		if err := b.a.fetchInput(t.Context(), name, "x"); err == nil || !strings.Contains(err.Error(), "no file below its folder") {
			t.Errorf("%q: %v", name, err)
		}
	}
	sum := headOf([]byte("1,2\n")).Sum
	if err := b.h.send(t.Context(), &nats.Msg{Subject: b.h.subject("in", sum), Data: []byte("{")}, ""); err != nil {
		t.Fatal(err)
	}
	if err := b.a.fetchInput(t.Context(), "a.csv", sum); !errors.Is(err, errSpoilt) || len(sums(t, b.a.dir)) > 0 {
		t.Errorf("%v, %v", err, sums(t, b.a.dir))
	}
	for more, want := range []error{nil, errSpoilt} { // one of 4 GiB is asked for, and missing
		size := 4<<30 + more
		head := fmt.Appendf(nil, `{"parts":%d,"bytes":%d,"sha256":%q}`, (size+partSize-1)/partSize, size, sum)
		if err := b.h.send(t.Context(), &nats.Msg{Subject: b.h.subject("in", sum), Data: head}, ""); err != nil {
			t.Fatal(err)
		}
		if err := b.a.fetchInput(t.Context(), "a.csv", sum); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", size, err, want)
		}
	}
	text := gridText(2) + "inputs: {a.csv: " + sum + "}\n"
	b.a.meta = map[string]string{metaSweep: headOf([]byte(text)).Sum}
	if err := b.h.offer(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.a.ready(t.Context()); !errors.Is(err, errSpoilt) {
		t.Error(err)
	}
}

// Of parts that hold more than was said no more are read than that.
func TestPartsThatAreTooLarge(t *testing.T) {
	b := newBench(t)
	whole := headOf(make([]byte, 2*partSize+1))
	for more, want := range []error{jetstream.ErrMsgNotFound, errSpoilt} { // one byte in the first, and none or one in the second; the third is not even there
		for i, size := range []int{partSize + 1, partSize + more} {
			m := &nats.Msg{Subject: b.h.subject("part", "x", fmt.Sprint(i)), Data: make([]byte, size)}
			if err := b.h.send(t.Context(), m, ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.h.fetchParts(t.Context(), b.h.subject("part", "x"), whole, 1<<30); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// A server that cannot be made, or cannot begin, says why.
func TestServersThatDoNotBegin(t *testing.T) {
	e := &Embedded{URLFile: filepath.Join(t.TempDir(), "url")}
	if err := e.start(&server.Options{ServerName: "two words"}); err == nil || !strings.HasPrefix(err.Error(), "--serve: ") {
		t.Error(err)
	}
	ear := new(ear)
	for _, one := range []struct {
		say  func(string, ...any)
		want string
	}{{ear.Errorf, "error 1"}, {ear.Noticef, "error 1"}, {ear.Warnf, "error 1"}, {ear.Debugf, "error 1"}, {ear.Tracef, "error 1"}, {ear.Fatalf, "fatal 1"}} {
		if one.say(strings.Fields(one.want)[0]+" %d", 1); ear.said.Load() != one.want {
			t.Errorf("%v is remembered, want %s", ear.said.Load(), one.want)
		}
	}
}

// batches are a consumer whose batches are empty and end for these reasons, and that has no more then.
type batches struct {
	jetstream.Consumer
	ends []error
}

func (b *batches) Fetch(int, ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	if len(b.ends) == 0 {
		return nil, errEmpty
	}
	end := b.ends[0]
	b.ends = b.ends[1:]
	return batch{end}, nil
}

type batch struct{ end error }

func (b batch) Error() error { return b.end }

func (b batch) Messages() <-chan jetstream.Msg {
	none := make(chan jetstream.Msg)
	close(none)
	return none
}

// consuming are streams with one consumer.
type consuming struct {
	jetstream.JetStream
	has *batches
}

func (c consuming) Consumer(context.Context, string, string) (jetstream.Consumer, error) {
	return c.has, nil
}

// Results are fetched for ever, also where none came in time, until it is said that none can come.
func TestResultsAreFetchedUntilNoneCanCome(t *testing.T) {
	slow, lost := fmt.Errorf("x: %w", nats.ErrTimeout), errors.New("lost")
	for _, x := range []struct {
		ends []error
		left int
		want error
	}{{nil, 0, errEmpty}, {[]error{nil, slow, nil}, 0, errEmpty}, {[]error{slow, lost, nil}, 1, lost}} {
		c := &batches{ends: x.ends}
		h := &harvest{queue: &queue{js: consuming{has: c}, wait: time.Minute}}
		if err := h.fetch(t.Context(), nil); !errors.Is(err, x.want) || len(c.ends) != x.left {
			t.Errorf("%v: %v, %d are left", x.ends, err, len(c.ends))
		}
	}
}

// letterOf is a message with the result of a cell.
type letterOf struct {
	letter
	cell string
}

func (l letterOf) Subject() string { return "x." + l.cell }
func (l letterOf) Data() []byte    { return nil }
func (l letterOf) Headers() nats.Header {
	return nats.Header{headResults: {fmt.Sprintf(`[{"cell": %q}]`, l.cell)}}
}

// Where nobody writes results any more they are handed to nobody.
func TestResultsThatComeTooLate(t *testing.T) {
	ctx, stop := stopped(t)
	defer stop()
	if (&harvest{}).spread(ctx, letterOf{cell: "a"}, make([]chan arrival, writers)) {
		t.Error("somebody has it")
	}
	all := make([]chan arrival, writers)
	for i := range all {
		all[i] = make(chan arrival, 1)
	}
	if !(&harvest{}).spread(t.Context(), letterOf{cell: "a"}, all) {
		t.Error("nobody has it")
	}
}

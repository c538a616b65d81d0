package farm

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// refusing is a queue that refuses messages: for each of these reasons one, or for ever for the last.
type refusing struct {
	jetstream.JetStream
	reasons []error
	always  bool
	sent    int
}

func (r *refusing) PublishMsg(context.Context, *nats.Msg, ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	r.sent++
	if r.always {
		return nil, r.reasons[0]
	}
	if r.sent <= len(r.reasons) {
		return nil, r.reasons[r.sent-1]
	}
	return new(jetstream.PubAck), nil
}

// Results are sent again every quarter of a second while their queue is away, for as long as they may be kept, and no longer than ten seconds once it is gone.
func TestHowLongResultsAreKept(t *testing.T) {
	silent, gone := nats.ErrTimeout, jetstream.ErrStreamNotFound
	for _, x := range []struct {
		what   string
		js     *refusing
		stream error // what the server says when it is asked for the queue
		took   time.Duration
		lost   bool
	}{
		{"they are taken", &refusing{}, nil, 0, false},
		{"it comes back", &refusing{reasons: []error{silent, silent, silent}}, silent, 750 * time.Millisecond, false},
		{"it stays away", &refusing{reasons: []error{silent}, always: true}, silent, time.Minute + time.Second/4, true},
		{"it is gone", &refusing{reasons: []error{gone}, always: true}, gone, 10 * time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			x.js.JetStream = &answering{answers: []error{x.stream}}
			a := &assignment{queue: &queue{js: x.js, wait: time.Second}, WorkerOptions: WorkerOptions{Hold: time.Minute, deaf: true}}
			o := newOutcome(&shift{assignment: a, msg: &nats.Msg{Subject: "x.cell"}}, kindError, []byte("x"))
			begun := time.Now()
			err := a.deliver(t.Context(), []*outcome{o})
			if took := time.Since(begun); took != x.took || x.lost != (err != nil) || err != nil && (!errors.Is(err, x.stream) || !strings.HasPrefix(err.Error(), "they could not be delivered: ")) {
				t.Errorf("%s: %v after %v, want %v", x.what, err, took, x.took)
			}
		})
	}
}

// A large result of which a part is refused is not handed over.
func TestPartsThatAreRefused(t *testing.T) {
	js := &refusing{reasons: []error{errEmpty}}
	a := &assignment{queue: &queue{js: js, wait: time.Second}}
	large := newOutcome(&shift{assignment: a, msg: &nats.Msg{Subject: "x.cell"}}, kindCell, make([]byte, partSize+1))
	if err := a.hand(t.Context(), "x", []*outcome{large}); !errors.Is(err, errEmpty) || js.sent != 1 {
		t.Errorf("%v after %d messages", err, js.sent)
	}
}

// Whose worker is stopped loses its results without a word: another computes the cells.
func TestWhoIsStoppedSaysNothing(t *testing.T) {
	b := newBench(t)
	ctx, stop := stopped(t)
	defer stop()
	c, _ := b.shift(0, 1)
	lost := 0
	o := newOutcome(c, kindError, []byte("x"))
	o.end = func(is bool) {
		if !is {
			lost++
		}
	}
	b.a.done <- o
	close(b.a.done)
	if b.a.deliverAll(ctx); lost != 1 || len(b.told) > 0 {
		t.Errorf("%d lost, said %q", lost, b.told)
	}
	if b.h.replenish(ctx, func(err error) { t.Error(err) }); len(b.told) > 0 {
		t.Errorf("a collector said %q", b.told)
	}
}

// A lease is renewed three times while it lasts, and every ten milliseconds at most, until the cell is over.
func TestHowOftenLeasesAreRenewed(t *testing.T) {
	b := newBench(t)
	for lease, want := range map[time.Duration]uint64{60 * time.Millisecond: 50, 30 * time.Second: 0, 3 * time.Second: 1, 9 * time.Millisecond: 100, 0: 100} {
		synctest.Test(t, func(t *testing.T) {
			b.a.lease = lease
			c := &shift{assignment: b.a, msg: &nats.Msg{Reply: "somebody"}, over: make(chan struct{})}
			before := b.a.nc.Stats().OutMsgs
			c.renew()
			time.Sleep(time.Second + time.Millisecond) // of the time that passes here when all wait
			close(c.over)
			synctest.Wait()
			if got := b.a.nc.Stats().OutMsgs - before; got != want {
				t.Errorf("a lease of %v is renewed %d times a second, want %d", lease, got, want)
			}
		})
	}
}

// A worker that has nothing to do, or may do nothing now, waits before it looks again, and keeps its slots.
func TestHowLongAWorkerWaits(t *testing.T) {
	for _, x := range []struct {
		what     string
		is       *labourer
		took     time.Duration
		hasSlots bool
	}{
		{"no sweep", &labourer{}, time.Second, true},
		{"a cell that must be alone", &labourer{alone: true}, 100 * time.Millisecond, true},
		{"one that plays dead", &labourer{WorkerOptions: WorkerOptions{silent: func() bool { return true }}}, 100 * time.Millisecond, true},
		{"no slot, and no sweep", &labourer{}, 2 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := x.is
			w.Workers = 2
			if w.fill(); !x.hasSlots {
				<-w.slots
				<-w.slots
			}
			begun := time.Now()
			w.looked = begun.Add(time.Second / 2) // so that it does not list them now
			w.feed(t.Context(), func(err error) { t.Error(err) })
			if took := time.Since(begun); took != x.took || len(w.slots) != map[bool]int{true: 2}[x.hasSlots] {
				t.Errorf("%s: %v, %d slots", x.what, took, len(w.slots))
			}
		})
	}
}

// A cell that goes on for ten seconds after its time was over ends its worker.
func TestCellsThatDoNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		a := &assignment{ended: make(chan struct{}), WorkerOptions: WorkerOptions{Limit: time.Minute, Runner: func(context.Context, lab.CellJob) (*folder.Result, error) {
			<-release
			return nil, nil
		}}}
		begun := time.Now()
		_, err := (&shift{assignment: a, msg: &nats.Msg{Subject: "x.cell"}}).run(t.Context(), lab.CellJob{})
		if hung := new(HungError); !errors.As(err, &hung) || hung.Cell != "cell" || time.Since(begun) != 70*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// Whoever leaves a sweep hears no more of it, and what its cells came to is waited for.
func TestSweepsThatAreLeft(t *testing.T) {
	b := newBench(t)
	before := b.a.nc.NumSubscriptions()
	synctest.Test(t, func(t *testing.T) {
		b.a.taken.Add(1)
		b.a.leave()
		synctest.Wait()
		select {
		case <-b.a.done:
			t.Error("a cell that was taken cannot be delivered")
		default:
		}
		b.a.taken.Done()
		synctest.Wait()
		if _, isOpen := <-b.a.done; isOpen {
			t.Error("something is to be delivered")
		}
	})
	if left := b.a.nc.NumSubscriptions(); left != before-2 {
		t.Errorf("%d subscriptions before, %d are left", before, left)
	}
}

// A worker without a limit tries again and again to reach its queue.
func TestWorkersWaitForTheirQueue(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var tried atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if c.Close(); tried.Add(1) == 2 {
				stop()
			}
		}
	}()
	at := Address{scheme: "nats", host: l.Addr().String()}
	if n, err := Work(ctx, at, WorkerOptions{}); n != 0 || err == nil || tried.Load() != 2 {
		t.Errorf("%d cells, %v after %d tries", n, err, tried.Load())
	}
}

// unreachable is a network on which nobody is there.
type unreachable int

func (u *unreachable) Dial(string, string) (net.Conn, error) { *u++; return nil, errEmpty }

// Whoever is patient tries to reach a queue twice a second until the time is over, and others once.
func TestHowOftenAQueueIsCalled(t *testing.T) {
	at, err := ParseAddress("nats://127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for isPatient, want := range map[bool]unreachable{true: 21, false: 1} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
			defer stop()
			var tried unreachable
			if _, err := at.call(ctx, "somebody", isPatient, nats.SetCustomDialer(&tried)); err == nil || tried != want || isPatient != (ctx.Err() != nil) {
				t.Errorf("patient %t: %d times, want %d, %v", isPatient, tried, want, err)
			}
		})
	}
}

// A worker that plays dead does not answer who asks for it, and one that lives does.
func TestTheDeadDoNotAnswer(t *testing.T) {
	for _, isDead := range []bool{true, false} {
		f := newFair(t)
		f.work(WorkerOptions{Workers: 1, silent: func() bool { return isDead }})
		nc, err := f.queue.call(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		var m *nats.Msg
		for err = nats.ErrNoResponders; errors.Is(err, nats.ErrNoResponders); { // it has not begun
			m, err = nc.Request(roll, nil, map[bool]time.Duration{true: 100 * time.Millisecond, false: 10 * time.Second}[isDead])
		}
		if isDead != errors.Is(err, nats.ErrTimeout) || !isDead && (err != nil || !strings.Contains(string(m.Data), `"slots":1`)) {
			t.Errorf("dead %t: %v, %v", isDead, m, err)
		}
	}
}

// The lease of a cell is renewed while it is computed.
func TestCellsKeepTheirLease(t *testing.T) {
	b := newBench(t)
	if err := b.h.supply(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.a.lease = 30 * time.Millisecond
	c, heard := b.shift(0, 1)
	var said string
	b.a.Runner = func(context.Context, lab.CellJob) (*folder.Result, error) {
		m, err := heard.NextMsg(20 * time.Second)
		if err == nil {
			said = string(m.Data)
		}
		return nil, errEmpty
	}
	w := b.labourer()
	<-w.slots
	b.a.taken.Add(1)
	w.do(t.Context(), func(err error) { t.Error(err) }, c)
	if (<-b.a.done).end(true); said != "+WPI" {
		t.Errorf("said %q", said)
	}
}

// Whoever wants to write down that it begins a cell, and finds that another has done so meanwhile, gives it back.
func TestCellsThatTwoBegin(t *testing.T) {
	b := newBench(t)
	c, heard := b.shift(0, 2)
	note := func(who string) {
		m := &nats.Msg{Subject: b.h.subject("try", c.cell()), Data: []byte(`{"tries": 1, "workers": ["` + who + `"]}`)}
		if err := b.h.send(t.Context(), m, ""); err != nil {
			t.Error(err)
		}
	}
	note("other")
	sub, err := b.h.nc.Subscribe(roll+".other", func(m *nats.Msg) {
		note("third")
		m.Respond([]byte("{}"))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	b.a.empty = func(string) (string, []byte) { return kindError, nil }
	o, err := b.labourer().attempt(t.Context(), c)
	if said := b.said(heard); o != nil || err != nil || said != `-NAK {"delay": 1000000000}` || !strings.Contains(b.noted(c), "third") {
		t.Errorf("%v, %v, said %s, noted %s", o, err, said, b.noted(c))
	}
}

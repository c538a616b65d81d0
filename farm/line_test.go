package farm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A line that is lost is made anew for ever, after a quarter to half a second each time, and one that is dead is found so within 20 s; what is sent meanwhile
// is refused and not kept to be sent when nobody waits for it any more, and no server says where others are.
func TestLinesAreMadeAnew(t *testing.T) {
	nc, err := foreign(t, nil).call(t.Context(), "somebody", false)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	o := nc.Opts
	if o.Name != "somebody" || !o.AllowReconnect || o.MaxReconnect >= 0 || o.ReconnectBufSize >= 0 || !o.IgnoreDiscoveredServers || !o.NoCallbacksAfterClientClose {
		t.Errorf("%+v", o)
	}
	const quarter = time.Second / 4
	if o.ReconnectWait != quarter || o.ReconnectJitter != quarter || o.ReconnectJitterTLS != quarter {
		t.Errorf("again after %v, and up to %v or %v more", o.ReconnectWait, o.ReconnectJitter, o.ReconnectJitterTLS)
	}
	if found := o.PingInterval * time.Duration(o.MaxPingsOut+1); o.Timeout != 5*time.Second || found != 20*time.Second {
		t.Errorf("an answer takes %v at most, and a dead line %v", o.Timeout, found)
	}
	o.AsyncErrorCB(nc, nil, nats.ErrSlowConsumer) // says nothing
}

// Who is at work is asked on a line that is there alone: while it is away that is an error, and not that nobody is.
func TestRollsWhileTheQueueIsAway(t *testing.T) {
	at, s := foreignServer(t, nil)
	away, isAway := context.WithCancel(t.Context())
	nc, err := at.call(t.Context(), "somebody", false, nats.DisconnectErrHandler(func(*nats.Conn, error) { isAway() }))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	s.Shutdown()
	<-away.Done()
	if list, err := callRoll(t.Context(), nc); list != nil || !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Errorf("%v, %v", list, err)
	}
}

// A queue of kedge's own lets whoever reads slowly be 256 MiB behind, asks for its token, and off the loopback speaks TLS.
func TestHowAQueueIsServed(t *testing.T) {
	for listen, isSecret := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		e, err := Serve(t.TempDir(), listen)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.server.Varz(new(server.VarzOptions))
		if err != nil || v.MaxPending != 268_435_456 || !v.AuthRequired || v.TLSRequired != isSecret || v.Port == 0 || v.Name != "kedge" || isSecret && v.TLSTimeout != 10 {
			t.Errorf("%s: %+v, %v", listen, v, err)
		}
		if err := e.Stop(true); err != nil {
			t.Error(err)
		}
	}
}

// A queue that keeps nothing is ended when it says so, and nobody is told where it is.
func TestQueuesThatKeepNothing(t *testing.T) {
	e := &Embedded{URLFile: filepath.Join(t.TempDir(), "url")}
	err := e.start(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err == nil || !strings.HasPrefix(err.Error(), "--serve: the queue does not start: ") || e.server.Running() {
		t.Errorf("running %t, %v", e.server.Running(), err)
	}
	if _, err := os.Stat(e.URLFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its address is told: %v", err)
	}
}

// Who gets no answer has waited for it; who is told at once that nobody answers waits a tenth of that before the next time.
func TestHowLongQuestionsTake(t *testing.T) {
	for _, x := range []struct {
		what string
		call func(ctx context.Context) error
		want time.Duration
	}{
		{"silence", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 40 * time.Second},
		{"nobody is there", func(context.Context) error { return nats.ErrNoResponders }, 4 * time.Second},
		{"an answer", func(context.Context) error { return errEmpty }, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			if err := patiently(t.Context(), 10*time.Second, x.call); err == nil || time.Since(begun) != x.want {
				t.Errorf("%s: %v after %v, want %v", x.what, err, time.Since(begun), x.want)
			}
		})
	}
}

// answering are streams that are asked for: the answers come one after another, and the last again and again.
type answering struct {
	jetstream.JetStream
	answers []error
	asked   int
	then    func() // where there is one, once all answers were given
}

func (a *answering) Stream(context.Context, string) (jetstream.Stream, error) {
	if a.asked++; a.asked == len(a.answers) && a.then != nil {
		a.then()
	}
	return nil, a.answers[min(a.asked, len(a.answers))-1]
}

// The queue of a sweep is gone when its server has said so for ten seconds, every half; a server that says nothing, or has it again, leaves hope.
func TestQueuesThatAreGone(t *testing.T) {
	gone := jetstream.ErrStreamNotFound
	var late []error
	for range 19 {
		late = append(late, gone)
	}
	for _, x := range []struct {
		what    string
		answers []error
		is      bool
		asked   int
	}{
		{"it is there", []error{nil}, false, 1},
		{"nobody answers", []error{nats.ErrTimeout}, false, 1},
		{"it comes back", []error{gone, gone, nil}, false, 3},
		{"it comes back late", append(late, nil), false, 20},
		{"the server goes too", []error{gone, nats.ErrNoResponders}, false, 2},
		{"it is gone", []error{gone}, true, 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			js, begun := &answering{answers: x.answers}, time.Now()
			a := &assignment{queue: &queue{js: js, wait: time.Second}}
			is, took := a.isOver(t.Context()), time.Since(begun)
			want := time.Duration(x.asked-1) * time.Second / 2
			if x.is {
				want = 10 * time.Second
			}
			if is != x.is || took != want {
				t.Errorf("%s: over %t after %v, want %v", x.what, is, took, want)
			}
			if js.asked != x.asked {
				t.Errorf("%s: asked %d times, want %d", x.what, js.asked, x.asked)
			}
		})
	}
}

// Results for a queue that is only away are kept until the worker is stopped.
func TestResultsForAQueueThatIsAway(t *testing.T) {
	b := newBench(t)
	c, heard := b.shift(0, 1)
	if err := b.h.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	js := &answering{JetStream: b.a.js, answers: []error{nats.ErrTimeout, nil}, then: stop}
	b.a.js = js
	b.a.wait = 20 * time.Millisecond
	if err := b.a.deliver(ctx, []*outcome{newOutcome(c, kindError, []byte("x"))}); !errors.Is(err, context.Canceled) || js.asked != 2 || b.said(heard) != `-NAK {"delay": 0}` {
		t.Errorf("asked %d times, %v", js.asked, err)
	}
}

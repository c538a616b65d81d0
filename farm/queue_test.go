package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A question without an answer is asked four times, one with an answer once, whatever the answer is.
func TestQuestionsAreAskedAgain(t *testing.T) {
	silences := []error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrDisconnected, nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting}
	ask := func(ctx context.Context, answers ...error) (n int, err error) {
		err = patiently(ctx, 5*time.Millisecond, func(ctx context.Context) error {
			if until, limited := ctx.Deadline(); !limited || time.Until(until) > time.Minute {
				t.Error("it may take for ever")
			}
			n++
			return answers[min(n, len(answers))-1]
		})
		return n, err
	}
	for _, silence := range silences {
		if n, err := ask(t.Context(), fmt.Errorf("x: %w", silence)); n != mostAsked || !errors.Is(err, silence) {
			t.Errorf("%v: asked %d times, %v", silence, n, err)
		}
		if n, err := ask(t.Context(), silence, silence, nil); n != 3 || err != nil {
			t.Errorf("%v: asked %d times, %v", silence, n, err)
		}
		ctx, stop := stopped(t)
		if n, err := ask(ctx, silence); n != 1 || !errors.Is(err, silence) {
			t.Errorf("%v and stopped: asked %d times, %v", silence, n, err)
		}
		stop()
	}
	for _, answer := range []error{nil, errEmpty, jetstream.ErrStreamNotFound, context.Canceled} {
		if n, err := ask(t.Context(), answer); n != 1 || !errors.Is(err, answer) {
			t.Errorf("%v: asked %d times, %v", answer, n, err)
		}
	}
	if err := within(t.Context(), time.Millisecond, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, stop := stopped(t)
	defer stop()
	pause(ctx, time.Hour) // returns
}

// What a server never will do is a matter of its settings; what it cannot do now is not.
func TestRefusalsOfServers(t *testing.T) {
	err := refusal("stream x", fmt.Errorf("y: %w", &jetstream.APIError{Code: http.StatusBadRequest, Description: "no"}))
	if wrong := new(SettingsError); !errors.As(err, &wrong) || *wrong != (SettingsError{"stream x", "no"}) || err.Error() != "the queue: stream x: no; change the server's settings, or let kedge serve its own with --serve" {
		t.Error(err)
	}
	for _, why := range []error{&jetstream.APIError{Code: 500, Description: "no"}, errEmpty} {
		err := refusal("stream x", why)
		if wrong := new(SettingsError); errors.As(err, &wrong) || !errors.Is(err, why) || err.Error() != "the queue: stream x: "+why.Error() {
			t.Error(err)
		}
	}
}

// The settings of streams and of consumers, and the subjects, are those that were recorded: servers and workers of one layout must agree on them.
func TestSettingsOfQueuesAsRecorded(t *testing.T) {
	var got []string
	for _, own := range []bool{false, true} {
		q := &queue{key: "0123456789ab", meta: map[string]string{"a": "b"}, own: own}
		for _, s := range q.streams() {
			got = append(got, string(must(json.Marshal(s))))
		}
	}
	q := &queue{key: "k"}
	list := q.consumers(time.Minute)
	for _, stream := range slices.Sorted(maps.Keys(list)) {
		got = append(got, stream+" "+string(must(json.Marshal(list[stream]))))
	}
	got = append(got, q.subject("cell"), q.subject("part", "a", "b"))
	evidence.AsRecorded(t, "testdata/queue.txt", got)
	if a, b := keyOf([]byte("a")), keyOf([]byte("b")); len(a) != 12 || a == b || a != keyOf([]byte("a")) || strings.Trim(a, "0123456789abcdef") != "" {
		t.Errorf("%s, %s", a, b)
	}
}

// Limits of a server that are just enough are, and those that are not are named.
func TestLimitsOfServers(t *testing.T) {
	var payload int32 = partSize + headRoom
	at, s := foreignServer(t, func(o *server.Options) { o.MaxPayload = payload })
	enough := server.JetStreamAccountLimits{MaxMemory: -1, MaxStore: 64 << 20, MaxStreams: 3, MaxConsumers: 1, MaxAckPending: 1000, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1}
	nc, err := at.call(t.Context(), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	q := newQueue(nc, "0123456789ab", nil, 0)
	for _, x := range []struct {
		want   string
		change func(*server.JetStreamAccountLimits)
	}{
		{"", func(*server.JetStreamAccountLimits) {}},
		{"", func(l *server.JetStreamAccountLimits) {
			l.MaxStreams, l.MaxConsumers, l.MaxStore, l.MaxAckPending = -1, -1, -1, -1
		}},
		{"", func(l *server.JetStreamAccountLimits) { l.MaxAckPending = 0 }}, // none
		{"max_streams", func(l *server.JetStreamAccountLimits) { l.MaxStreams-- }},
		{"max_consumers", func(l *server.JetStreamAccountLimits) { l.MaxConsumers-- }},
		{"max_store", func(l *server.JetStreamAccountLimits) { l.MaxStore-- }},
		{"max_ack_pending", func(l *server.JetStreamAccountLimits) { l.MaxAckPending-- }},
		{"max_ack_pending", func(l *server.JetStreamAccountLimits) { l.MaxAckPending = 1 }},
		{"max_bytes_required", func(l *server.JetStreamAccountLimits) { l.MaxBytesRequired = true }},
	} {
		l, want := enough, x.want
		x.change(&l)
		if err := s.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": l}); err != nil {
			t.Fatal(err)
		}
		err, wrong := q.limits(t.Context()), new(SettingsError)
		is, least := map[string]int64{"max_streams": 2, "max_consumers": 0, "max_store": 67_108_863, "max_ack_pending": int64(l.MaxAckPending)}, map[string]int64{"max_streams": 3, "max_consumers": 1, "max_store": 67_108_864, "max_ack_pending": 1000}
		if errors.As(err, &wrong); (err == nil) != (want == "") || wrong.What != want || least[want] > 0 && wrong.Why != fmt.Sprintf("it is %d, want at least %d", is[want], least[want]) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A server whose messages are too small is named, and so is one that does not answer.
func TestServersThatAreTooSmall(t *testing.T) {
	var payload int32 = partSize + headRoom
	small := foreign(t, func(o *server.Options) { o.MaxPayload = payload - 1 })
	nc2, err := small.call(t.Context(), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer nc2.Close()
	q2 := newQueue(nc2, "0123456789ab", nil, time.Millisecond)
	patient := &queue{key: q2.key, nc: nc2, js: q2.js, wait: time.Minute}
	for _, err := range []error{patient.limits(t.Context()), patient.make(t.Context(), time.Second)} {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("max_payload: it is %d, want at least %d", payload-1, payload)) {
			t.Error(err)
		}
	}
	nc2.Close()
	if err := q2.limits(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "the queue: ") {
		t.Error(err)
	}
	if err := q2.make(t.Context(), time.Second); err == nil {
		t.Error("streams are made on a closed line")
	}
	if err := q2.remove(t.Context()); err == nil {
		t.Error("streams are removed on a closed line")
	}
}

// What somebody else's streams are in the way of is told.
func TestStreamsInTheWay(t *testing.T) {
	b := newBench(t)
	q := *b.h.queue
	q.key = "0123456789ab"
	other := jetstream.StreamConfig{Name: "other", Subjects: []string{q.subject("done", "*")}}
	if _, err := q.js.CreateStream(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if err := q.make(t.Context(), time.Second); err == nil || !strings.Contains(err.Error(), q.results()) {
		t.Error(err)
	}
	if err := q.js.DeleteStream(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := q.make(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := q.remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := q.js.Stream(t.Context(), q.cells()); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Error(err)
	}
}

// What is put into a queue in parts comes back, and whatever else is there is refused.
func TestParcels(t *testing.T) {
	b := newBench(t)
	q, ctx := b.h.queue, t.Context()
	for size, parts := range map[int]int{0: 0, 1: 1, partSize - 1: 1, partSize: 1, partSize + 1: 2, 2 * partSize: 2} {
		text := bytes.Repeat([]byte{'x'}, size)
		h, err := q.sendParts(ctx, q.subject("part", "a"), text)
		if err != nil || h != headOf(text) || h.Parts != parts || h.Bytes != size {
			t.Errorf("%d bytes: %+v, %v", size, h, err)
		}
		if back, err := q.fetchParts(ctx, q.subject("part", "a"), h, size); err != nil || !bytes.Equal(back, text) {
			t.Errorf("%d bytes come back as %d, %v", size, len(back), err)
		}
	}
	h, err := q.sendParts(ctx, q.subject("part", "b"), []byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		parts, bytes int
		sum          string
		most         int
		want         string
	}{
		{1, 5, h.Sum, 4, "is not what was sent: 1 parts of 5 bytes"}, {2, 5, h.Sum, 5, "2 parts of 5 bytes"}, {0, 5, h.Sum, 5, "0 parts"}, {-1, 5, h.Sum, 5, "-1 parts"}, {0, -1, h.Sum, 5, "-1 bytes"},
		{1, 4, h.Sum, 5, "is not what was sent"}, {1, 6, h.Sum, 9, "is not what was sent"}, {1, 5, strings.Repeat("0", 64), 5, "is not what was sent"}, {2, partSize + 1, h.Sum, 1 << 30, "message not found"},
	} {
		if _, err := q.fetchParts(ctx, q.subject("part", "b"), parcelHead{x.parts, x.bytes, x.sum}, x.most); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

// What is offered is found under its sum, is stored once, and nothing else is taken for it.
func TestOffers(t *testing.T) {
	b := newBench(t)
	q, ctx, text := b.h.queue, t.Context(), []byte("hello")
	sum := headOf(text).Sum
	if _, err := q.find(ctx, sum, 5); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Error(err)
	}
	for range 2 {
		if err := q.offer(ctx, text); err != nil || b.state(q.data()).LastSeq != 2 {
			t.Errorf("%d messages, %v", b.state(q.data()).LastSeq, err)
		}
	}
	if back, err := q.find(ctx, sum, 5); err != nil || string(back) != "hello" {
		t.Errorf("%s, %v", back, err)
	}
	for _, head := range []string{"{", `{"parts":1,"bytes":5,"sha256":"x"}`} {
		if err := q.send(ctx, &nats.Msg{Subject: q.subject("in", sum), Data: []byte(head)}, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := q.find(ctx, sum, 5); !errors.Is(err, errSpoilt) || !strings.Contains(err.Error(), "input "+sum[:12]+" is ") {
			t.Error(err)
		}
	}
	if err := q.offer(ctx, text); err != nil {
		t.Error(err)
	}
	if text, number, err := q.last(ctx, q.subject("in", sum)); err != nil || number != b.state(q.data()).LastSeq || !bytes.Contains(text, []byte(sum)) {
		t.Errorf("%s is number %d, %v", text, number, err)
	}
}

// A message with a name is stored once, one without as often as it is sent; and nothing is sent on a closed line.
func TestMessagesAreStored(t *testing.T) {
	b := newBench(t)
	q, ctx, text := b.h.queue, t.Context(), []byte("hello")
	for _, name := range []string{"one", "one", "two", "", ""} {
		if err := q.send(ctx, &nats.Msg{Subject: q.subject("done", "x")}, name); err != nil {
			t.Error(err)
		}
	}
	if n := b.state(q.results()).Msgs; n != 4 {
		t.Errorf("%d are stored", n)
	}
	q.wait = time.Millisecond
	q.nc.Close()
	if q.offer(ctx, text) == nil || q.send(ctx, &nats.Msg{Subject: q.subject("done", "x")}, "") == nil {
		t.Error("it is sent on a closed line")
	}
	if _, _, err := q.last(ctx, "x"); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Error(err)
	}
	if _, err := q.sendParts(ctx, "x", text); err == nil {
		t.Error("parts are sent on a closed line")
	}
}

// Who writes down how a cell stands finds out that somebody else has done so since.
func TestNotesOfTwo(t *testing.T) {
	b := newBench(t)
	one, _ := b.shift(0, 2)
	two, _ := b.shift(0, 2)
	for _, c := range []*shift{one, two} {
		if p, err := c.past(t.Context()); err != nil || p.Tries != 1 || p.Why != lostWorker {
			t.Errorf("%+v, %v", p, err)
		}
	}
	if err := errors.Join(one.note(t.Context(), attempts{2, "a", nil}), one.note(t.Context(), attempts{3, "b", nil})); err != nil {
		t.Error(err)
	}
	if err := two.note(t.Context(), attempts{9, "c", nil}); err == nil {
		t.Error("it is written over")
	}
	if p, err := two.past(t.Context()); err != nil || p.Tries != 3 || p.Why != "b" {
		t.Errorf("%+v, %v", p, err)
	}
	two.withdraw(t.Context(), attempts{})
	if b.noted(two) != `{"tries":3,"why":"b"}` {
		t.Error(b.noted(two))
	}
	if two.withdraw(t.Context(), attempts{4, "d", nil}); b.noted(two) != `{"tries":4,"why":"d"}` {
		t.Error(b.noted(two))
	}
	odd := fmt.Appendf(nil, `{"at": [{"sweep": %q, "cell": %q}], "slots": "many"}`, two.key, two.cell())
	sub, err := b.h.nc.Subscribe(roll+".odd", func(m *nats.Msg) { m.Respond(odd) })
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	next, err := b.h.nc.SubscribeSync(roll + ".next")
	if err != nil {
		t.Fatal(err)
	}
	if err := two.note(t.Context(), attempts{4, "d", []string{"odd", "next"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := two.past(t.Context()); err == nil {
		t.Error("who answers nonsense is believed")
	}
	if n, _, err := next.Pending(); n != 0 || err != nil {
		t.Errorf("the next is asked, %v", err)
	}
}

// A server that wants a name and a password is entered with them, and one that wants a token with that.
func TestSecretsOfServers(t *testing.T) {
	for _, x := range []struct {
		change func(*server.Options)
		enter  Address
	}{
		{func(o *server.Options) { o.Username, o.Password = "me", "secret" }, Address{name: "me", secret: "secret"}},
		{func(o *server.Options) { o.Authorization = "secret" }, Address{secret: "secret"}},
	} {
		at := foreign(t, x.change)
		if _, err := at.call(t.Context(), "test", true); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("without a secret: %v", err)
		}
		at.name, at.secret = x.enter.name, x.enter.secret
		nc, err := at.call(t.Context(), "test", false)
		if err != nil {
			t.Fatal(err)
		}
		nc.Close()
	}
}

package farm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names of consumers, and of what is known of a sweep from its stream.
const (
	workers   = "workers"
	collector = "collector"

	metaName   = "kedge-name"
	metaSweep  = "kedge-sweep" // SHA-256 of sweep.yaml
	metaBuild  = "kedge-build"
	metaCode   = "kedge-code"
	metaCells  = "kedge-cells"
	metaLease  = "kedge-lease"
	metaLayout = "kedge-layout"

	layout = "3" // of subjects and messages; another one is another queue

	partSize = 512 << 10 // of what is larger than a message
	headRoom = 64 << 10
)

// queue is the part of a server that belongs to one sweep: three streams, cells to be computed, results to be collected, and everything else.
type queue struct {
	key  string
	nc   *nats.Conn
	js   jetstream.JetStream
	meta map[string]string
	wait time.Duration // for one answer
	own  bool          // the server is this process, whose end is the queue's as well
}

// keyOf tells sweeps and builds apart: whoever has another of either has another queue.
func keyOf(sweep []byte) string {
	h := sha256.New()
	h.Write(sweep)
	id := folder.CurrentIdentity(nil)
	fmt.Fprintf(h, "\n%s %+v %+v", layout, id.Build, id.Code)
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// usualWait is how long an answer may take.
const usualWait = 5 * time.Second

func newQueue(nc *nats.Conn, key string, meta map[string]string, wait time.Duration) *queue {
	js, _ := jetstream.New(nc) // only options can be wrong
	return &queue{key: key, nc: nc, js: js, meta: meta, wait: cmp.Or(wait, usualWait)}
}

func (q *queue) cells() string   { return "kedge-" + q.key + "-cells" }
func (q *queue) results() string { return "kedge-" + q.key + "-results" }
func (q *queue) data() string    { return "kedge-" + q.key + "-data" }

// subject is where messages of a kind go: cell, done, in, part, try.
func (q *queue) subject(kind string, more ...string) string {
	return strings.Join(append([]string{"kedge", q.key, kind}, more...), ".")
}

// streams are the settings of the queue, all of them said, so that they can be read back.
func (q *queue) streams() []jetstream.StreamConfig {
	all := jetstream.StreamConfig{
		Storage: jetstream.FileStorage, Replicas: 1, MaxConsumers: -1, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: partSize + headRoom,
		Discard: jetstream.DiscardNew, Duplicates: 2 * time.Minute, Metadata: q.meta,
	}
	cells, results, data := all, all, all
	cells.Name, cells.Subjects, cells.Retention = q.cells(), []string{q.subject("cell", "*")}, jetstream.WorkQueuePolicy
	if q.own {
		cells.Storage = jetstream.MemoryStorage // short messages, which the folder has as well
	}
	results.Name, results.Subjects, results.Retention = q.results(), []string{q.subject("done", "*")}, jetstream.WorkQueuePolicy
	data.Name, data.Subjects, data.Retention = q.data(), []string{q.subject("in", ">"), q.subject("part", ">"), q.subject("try", "*")}, jetstream.LimitsPolicy
	data.MaxMsgsPerSubject, data.Discard, data.AllowDirect = 1, jetstream.DiscardOld, true
	return []jetstream.StreamConfig{data, results, cells}
}

// consumers are who takes messages, by stream.
func (q *queue) consumers(lease time.Duration) map[string]jetstream.ConsumerConfig {
	all := jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxDeliver: -1, MaxAckPending: 100_000, MaxWaiting: 10_000}
	w, c := all, all
	w.Durable, c.Durable = workers, collector
	return map[string]jetstream.ConsumerConfig{q.cells(): w, q.results(): c}
}

// SettingsError says that a server has other settings than were asked for, or too small limits.
type SettingsError struct{ What, Why string }

func (e *SettingsError) Error() string {
	return fmt.Sprintf("the queue: %s: %s; change the server's settings, or let kedge serve its own with --serve", e.What, e.Why)
}

// make makes the streams and reads back what they are. Nothing is assumed of what a server keeps when it dies: only the folder does that.
func (q *queue) make(ctx context.Context, lease time.Duration) error {
	if err := q.limits(ctx); err != nil {
		return err
	}
	for _, want := range q.streams() {
		s, err := answered(ctx, q.wait, func(ctx context.Context) (jetstream.Stream, error) { return q.js.CreateOrUpdateStream(ctx, want) })
		if err != nil {
			return refusal(want.Name, err)
		}
		if err := same("stream "+want.Name, want, s.CachedInfo().Config); err != nil {
			return err
		}
	}
	for stream, want := range q.consumers(lease) {
		c, err := answered(ctx, q.wait, func(ctx context.Context) (jetstream.Consumer, error) {
			return q.js.CreateOrUpdateConsumer(ctx, stream, want)
		})
		if err != nil {
			return refusal(want.Durable+" of "+stream, err)
		}
		if err := same("consumer "+want.Durable, want, c.CachedInfo().Config); err != nil {
			return err
		}
	}
	return nil
}

// refusal is why a server does not make something: it never will, or it cannot now.
func refusal(what string, err error) error {
	if api := new(jetstream.APIError); errors.As(err, &api) && api.Code == http.StatusBadRequest {
		return &SettingsError{what, api.Description}
	}
	return fmt.Errorf("the queue: %s: %w", what, err)
}

// limits wants a server that can hold the streams.
func (q *queue) limits(ctx context.Context) error {
	info, err := answered(ctx, q.wait, q.js.AccountInfo)
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return &SettingsError{"jetstream", "it is not enabled"}
	case err != nil:
		return fmt.Errorf("the queue: %w", err)
	}
	l := info.Limits
	switch most := q.nc.MaxPayload(); {
	case most < partSize+headRoom:
		return &SettingsError{"max_payload", fmt.Sprintf("it is %d, want at least %d", most, partSize+headRoom)}
	case l.MaxStreams >= 0 && l.MaxStreams < 3:
		return &SettingsError{"max_streams", fmt.Sprintf("it is %d, want at least 3", l.MaxStreams)}
	case l.MaxConsumers >= 0 && l.MaxConsumers < 1:
		return &SettingsError{"max_consumers", fmt.Sprintf("it is %d, want at least 1", l.MaxConsumers)}
	case l.MaxStore >= 0 && l.MaxStore < 64<<20:
		return &SettingsError{"max_store", fmt.Sprintf("it is %d, want at least %d", l.MaxStore, 64<<20)}
	case l.MaxAckPending > 0 && l.MaxAckPending < 1000:
		return &SettingsError{"max_ack_pending", fmt.Sprintf("it is %d, want at least 1000", l.MaxAckPending)}
	case l.MaxBytesRequired:
		return &SettingsError{"max_bytes_required", "the account wants streams to have a size, which nobody knows of results"}
	}
	return nil
}

// same compares settings that were asked for with those that are, key by key. What was not asked for must be off.
func same(what string, want, is any) error {
	asked, got := settings(want), settings(is)
	for _, key := range slices.Sorted(maps.Keys(got)) {
		value, ok := asked[key]
		switch {
		case key == "metadata":
			continue // servers add to it
		case ok && !bytes.Equal(value, got[key]), !ok && !isOff(got[key]) && !harmless(key):
			return &SettingsError{what, fmt.Sprintf("%s is %s, want %s", key, got[key], strings.TrimSpace(string(value)))}
		}
		delete(asked, key)
	}
	for key, value := range asked {
		if key != "metadata" && !isOff(value) {
			return &SettingsError{what, fmt.Sprintf("%s is not set, want %s", key, value)}
		}
	}
	return nil
}

func settings(v any) map[string]json.RawMessage {
	text, _ := json.Marshal(v)
	all := map[string]json.RawMessage{}
	json.Unmarshal(text, &all)
	return all
}

func isOff(value json.RawMessage) bool {
	return slices.Contains([]string{"0", "false", `""`, "null", "{}", "[]"}, string(value))
}

// harmless are settings that servers put in by themselves and that change nothing for kedge.
func harmless(key string) bool {
	return slices.Contains([]string{"name", "durable_name", "compression", "first_seq", "placement", "deliver_policy", "replay_policy", "num_replicas"}, key)
}

// remove takes the queue away.
func (q *queue) remove(ctx context.Context) error {
	var err error
	for _, s := range q.streams() {
		one := within(ctx, q.wait, func(ctx context.Context) error { return q.js.DeleteStream(ctx, s.Name) })
		if !errors.Is(one, jetstream.ErrStreamNotFound) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// within calls something that must answer in a time.
func within(ctx context.Context, wait time.Duration, call func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	return call(ctx)
}

// mostAsked is how often a question is asked that gets no answer.
const mostAsked = 4

// patiently calls something that must answer in a time, again where no answer comes: whoever asks a queue that dies just then is never answered.
func patiently(ctx context.Context, wait time.Duration, call func(context.Context) error) (err error) {
	for range mostAsked {
		if err = within(ctx, wait, call); !isSilence(err) || ctx.Err() != nil {
			return err
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			pause(ctx, wait/10)
		}
	}
	return err
}

// answered is what a call returned that was made patiently.
func answered[T any](ctx context.Context, wait time.Duration, call func(context.Context) (T, error)) (answer T, err error) {
	err = patiently(ctx, wait, func(ctx context.Context) (err error) {
		answer, err = call(ctx)
		return err
	})
	return answer, err
}

// isSilence tells whether an error is that nobody answered.
func isSilence(err error) bool {
	return slices.ContainsFunc([]error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrDisconnected, nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting},
		func(one error) bool { return errors.Is(err, one) })
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// send publishes a message and waits until it is stored. One with a name is stored once, however often it is sent.
func (q *queue) send(ctx context.Context, m *nats.Msg, name string) error {
	list := []jetstream.PublishOpt{jetstream.WithRetryAttempts(0)}
	if name != "" {
		list = append(list, jetstream.WithMsgID(name))
	}
	return within(ctx, q.wait, func(ctx context.Context) error {
		_, err := q.js.PublishMsg(ctx, m, list...)
		return err
	})
}

// parcelHead is something of any size in the queue: how many parts it has, how many bytes, and their SHA-256.
type parcelHead struct {
	Parts int    `json:"parts"`
	Bytes int    `json:"bytes"`
	Sum   string `json:"sha256"`
}

func headOf(text []byte) parcelHead {
	sum := sha256.Sum256(text)
	return parcelHead{(len(text) + partSize - 1) / partSize, len(text), hex.EncodeToString(sum[:])}
}

// sendParts publishes what is too large for a message.
func (q *queue) sendParts(ctx context.Context, under string, text []byte) (parcelHead, error) {
	h := headOf(text)
	for i := range h.Parts {
		part := text[i*partSize : min(len(text), (i+1)*partSize)]
		m := &nats.Msg{Subject: under + "." + strconv.Itoa(i), Data: part}
		if err := patiently(ctx, q.wait, func(ctx context.Context) error { return q.send(ctx, m, "") }); err != nil {
			return h, err
		}
	}
	return h, nil
}

// errSpoilt says that what was read from the queue is not what was sent.
var errSpoilt = errors.New("not what was sent")

// fetchParts reads it back.
func (q *queue) fetchParts(ctx context.Context, under string, h parcelHead, most int) ([]byte, error) {
	if h.Bytes < 0 || h.Bytes > most || h.Parts != (h.Bytes+partSize-1)/partSize {
		return nil, fmt.Errorf("%s is %w: %d parts of %d bytes", under, errSpoilt, h.Parts, h.Bytes)
	}
	var text []byte
	for i := range h.Parts {
		part, _, err := q.last(ctx, under+"."+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		if text = append(text, part...); len(text) > h.Bytes {
			break
		}
	}
	if headOf(text) != h {
		return nil, fmt.Errorf("%s is %w", under, errSpoilt)
	}
	return text, nil
}

// last is what was put last under a subject of the data, and the number that it has there.
func (q *queue) last(ctx context.Context, subject string) (text []byte, number uint64, err error) {
	m, err := answered(ctx, q.wait, func(ctx context.Context) (*nats.Msg, error) {
		return q.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+q.data()+"."+subject, nil)
	})
	if err != nil {
		return nil, 0, err
	}
	switch status := m.Header.Get("Status"); status {
	case "":
		number, err = strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
		return m.Data, number, err
	case "404":
		return nil, 0, jetstream.ErrMsgNotFound
	default:
		return nil, 0, fmt.Errorf("the queue: %s: %s %s", subject, status, m.Header.Get("Description"))
	}
}

// offer puts something into the queue under its SHA-256, unless it is there.
func (q *queue) offer(ctx context.Context, text []byte) error {
	h := headOf(text)
	if _, err := q.find(ctx, h.Sum, len(text)); err == nil {
		return nil
	}
	if _, err := q.sendParts(ctx, q.subject("in", h.Sum), text); err != nil {
		return err
	}
	body, _ := json.Marshal(h)
	return patiently(ctx, q.wait, func(ctx context.Context) error {
		return q.send(ctx, &nats.Msg{Subject: q.subject("in", h.Sum), Data: body}, "")
	})
}

// find reads what was offered under a SHA-256, at most so many bytes.
func (q *queue) find(ctx context.Context, sum string, most int) ([]byte, error) {
	text, _, err := q.last(ctx, q.subject("in", sum))
	if err != nil {
		return nil, err
	}
	var h parcelHead
	if err := json.Unmarshal(text, &h); err != nil || h.Sum != sum {
		return nil, fmt.Errorf("input %.12s is %w", sum, errSpoilt)
	}
	return q.fetchParts(ctx, q.subject("in", sum), h, most)
}

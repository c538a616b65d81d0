package farm

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/nats-io/nats-server/v2/server"
)

// foreign is a server of somebody else, with settings of its own.
func foreign(t *testing.T, change func(*server.Options)) Address {
	t.Helper()
	a, _ := foreignServer(t, change)
	return a
}

func foreignServer(t *testing.T, change func(*server.Options)) (Address, *server.Server) {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir()}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(readyWait) {
		t.Fatal("the server does not start")
	}
	a, err := ParseAddress("nats://" + s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

// altered is a setting that is another.
func altered(value json.RawMessage) json.RawMessage {
	switch text := string(value); {
	case text == "true":
		return json.RawMessage("false")
	case text == "false":
		return json.RawMessage("true")
	case strings.HasPrefix(text, `"`):
		return json.RawMessage(`"another"`)
	case strings.HasPrefix(text, "["):
		return json.RawMessage(`["another"]`)
	}
	return json.RawMessage("7")
}

// Every setting that a server gives streams and consumers otherwise than was asked for is found, and so are limits that are too small.
func TestWrongSettingsAreFound(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "hosts-settings", Text: "settings of streams and consumers that a server has otherwise, left out or put in, and limits that are too small: not found when a sweep begins"})
	f := &fair{t: t, at: foreign(t, nil)}
	nc, err := f.at.call(t.Context(), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	q := newQueue(nc, "0123456789ab", map[string]string{metaLayout: layout}, 0)
	if err := q.make(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	check := func(what string, want, is any) {
		if err := same(what, want, is); err != nil {
			t.Errorf("as it was asked for: %v", err)
		}
		asked, got := settings(want), settings(is)
		for _, key := range slices.Sorted(maps.Keys(asked)) {
			if key == "metadata" || isOff(asked[key]) || harmless(key) && string(asked[key]) == string(got[key]) && key != "name" && key != "durable_name" {
				continue
			}
			for how, plant := range map[string]func(map[string]json.RawMessage){
				"other": func(m map[string]json.RawMessage) { m[key] = altered(m[key]) },
				"none":  func(m map[string]json.RawMessage) { delete(m, key) },
			} {
				planted := maps.Clone(got)
				plant(planted)
				wrong := new(SettingsError)
				row.Case(errors.As(same(what, want, planted), &wrong) && strings.Contains(wrong.Why, key), "%s: %s is %s, and nobody says so", what, key, how)
			}
		}
		for key, value := range asked { // a server that leaves out what is off has it as it was asked for
			if less := maps.Clone(got); isOff(value) {
				delete(less, key)
				row.Case(same(what, want, less) == nil, "%s: %s, which is off, is left out, and is complained of", what, key)
			}
		}
		planted := maps.Clone(got)
		planted["sealed"] = json.RawMessage("true")
		row.Case(same(what, want, planted) != nil, "%s: sealed, and nobody says so", what)
	}
	for _, want := range q.streams() {
		s, err := q.js.Stream(t.Context(), want.Name)
		if err != nil {
			t.Fatal(err)
		}
		check(want.Name, want, s.CachedInfo().Config)
	}
	for stream, want := range q.consumers(time.Minute) {
		c, err := q.js.Consumer(t.Context(), stream, want.Durable)
		if err != nil {
			t.Fatal(err)
		}
		check(want.Durable, want, c.CachedInfo().Config)
	}
	for what, change := range map[string]func(*server.Options){
		"jetstream":       func(o *server.Options) { o.JetStream = false },
		"max_payload":     func(o *server.Options) { o.MaxPayload = 100_000 },
		"max_ack_pending": func(o *server.Options) { o.JetStreamLimits = server.JSLimitOpts{MaxAckPending: 10} },
	} {
		f := &fair{t: t, at: foreign(t, change)}
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		err := f.sweep(ctx, grid(t, 2), filepath.Join(t.TempDir(), "grid"), QueueOptions{})
		stop()
		wrong := new(SettingsError)
		row.Case(errors.As(err, &wrong), "a server with other %s: %v", what, err)
	}
}

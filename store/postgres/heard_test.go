package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
)

// stumbling is a database of which what the service wrote about itself cannot be read for a moment.
type stumbling struct {
	*Database
	fails atomic.Int32 // times
}

func (s *stumbling) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if loop == session.OfServer && s.fails.Add(-1) >= 0 {
		return errors.New("no answer")
	}
	return s.Database.Read(ctx, loop, after, visit)
}

// A key that one server revokes opens nothing on another one soon after, also where that could not read of it at first.
func TestRevokedKeysAreHeardOfAgain(t *testing.T) {
	url := emptied(t, running(t))
	one := replicaOf(t, url)
	j := &stumbling{Database: opened(t, url)}
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { own.Follow(ctx); close(done) }()
	web := httptest.NewServer(own)
	t.Cleanup(func() { stop(); own.Stop(); web.Close(); <-done })
	call := func(at, method, path, body, key string) (status int, made struct{ Key, Prefix string }) {
		t.Helper()
		r, _ := http.NewRequest(method, at+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		text, _ := io.ReadAll(reply.Body)
		json.Unmarshal(text, &made)
		return reply.StatusCode, made
	}
	_, admin := call(one.URL, "POST", "/v1/keys", `{"rights":["admin","read"],"loops":["*"]}`, "")
	_, key := call(one.URL, "POST", "/v1/keys", `{"rights":["read"],"loops":["*"]}`, admin.Key)
	opens := func() bool { status, _ := call(web.URL, "GET", "/v1/loops", "", key.Key); return status == 200 }
	within(t, 10*time.Second, "the key is known", opens)
	time.Sleep(2 * glance) // until all that was told was read
	j.fails.Store(1)
	if status, _ := call(one.URL, "DELETE", "/v1/keys/"+key.Prefix, `{"reason":"lost"}`, admin.Key); status != 200 {
		t.Fatal(status)
	}
	within(t, 10*time.Second, "the key opens nothing any more", func() bool { return !opens() })
}

// News of a loop are heard once, if they are newer than what was taken of it, and again as long as nobody takes them. Nothing is in the database itself.
func TestNewsAreTakenOnce(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	listening, done := make(chan struct{}), make(chan struct{})
	listens := sync.OnceFunc(func() { close(listening) })
	var heard []string
	go func() {
		j.Follow(ctx, func() []string { listens(); return nil }, func(tip session.Tip) (taken bool) {
			heard = append(heard, fmt.Sprint(tip.Loop, tip.Seq))
			if tip.Loop == "end" {
				stop()
			}
			return len(heard) > 1
		})
		close(done)
	}()
	select {
	case <-listening:
	case <-ctx.Done():
		t.Fatal("nobody listens")
	}
	for _, tip := range []string{`"a", "seq": 1`, `"a", "seq": 1`, `"a", "seq": 1`, `"b", "seq": 1`, `"a", "seq": 3`, `"a", "seq": 2`, `"a", "seq": 3`, `"a", "seq": 4`, `"end", "seq": 1`} {
		if _, err := j.pool.Exec(t.Context(), `SELECT pg_notify($1, $2)`, j.room, `{"by": "x", "loop": `+tip+`}`); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	if want := []string{"a1", "a1", "b1", "a3", "a4", "end1"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

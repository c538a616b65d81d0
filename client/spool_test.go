package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

const shop = `
iterations: 100
model: {decision: "q[2]", state: "p[2]", trait: "d[2]", next: "0.5*p + 0.5*(d - q)", maximize: "dot(p, q)", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 2}, cap: {norm: 0.5}, safe: [4, 4]}
`

// A service that goes away and comes back: batches wait on the disk, also for another process, and the last decision is known with its age.
func TestSpool(t *testing.T) {
	j, err := store.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	service := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Build: "test"})
	var away atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler) // the connection is cut
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { service.Stop(); web.Close(); j.Close() })
	spool := filepath.Join(t.TempDir(), "spool")
	open := func() *client.Remote { return client.Open(web.URL, client.Spool(spool)).Loop("shop") }
	l, ctx := open(), t.Context()
	if _, err := l.Create(ctx, "shop", shop, session.Live); err != nil {
		t.Fatal(err)
	}
	d, err := l.Decide(ctx, time.Minute)
	if err != nil || d.Stale || d.K != 1 {
		t.Fatal(d, err)
	}
	if _, err := l.Deploy(ctx, d.K, d.U); err != nil {
		t.Fatal(err)
	}
	people := client.Answers{P: [][]float64{{7, 5}, {6.5, 5.25}}, D: [][]float64{{10, 8}, {9.5, 8}}}
	away.Store(true)
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	_, err = l.Tell(soon(), d.K, "am", people)
	var waits *client.SpooledError
	if !errors.As(err, &waits) {
		t.Fatalf("told nobody: %v", err)
	}
	last, err := l.Decide(ctx, 50*time.Millisecond)
	if err != nil || !last.Stale || last.K != 1 || last.Age < 0 || last.Age > time.Minute {
		t.Fatalf("away: %+v, %v", last, err)
	}
	if last.Within(time.Hour)[0] != 3 || last.Within(0)[0] != 4 {
		t.Errorf("within an hour %v, at once %v", last.Within(time.Hour), last.Within(0))
	}
	if _, err := l.Close(soon(), d.K); !errors.As(err, &waits) {
		t.Errorf("closed without its people: %v", err)
	}
	away.Store(false)
	l = open() // another process
	c, err := l.Close(ctx, d.K)
	if err != nil || c.Outcome.Outcome != session.Stepped || c.Sample.Rows != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if left, _ := filepath.Glob(filepath.Join(spool, "shop", "*")); len(left) != 0 {
		t.Errorf("%v is still there", left)
	}
	people.P[0][0] = 8
	if _, err := l.Tell(ctx, d.K, "am", people); !client.IsProblem(err, session.BatchConflict) {
		t.Errorf("other people under the same name: %v", err)
	}
	left, _ := os.ReadDir(filepath.Join(spool, "shop"))
	if len(left) != 1 || !strings.HasSuffix(left[0].Name(), ".refused") {
		t.Errorf("what was refused: %v", left)
	}
	if _, err := client.Open(web.URL).Loop("shop").Decide(ctx, time.Second); err == nil {
		t.Error("a client without a spool knows a last decision")
	}
}

// A key that has expired says nothing of people: their batches wait on the disk until there is another.
func TestBatchesWaitForAKey(t *testing.T) {
	status := http.StatusUnauthorized
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, `{}`)
	}))
	spool := t.TempDir()
	client.Spool(spool)(c)
	l := c.Loop("shop")
	var waits *client.SpooledError
	for _, name := range []string{"am", "pm"} {
		if _, err := l.Tell(t.Context(), 1, name, client.Answers{P: [][]float64{{1}}}); !errors.As(err, &waits) {
			t.Errorf("%s: %v", name, err)
		}
	}
	status = http.StatusForbidden
	if sent, err := l.Flush(t.Context()); sent != 0 || !errors.As(err, &waits) {
		t.Errorf("%d were sent, %v", sent, err)
	}
	status = http.StatusOK
	if sent, err := l.Flush(t.Context()); sent != 2 || err != nil {
		t.Errorf("%d were sent, %v", sent, err)
	}
	if left, _ := filepath.Glob(filepath.Join(spool, "shop", "*")); len(left) != 0 {
		t.Errorf("%v is still there", left)
	}
}

// A batch that waits on the disk is not replaced by another of its name, which a service would refuse as well: it goes once it is acknowledged. The same
// people may be told again.
func TestWaitingBatchesAreNotReplaced(t *testing.T) {
	away, arrived := true, ""
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, _ := io.ReadAll(r.Body)
		arrived += string(body)
		fmt.Fprint(w, `{}`)
	}))
	client.Spool(t.TempDir())(c)
	l := c.Loop("shop")
	tell := func(p float64, epoch string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := l.Tell(ctx, 1, "am", client.Answers{P: [][]float64{{p}}, Epoch: epoch})
		return err
	}
	var kept *client.SpooledError
	if err := tell(1, "first"); !errors.As(err, &kept) {
		t.Fatal(err)
	}
	if err := tell(2, "first"); err == nil || errors.As(err, &kept) || !strings.Contains(err.Error(), "with other people") {
		t.Errorf("other people under the same name: %v", err)
	}
	if err := tell(1, "second"); !errors.As(err, &kept) {
		t.Errorf("the same people: %v", err)
	}
	away = false
	if sent, err := l.Flush(t.Context()); sent != 1 || err != nil || arrived != `{"p":[[1]],"epoch":"second"}` {
		t.Errorf("%d are sent, %v, and %s arrives", sent, err, arrived)
	}
}

// What the service refuses of the batches that wait is told and set aside, whatever becomes of those behind it, and nothing is closed without them.
func TestWaitingBatchesThatAreRefused(t *testing.T) {
	for ending, behind := range map[string]string{"": `{"k":1,"name":"c","batch":{}}`, "1-c.json": "no batch"} {
		spool, closed := t.TempDir(), 0
		waiting := map[string]string{"1-a.json": `{"k":1,"name":"a","batch":{}}`, "1-b.json": `{"k":1,"name":"b","batch":{}}`, "1-c.json": behind}
		place := func(name string) string { return filepath.Join(spool, "shop", name) }
		if err := os.MkdirAll(place(""), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range waiting {
			if err := os.WriteFile(place(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := served(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/batches/b"):
				refuse(w, http.StatusConflict, false)
				return
			case strings.HasSuffix(r.URL.Path, "/close"):
				closed++
			}
			fmt.Fprint(w, `{}`)
		})
		client.Spool(spool)(c)
		if _, err := c.Loop("shop").Close(t.Context(), 1); closed > 0 || !client.IsProblem(err, "odd") || !strings.Contains(err.Error(), ending) {
			t.Errorf("%q: closed %d times, %v", behind, closed, err)
		}
		_, after := os.Stat(place("1-b.refused"))
		if left, _ := filepath.Glob(place("*.json")); after != nil || (len(left) > 0) != (ending != "") {
			t.Errorf("left are %v, %v", left, after)
		}
	}
}

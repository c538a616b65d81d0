package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// ending are requests that end in every way there is, sent by a client of their own.
type ending struct {
	*site
	client *http.Client
	stuck  atomic.Bool // one was not answered
}

// dropped is a loud journal of which now and then somebody falls over in the middle of reading.
type dropped struct {
	*loud
	reads atomic.Int64
}

func (d *dropped) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if d.reads.Add(1)%3 == 0 {
		visit = func(e session.Event) error { panic(fmt.Sprintf("event %d of %s", e.Seq, loop)) }
	}
	return d.loud.Read(ctx, loop, after, visit)
}

// taken counts what this process holds: goroutines and descriptors.
func (e *ending) taken() (goroutines, descriptors int) {
	e.Helper()
	e.client.CloseIdleConnections()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		e.Skip("the descriptors of a process are not to be had here: ", err)
	}
	return runtime.NumGoroutine(), len(open)
}

// send sends a request that somebody may give up, and returns its status, 0 for none.
func (e *ending) send(ctx context.Context, method, path, body string) int {
	r, err := http.NewRequestWithContext(ctx, method, e.url+path, strings.NewReader(body))
	if err != nil {
		e.Error(err)
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := e.client.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			e.Errorf("%s %s: %v", method, path, err)
			e.stuck.Store(true)
		}
		return 0
	}
	defer reply.Body.Close()
	if path == "/v1/loops/shop/events" {
		io.CopyN(io.Discard, reply.Body, 20)
		return reply.StatusCode
	}
	io.Copy(io.Discard, reply.Body)
	return reply.StatusCode
}

// one sends the nth request and says how it ended.
func (e *ending) one(n int) string {
	soon := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(e.Context(), time.Duration(n%7)*500*time.Microsecond)
	}
	d := "/v1/loops/shop/decisions/1"
	switch n % 6 {
	case 0:
		e.send(e.Context(), "POST", "/v1/loops/shop/ask", "")
		return "completed"
	case 1:
		e.send(e.Context(), "PUT", fmt.Sprint(d, "/batches/b", n%97), `{"p":[[1,2]],"d":[[3,4]]}`)
		return "completed"
	case 2:
		ctx, cancel := soon()
		defer cancel()
		e.send(ctx, "POST", "/v1/loops/shop/ask", `{"after_k":9,"wait":"1m"}`)
		return "given up"
	case 3:
		ctx, cancel := soon()
		defer cancel()
		e.send(ctx, "GET", "/v1/loops/shop/events", "")
		return "watching"
	case 4:
		if e.send(e.Context(), "GET", []string{d, "/v1/loops/shop/log"}[n/6%2], "") == 500 {
			return "fell over"
		}
		return "completed"
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(e.url, "http://"))
	if err != nil {
		e.Error(err)
		return ""
	}
	defer c.Close()
	fmt.Fprintf(c, "PUT %s/batches/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{\"p\":%s", d, bytes.Repeat([]byte("[1,2],"), n%1000))
	return "cut off"
}

// However a request ends, nothing of it stays: no goroutine, descriptor or connection to the database, no place at work, no watcher.
func TestRequestsLeaveNothingBehind(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-leaks", Text: "10,000 requests, completed, given up, watching, cut off in the middle of a body, falling over: requests that are not answered afterwards; goroutines, descriptors and watchers that are left 5 s later, beyond those after the first 600", Needs: "Linux", Short: "2,000 requests"})
	requests := 2000
	if evidence.Whole() {
		requests = 10_000
	}
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	limits := server.DefaultLimits()
	limits.AtWork, limits.Waiting, limits.Held, limits.Watchers = 32, 32, 8<<20, 64 // which a few that stay would use up
	own := server.New(server.Setup{Journal: &dropped{loud: &loud{Journal: j}}, Clock: server.Wall(), Limits: limits})
	web := httptest.NewUnstartedServer(own)
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // what falls over is meant to
	web.Start()
	e := &ending{site: &site{T: t, url: web.URL}, client: &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}}
	t.Cleanup(func() {
		own.Stop()
		if !e.stuck.Load() { // or it would wait for requests that wait for ever
			web.Close()
		}
		j.Close()
	})
	e.create("shop", "live")
	e.want(200, "POST", "/v1/loops/shop/ask", "")
	all := func(from, to int) {
		var workers sync.WaitGroup
		next := make(chan int)
		for range 8 {
			workers.Go(func() {
				for n := range next {
					if e.stuck.Load() {
						continue
					}
					row.Ended(e.one(n))
					row.Case(true, "")
				}
			})
		}
		for n := from; n < to; n++ {
			next <- n
		}
		close(next)
		workers.Wait()
	}
	// settled waits until nothing more ends.
	settled := func(goroutines, descriptors int) (int, int) {
		g, d := e.taken()
		for end := time.Now().Add(5 * time.Second); (g > goroutines || d > descriptors) && time.Now().Before(end); g, d = e.taken() {
			time.Sleep(50 * time.Millisecond)
		}
		return g, d
	}
	all(0, 600)
	time.Sleep(300 * time.Millisecond)
	goroutines, descriptors := e.taken()
	all(600, requests)
	if e.stuck.Load() {
		return
	}
	g, d := settled(goroutines, descriptors)
	row.AtMost("goroutines", float64(g-goroutines), 4)
	row.AtMost("descriptors", float64(d-descriptors), 4)
	watchers := math.Inf(1)
	for end := time.Now().Add(5 * time.Second); watchers > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		_, page, _ := strings.Cut(e.scrape(), "\nkedge_watchers ")
		fmt.Sscan(page, &watchers)
	}
	row.AtMost("watchers", watchers, 0)
	for range 2 * (limits.AtWork + limits.Waiting) {
		status := e.send(t.Context(), "POST", "/v1/loops/shop/ask", "")
		row.Case(status == 200, "an ask at last: %d", status)
	}
}

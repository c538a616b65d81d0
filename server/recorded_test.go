package server_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// inside answers requests in the goroutine that asks.
type inside struct{ http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.RemoteAddr, r.RequestURI = "127.0.0.1:9", r.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	i.ServeHTTP(w, r)
	reply := w.Result()
	reply.Request = r
	return reply, nil
}

// unguessable are texts that are other ones every time: epochs, and what holds them.
var unguessable = regexp.MustCompile(`"(epoch|hash|request)":"[^"]*"|in epoch \w+|[0-9a-f]{64}`)

// Random calls under a clock that nobody else moves are answered as they were when this was recorded, and so are the metrics after them. Other tests say that answers are right.
func TestCallsAreAnsweredAsRecorded(t *testing.T) {
	var got []string
	for seed := range uint64(3) {
		synctest.Test(t, func(t *testing.T) {
			own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Plan: readOnce(), Limits: server.DefaultLimits(), Build: "test"})
			defer own.Stop()
			s := &site{T: t, url: "http://localhost", stop: own.Stop, web: &http.Client{Transport: inside{own}}}
			g := newCalling(s, rand.New(rand.NewPCG(seed, 12)))
			for n := range 300 {
				if n%100 == 0 {
					g.renew()
				}
				time.Sleep(time.Duration(g.IntN(100)) * time.Minute)
				method, path, body, headers := g.next()
				status, reply := s.call(method, path, body, headers...)
				text, err := json.Marshal(reply)
				if err != nil {
					t.Fatal(err)
				}
				if path == "/version" { // which names the machine
					text = nil
				}
				got = append(got, fmt.Sprintf("%d %s %.60s %d %.6x", seed, method, path, status, sha256.Sum256(unguessable.ReplaceAll(text, nil))))
			}
			got = append(got, s.loopMetrics()...)
		})
	}
	evidence.AsRecorded(t, "testdata/calls.txt", got)
}

// loopMetrics are the lines of the metrics that are of loops.
func (s *site) loopMetrics() (list []string) {
	s.Helper()
	reply, err := s.web.Get(s.url + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `loop="`) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// ask asks with a key, and returns the status and when to ask again.
func (s *site) ask(key string) (int, string) {
	r, _ := http.NewRequest("POST", s.url+"/v1/loops/shop/ask", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Error(err)
		return 0, ""
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, reply.Body)
	return reply.StatusCode, reply.Header.Get("Retry-After")
}

// A key that floods the service with ten times its share is refused what is beyond it, and another key does not notice.
func TestOneKeyDoesNotStarveAnother(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-fair", Text: "a key sends ten times its share: requests of it beyond the share that are not refused with 429 and Retry-After, or within that are, and requests of another key that are not answered; on the whole test, the other key's p99 over its own without the flood", Short: "1 s instead of 20 s, and no times"})
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	limits := server.DefaultLimits()
	limits.KeyRate = 40
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: limits})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close(); j.Close() })
	s := &site{T: t, url: web.URL}
	s.create("shop", "live")
	root, _ := s.key(nil, allRights, "*")
	a, b := s.second(root, "ask"), s.second(root, "ask")
	span := time.Second
	if evidence.Whole() {
		span = 20 * time.Second
	}
	// quietly sends 20 requests a second and returns the p99 of what they take.
	quietly := func() time.Duration {
		var took []time.Duration
		for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			begun := time.Now()
			status, _ := s.ask(b)
			took = append(took, time.Since(begun))
			w.Case(status == 200, "the other key: %d", status)
		}
		slices.Sort(took)
		return took[len(took)*99/100]
	}
	alone := quietly()
	ended := make(chan struct{})
	var flood sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	begun := time.Now()
	for range 4 {
		flood.Go(func() {
			for tick := time.NewTicker(10 * time.Millisecond); ; {
				select {
				case <-ended:
					return
				case <-tick.C:
				}
				status, after := s.ask(a)
				mu.Lock()
				answers[fmt.Sprint(status, after != "")]++
				mu.Unlock()
			}
		})
	}
	beside := quietly()
	close(ended)
	flood.Wait()
	share := limits.KeyRate * (2 + time.Since(begun).Seconds())
	total := 0
	for _, n := range answers {
		total += n
	}
	over := answers["429 true"]
	w.Case(float64(answers["200 false"]) <= share+1, "%d of %d requests of the flood were answered, its share is %g", answers["200 false"], total, share)
	w.Case(float64(answers["200 false"]) >= 0.8*min(share, float64(total)), "only %d of a share of %g were answered", answers["200 false"], share)
	w.Cases(total-over-answers["200 false"], total)
	if evidence.Whole() {
		w.AtMost("p99 over alone", beside.Seconds()/alone.Seconds(), 2)
	}
	t.Logf("flood %v; the other key's p99 is %v, alone %v", answers, beside, alone)
}

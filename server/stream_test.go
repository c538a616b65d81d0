package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
)

// listen opens a stream.
func (s *site) listen(path, after string) io.ReadCloser {
	s.Helper()
	r, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil || reply.StatusCode != 200 {
		s.Fatal(reply, err)
	}
	return reply.Body
}

// whole are the events of a text that may be cut anywhere: those that ended.
func whole(text []byte) (list []map[string]string) {
	for {
		one, rest, ended := bytes.Cut(text, []byte("\n\n"))
		if !ended {
			return list
		}
		e := map[string]string{}
		for line := range strings.Lines(string(one)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			e[name] = value
		}
		list, text = append(list, e), rest
	}
}

// rounds opens and abandons decisions: two events each.
func (s *site) rounds(loop string, from, to int) {
	s.Helper()
	for k := from; k <= to; k++ {
		s.want(200, "POST", "/v1/loops/"+loop+"/ask", "")
		s.want(200, "POST", fmt.Sprintf("/v1/loops/%s/decisions/%d/abandon", loop, k), `{"reason":"test"}`)
	}
}

// A stream that is cut at random bytes and taken up again where it ended has every event once, those from the ring and those from the journal.
func TestStreamsResume(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-streams", Text: "A stream of events that is cut at random bytes 100 times and taken up with Last-Event-ID has every event once"})
	s := newSite(t)
	s.create("shop", "shadow")
	s.rounds("shop", 1, 200) // more than the ring holds
	r := rand.New(rand.NewPCG(7, 8))
	const all = 1 + 2*300
	var wait sync.WaitGroup
	wait.Go(func() { s.rounds("shop", 201, 300) })
	seen, cuts := []int{}, 0
	for after := ""; len(seen) < all; {
		in := s.listen("/v1/loops/shop/events", after)
		var text []byte
		had := len(seen)
		if cuts++; cuts <= 100 {
			text = make([]byte, 1+r.IntN(3000))
			cut := time.AfterFunc(200*time.Millisecond, func() { in.Close() }) // where there is less to come
			n, _ := io.ReadFull(in, text)
			cut.Stop()
			text = text[:n]
		} else {
			lines := bufio.NewScanner(in)
			lines.Buffer(nil, 1<<20)
			late := time.AfterFunc(30*time.Second, func() { in.Close() })
			for n := len(seen); n < all && lines.Scan(); {
				if text = append(append(text, lines.Bytes()...), '\n'); strings.HasPrefix(lines.Text(), "data: ") {
					text, n = append(text, '\n'), n+1
				}
			}
			late.Stop()
		}
		in.Close()
		for _, e := range whole(text) {
			if e["id"] == "" {
				continue
			}
			var seq struct{ Seq int }
			if err := json.Unmarshal([]byte(e["data"]), &seq); err != nil || fmt.Sprint(seq.Seq) != e["id"] {
				t.Fatalf("%v: %v", e, err)
			}
			seen, after = append(seen, seq.Seq), e["id"]
		}
		if n := len(seen); n > 0 && seen[n-1] != n || cuts > 100 && n == had {
			break // one is missing, came twice or never comes
		}
	}
	wait.Wait()
	row.Case(len(seen) == all, "%d events of %d came", len(seen), all)
	if cuts < 100 {
		t.Errorf("cut %d times", cuts)
	}
	for i, seq := range seen {
		row.Case(seq == i+1, "event %d came as number %d", seq, i+1)
	}
}

// With every only the newest close of an interval is sent.
func TestStreamsAreThinned(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	in := s.listen("/v1/loops/shop/events?every=300ms", "")
	defer in.Close()
	for k := 1; k <= 5; k++ {
		d := fmt.Sprintf("/v1/loops/shop/decisions/%d", k)
		a := s.want(200, "POST", "/v1/loops/shop/ask", "")
		u, _ := json.Marshal(a["u"])
		s.want(201, "PUT", d+"/deployment", `{"u":`+string(u)+`}`)
		s.want(201, "PUT", d+"/batches/a", `{"p":[[7,5],[7,6]],"d":[[10,8],[10,8]],"observed_at":"2099-01-01T00:00:00Z"}`)
		s.want(200, "POST", d+"/close", "")
	}
	lines, kinds, last := bufio.NewScanner(in), []string{}, 0
	for last < 5 && lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kinds = append(kinds, kind)
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e struct{ K int }
			json.Unmarshal([]byte(data), &e)
			if e.K <= last {
				t.Errorf("decision %d after %d", e.K, last)
			}
			last = e.K
		}
	}
	if last != 5 {
		t.Errorf("the stream ended after decision %d", last)
	}
	if len(kinds) > 3 || slices.ContainsFunc(kinds, func(k string) bool { return k != "closed" }) {
		t.Errorf("five closes within an interval or two came as %v", kinds)
	}
	for _, bad := range []string{"x", "-1s", "1ns", "48h"} {
		s.want(400, "GET", "/v1/loops/shop/events?every="+bad, "")
	}
	s.want(400, "GET", "/v1/loops/shop/events", "", "Last-Event-ID", "x")
}

// The stream of the fleet begins with all heads and says which loop moves.
func TestFleetStream(t *testing.T) {
	s := newSite(t)
	s.create("a", "shadow")
	s.create("b", "shadow")
	in := s.listen("/v1/events", "")
	defer in.Close()
	lines := bufio.NewScanner(in)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var h struct {
					Loop string
					Seq  int
				}
				json.Unmarshal([]byte(data), &h)
				return fmt.Sprint(h.Loop, h.Seq)
			}
		}
		return ""
	}
	got := []string{next(), next()}
	s.want(200, "POST", "/v1/loops/b/ask", "")
	got = append(got, next())
	s.create("c", "shadow")
	got = append(got, next())
	if want := []string{"a1", "b1", "b2", "c1"}; !slices.Equal(got, want) {
		t.Errorf("heads %v, want %v", got, want)
	}
}

// A stop says goodbye, and the stream ends.
func TestStreamsSayGoodbye(t *testing.T) {
	s := newSite(t)
	s.create("shop", "shadow")
	in := s.listen("/v1/loops/shop/events", "")
	defer in.Close()
	time.AfterFunc(50*time.Millisecond, s.stop)
	text, err := io.ReadAll(in)
	if err != nil || !strings.HasPrefix(string(text), "retry: 2000\n\n") || !strings.HasSuffix(string(text), "event: bye\ndata: {}\n\n") {
		t.Errorf("the stream was %q, %v", text, err)
	}
}

// Watchers who read a byte now and then cost nothing: memory stays where it was, and others go on.
func TestSlowWatchers(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector its memory would be measured")
	}
	watchers, turns, large := 20, 60, 60
	if evidence.Whole() {
		watchers, turns, large = 1000, 600, 0
	}
	row := evidence.For(t, evidence.Promise{Name: "service-watchers", Text: "Watchers of a loop who read a byte a second take at most 100 kB of memory each", Needs: "Linux", Short: "20 watchers, 60 rounds; else 1,000 and 600, beside as many who read all"})
	p := newProcess(t)
	p.create("shop", "shadow")
	p.rounds("shop", 1, 20)
	memory, room := func() float64 { return p.memory("VmHWM") }, 8.0 // MB that the loop itself may take
	if !evidence.Whole() {                                           // garbage of the work, which is more where processors are busy, would hide what a few watchers keep
		memory, room = p.use, 3
	}
	var deliveries atomic.Int64
	for range watchers {
		slow := p.dial("GET /v1/loops/shop/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		go func() {
			b := make([]byte, 1)
			for {
				if _, err := slow.Read(b); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
	}
	if evidence.Whole() {
		for range watchers {
			in := p.listen("/v1/loops/shop/events", "")
			t.Cleanup(func() { in.Close() })
			go func() {
				lines := bufio.NewScanner(in)
				for next := 1; lines.Scan(); {
					if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
						if id != fmt.Sprint(next) {
							t.Errorf("event %s instead of %d", id, next)
							return
						}
						next++
						deliveries.Add(1)
					}
				}
			}()
		}
	}
	time.Sleep(200 * time.Millisecond)
	before := memory()
	p.rounds("shop", 21, turns)
	for range large { // a few watchers show in memory only if each keeps much
		p.want(200, "POST", "/v1/loops/shop/pause", `{"reason":"`+strings.Repeat("x", 16<<10)+`"}`)
		p.want(200, "POST", "/v1/loops/shop/shadow", `{"reason":"`+strings.Repeat("y", 16<<10)+`"}`)
	}
	want := int64(0)
	if evidence.Whole() {
		want = int64(watchers * (1 + 2*turns))
	}
	for end := time.Now().Add(30 * time.Second); deliveries.Load() < want && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	row.Case(deliveries.Load() == want, "%d of %d deliveries", deliveries.Load(), want)
	row.AtMost("MB a watcher", max(0, memory()-before-room)/float64(watchers), 0.1)
}

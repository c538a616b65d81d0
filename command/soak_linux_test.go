package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// soaked is a service that is used by many for long.
type soaked struct {
	*serving
	row  *evidence.Witness
	over atomic.Bool
}

// want sends a message whose reply must have a status, and returns the reply.
func (s *soaked) want(status int, method, path, body string) (reply map[string]any) {
	r, err := http.NewRequest(method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		s.row.Case(false, "%v", err)
		return nil
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		s.row.Case(false, "%s %s: %v", method, path, err)
		return nil
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	s.row.Case(err == nil && w.StatusCode == status, "%s %s: %d %.300s, %v, want %d", method, path, w.StatusCode, text, err, status)
	json.Unmarshal(text, &reply)
	return reply
}

// decide asks a loop, deploys, tells what two people did and closes, once a second.
func (s *soaked) decide(loop string) (rounds int) {
	for ; !s.over.Load(); rounds++ {
		next := time.After(time.Second)
		offer := s.want(200, "POST", loop+"/ask", "")
		u, _ := json.Marshal(offer["u"])
		at := fmt.Sprint(loop, "/decisions/", offer["k"])
		s.want(201, "PUT", at+"/deployment", fmt.Sprintf(`{"u":%s}`, u))
		for n := range 5 {
			s.want(201, "PUT", fmt.Sprint(at, "/batches/b", n), fmt.Sprintf(`{"p":[[7,5],[6,%d]],"d":[[10,8],[9,8]]}`, 3+n))
		}
		s.want(200, "POST", at+"/close", "")
		if rounds%10 == 0 {
			s.want(422, "PUT", at+"/batches/x", `{"p":[[7]],"d":[[10,8]]}`)
			s.want(404, "POST", loop+"-gone/ask", "")
		}
		<-next
	}
	return rounds
}

// look is a dashboard, a page of numbers that is scraped, and somebody who watches for a while and goes.
func (s *soaked) look() {
	for n := 0; !s.over.Load(); n++ {
		loop := fmt.Sprint("/v1/loops/l", n%10)
		s.want(200, "GET", "/v1/overview", "")
		newest := s.want(200, "GET", loop, "")["seq"]
		s.want(200, "GET", loop+"/series?name=u.0&from_k=1&points=100", "")
		s.want(200, "GET", "/metrics", "")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		r, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.address+loop+fmt.Sprint("/events?after=", newest), nil)
		if err == nil {
			var w *http.Response
			if w, err = http.DefaultClient.Do(r); err == nil {
				time.AfterFunc(time.Second, cancel)
				io.Copy(io.Discard, w.Body)
				w.Body.Close()
			}
		}
		s.row.Case(err == nil || s.over.Load(), "a watcher: %v", err)
		cancel()
	}
}

// footprint is what the process of the service takes: MB of memory of its own, descriptors, threads.
func (s *soaked) footprint() (all [3]float64) {
	status, err := os.ReadFile(fmt.Sprint("/proc/", s.cmd.Process.Pid, "/status"))
	if err != nil {
		s.Fatal(err)
	}
	for i, key := range []string{"RssAnon", "", "Threads"} {
		if m := regexp.MustCompile(key + `:\s+(\d+)`).FindSubmatch(status); key != "" && m != nil {
			all[i], _ = strconv.ParseFloat(string(m[1]), 64)
		}
	}
	open, err := os.ReadDir(fmt.Sprint("/proc/", s.cmd.Process.Pid, "/fd"))
	if err != nil {
		s.Fatal(err)
	}
	all[0], all[1] = all[0]/1024, float64(len(open))
	return all
}

// growth is by how much a line through the numbers with the least squares rises from the first to the last.
func growth(y []float64) float64 {
	mid, up, down := float64(len(y)-1)/2, 0.0, 0.0
	for i := range y {
		up, down = up+(float64(i)-mid)*y[i], down+(float64(i)-mid)*(float64(i)-mid)
	}
	return up / down * float64(len(y)-1)
}

// By hand: a line through points, one beside it at its middle.
func TestGrowthIsOfALine(t *testing.T) {
	for want, y := range map[float64][]float64{6: {1, 3, 5, 7}, -2: {2, 9, 0}, 0: {4, 4, 4, 4, 4}} {
		if got := growth(y); got != want {
			t.Errorf("%v grows by %g, want %g", y, got, want)
		}
	}
}

// A service takes no more after an hour than it took in the middle of it. What counts is the least of each minute: garbage is collected now and then.
func TestServiceForAnHour(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-soak", Text: "`kedge serve` for an hour, ten loops asked, deployed, told of, closed, refused and looked at, watchers who come and go: replies that are not as described; MB of memory, descriptors and threads, the least of each minute, by which it grows over the last half", Needs: "Linux", Short: "2 s, and replies alone"})
	span, windows := 2*time.Second, 5
	if evidence.Whole() {
		span, windows = time.Hour, 60
	}
	s := &soaked{serving: newServing(t), row: row}
	var acting sync.WaitGroup
	rounds := make([]int, 10)
	for n := range rounds {
		loop, spec := fmt.Sprint("l", n), new(bytes.Buffer)
		json.NewEncoder(spec).Encode(shopSpec)
		s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":%q,"spec":%s,"mode":"live"}`, loop, spec))
		acting.Go(func() { rounds[n] = s.decide("/v1/loops/" + loop) })
	}
	acting.Go(s.look)
	var least [3][]float64
	for range windows {
		low := s.footprint()
		for end := time.Now().Add(span / time.Duration(windows)); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
			for i, x := range s.footprint() {
				low[i] = min(low[i], x)
			}
		}
		for i, x := range low {
			least[i] = append(least[i], x)
		}
	}
	s.over.Store(true)
	acting.Wait()
	for n, want := range rounds {
		got := s.want(200, "GET", fmt.Sprint("/v1/loops/l", n), "")
		row.Case(slices.Contains([]string{fmt.Sprint(want), fmt.Sprint(want + 1)}, fmt.Sprint(got["k"])), "loop l%d has had %d decisions and is at %v", n, want, got["k"])
	}
	for i, name := range []string{"MB", "descriptors", "threads"} {
		t.Logf("%s: %.1f", name, least[i])
		if evidence.Whole() {
			row.AtMost(name, growth(least[i][windows/2:]), []float64{8, 2, 2}[i])
		}
	}
}

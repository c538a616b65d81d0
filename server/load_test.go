package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// served is a server that is called without a network.
type served struct {
	*testing.T
	own *server.Server
}

func newServed(t *testing.T, limits server.Allowance, around func(session.Journal) session.Journal) served {
	t.Helper()
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := server.New(server.Setup{Journal: around(j), Clock: server.Wall(), Limits: limits})
	t.Cleanup(func() { own.Stop(); j.Close() })
	return served{t, own}
}

// call sends a request and returns its reply.
func (s served) call(method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:9"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.own.ServeHTTP(w, r)
	return w
}

// want sends a request that must have a status.
func (s served) want(status int, method, path, body string) string {
	s.Helper()
	w := s.call(method, path, body)
	if w.Code != status {
		s.Errorf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	return w.Body.String()
}

// slow is a journal whose writes take their time.
type slow struct {
	session.Journal
	each time.Duration
}

func (j slow) Append(loop string, after int, events []session.Event, state []byte) func() error {
	wait := j.Journal.Append(loop, after, events, state)
	return func() error { time.Sleep(j.each); return wait() }
}

// pushed is what became of batches that were sent faster than they can be served.
type pushed struct {
	mu      sync.Mutex
	taken   map[string]bool // acknowledged
	refused map[string]bool // with 503
	wrong   []string        // in any other way
	slowest time.Duration   // of those that were taken
}

// push sends so many batches a second, whether or not those before them were answered.
func (s served) push(aSecond int, span time.Duration, name string) *pushed {
	p := &pushed{taken: map[string]bool{}, refused: map[string]bool{}}
	var all sync.WaitGroup
	begun := time.Now()
	for n := 0; time.Since(begun) < span; n++ {
		time.Sleep(time.Until(begun.Add(time.Duration(n) * time.Second / time.Duration(aSecond))))
		all.Go(func() {
			id := fmt.Sprint(name, n)
			at := time.Now()
			w := s.call("PUT", "/v1/loops/shop/decisions/1/batches/"+id, `{"p":[[1,2]],"d":[[3,4]]}`)
			took := time.Since(at)
			p.mu.Lock()
			defer p.mu.Unlock()
			switch {
			case w.Code == http.StatusCreated:
				p.taken[id], p.slowest = true, max(p.slowest, took)
			case w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "":
				p.refused[id] = true
			default:
				p.wrong = append(p.wrong, fmt.Sprint(w.Code, w.Header(), w.Body))
			}
		})
	}
	all.Wait()
	return p
}

// A service that is sent four times what it can do does as much as it can, refuses the rest with 503 and Retry-After before it has done anything of it, loses
// nothing, and takes everything again at once when that is over. How much it can do is given by a journal that takes 50 ms a write.
func TestMoreLoadThanCanBeServed(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-overload", Text: "four times as many batches as the service can take: replies but 201, and 503 with Retry-After; acknowledged batches that are not there once, refused ones that are; what is done less than without the load, in % of it; seconds that one that is taken waits; batches that are refused a second after", Short: "2 s instead of 60 s, and no times"})
	span, each := 2*time.Second, 50*time.Millisecond
	if evidence.Whole() { // with fewer batches in a minute than a decision may have
		span, each = time.Minute, 400*time.Millisecond
	}
	limits := server.DefaultLimits()
	limits.AtWork, limits.Waiting = 4, 16
	can := float64(limits.AtWork) / each.Seconds()
	s := newServed(t, limits, func(j session.Journal) session.Journal { return slow{j, each} })
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(shop)))
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	alone := s.push(int(0.3*can), span/2, "alone-")
	row.Case(len(alone.refused)+len(alone.wrong) == 0, "of a third of what it can do %d were refused, %v", len(alone.refused), alone.wrong)
	p := s.push(int(4*can), span, "load-")
	row.Cases(len(p.wrong), len(p.taken)+len(p.refused)+len(p.wrong))
	if len(p.wrong) > 0 {
		t.Errorf("%d replies like %s", len(p.wrong), p.wrong[0])
	}
	if evidence.Whole() { // on a machine that does nothing else
		row.AtMost("% less", 100*max(0, 1-float64(len(p.taken))/(can*span.Seconds())), 20)
		row.AtMost("seconds", p.slowest.Seconds(), 2*float64(limits.AtWork+limits.Waiting)/can)
	}
	row.Case(len(p.refused) > len(p.taken), "%d were taken and %d refused of four times what can be done", len(p.taken), len(p.refused))
	time.Sleep(time.Second)
	after := s.push(int(0.3*can), span/2, "after-")
	row.Case(len(after.refused)+len(after.wrong) == 0, "a second later %d are refused, %v", len(after.refused), after.wrong)
	var d struct{ Batches []session.Receipt }
	if err := json.Unmarshal([]byte(s.want(200, "GET", "/v1/loops/shop/decisions/1", "")), &d); err != nil {
		t.Fatal(err)
	}
	there := map[string]int{}
	for _, b := range d.Batches {
		there[b.ID]++
	}
	for _, one := range []*pushed{alone, p, after} {
		for id := range one.taken {
			row.Case(there[id] == 1, "batch %s was acknowledged and is there %d times", id, there[id])
		}
		for id := range one.refused {
			row.Case(there[id] == 0, "batch %s was refused and is there", id)
		}
	}
}

// round is one decision of a loop: asked for, deployed, told of in batches, closed, and, every fourth of them, looked at as a dashboard does.
func (s served) round(loop string, k, tells int) (calls int) {
	s.want(200, "POST", loop+"/ask", "")
	d := fmt.Sprint(loop, "/decisions/", k)
	s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
	for n := range tells {
		s.want(201, "PUT", fmt.Sprint(d, "/batches/b", n), `{"p":[[7,5],[6,5]],"d":[[10,8],[9,8]]}`)
	}
	s.want(200, "POST", d+"/close", "")
	if k%4 != 0 {
		return tells + 3
	}
	for _, path := range []string{"/v1/overview", loop, loop + "/series?name=u.0&from_k=1&points=100", "/metrics"} {
		s.want(200, "GET", path, "")
	}
	return tells + 7
}

// The memory of a service does not grow with what it has served: the slope of the live heap by calls, over the last half of them.
func TestMemoryStaysWhereItIs(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector its memory would be measured")
	}
	row := evidence.For(t, evidence.Promise{Name: "service-memory", Text: "1,000,000 tells of ten loops and 50,000 looks of dashboards: MB by which the live heap grows with 100,000 calls over the last half of them, a tenth of a MB in all left out", Short: "2,000 tells"})
	tells := 2_000
	if evidence.Whole() {
		tells = 1_000_000
	}
	s := newServed(t, server.DefaultLimits(), func(j session.Journal) session.Journal { return j })
	const loops, each, samples = 10, 20, 10
	for n := range loops {
		s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"l%d","spec":%s,"mode":"live"}`, n, quoted(shop)))
	}
	rounds := tells / loops / each
	var x, y []float64
	calls := make([]int, loops)
	for part := range samples {
		var all sync.WaitGroup
		for n := range loops {
			all.Go(func() {
				for k := part * rounds / samples; k < (part+1)*rounds/samples; k++ {
					calls[n] += s.round(fmt.Sprint("/v1/loops/l", n), k+1, each)
				}
			})
		}
		all.Wait()
		sum := 0
		for _, n := range calls {
			sum += n
		}
		x, y = append(x, float64(sum)/100_000), append(y, float64(heap.Live())/(1<<20))
	}
	t.Logf("MB %.3f after %.3f × 100,000 calls", y, x)
	x, y = x[samples/2:], y[samples/2:]
	span := x[len(x)-1] - x[0]
	row.AtMost("MB", max(0, slope(x, y)*span-0.1)/span, 0.5)
}

// slope is that of the line through points with the least squares.
func slope(x, y []float64) float64 {
	n, sx, sy, sxx, sxy := float64(len(x)), 0.0, 0.0, 0.0, 0.0
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
	}
	for i := range x {
		sxx += (x[i] - sx/n) * (x[i] - sx/n)
		sxy += (x[i] - sx/n) * (y[i] - sy/n)
	}
	return sxy / sxx
}

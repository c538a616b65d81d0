package postgres

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
)

// replica is a server of a database that others share.
type replica struct {
	*httptest.Server
	*client.Client
	journal *Database
}

func replicaOf(t *testing.T, url string) *replica {
	t.Helper()
	j := opened(t, url)
	s := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Ready: j.Health})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Follow(ctx); close(done) }()
	web := httptest.NewServer(s)
	t.Cleanup(func() { stop(); s.Stop(); web.CloseClientConnections(); web.Close(); <-done })
	return &replica{web, client.Open(web.URL), j}
}

// watch collects what a stream shows, by its ids.
func (r *replica) watch(t *testing.T, loop string, after int) (ids <-chan int) {
	t.Helper()
	out := make(chan int, 1000)
	reply, err := http.Get(fmt.Sprintf("%s/v1/loops/%s/events?after=%d", r.URL, loop, after))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reply.Body.Close() })
	go func() {
		for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
			var id int
			if n, _ := fmt.Sscanf(lines.Text(), "id: %d", &id); n == 1 {
				out <- id
			}
		}
	}()
	return out
}

// Streams on both servers show every event once, whichever of them wrote it, and so do their numbers.
func TestReplicas(t *testing.T) {
	url := emptied(t, running(t))
	all := []*replica{replicaOf(t, url), replicaOf(t, url)}
	ctx := t.Context()
	if _, err := all[0].Create(ctx, "shop", shop, session.Live); err != nil {
		t.Fatal(err)
	}
	streams := []<-chan int{all[0].watch(t, "shop", 0), all[1].watch(t, "shop", 0)}
	for k := 1; k <= 10; k++ {
		d, err := all[k%2].Loop("shop").Ask(ctx)
		if err != nil || d.K != k {
			t.Fatalf("round %d: decision %d, %v", k, d.K, err)
		}
		if _, err := all[k/2%2].Loop("shop").Abandon(ctx, k, "test"); err != nil {
			t.Fatal(err)
		}
	}
	status, err := all[0].Loop("shop").Status(ctx)
	if err != nil || status.Seq < 20 {
		t.Fatalf("%+v, %v", status, err)
	}
	for i, ids := range streams {
		for want := 1; want <= status.Seq; want++ {
			select {
			case id := <-ids:
				if id != want {
					t.Fatalf("stream %d shows event %d, want %d", i, id, want)
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("stream %d does not show event %d", i, want)
			}
		}
	}
	for i, r := range all {
		reply, err := http.Get(r.URL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		reply.Body.Close()
		for _, line := range []string{`kedge_loops{mode="live"} 1`, fmt.Sprintf(`kedge_chain_checked_seq{loop="shop"} %d`, status.Seq)} {
			if err != nil || !strings.Contains(string(text), "\n"+line+"\n") {
				t.Errorf("the numbers of server %d lack %s, %v", i, line, err)
			}
		}
	}
}

// A stream that is cut at random bytes and gone on with at the other server has every event once.
func TestStreamsGoOnElsewhere(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-cuts", Text: "a stream that is cut at random bytes 100 times and gone on with at the other of two services on one PostgreSQL: events missing, twice or out of order", Needs: "PostgreSQL"})
	url := emptied(t, running(t))
	all := []*replica{replicaOf(t, url), replicaOf(t, url)}
	if _, err := all[0].Create(t.Context(), "shop", shop, session.Live); err != nil {
		t.Fatal(err)
	}
	const rounds, events = 200, 1 + 2*200
	var busy sync.WaitGroup
	busy.Go(func() {
		for k := 1; k <= rounds; k++ {
			for i, path := range []string{"ask", fmt.Sprintf("decisions/%d/abandon", k)} {
				if status, a := all[(k+i)%2].send(t, "POST", path, `{}`); status != 200 {
					t.Errorf("%s: %d %+v", path, status, a)
				}
			}
		}
	})
	random := rand.New(rand.NewPCG(3, 4))
	var seen []int
	for cuts := 0; len(seen) < events || cuts < 100; cuts++ {
		if cuts > 5000 || t.Failed() {
			t.Fatalf("%d of %d events after %d cuts", len(seen), events, cuts)
		}
		ctx, cut := context.WithCancel(t.Context()) // closing a body does not end a read of it that waits for more
		q, err := http.NewRequestWithContext(ctx, "GET", all[cuts%2].URL+"/v1/loops/shop/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Last-Event-ID", fmt.Sprint(len(seen)))
		reply, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 1+random.IntN(3000))
		soon := time.AfterFunc(100*time.Millisecond, cut) // where there is less to come
		n, _ := io.ReadFull(reply.Body, text)
		soon.Stop()
		cut()
		reply.Body.Close()
		ended := text[:bytes.LastIndex(text[:n], []byte("\n\n"))+1]
		for line := range strings.Lines(string(ended)) {
			var id int
			if n, _ := fmt.Sscanf(line, "id: %d", &id); n == 1 {
				seen = append(seen, id)
			}
		}
	}
	busy.Wait()
	for i, id := range seen {
		row.Case(id == i+1, "event %d came as number %d", id, i+1)
	}
}

// A key that is revoked at one server opens nothing at the other within a second, also if nobody tells that.
func TestRevokedKeysOpenNothingElsewhere(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-keys", Text: "seconds until a key that one service has revoked opens nothing at the other, on one PostgreSQL", Needs: "PostgreSQL"})
	url := emptied(t, running(t))
	all := []*replica{replicaOf(t, url), replicaOf(t, url)}
	ctx := t.Context()
	wanted := client.KeyWanted{Rights: keyring.Rights(), Loops: []string{"*"}}
	master, err := all[0].CreateKey(ctx, wanted)
	if err != nil {
		t.Fatal(err)
	}
	use := func(r *replica, key string) bool {
		_, err := client.Open(r.URL, client.Key(key)).Loops(ctx)
		return err == nil
	}
	for _, told := range []string{"told", "not told"} {
		if told == "not told" { // as a server that ends before it can
			all[0].journal.room += "_of_nobody"
		}
		soonest := math.Inf(1) // of three, since a machine that is busy with something else adds to each
		for range 3 {
			made, err := client.Open(all[0].URL, client.Key(master.Key)).CreateKey(ctx, wanted)
			if err != nil {
				t.Fatal(err)
			}
			within(t, 5*time.Second, "the key is known at the other server", func() bool { return use(all[1], made.Key) })
			if _, err := client.Open(all[0].URL, client.Key(master.Key)).RevokeKey(ctx, made.Prefix, "test"); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			within(t, 5*time.Second, "the key opens nothing at the other server", func() bool { return !use(all[1], made.Key) })
			soonest = min(soonest, time.Since(began).Seconds())
		}
		row.AtMost(told, soonest, 1)
	}
}

func within(t *testing.T, most time.Duration, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > most {
			t.Fatalf("after %s it is not so: %s", most, what)
		}
	}
}

// The database is killed under load and started again: nothing acknowledged is lost, asks go on from memory, and all goes on by itself.
func TestDatabaseIsKilled(t *testing.T) {
	c, err := cluster.Start(cluster.Memory())
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	defer c.Remove()
	r := replicaOf(t, emptied(t, c))
	ctx := t.Context()
	if _, err := r.Create(ctx, "shop", shop, session.Live); err != nil {
		t.Fatal(err)
	}
	acknowledged := 0
	ask := func() (int, answer) { return r.send(t, "POST", "ask", "{}") }
	tell := func() (int, answer) {
		status, a := r.send(t, "PUT", fmt.Sprint("decisions/1/batches/b", acknowledged), `{"p": [[1, 2]], "d": [[3, 4]]}`)
		if status < 300 {
			acknowledged++
		}
		return status, a
	}
	if status, a := ask(); status != 200 || a.Durable != nil {
		t.Fatalf("%d %+v", status, a)
	}
	for kill := range 2 {
		for range 20 {
			if status, a := tell(); status != 201 {
				t.Fatalf("%d %+v", status, a)
			}
		}
		if err := c.End("immediate"); err != nil {
			t.Fatal(err)
		}
		if status, a := tell(); status != 503 || a.Type != "/problems/journal-lost" {
			t.Errorf("kill %d: a tell without a database: %d %+v", kill, status, a)
		}
		if status, a := ask(); status != 200 || a.K != 1 || a.Durable == nil || *a.Durable {
			t.Errorf("kill %d: an ask without a database: %d %+v", kill, status, a)
		}
		if err := c.Begin(); err != nil {
			t.Fatal(err)
		}
		within(t, 5*time.Second, "it goes on by itself", func() bool { status, _ := tell(); return status < 300 })
		if status, a := ask(); status != 200 || a.Durable != nil {
			t.Errorf("kill %d: once it is back: %d %+v", kill, status, a)
		}
	}
	d, err := r.Loop("shop").Decision(ctx, 1)
	if err != nil || len(d.Batches) != acknowledged {
		t.Errorf("%d batches are there, %d were acknowledged, %v", len(d.Batches), acknowledged, err)
	}
}

// answer is what a test wants to know of a reply.
type answer struct {
	K       int
	Durable *bool
	Type    string
	Detail  string
}

// send sends a message about the loop once, which a client would repeat.
func (r *replica) send(t *testing.T, method, path, body string) (status int, a answer) {
	t.Helper()
	q, err := http.NewRequest(method, r.URL+"/v1/loops/shop/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if reply.StatusCode == 503 && reply.Header.Get("Retry-After") == "" {
		t.Error("a 503 without Retry-After")
	}
	if err := json.NewDecoder(reply.Body).Decode(&a); err != nil {
		t.Error(err)
	}
	return reply.StatusCode, a
}

package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
	"github.com/kedge-opt/kedge/store/postgres"
)

// database is the address of an empty one; without PostgreSQL the test is skipped.
func database(t *testing.T) string {
	t.Helper()
	c, err := cluster.Start(cluster.Memory())
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	t.Cleanup(c.Remove)
	url, err := c.Database(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// A service on PostgreSQL decides as a run does: the folders are the same but for their times.
func TestRunsServedFromADatabaseLeaveTheSameFolder(t *testing.T) {
	dir, url := t.TempDir(), database(t)
	s := newServingOf(t, "--db", url)
	args := []string{"lq2", "--trials", "1", "--iterations", "8", "--set", "optimum.starts=1", "--no-check", "--quiet"}
	ran, served := filepath.Join(dir, "ran"), filepath.Join(dir, "served")
	for _, more := range [][]string{{"run", "--out", ran}, {"simulate", "--out", served, "--server", "http://" + s.address}} {
		c, said := process(t, append(more, args...)...)
		if err := c.Run(); err != nil {
			t.Fatalf("%s: %v: %s", more[0], err, said)
		}
	}
	if a, b := filesOf(t, ran), filesOf(t, served); !maps.Equal(a, b) {
		t.Error("another folder")
	}
	for _, more := range [][]string{{"verify", url}, {"replay", "lq2-composite", "--db", url}, {"ask", "lq2-composite", "--db", url}} {
		if got := typed(t, "", more...); got.code != 0 {
			t.Errorf("%v: %+v", more[:1], got)
		}
	}
	if got := typed(t, "", "backup", "--db", url); got.code != 1 || !strings.Contains(got.complaint, "pg_dump") {
		t.Errorf("a backup of a database: %+v", got)
	}
}

// message is one request to a loop, sent once to one of the servers.
type message struct {
	what string // ask, tell, abandon or look
	k    int
	id   string
}

// outcome is its answer, unknown if none came.
type outcome struct {
	known bool
	k     int    // of ask and look
	open  bool   // of look
	told  string // of tell: used, or late
}

// standingLoop is a loop as the model knows it.
type standingLoop struct {
	k    int
	open bool
}

// loopModel says what a loop may answer. A message without an answer was carried out or not.
func loopModel() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{standingLoop{}} },
		Step: func(state, in, out any) []any {
			s, m, o := state.(standingLoop), in.(message), out.(outcome)
			next, ok := s, true
			switch m.what {
			case "ask":
				if !s.open {
					next = standingLoop{s.k + 1, true}
				}
				ok = o.k == next.k
			case "abandon":
				if s.open && s.k == m.k {
					next.open = false
				}
				ok = m.k <= s.k
			case "tell":
				used := s.open && s.k == m.k
				ok = used == (o.told == "used")
			case "look":
				ok = o.k == s.k && o.open == s.open
			}
			switch {
			case !o.known:
				return []any{s, next}
			case ok:
				return []any{next}
			}
			return nil
		},
	}
	return m.ToModel()
}

// chorus is clients of two servers, each message to one of them by chance.
type chorus struct {
	*testing.T
	servers [2]*serving
	began   time.Time
	ids     atomic.Int64

	mu      sync.Mutex
	history map[string][]porcupine.Operation
	told    map[string]bool // batches that were acknowledged, by loop, decision and name
}

// send sends a message once.
func (c *chorus) send(client int, loop string, m message, random *rand.Rand) outcome {
	method, path, body := "POST", loop+"/ask", "{}"
	switch m.what {
	case "tell":
		method, path, body = "PUT", fmt.Sprintf("%s/decisions/%d/batches/%s", loop, m.k, m.id), `{"p": [[1, 2]], "d": [[3, 4]]}`
	case "abandon":
		path, body = fmt.Sprintf("%s/decisions/%d/abandon", loop, m.k), `{"reason": "test"}`
	case "look":
		method, path, body = "GET", loop, ""
	}
	call := time.Since(c.began).Nanoseconds()
	o := c.try(method, path, body, m.what, random)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history[loop] = append(c.history[loop], porcupine.Operation{ClientId: client, Input: m, Call: call, Output: o, Return: time.Since(c.began).Nanoseconds()})
	if o.known && m.what == "tell" {
		c.told[fmt.Sprint(loop, " ", m.k, " b/", m.id)] = true
	}
	return o
}

// try is one request, and what its answer says.
func (c *chorus) try(method, path, body, what string, random *rand.Rand) (o outcome) {
	q, err := http.NewRequest(method, "http://"+c.servers[random.IntN(2)].address+"/v1/loops/"+path, strings.NewReader(body))
	if err != nil {
		c.Error(err)
		return o
	}
	q.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		return o
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	var a struct {
		K       int
		State   session.Stage
		Durable *bool
		Used    *bool
	}
	if err != nil || reply.StatusCode == 503 {
		return o
	}
	if json.Unmarshal(text, &a) != nil || reply.StatusCode >= 400 {
		c.Errorf("%s %s: %d %s", method, path, reply.StatusCode, text)
		return o
	}
	if a.Durable != nil { // it is from memory, and promises nothing
		return o
	}
	o = outcome{known: true, k: a.K, open: a.State == session.IsOpen, told: "used"}
	if reply.StatusCode == 202 || a.Used != nil && !*a.Used {
		o.told = "late"
	}
	return o
}

// play sends messages until ctx ends.
func (c *chorus) play(ctx context.Context, client int, loops []string) {
	random := rand.New(rand.NewPCG(uint64(client), 9))
	k := map[string]int{}
	for ctx.Err() == nil {
		loop := loops[random.IntN(len(loops))]
		switch n := random.IntN(10); {
		case n < 3 || k[loop] == 0:
			if o := c.send(client, loop, message{what: "ask"}, random); o.known {
				k[loop] = o.k
			}
		case n < 7:
			c.send(client, loop, message{what: "tell", k: k[loop], id: fmt.Sprint("b", c.ids.Add(1))}, random)
		case n < 8:
			c.send(client, loop, message{what: "abandon", k: k[loop]}, random)
		default:
			c.send(client, loop, message{what: "look"}, random)
		}
		time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
	}
}

// watch follows a loop, cut off at random and gone on with at the other server, and returns the events it was shown.
func (c *chorus) watch(ctx context.Context, loop string, seed uint64) (ids []int) {
	random := rand.New(rand.NewPCG(seed, 7))
	for last := 0; ctx.Err() == nil; {
		until, cancel := context.WithTimeout(ctx, time.Duration(50+random.IntN(400))*time.Millisecond)
		q, err := http.NewRequestWithContext(until, "GET", fmt.Sprintf("http://%s/v1/loops/%s/events", c.servers[random.IntN(2)].address, loop), nil)
		if err != nil {
			c.Error(err)
		}
		q.Header.Set("Last-Event-ID", fmt.Sprint(last))
		if reply, err := http.DefaultClient.Do(q); err == nil {
			for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
				var id int
				if n, _ := fmt.Sscanf(lines.Text(), "id: %d", &id); n == 1 {
					ids, last = append(ids, id), id
				}
			}
			reply.Body.Close()
		}
		cancel()
	}
	return ids
}

// Two services on one database, each message to either, one of them killed -9 now and then: what was answered is what one loop would have answered.
func TestReplicasAreOneService(t *testing.T) {
	order := evidence.For(t, evidence.Promise{Name: "replicas", Text: "two `kedge serve` on one PostgreSQL, 6 clients that send each message to either, one service killed -9 every 2 s, 20 times: messages on the loops of histories that porcupine finds no order for", Needs: "PostgreSQL", Short: "2 kills"})
	kept := evidence.For(t, evidence.Promise{Name: "replicas-kept", Text: "batches that were acknowledged meanwhile: not there once", Needs: "PostgreSQL", Short: "2 kills"})
	shown := evidence.For(t, evidence.Promise{Name: "replicas-streams", Text: "events of streams that were cut at random and gone on with at either service: missing, twice or out of order", Needs: "PostgreSQL", Short: "2 kills"})
	kills, pause := 2, 700*time.Millisecond
	if evidence.Whole() {
		kills, pause = 20, 2*time.Second
	}
	url := database(t)
	c := &chorus{T: t, began: time.Now(), history: map[string][]porcupine.Operation{}, told: map[string]bool{}}
	for i := range c.servers {
		c.servers[i] = newServingOf(t, "--db", url)
	}
	loops := []string{"a", "b", "c"}
	for _, loop := range loops {
		text, err := json.Marshal(map[string]any{"name": loop, "spec": journal.Shop, "mode": "live"})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := http.Post("http://"+c.servers[0].address+"/v1/loops", "application/json", strings.NewReader(string(text)))
		if err != nil || reply.StatusCode != 201 {
			t.Fatal(reply, err)
		}
		reply.Body.Close()
	}
	ctx, stop := context.WithCancel(t.Context())
	watching, enough := context.WithCancel(t.Context())
	var all, watchers sync.WaitGroup
	for n := range 6 {
		all.Go(func() { c.play(ctx, n, loops) })
	}
	streams := make([][]int, 2*len(loops))
	for i := range streams {
		watchers.Go(func() { streams[i] = c.watch(watching, loops[i%len(loops)], uint64(i)) })
	}
	for n := range kills {
		time.Sleep(pause)
		c.servers[n%2].kill()
		c.servers[n%2].start()
	}
	time.Sleep(pause)
	stop()
	all.Wait()
	time.Sleep(1500 * time.Millisecond) // what a server that was killed could not tell is looked for
	enough()
	watchers.Wait()
	c.judge(order)
	c.compare(kept, shown, url, loops, streams)
}

// judge asks porcupine for an order. What was not answered may have happened at any time since.
func (c *chorus) judge(row *evidence.Witness) {
	end := time.Since(c.began).Nanoseconds()
	for loop, history := range c.history {
		for i := range history {
			if !history[i].Output.(outcome).known {
				history[i].Return, history[i].ClientId = end+int64(i), 1000+i
			}
		}
		found := porcupine.CheckOperationsTimeout(loopModel(), history, time.Minute)
		if found != porcupine.Ok {
			c.Errorf("loop %s: %d messages, %s", loop, len(history), found)
			row.Cases(len(history), len(history))
			continue
		}
		row.Cases(0, len(history))
	}
}

// compare looks at what the database holds in the end, and at what was shown.
func (c *chorus) compare(kept, shown *evidence.Witness, url string, loops []string, streams [][]int) {
	j, err := postgres.Look(c.Context(), url)
	if err != nil {
		c.Fatal(err)
	}
	defer j.Close()
	if _, err := store.Check(c.Context(), j); err != nil {
		c.Error(err)
	}
	there, newest := map[string]int{}, map[string]int{}
	for _, loop := range loops {
		err := j.Read(c.Context(), loop, 0, func(e session.Event) error {
			if newest[loop] = e.Seq; e.Ref != "" {
				there[fmt.Sprint(loop, " ", e.K, " ", e.Ref)]++
			}
			return nil
		})
		if err != nil {
			c.Error(err)
		}
	}
	for batch := range c.told {
		kept.Case(there[batch] == 1, "batch %s is there %d times", batch, there[batch])
	}
	for i, ids := range streams {
		loop := loops[i%len(loops)]
		shown.Case(len(ids) == newest[loop], "stream %d shows %d of %d events of loop %s", i, len(ids), newest[loop], loop)
		for at, id := range ids {
			shown.Case(id == at+1, "stream %d of loop %s shows event %d after %d others", i, loop, id, at)
		}
	}
}

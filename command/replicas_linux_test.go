package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store/postgres"
)

// clustered is a PostgreSQL of the test's own; without one it is skipped.
func clustered(t *testing.T) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(cluster.Memory())
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	t.Cleanup(c.Remove)
	return c
}

// database is the address of an empty one.
func database(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	url, err := c.Database(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// A service on PostgreSQL decides as a run does: the folders are the same but for their times.
func TestRunsServedFromADatabaseLeaveTheSameFolder(t *testing.T) {
	dir, url := t.TempDir(), database(t, clustered(t))
	s := newServingOf(t, "--db", url)
	specs, turns := []string{"lq2", "../examples/constraints.yaml"}, "8"
	if evidence.Whole() {
		specs, turns = append(specs, "polarized", "choice", "../examples/pricing.yaml", "../examples/learned-polarized.yaml"), "100"
	}
	row := evidence.For(t, evidence.Promise{Name: "replicas-same-folder", Text: "`kedge run` and `kedge simulate` on a service whose loops are in PostgreSQL: folders that differ in more than times.json", Needs: "PostgreSQL", Short: "2 specs and 8 turns; else 6 and 100"})
	for _, spec := range specs {
		ran, served := filepath.Join(dir, "ran", filepath.Base(spec)), filepath.Join(dir, "served", filepath.Base(spec))
		for _, more := range [][]string{{"run", "--out", ran}, {"simulate", "--out", served, "--server", "http://" + s.address}} {
			c, said := process(t, append(more, spec, "--trials", "1", "--iterations", turns, "--set", "optimum.starts=1", "--no-check", "--quiet")...)
			if err := c.Run(); err != nil {
				t.Fatalf("%s %s: %v: %s", more[0], spec, err, said)
			}
		}
		a, b := filesOf(t, ran), filesOf(t, served)
		row.Case(len(a) > 1 && maps.Equal(a, b), "another folder of %s", spec)
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
	what string // ask, tell, finish, abandon or look
	k    int
	id   string
}

// outcome is its answer, unknown if none came.
type outcome struct {
	known bool
	k     int    // of ask and look
	open  bool   // of look
	told  string // of tell: used, or late; of finish and abandon: used, or refused
}

// standingLoop is a loop as the model knows it.
type standingLoop struct {
	k            int
	open, closed bool // and if neither, abandoned
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
					next = standingLoop{k: s.k + 1, open: true}
				}
				ok = o.k == next.k
			case "finish", "abandon":
				if s.open && s.k == m.k {
					next.open, next.closed = false, m.what == "finish"
				}
				ok = m.k < s.k || m.k == s.k && (next.closed == (m.what == "finish")) == (o.told == "used")
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

// chorus is clients of two servers, each message to one of them by chance, and of loops that are theirs alone.
type chorus struct {
	*testing.T
	servers [2]*serving
	loops   []string
	web     *http.Client
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
	case "finish":
		path, body = loop+"/exchange", fmt.Sprintf(`{"k": %d, "deployment": {"u": [4, 4]}, "batch_id": "last", "batch": {"p": [[1, 2]], "d": [[3, 4]]}, "close": {}}`, m.k)
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
	reply, err := c.web.Do(q)
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
	if reply.StatusCode == 409 && (what == "finish" || what == "abandon") {
		return outcome{known: true, told: "refused"}
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
func (c *chorus) play(ctx context.Context, client int) {
	random := rand.New(rand.NewPCG(uint64(client), 9))
	k := map[string]int{}
	for ctx.Err() == nil {
		loop := c.loops[random.IntN(len(c.loops))]
		switch n := random.IntN(10); {
		case n < 3 || k[loop] == 0:
			if o := c.send(client, loop, message{what: "ask"}, random); o.known {
				k[loop] = o.k
			}
		case n < 7:
			c.send(client, loop, message{what: "tell", k: k[loop], id: fmt.Sprint("b", c.ids.Add(1))}, random)
		case n < 8:
			c.send(client, loop, message{what: []string{"finish", "abandon"}[random.IntN(2)], k: k[loop]}, random)
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

// twins are two services on one database.
type twins struct {
	*testing.T
	cluster *cluster.Cluster
	url     string
	servers [2]*serving
	acts    int
	closes  int // that were decided meanwhile
}

// judges have the rows of what must hold of them.
type judges struct{ order, kept, shown, steps *evidence.Witness }

// act has clients and those who watch busy with new loops, upsets things a few times meanwhile, and judges what came of it. Histories stay short so,
// since an unanswered message may be carried out at any time until their end.
func (w *twins) act(j judges, patience time.Duration, upset ...func()) {
	w.Helper()
	w.acts++
	c := &chorus{T: w.T, servers: w.servers, web: &http.Client{Timeout: patience}, began: time.Now(), history: map[string][]porcupine.Operation{}, told: map[string]bool{}}
	for n := range 3 {
		loop := fmt.Sprintf("act-%d-%d", w.acts, n)
		text, err := json.Marshal(map[string]any{"name": loop, "spec": journal.Shop, "mode": "live"})
		if err != nil {
			w.Fatal(err)
		}
		reply, err := http.Post("http://"+c.servers[0].address+"/v1/loops", "application/json", strings.NewReader(string(text)))
		if err != nil || reply.StatusCode != 201 {
			w.Fatal(reply, err)
		}
		reply.Body.Close()
		c.loops = append(c.loops, loop)
	}
	ctx, stop := context.WithCancel(w.Context())
	watching, enough := context.WithCancel(w.Context())
	var all, watchers sync.WaitGroup
	for n := range 6 {
		all.Go(func() { c.play(ctx, n) })
	}
	streams := make([][]int, 2*len(c.loops))
	for i := range streams {
		watchers.Go(func() { streams[i] = c.watch(watching, c.loops[i%len(c.loops)], uint64(i)) })
	}
	for _, one := range upset {
		one()
	}
	stop()
	all.Wait()
	time.Sleep(1500 * time.Millisecond) // what a server that was killed could not tell is looked for
	enough()
	watchers.Wait()
	c.judge(j.order)
	w.closes += c.compare(j, w.url, streams)
}

// Two services on one database, each message to either, one of them killed -9 now and then: what was answered is what one loop would have answered.
func TestReplicasAreOneService(t *testing.T) {
	const needs, short = "PostgreSQL", "2 kills; else 300, or as many as KEDGE_KILLS says"
	rows := judges{
		order: evidence.For(t, evidence.Promise{Name: "replicas", Text: "two `kedge serve` on one PostgreSQL, 6 clients that send each message to either, one service killed -9 every 2 s for ten minutes: messages on the loops of histories that porcupine finds no order for", Needs: needs, Short: short}),
		kept:  evidence.For(t, evidence.Promise{Name: "replicas-kept", Text: "batches that were acknowledged meanwhile: not there once", Needs: needs, Short: short}),
		shown: evidence.For(t, evidence.Promise{Name: "replicas-streams", Text: "events of streams that were cut at random and gone on with at either service: missing, twice or out of order", Needs: needs, Short: short}),
		steps: evidence.For(t, evidence.Promise{Name: "replicas-steps", Text: "decisions that were closed meanwhile: stepped more than once, or not as the log gives it when all is decided again", Needs: needs, Short: short}),
	}
	kills, pause := 2, 700*time.Millisecond
	if evidence.Whole() {
		kills, pause = 300, 2*time.Second
		fmt.Sscan(os.Getenv("KEDGE_KILLS"), &kills)
	}
	w := newTwins(t)
	next := time.Now()
	for n := 0; n < kills; {
		var upset []func()
		for ; n < kills && len(upset) < 10; n++ {
			s := w.servers[n%2]
			upset = append(upset, func() { time.Sleep(time.Until(next)); next = time.Now().Add(pause); s.kill(); s.start() })
		}
		next = time.Now().Add(pause)
		w.act(rows, 0, append(upset, func() { time.Sleep(time.Until(next)) })...)
	}
}

// A service that stood still while the other went on decides nothing that the other has decided, and neither does anybody while the database does.
func TestPausedReplicasDecideNothingTwice(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-paused", Text: "two services on one PostgreSQL, one of them or the database stopped where it is for 5 s (SIGSTOP), 21 times, under 6 clients that go on with other messages: messages without an order, batches lost, decisions closed twice, events of streams missing or twice", Needs: "PostgreSQL", Short: "3 times, 0.6 s"})
	acts, pause, patience := 1, 600*time.Millisecond, 150*time.Millisecond
	if evidence.Whole() {
		acts, pause, patience = 7, 5*time.Second, 500*time.Millisecond
	}
	w := newTwins(t)
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	held := func(stop, resume func() error) func() {
		return func() {
			time.Sleep(300 * time.Millisecond)
			must(stop())
			time.Sleep(pause)
			must(resume())
		}
	}
	var upset []func()
	for _, s := range w.servers {
		upset = append(upset, held(func() error { return s.cmd.Process.Signal(syscall.SIGSTOP) }, func() error { return s.cmd.Process.Signal(syscall.SIGCONT) }))
	}
	upset = append(upset, held(w.cluster.Pause, w.cluster.Resume), func() { time.Sleep(300 * time.Millisecond) })
	for range acts {
		w.act(judges{row, row, row, row}, patience, upset...)
	}
}

func newTwins(t *testing.T) *twins {
	t.Helper()
	w := &twins{T: t, cluster: clustered(t)}
	w.url = database(t, w.cluster)
	for i := range w.servers {
		w.servers[i] = newServingOf(t, "--db", w.url)
	}
	t.Cleanup(func() {
		if w.closes == 0 {
			t.Error("no decision was closed meanwhile")
		}
	})
	return w
}

// judge asks porcupine for an order. What was not answered may have happened at any time since.
func (c *chorus) judge(row *evidence.Witness) {
	end := time.Since(c.began).Nanoseconds()
	for loop, history := range c.history {
		history = slices.DeleteFunc(history, func(o porcupine.Operation) bool { // what was not answered and changes nothing says nothing
			what := o.Input.(message).what
			return !o.Output.(outcome).known && (what == "look" || what == "tell")
		})
		for i := range history {
			if !history[i].Output.(outcome).known {
				history[i].Return, history[i].ClientId = end+int64(i), 1000+i
			}
		}
		found, known := porcupine.CheckOperationsVerbose(loopModel(), history, 2*time.Minute)
		if found != porcupine.Ok {
			c.Errorf("loop %s: %d messages, %s%s", loop, len(history), found, impasse(known, history))
			row.Cases(len(history), len(history))
			continue
		}
		row.Cases(0, len(history))
	}
}

// impasse shows where the longest order that was found ends: its last messages, and those that were on their way then and fit nowhere after them.
func impasse(known porcupine.LinearizationInfo, history []porcupine.Operation) string {
	var longest []porcupine.Operation
	for _, orders := range known.PartialLinearizationsOperations() {
		for _, order := range orders {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	var b strings.Builder
	show := func(o porcupine.Operation) {
		fmt.Fprintf(&b, "\n%10.3f–%.3f ms, client %d: %+v → %+v", float64(o.Call)/1e6, float64(o.Return)/1e6, o.ClientId, o.Input, o.Output)
	}
	for _, o := range longest[max(0, len(longest)-12):] {
		show(o)
	}
	b.WriteString("\nand none of these:")
	rest := slices.DeleteFunc(slices.Clone(history), func(o porcupine.Operation) bool { return slices.Contains(longest, o) })
	slices.SortFunc(rest, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	for _, o := range rest[:min(12, len(rest))] {
		show(o)
	}
	return b.String()
}

// compare looks at what the database holds in the end, and at what was shown, and counts closes.
func (c *chorus) compare(rows judges, url string, streams [][]int) (closes int) {
	j, err := postgres.Look(c.Context(), url)
	if err != nil {
		c.Fatal(err)
	}
	defer j.Close()
	there, newest := map[string]int{}, map[string]int{}
	for _, loop := range c.loops {
		ends := map[int]int{}
		err := j.Read(c.Context(), loop, 0, func(e session.Event) error {
			if newest[loop] = e.Seq; e.Ref != "" {
				there[fmt.Sprint(loop, " ", e.K, " ", e.Ref)]++
			}
			if e.Kind == session.Closed || e.Kind == session.Abandoned {
				ends[e.K]++
			}
			return nil
		})
		if err != nil {
			c.Error(err)
		}
		for k, n := range ends {
			rows.steps.Case(n == 1, "decision %d of loop %s ended %d times", k, loop, n)
		}
		recap, err := replay.Loop(c.Context(), j, loop, session.Standard)
		rows.steps.Case(err == nil, "loop %s, all decided again: %+v, %v", loop, recap, err)
		closes += recap.Closes
	}
	for batch := range c.told {
		rows.kept.Case(there[batch] == 1, "batch %s is there %d times", batch, there[batch])
	}
	for i, ids := range streams {
		loop := c.loops[i%len(c.loops)]
		rows.shown.Case(len(ids) == newest[loop], "stream %d shows %d of %d events of loop %s", i, len(ids), newest[loop], loop)
		for at, id := range ids {
			rows.shown.Case(id == at+1, "stream %d of loop %s shows event %d after %d others", i, loop, id, at)
		}
	}
	return closes
}

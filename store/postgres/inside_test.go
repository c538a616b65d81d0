package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// sizes are the loops of groups with how many requests each has.
func sizes(groups []*group) string {
	var list []string
	for _, g := range groups {
		list = append(list, fmt.Sprintf("%s %d", g.loop, len(g.requests)))
	}
	return strings.Join(list, ", ")
}

// waits has so many requests of a kind wait for a loop.
func (q *queue) waits(t *testing.T) func(loop string, n int, r request) {
	return func(loop string, n int, r request) {
		t.Helper()
		for range n {
			one := r
			if err := q.add(loop, &one); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// takes takes what waits, and compares.
func (q *queue) takes(t *testing.T) func(want string) []*group {
	return func(want string) []*group {
		t.Helper()
		groups := q.take()
		if got := sizes(groups); got != want {
			t.Errorf("took %s, want %s", got, want)
		}
		return groups
	}
}

// What waits is taken by loop and in its order, up to 256 requests; and a loop that is being written waits.
func TestWhatWaitsIsTakenInOrder(t *testing.T) {
	var q queue
	q.init()
	add, take := q.waits(t), q.takes(t)
	add("a", 3, request{})
	add("b", 2, request{})
	first := take("a 3, b 2")
	add("a", 1, request{})
	add("c", 300, request{})
	second := take("c 256")
	q.free(first)
	third := take("a 1")
	q.free(second)
	q.free(third)
	fourth := take("c 44")
	q.free(fourth)
	if len(q.waiting)+len(q.busy)+len(q.ready) > 0 {
		t.Errorf("%v, %v and %v are left", q.waiting, q.busy, q.ready)
	}
}

// What is large is taken 8 MiB at a time, what must be written by itself by itself; and when all is written a closed queue has nothing.
func TestWhatIsTakenByItself(t *testing.T) {
	var q queue
	q.init()
	add, take := q.waits(t), q.takes(t)
	add("d", 3, request{size: 4 << 20})
	add("e", 1, request{})
	q.free(take("d 2"))
	q.free(take("e 1, d 1"))
	add("f", 1, request{})
	add("f", 1, request{drops: [][]byte{nil}})
	add("f", 1, request{leaves: session.Tip{Loop: "x"}})
	add("f", 2, request{})
	for _, want := range []string{"f 1", "f 1", "f 1", "f 2"} {
		q.free(take(want))
	}
	add("g", 1, request{})
	if q.close() {
		t.Error("it was closed before")
	}
	q.free(take("g 1"))
	if take(""); !q.close() {
		t.Error("it is not closed")
	}
	if err := q.add("h", new(request)); err == nil || err.Error() != "the journal is closed" {
		t.Error(err)
	}
}

// unreached is a journal whose database nobody has asked yet.
func unreached(t *testing.T) *Database {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/none?connect_timeout=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &Database{pool: pool, prompt: make(chan struct{}, 1)}
}

// What an error of the database means, by the codes of appendix A of PostgreSQL's manual.
func TestWhatErrorsMean(t *testing.T) {
	for code, want := range map[string]error{
		"53100": session.ErrFull, "23505": session.ErrConflict, "40P01": session.ErrBusy, "40001": session.ErrBusy, "42P01": nil, "22001": nil, "25001": nil,
		"57P01": session.ErrLost, "57014": session.ErrLost, "53300": session.ErrLost, "08006": session.ErrLost, "58030": session.ErrLost, "25006": session.ErrLost,
	} {
		j, answer := unreached(t), &pgconn.PgError{Code: code}
		err := j.failed(fmt.Errorf("x: %w", answer))
		for _, one := range []error{session.ErrFull, session.ErrConflict, session.ErrBusy, session.ErrLost} {
			if errors.Is(err, one) != (one == want) {
				t.Errorf("%s: %v", code, err)
			}
		}
		lost := want == session.ErrLost
		if want != session.ErrConflict && !errors.Is(err, answer) || (j.Health() != nil) != lost || (len(j.prompt) == 1) != lost || lost && !errors.Is(j.Health(), session.ErrLost) {
			t.Errorf("%s: %v, health %v, prompted %d", code, err, j.Health(), len(j.prompt))
		}
	}
	j := unreached(t)
	for range 2 {
		if err := j.failed(errors.New("cut")); !errors.Is(err, session.ErrLost) || len(j.prompt) != 1 {
			t.Errorf("%v, prompted %d", err, len(j.prompt))
		}
	}
}

// Who has left hears of nothing else, and what waited for somebody who waited for it is done again.
func TestWhatErrorsMeanToWhoCalled(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	cut := errors.New("cut")
	for _, x := range []struct {
		ctx       context.Context
		err, want error
		lost      bool
	}{{t.Context(), nil, nil, false}, {t.Context(), session.ErrConflict, session.ErrConflict, false}, {gone, cut, context.Canceled, false}, {gone, session.ErrConflict, session.ErrConflict, false}, {late, cut, session.ErrLost, true}, {t.Context(), cut, session.ErrLost, true}} {
		j := unreached(t)
		if err := j.named(x.ctx, x.err); !errors.Is(err, x.want) || (err == nil) != (x.want == nil) || (j.Health() != nil) != x.lost {
			t.Errorf("%v: %v, want %v; health %v", x.err, err, x.want, j.Health())
		}
	}
	for code, want := range map[string]int{"40P01": 10, "40001": 10, "23505": 1, "": 1} {
		n := 0
		err := retried(func() error { n++; return &pgconn.PgError{Code: code} })
		if n != want || err == nil {
			t.Errorf("%q: tried %d times, %v", code, n, err)
		}
		n = 0
		if err := retried(func() error {
			if n++; n < 3 {
				return &pgconn.PgError{Code: deadlock}
			}
			return nil
		}); err != nil || n != 3 {
			t.Errorf("tried %d times, %v", n, err)
		}
	}
}

// A database that cannot be opened says why, and what a URL asks for is given.
func TestOpening(t *testing.T) {
	url := emptied(t, running(t))
	if _, err := Look(t.Context(), url); err == nil || err.Error() != "the database has schema 0, want 2: kedge serve --db brings it there" {
		t.Error(err)
	}
	for _, open := range []func(context.Context, string) (*Database, error){Open, Look} {
		if _, err := open(t.Context(), "postgres://%"); err == nil {
			t.Error("what is no URL is opened")
		}
		if _, err := open(t.Context(), "postgres://127.0.0.1:1/none"); err == nil || !strings.HasPrefix(err.Error(), "127.0.0.1: ") {
			t.Error(err)
		}
	}
	opened(t, url)
	mark := map[bool]string{true: "&", false: "?"}[strings.Contains(url, "?")]
	for more, want := range map[string]string{"": fmt.Sprint("kedge ", max(14, runtime.NumCPU())), mark + "application_name=me&pool_max_conns=3": "me 14", mark + "pool_max_conns=40": "kedge 40"} {
		j, err := Look(t.Context(), url+more)
		if err != nil {
			t.Fatal(err)
		}
		var name string
		if err := j.pool.QueryRow(t.Context(), `SHOW application_name`).Scan(&name); err != nil || fmt.Sprint(name, " ", j.pool.Config().MaxConns) != want {
			t.Errorf("%s %d, %v, want %s", name, j.pool.Config().MaxConns, err, want)
		}
		for range 2 {
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	admin := opened(t, url)
	if _, err := admin.pool.Exec(t.Context(), `DELETE FROM meta`); err != nil {
		t.Fatal(err)
	}
	if number, err := schemaOf(t.Context(), admin.pool); number != 0 || err != nil {
		t.Errorf("a schema without a number is %d, %v", number, err)
	}
	if _, err := Open(t.Context(), url); err == nil || !strings.HasPrefix(err.Error(), "schema 1: ") {
		t.Errorf("tables that are there: %v", err)
	}
}

// script has a loop of many events, of several decisions, and a journal of it.
func script(t *testing.T, many int) (*Database, []session.Event) {
	t.Helper()
	j := opened(t, emptied(t, running(t)))
	var all []session.Event
	var hash session.Hash
	for i := range many {
		e := session.Event{Seq: i + 1, At: time.UnixMicro(int64(1e15 + i)).UTC(), Kind: []session.Kind{session.Opened, session.Raised, session.Proposed, session.Raised}[i%4], Actor: fmt.Sprint("a", i), K: 1 + i/4, Body: json.RawMessage(`{}`)}
		if i%4 == 1 {
			e.Ref = fmt.Sprint("b/", i)
		}
		e.Hash = e.Chained("shop", hash)
		hash = e.Hash
		all = append(all, e)
	}
	if err := j.Append("shop", 0, slices.Clone(all), []byte("state"))(); err != nil {
		t.Fatal(err)
	}
	return j, all
}

func seqs(list []session.Event) (n []int) {
	for _, e := range list {
		n = append(n, e.Seq)
	}
	return n
}

// Events are read in pages, all of them, from where one wants and until one has enough; decisions, refs and kinds find theirs.
func TestWhatIsRead(t *testing.T) {
	const many = firstPage + pageEvents + 8
	j, all := script(t, many)
	for _, after := range []int{0, 1, 8, firstPage, many - firstPage, many - 1, many, many + 5} {
		next := after
		if err := j.Read(t.Context(), "shop", after, func(e session.Event) error {
			if next++; e.Seq != next || e.Hash != all[next-1].Hash || !e.At.Equal(all[next-1].At) || e.Actor != all[next-1].Actor || e.Ref != all[next-1].Ref {
				return fmt.Errorf("event %d is %+v", next, e)
			}
			return nil
		}); err != nil || next != max(after, many) {
			t.Errorf("after %d: up to %d, %v", after, next, err)
		}
	}
	enough, seen := errors.New("enough"), 0
	if err := j.Read(t.Context(), "shop", 0, func(session.Event) error {
		if seen++; seen == 70 {
			return enough
		}
		return nil
	}); !errors.Is(err, enough) || seen != 70 {
		t.Errorf("%d seen, %v", seen, err)
	}
	if list, err := j.Decision("shop", 3); err != nil || !slices.Equal(seqs(list), []int{9, 10, 11, 12}) {
		t.Errorf("%v, %v", seqs(list), err)
	}
	if e, err := j.Find("shop", 3, "b/9"); err != nil || e == nil || e.Seq != 10 {
		t.Errorf("%v, %v", e, err)
	}
	if list, err := j.Newest(t.Context(), "shop", []session.Kind{session.Opened, session.Proposed}, 3); err != nil || !slices.Equal(seqs(list), []int{many - 5, many - 3, many - 1}) {
		t.Errorf("%v, %v", seqs(list), err)
	}
	for seq, want := range map[int]int{0: 0, 1: 1, 2: 1, 4: 1, 5: 2, 12: 3, many + 9: many / 4} {
		if k, err := j.DecisionAt("shop", seq); k != want || err != nil {
			t.Errorf("at %d decision %d, %v, want %d", seq, k, err, want)
		}
	}
}

// The newest events of loops, and states.
func TestTips(t *testing.T) {
	const many = 5
	j, all := script(t, many)
	tip, none := j.Tip("shop"), j.Tip("none")
	if got, err := tip(); err != nil || got != (session.Tip{Loop: "shop", Seq: many, Hash: all[many-1].Hash}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := none(); err != nil || got != (session.Tip{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := j.State("shop"); string(got) != "state" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// What is damaged in the database is told, and so is that it cannot be asked.
func TestWhatCannotBeRead(t *testing.T) {
	j, _ := script(t, 8)
	c, blob := &journal.Chain{Loop: "other"}, []byte("people")
	if err := j.Append("other", 0, []session.Event{c.Next(1, "b/1", blob)}, nil)(); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{`UPDATE events SET hash = '\x01' WHERE seq = 3`, `UPDATE blobs SET data = '\x00', pack = 1`} {
		if _, err := j.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	visit := func(session.Event) error { return nil }
	if err := j.Read(t.Context(), "shop", 0, visit); err == nil || !strings.Contains(err.Error(), "event 3 has a hash of 1 bytes") {
		t.Error(err)
	}
	j.lost.Store(nil)
	sum := sha256.Sum256(blob)
	if _, err := j.Blob("other", sum); err == nil || !strings.Contains(err.Error(), "of loop other is damaged: ") {
		t.Error(err)
	}
	j.pool.Close()
	for what, err := range map[string]error{
		"read":        j.Read(t.Context(), "shop", 0, visit),
		"decision":    second(j.Decision("shop", 1)),
		"find":        second(j.Find("shop", 1, "b/1")),
		"newest":      second(j.Newest(t.Context(), "shop", nil, 3)),
		"decision at": second(j.DecisionAt("shop", 3)),
		"blob":        second(j.Blob("other", sum)),
		"state":       second(j.State("shop")),
		"loops":       second(j.Loops(t.Context())),
		"series":      second(j.Series(t.Context(), "shop", nil, 1, 10)),
		"tip":         second(j.Tip("shop")()),
		"append":      j.Append("shop", 8, nil, []byte("x"))(),
	} {
		if err == nil {
			t.Errorf("%s: nobody says that the database is gone", what)
		}
	}
	if _, err := schemaOf(t.Context(), j.pool); err == nil {
		t.Error("it has a schema")
	}
	if err := migrate(t.Context(), j.pool, migrations, schemaNumber); err == nil {
		t.Error("it is migrated")
	}
}

func second[T any](_ T, err error) error { return err }

// follow is an event of the shop.
func follow(from session.Hash, seq int) session.Event {
	e := session.Event{Seq: seq, At: time.UnixMicro(1e15).UTC(), Kind: session.Raised, Body: json.RawMessage(`{}`)}
	e.Hash = e.Chained("shop", from)
	return e
}

// A loop is found where it is, and made only by who begins it; what does not follow is a conflict, and what contradicts itself an error.
func TestHeadsOfLoops(t *testing.T) {
	j, all := script(t, 8)
	if _, err := j.headOf(t.Context(), "none", false); !errors.Is(err, session.ErrConflict) {
		t.Error(err)
	}
	h, err := j.headOf(t.Context(), "new", true)
	again, err2 := j.headOf(t.Context(), "new", true)
	if err != nil || err2 != nil || h.id == 0 || h.seq != 0 || again.id != h.id {
		t.Errorf("%+v, %v; %+v, %v", h, err, again, err2)
	}
	if h, err := j.headOf(t.Context(), "shop", false); err != nil || h.seq != 8 || session.Hash(h.hash) != all[7].Hash {
		t.Errorf("%+v, %v", h, err)
	}
	nine := follow(all[7].Hash, 9)
	bad := nine
	bad.Hash[0]++
	for what, x := range map[string]struct {
		after  int
		events []session.Event
		want   error
	}{
		"after an old one":   {7, []session.Event{nine}, session.ErrConflict},
		"after one to come":  {9, []session.Event{nine}, session.ErrConflict},
		"another's":          {8, []session.Event{bad}, session.ErrConflict},
		"a gap":              {8, []session.Event{follow(all[7].Hash, 10)}, session.ErrConflict},
		"the second another": {8, []session.Event{nine, bad}, nil},
	} {
		if err := j.Append("shop", x.after, x.events, nil)(); err == nil || errors.Is(err, session.ErrConflict) != (x.want != nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Who observes is told of what was written, and how long a commit has been under way is known.
func TestCommitsAreObserved(t *testing.T) {
	j, all := script(t, 8)
	nine := follow(all[7].Hash, 9)
	told := 0
	j.Observe(func(events int, took time.Duration) {
		if told += events; took <= 0 {
			t.Errorf("%v", took)
		}
	})
	if err := j.Append("shop", 8, []session.Event{nine, follow(nine.Hash, 10)}, nil)(); err != nil || told != 2 || j.Stuck() != 0 {
		t.Errorf("%v, told of %d, stuck for %v", err, told, j.Stuck())
	}
}

// What series are drawn from, by hand on eight events of two decisions.
func TestWhatSeriesAreDrawnFrom(t *testing.T) {
	j, all := script(t, 8)
	ctx := t.Context()
	g, err := j.graphOf(ctx, "shop")
	if err != nil || g.Newest != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
	f := g.Shelf.(drawer)
	if is, err := f.Last(ctx); err != nil || is != (session.Tip{Loop: "shop", Seq: 8, Hash: all[7].Hash}) {
		t.Errorf("%+v, %v", is, err)
	}
	for _, x := range [][3]int{{1, 1, 4}, {1, 2, 8}, {2, 2, 8}, {3, 9, 0}} {
		if seq, err := f.NewestIn(ctx, x[0], x[1]); seq != x[2] || err != nil {
			t.Errorf("%v: %d, %v", x, seq, err)
		}
	}
	at := func(seq int) session.Tip { return session.Tip{Loop: "shop", Seq: seq, Hash: all[seq-1].Hash} }
	wrong := at(4)
	wrong.Hash[0]++
	for _, x := range []struct {
		event             session.Tip
		first, last, want int
	}{{at(8), 1, 2, 3}, {at(4), 1, 2, 2}, {at(1), 1, 2, 1}, {at(1), 2, 9, 2}, {wrong, 1, 2, 1}} {
		if k, err := f.Since(ctx, x.event, x.first, x.last); k != x.want || err != nil {
			t.Errorf("%+v: %d, %v", x, k, err)
		}
	}
}

// Blocks are kept where nothing came meanwhile, and by nobody who only looks.
func TestBlocksAreKept(t *testing.T) {
	j, _ := script(t, 8)
	ctx := t.Context()
	g, err := j.graphOf(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	f := g.Shelf.(drawer)
	f.Keep(ctx, 3, map[string][]byte{store.Always: {1}, "b": {2}}, 1, 2, 8)
	f.Keep(ctx, 5, map[string][]byte{store.Always: {3}}, 1, 2, 8)
	f.Keep(ctx, 6, map[string][]byte{store.Always: {4}}, 1, 2, 7) // something came meanwhile
	f.Keep(ctx, 5, map[string][]byte{store.Always: {5}}, 1, 2, 8)
	there, err := f.Blocks(ctx, store.Always)
	if got := slices.Sorted(maps.Keys(there)); err != nil || !slices.Equal(got, []int{3, 5}) || !there[3] {
		t.Errorf("%v, %v", there, err)
	}
	for name, want := range map[string]string{store.Always: "map[3:[1] 5:[5]]", "b": "map[3:[2] 5:[]]"} {
		if stored, err := f.Stored(ctx, name, 3); err != nil || fmt.Sprint(stored) != want {
			t.Errorf("%s: %v, %v, want %s", name, stored, err, want)
		}
	}
	if stored, err := f.Stored(ctx, "b", 4); err != nil || len(stored) != 1 || stored[5] != nil {
		t.Errorf("%v, %v", stored, err)
	}
	j.looks = true
	if f.Keep(ctx, 9, map[string][]byte{store.Always: {9}}, 1, 2, 8); len(must(f.Blocks(ctx, store.Always))) != 2 {
		t.Error("who looks has written")
	}
	for _, x := range [][3]int{{1, 2, 12}, {2, 9, 2}, {0, 1, 1}, {3, 9, 0}} {
		visited := 0
		if err := f.Decisions(ctx, x[0], x[1], func(d *session.Decision) { visited = 10*visited + d.K }); err != nil || visited != x[2] {
			t.Errorf("%v: decisions %d, %v", x, visited, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Who listens hears others and neither himself nor nonsense; what is told is the newest of each loop.
func TestWhatIsHeard(t *testing.T) {
	j, all := script(t, 8)
	c, err := pgx.ConnectConfig(t.Context(), j.config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), `LISTEN `+pgx.Identifier{j.room}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	for _, payload := range []string{"{", `{"by": "` + j.name + `", "loop": "own", "seq": 3}`, `{"by": "x", "loop": "shop", "seq": 9}`} {
		if _, err := j.pool.Exec(t.Context(), `SELECT pg_notify($1, $2)`, j.room, payload); err != nil {
			t.Fatal(err)
		}
	}
	var heard []string
	news := func(t session.Tip) { heard = append(heard, fmt.Sprint(t.Loop, t.Seq)) }
	if err := j.hear(t.Context(), c, news); err != nil || !slices.Equal(heard, []string{"shop9"}) {
		t.Errorf("%q, %v", heard, err)
	}
	heard = nil
	if err := look(t.Context(), c, news, `SELECT name, seq, head FROM loops WHERE name = ANY ($1)`, []string{"shop", "none"}); err != nil || !slices.Equal(heard, []string{"shop8"}) {
		t.Errorf("%q, %v", heard, err)
	}
	if err := look(t.Context(), c, news, `SELECT nonsense`); err == nil {
		t.Error("nonsense is looked at")
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j.hear(gone, c, news) == nil || j.listen(gone, func() []string { return nil }, news) == nil {
		t.Error("who has left listens")
	}
	if j.Keeper(gone) {
		t.Error("who has left keeps")
	}
	if len(all) != 8 || !j.Keeper(t.Context()) {
		t.Error("nobody keeps")
	}
	j.keeper.Close(t.Context())
	if !j.Keeper(t.Context()) {
		t.Error("a keeper whose line is cut does not become one again")
	}
}

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// idle is a journal of a new database at which nobody works yet.
func idle(t *testing.T) *Database {
	t.Helper()
	url := emptied(t, running(t))
	opened(t, url).Close() // which makes the tables
	j, err := connect(t.Context(), url, settled)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// grouped is a first event of a loop as it is written, by somebody.
func grouped(loop, actor string) *group {
	c := &journal.Chain{Loop: loop}
	e := c.Next(1, "", nil)
	e.Actor = actor
	e.Hash = e.Chained(loop, session.Hash{})
	return &group{loop: loop, requests: []*request{{events: []session.Event{e}}}}
}

// What the database does not take is not written, and what was to be written with it is: of two, of three, and by itself.
func TestOneOfSeveralIsAtFault(t *testing.T) {
	j := idle(t)
	defer j.pool.Close()
	for n, actors := range [][]string{{"ann", "b\x00b"}, {"ann", "b\x00b", "eve"}, {"b\x00b"}, {"ann", "bob"}} { // no text of PostgreSQL's has a zero
		var groups []*group
		for i, actor := range actors {
			groups = append(groups, grouped(fmt.Sprint("loop-", n, "-", i), actor))
		}
		j.commit(groups)
		for i, actor := range actors {
			g, wrong := groups[i], strings.Contains(actor, "\x00")
			var answer *pgconn.PgError
			if errors.As(g.err, &answer) != wrong || (g.err != nil) != wrong {
				t.Errorf("%q: %q: %v", actors, actor, g.err)
			}
			n := 0
			if err := j.Read(t.Context(), g.loop, 0, func(session.Event) error { n++; return nil }); err != nil || (n == 1) == wrong {
				t.Errorf("%q: %q: %d events, %v", actors, actor, n, err)
			}
			if h, known := j.heads[g.loop]; known == wrong || known && (h.seq != 1 || session.Hash(h.hash) != g.requests[0].events[0].Hash) {
				t.Errorf("%q: %q: known %t at %d", actors, actor, known, h.seq)
			}
		}
	}
	if err := j.Health(); err != nil || len(j.telling) != 5 {
		t.Errorf("%v; %d are told, want 5", err, len(j.telling))
	}
	found, err := j.Loops(t.Context())
	if err != nil || len(found) != 5 {
		t.Errorf("%v, %v", found, err)
	}
}

// What waits knows how large it is, what goes with it, and what must be written by itself.
func TestWhatIsQueued(t *testing.T) {
	j := idle(t)
	defer j.pool.Close()
	c := &journal.Chain{Loop: "shop"}
	plain, told := c.Next(0, "", nil), c.Next(1, "b/1", []byte(strings.Repeat("people", 1000)))
	drops, goes := c.Next(1, "", nil), c.Next(2, "", nil)
	drops.Drops = []session.Hash{{1}, {2}}
	goes.Removes = session.Tip{Loop: "other", Seq: 3}
	j.Append("shop", 0, []session.Event{plain, told}, []byte("state"))
	j.Append("shop", 2, []session.Event{drops}, nil)
	j.Append("shop", 3, []session.Event{goes}, nil)
	all := j.queue.waiting["shop"]
	if len(all) != 3 || len(all[0].blobs) != 1 {
		t.Fatalf("%d requests", len(all))
	}
	blob, sum := all[0].blobs[0], told.BlobSum()
	if back, err := j.packer.Unpack(int(blob.pack), blob.data, nil); err != nil || string(back) != string(told.Blob) || blob.bytes != 6000 || len(blob.data) >= 6000 || string(blob.sum) != string(sum[:]) {
		t.Errorf("%d bytes come back of %d, packed %d as %d, %v", len(back), blob.bytes, len(blob.data), blob.pack, err)
	}
	if want := len("state") + len(plain.Body) + len(told.Body) + len(blob.data); all[0].size != want || all[0].after != 0 || string(all[0].state) != "state" || all[0].parts() {
		t.Errorf("%+v, want a size of %d", all[0], want)
	}
	if r := all[1]; r.size != len(drops.Body) || len(r.drops) != 2 || r.drops[0][0] != 1 || r.drops[1][0] != 2 || !r.parts() || r.after != 2 {
		t.Errorf("%+v", r)
	}
	if r := all[2]; r.leaves != goes.Removes || !r.parts() {
		t.Errorf("%+v", r)
	}
	lost := errors.New("lost")
	if j.lost.Store(&lost); !errors.Is(j.Append("shop", 4, nil, nil)(), lost) || !errors.Is(second(j.Tip("shop")()), lost) || len(j.queue.waiting["shop"]) != 3 {
		t.Error("it takes more while the database is lost")
	}
	j.lost.Store(nil)
	j.queue.close()
	if err := j.Append("shop", 4, nil, nil)(); err == nil || err.Error() != "the journal is closed" {
		t.Error(err)
	}
}

// Hosts are told the newest event of every loop, as much at once as waits.
func TestWhatIsTold(t *testing.T) {
	j := idle(t)
	defer j.pool.Close()
	c, err := pgx.ConnectConfig(t.Context(), j.config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), `LISTEN `+pgx.Identifier{j.room}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	for _, x := range []session.Tip{{Loop: "a", Seq: 3}, {Loop: "a", Seq: 2}, {Loop: "b", Seq: 1, Hash: session.Hash{7}}, {Loop: "a", Seq: 5, Hash: session.Hash{9}}, {Loop: "a", Seq: 4}} {
		j.telling <- x
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { j.tell(ctx); close(ended) }()
	var heard []string
	for range 2 {
		until, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		n, err := c.WaitForNotification(until)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, n.Payload)
	}
	slices.Sort(heard)
	for i, want := range []notice{{j.name, session.Tip{Loop: "a", Seq: 5, Hash: session.Hash{9}}}, {j.name, session.Tip{Loop: "b", Seq: 1, Hash: session.Hash{7}}}} {
		var got notice
		if err := json.Unmarshal([]byte(heard[i]), &got); err != nil || got != want {
			t.Errorf("told %s, %v", heard[i], err)
		}
	}
	stop()
	<-ended
}

// All who ask for the newest event are answered, however many they are, each about its own loop.
func TestManyAsk(t *testing.T) {
	j := idle(t)
	defer j.Close()
	for _, loop := range []string{"a", "b", "B"} {
		g := grouped(loop, "ann")
		if j.commit([]*group{g}); g.err != nil {
			t.Fatal(g.err)
		}
	}
	if _, err := j.headOf(t.Context(), "new", true); err != nil {
		t.Fatal(err)
	}
	names := []string{"B", "a", "b", "new", "none"}
	var waits []func() (session.Tip, error)
	for i := range 1024 + 2*mostRequests {
		waits = append(waits, j.Tip(names[i%len(names)]))
	}
	j.begin()
	for i, wait := range waits {
		want := names[i%len(names)]
		tip, err := wait()
		if known := want != "none"; err != nil || known && tip.Loop != want || !known && tip != (session.Tip{}) || (tip.Seq == 1) != (len(want) == 1) {
			t.Fatalf("%d: %+v of %s, %v", i, tip, want, err)
		}
	}
	list, err := j.Loops(t.Context())
	if err != nil || len(list) != 3 || list[0].Loop+list[1].Loop+list[2].Loop != "Bab" || list[0].Seq != 1 || list[0].Hash == (session.Hash{}) {
		t.Errorf("%v, %v", list, err) // in the order of bytes, and without what has no events
	}
}

// A database that is lost is found again by itself, its heads are read anew, and one that has become weak meanwhile is not taken before it is mended.
func TestLostDatabasesAreMended(t *testing.T) {
	j, _ := script(t, 2)
	set := func(sql string) {
		t.Helper()
		c, err := pgx.ConnectConfig(t.Context(), j.config)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		if _, err := c.Exec(t.Context(), fmt.Sprintf(sql, pgx.Identifier{j.config.Database}.Sanitize())); err != nil {
			t.Fatal(err)
		}
	}
	isBack := func() bool { return j.Health() == nil }
	if err := j.failed(errors.New("cut")); !errors.Is(err, session.ErrLost) {
		t.Error(err)
	}
	within(t, 20*time.Second, "it is found again", isBack)
	j.mu.Lock()
	if len(j.heads) > 0 {
		t.Errorf("%v is known of before", j.heads)
	}
	j.mu.Unlock()
	set(`ALTER DATABASE %s SET synchronous_commit = off`)
	j.failed(errors.New("cut"))
	within(t, 20*time.Second, "it is said to be weak", func() bool {
		var weak *WeakError
		return errors.As(j.Health(), &weak) && weak.Setting == "synchronous_commit" && weak.Is == "off" && errors.Is(j.Health(), session.ErrLost)
	})
	set(`ALTER DATABASE %s RESET synchronous_commit`)
	within(t, 20*time.Second, "it is found again", isBack)
	if err := (&WeakError{"fsync", "off", "on"}).Error(); err != "the database has fsync = off, so that it may lose what it has acknowledged; want on" {
		t.Error(err)
	}
}

// A standby is not taken for the database: it is asked until it is one no longer.
func TestStandbysAreWaitedFor(t *testing.T) {
	j, _ := script(t, 2)
	for _, sql := range []string{
		`CREATE SEQUENCE asked`, `CREATE FUNCTION pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$SELECT nextval('asked') < 3$$`, // in place of PostgreSQL's own
		`ALTER DATABASE ` + pgx.Identifier{j.config.Database}.Sanitize() + ` SET search_path = public, pg_catalog`,
	} {
		if _, err := j.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	j.failed(errors.New("cut"))
	within(t, 20*time.Second, "it is found again", func() bool { return j.Health() == nil })
	asked := 0
	if err := j.pool.QueryRow(t.Context(), `SELECT last_value FROM asked`).Scan(&asked); err != nil || asked != 3 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

// Where another host has raised the schema meanwhile nothing is done, and one that is too new is refused with both numbers.
func TestSchemasOfOthers(t *testing.T) {
	j := idle(t)
	defer j.pool.Close()
	for _, newest := range []int{schemaNumber, schemaNumber - 1} {
		if err := pgx.BeginFunc(t.Context(), j.pool, func(tx pgx.Tx) error { return raise(t.Context(), tx, migrations, newest) }); err != nil {
			t.Error(err)
		}
	}
	if number, err := schemaOf(t.Context(), j.pool); number != schemaNumber || err != nil {
		t.Errorf("schema %d, %v", number, err)
	}
	var newer *store.TooNewError
	if err := migrate(t.Context(), j.pool, migrations, 1); !errors.As(err, &newer) || *newer != (store.TooNewError{Schema: schemaNumber, Newest: 1}) {
		t.Error(err)
	}
	if err := migrate(t.Context(), j.pool, migrations, schemaNumber+1); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("migrations/%d.sql", schemaNumber+1)) {
		t.Error(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := pgx.BeginFunc(t.Context(), j.pool, func(tx pgx.Tx) error { return raise(gone, tx, migrations, schemaNumber) }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What is not there is not found, and a shelf that cannot be asked says so.
func TestWhatIsNotThere(t *testing.T) {
	j, _ := script(t, 8)
	if e, err := j.Find("shop", 1, "b/99"); e != nil || err != nil {
		t.Errorf("%v, %v", e, err)
	}
	if state, err := j.State("none"); state != nil || err != nil {
		t.Errorf("%s, %v", state, err)
	}
	if _, err := j.Blob("shop", session.Hash{1}); !errors.Is(err, session.ErrDropped) {
		t.Error(err)
	}
	if list, err := j.Decision("shop", 0); len(list) > 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	ctx := t.Context()
	g, err := j.graphOf(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	f := g.Shelf.(drawer)
	j.pool.Close()
	f.Keep(ctx, 1, map[string][]byte{"a": {1}}, 1, 2, 8) // what fails is worked out again
	for what, err := range map[string]error{
		"blocks":    second(f.Blocks(ctx, "a")),
		"stored":    second(f.Stored(ctx, "a", 0)),
		"newest in": second(f.NewestIn(ctx, 1, 2)),
		"last":      second(f.Last(ctx)),
		"since":     second(f.Since(ctx, session.Tip{}, 1, 2)),
		"decisions": f.Decisions(ctx, 1, 2, func(*session.Decision) {}),
		"graph":     second(j.graphOf(ctx, "shop")),
		"head":      second(j.headOf(ctx, "shop", true)),
	} {
		if err == nil {
			t.Errorf("%s: nobody says that the database is gone", what)
		}
	}
	if err := migrate(ctx, j.pool, migrations, schemaNumber); err == nil {
		t.Error("it is migrated")
	}
}

// A database that can only be read, as a standby, is lost to whoever writes, and no loop is made there.
func TestDatabasesThatAreOnlyRead(t *testing.T) {
	url := emptied(t, running(t))
	opened(t, url).Close()
	j, err := connect(t.Context(), url, func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, `SET default_transaction_read_only = on`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer j.pool.Close()
	var answer *pgconn.PgError
	if _, err := j.headOf(t.Context(), "new", true); !errors.As(err, &answer) || answer.Code != "25006" {
		t.Error(err)
	}
	g := grouped("new", "ann")
	if j.commit([]*group{g}); !errors.Is(g.err, session.ErrLost) || !errors.Is(j.Health(), session.ErrLost) || len(j.prompt) != 1 {
		t.Errorf("%v, health %v", g.err, j.Health())
	}
}

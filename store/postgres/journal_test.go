package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
)

// common is one cluster for all tests of the package that do not stop it.
var common = sync.OnceValues(func() (*cluster.Cluster, error) { return cluster.Start(cluster.Memory()) })

func TestMain(m *testing.M) {
	code := m.Run()
	if c, err := common(); err == nil && c != nil {
		c.Remove()
	}
	os.Exit(code)
}

// running is that cluster; without PostgreSQL a test is skipped.
func running(t *testing.T) *cluster.Cluster {
	t.Helper()
	c, err := common()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	return c
}

// emptied is the address of a new database of a cluster.
func emptied(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	url, err := c.Database(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func opened(t *testing.T, url string) *Database {
	t.Helper()
	j, err := Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func TestJournal(t *testing.T) { journal.Script(t, opened(t, emptied(t, running(t)))) }

const shop = journal.Shop

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

// Two hosts with journals of their own tell one loop at once, each half of it twice: every batch counts once, whoever closes.
func TestHostsTellOneLoop(t *testing.T) {
	url := emptied(t, running(t))
	var hosts [2]*session.Fleet
	var journals [2]*Database
	for i := range hosts {
		journals[i] = opened(t, url)
		hosts[i] = session.NewFleet(journals[i], wall{}, session.Standard, nil)
	}
	do := func(host int, c session.Command) any {
		t.Helper()
		reply, err := hosts[host].Do(t.Context(), "shop", "test", c)
		if err != nil {
			t.Fatalf("host %d, %T: %v", host, c, err)
		}
		return reply
	}
	do(0, session.Create{Spec: shop, Mode: session.Live, Epoch: "e"})
	for k := 1; k <= 4; k++ {
		a, b := do(k%2, session.Ask{}).(session.Offer), do(1-k%2, session.Ask{}).(session.Offer)
		if a.K != k || !reflect.DeepEqual(a, b) {
			t.Fatalf("round %d: one host says %+v, the other %+v", k, a, b)
		}
		do(1-k%2, session.Deploy{K: k, U: a.U})
		var all sync.WaitGroup
		for n := range 40 {
			all.Go(func() {
				for repeat := range 2 {
					batch := session.Batch{P: []float64{float64(n), 1}, D: []float64{9, 9}}
					if _, err := hosts[(n+repeat)%2].Do(t.Context(), "shop", "test", session.Tell{K: k, ID: fmt.Sprint("b", n), Batch: batch}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		c, again := do(k%2, session.Close{K: k}).(session.Closing), do(1-k%2, session.Close{K: k}).(session.Closing)
		if c.Sample.Rows != 40 || !reflect.DeepEqual(c.Outcome, again.Outcome) {
			t.Errorf("decision %d closed on %+v, and on the other host on %+v", k, c.Outcome, again.Outcome)
		}
	}
	known := do(1, session.Ask{}).(session.Offer).K
	do(0, session.Abandon{K: known, Reason: "test"})
	do(0, session.Ask{})
	if got := do(1, session.Ask{}).(session.Offer); got.K != known+1 {
		t.Errorf("a host that wrote nothing answers decision %d, which was abandoned elsewhere", got.K)
	}
	if _, err := store.Check(t.Context(), journals[0]); err != nil {
		t.Error(err)
	}
	if recap, err := replay.Loop(t.Context(), journals[1], "shop", session.Standard); err != nil || recap.Closes != 4 {
		t.Errorf("replayed %+v, %v", recap, err)
	}
	page, err := journals[1].Series(t.Context(), "shop", []string{"u.0"}, 1, 10)
	if err != nil || len(page.K) != known+1 {
		t.Errorf("series %+v, %v", page, err)
	}
}

// A database that may lose what it has acknowledged is refused, with the setting; and taken again once that is mended.
func TestWeakSettingsAreRefused(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-weak", Text: "settings of PostgreSQL that may lose what was acknowledged (fsync, full_page_writes, synchronous_commit): not refused with their name, or still refused once they are mended", Needs: "PostgreSQL"})
	url := emptied(t, running(t))
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	set := func(sql string) {
		t.Helper()
		for _, one := range []string{sql, `SELECT pg_reload_conf()`} {
			if _, err := admin.Exec(t.Context(), one); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ setting, value, want string }{
		{"fsync", "off", "want on"}, {"full_page_writes", "off", "want on"}, {"synchronous_commit", "off", "want on or remote_apply"}, {"synchronous_commit", "local", "want on or remote_apply"},
	} {
		set("ALTER SYSTEM SET " + c.setting + " = " + c.value)
		var weak *WeakError
		within(t, 5*time.Second, c.setting+" = "+c.value+" is refused", func() bool { // once the server has read it
			j, err := Open(t.Context(), url)
			if err == nil {
				j.Close()
			}
			return errors.As(err, &weak) && weak.Setting == c.setting && weak.Is == c.value && strings.Contains(err.Error(), c.want)
		})
		set("ALTER SYSTEM RESET " + c.setting)
		within(t, 5*time.Second, "it is taken again", func() bool {
			j, err := Open(t.Context(), url)
			if err == nil {
				j.Close()
			}
			return err == nil
		})
		row.Case(true, "")
	}
}

// Hosts that start at once make the tables once. A newer schema is refused by an older version, which changes nothing; and a migration while others
// write loses nothing.
func TestMigrations(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-migrations", Text: "events that 4 writers append to two journals of one PostgreSQL while a third brings its tables to another schema: refused, or not there afterwards", Needs: "PostgreSQL"})
	url := emptied(t, running(t))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			j, err := Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			j.Close()
		})
	}
	all.Wait()
	hosts := []*Database{opened(t, url), opened(t, url)}
	j := hosts[0]
	files := fstest.MapFS{}
	for n := 1; n <= schemaNumber; n++ {
		name := fmt.Sprintf("migrations/%d.sql", n)
		text, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	const next = schemaNumber + 1
	files[fmt.Sprintf("migrations/%d.sql", next)] = &fstest.MapFile{Data: []byte(`ALTER TABLE loops ADD COLUMN note text; CREATE INDEX events_at ON events (at);`)}
	files[fmt.Sprintf("migrations/%d.sql", next+1)] = &fstest.MapFile{Data: []byte(`CREATE TABLE half (x int); SELECT 1/0;`)}
	const writers, each = 4, 50
	for w := range writers {
		all.Go(func() {
			c := &journal.Chain{Loop: fmt.Sprint("loop-", w)}
			for n := range each {
				err := hosts[w%len(hosts)].Append(c.Loop, n, []session.Event{c.Next(0, "", nil)}, nil)()
				row.Case(err == nil, "%s, event %d: %v", c.Loop, n+1, err)
			}
		})
	}
	if err := migrate(t.Context(), opened(t, url).pool, files, next); err != nil {
		t.Error(err)
	}
	all.Wait()
	c, err := store.Check(t.Context(), j)
	row.Case(err == nil && c.Events == writers*each, "%d events, %v, want %d", c.Events, err, writers*each)
	if err := migrate(t.Context(), j.pool, files, next+1); err == nil {
		t.Error("a migration that fails did not")
	}
	var half bool
	if err := j.pool.QueryRow(t.Context(), `SELECT to_regclass('half') IS NOT NULL`).Scan(&half); err != nil || half {
		t.Errorf("a migration that failed left something: %v, %v", half, err)
	}
	var newer *store.TooNewError
	if _, err := Open(t.Context(), url); !errors.As(err, &newer) || newer.Schema != next {
		t.Errorf("an older version opens a newer schema: %v", err)
	}
}

// What other hosts write is heard, once each, and what was written while nobody listened as well. One host alone looks after deadlines.
func TestFollow(t *testing.T) {
	url := emptied(t, running(t))
	a, b := opened(t, url), opened(t, url)
	if !a.Keeper(t.Context()) || b.Keeper(t.Context()) || !a.Keeper(t.Context()) {
		t.Error("not one host looks after deadlines")
	}
	c := &journal.Chain{Loop: "shop"}
	write := func(n int) {
		t.Helper()
		if err := a.Append("shop", n, []session.Event{c.Next(0, "", nil)}, nil)(); err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	ctx, stop := context.WithCancel(t.Context())
	heard := make(chan session.Tip, 100)
	done := make(chan struct{})
	go func() {
		b.Follow(ctx, func() []string { return nil }, func(t session.Tip) bool { heard <- t; return true })
		close(done)
	}()
	for n := range 5 {
		select {
		case tip := <-heard:
			if tip.Seq != n+1 || tip.Loop != "shop" || tip.Hash != c.Hash {
				t.Errorf("heard %+v, want event %d", tip, n+1)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("event %d is not heard", n+1)
		}
		write(n + 1)
	}
	stop()
	<-done
	a.Close()
	within(t, 30*time.Second, "the other host looks after deadlines once the database knows that the first has gone", func() bool { return b.Keeper(t.Context()) })
}

package postgres

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// weakened is a check that asks a database for less than it must give.
func weakened(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, `SET synchronous_commit = off`)
	return err
}

// fallen writes loops until the database is stopped at once, starts it again, and counts what was acknowledged and what of that is gone.
func fallen(t *testing.T, c *cluster.Cluster, after time.Duration, check func(context.Context, *pgx.Conn) error) (acknowledged, lost int) {
	t.Helper()
	url := emptied(t, c)
	opened(t, url).Close() // which makes the tables
	j, err := connect(t.Context(), url, check)
	if err != nil {
		t.Fatal(err)
	}
	j.begin()
	const loops = 8
	var kept [loops]int
	var all sync.WaitGroup
	for n := range loops {
		all.Go(func() {
			for chain := (&journal.Chain{Loop: fmt.Sprint("loop-", n)}); j.Append(chain.Loop, kept[n], []session.Event{chain.Next(1, "", []byte(chain.Hash.String()))}, nil)() == nil; {
				kept[n]++
			}
		})
	}
	time.Sleep(after)
	if err := c.End("immediate"); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if err := c.Begin(); err != nil {
		t.Fatal(err)
	}
	j.Close()
	j = opened(t, url)
	defer j.Close()
	if _, err := store.Check(t.Context(), j); err != nil {
		t.Error(err)
	}
	tips, err := j.Loops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]int{}
	for _, tip := range tips {
		there[tip.Loop] = tip.Seq
	}
	for n, had := range kept {
		acknowledged, lost = acknowledged+had, lost+max(0, had-there[fmt.Sprint("loop-", n)])
	}
	return acknowledged, lost
}

// What was acknowledged outlives a database that is stopped at once. The twin, which asks it for less, loses some.
func TestAcknowledgedEventsOutliveTheDatabase(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-database", Text: "PostgreSQL stopped at once (`pg_ctl stop -m immediate`) 40 times under 8 writers: events that were acknowledged and are lost", Needs: "PostgreSQL", Short: "2 times"})
	stops, twins := 2, 1
	if evidence.Whole() {
		stops, twins = 40, 10
	}
	c, err := cluster.Start(cluster.Memory())
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	defer c.Remove()
	for n := range stops {
		acknowledged, lost := fallen(t, c, time.Duration(200+37*n%300)*time.Millisecond, settled)
		row.Cases(lost, acknowledged)
	}
	all, gone := 0, 0
	for n := 0; n < twins || gone == 0 && n < 20; n++ { // a stop may come just after what was acknowledged was synced
		acknowledged, lost := fallen(t, c, time.Duration(200+37*n%300)*time.Millisecond, weakened)
		all, gone = all+acknowledged, gone+lost
	}
	t.Logf("with synchronous_commit = off: %d of %d lost", gone, all)
	if gone == 0 {
		t.Errorf("with synchronous_commit = off nothing of %d was lost: the test would not see a loss", all)
	}
}

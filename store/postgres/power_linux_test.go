package postgres

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/outage"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// powered is a database on a disk whose power can be cut.
type powered struct {
	*testing.T
	disk *outage.Mount
	*cluster.Cluster
	url string
}

func newPowered(t *testing.T) *powered {
	t.Helper()
	dir, err := os.MkdirTemp(cluster.Memory(), "kedge-cut-") // a short name, since a socket is there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	disk, err := outage.Sized(t.TempDir(), dir, 1024)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	t.Cleanup(disk.Close)
	if err := os.Chmod(dir, 0o755); err != nil { // the database is nobody's
		t.Fatal(err)
	}
	c, err := cluster.Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	t.Cleanup(c.Remove)
	p := &powered{t, disk, c, emptied(t, c)}
	opened(t, p.url).Close()            // which makes the tables
	if err := disk.Sync(); err != nil { // what initdb has written, it has not synced
		t.Fatal(err)
	}
	return p
}

// cut has eight loops grow until the power is cut, and counts what was acknowledged before that and what of it is gone.
func (p *powered) cut(round int, after time.Duration, check func(context.Context, *pgx.Conn) error) (acknowledged, lost int) {
	p.Helper()
	j, err := connect(p.Context(), p.url, check)
	if err != nil {
		p.Fatal(err)
	}
	j.begin()
	const loops = 8
	name := func(n int) string { return fmt.Sprintf("loop-%d-%d", round, n) }
	var kept [loops]atomic.Int64
	var all sync.WaitGroup
	for n := range loops {
		all.Go(func() {
			for c := (&journal.Chain{Loop: name(n)}); j.Append(c.Loop, int(kept[n].Load()), []session.Event{c.Next(1, "", []byte(c.Hash.String()))}, nil)() == nil; {
				kept[n].Add(1)
			}
		})
	}
	within(p.T, 30*time.Second, "something is acknowledged", func() bool { return kept[0].Load() > 0 })
	time.Sleep(after)
	var before [loops]int
	err = p.Crash(func() error { // a sync that is under way meanwhile may say that it succeeded, which no disk without power does
		for n := range loops {
			before[n] = int(kept[n].Load())
		}
		return p.disk.Cut()
	})
	if err != nil {
		p.Fatal(err)
	}
	all.Wait()
	j.Close()
	within(p.T, 20*time.Second, "the disk is there again", func() bool { err = p.disk.Restore(); return err == nil })
	if err := p.Revive(); err != nil {
		p.Fatal(err)
	}
	back := opened(p.T, p.url)
	defer back.Close()
	tips, err := back.Loops(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	there := map[string]int{}
	for _, tip := range tips {
		there[tip.Loop] = tip.Seq
	}
	for n, had := range before {
		acknowledged, lost = acknowledged+had, lost+max(0, had-there[name(n)])
	}
	return acknowledged, lost
}

// check reads everything that there is.
func (p *powered) check() {
	p.Helper()
	j := opened(p.T, p.url)
	defer j.Close()
	if _, err := store.Check(p.Context(), j); err != nil {
		p.Error(err)
	}
}

// What was acknowledged outlives a power cut under the database. The twin, which asks it for less, loses some.
func TestAcknowledgedEventsOutlivePowerCutsOfTheDatabase(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "replicas-power", Text: "the disk (ext4) of PostgreSQL loses its power 200 times under 8 writers: events that were acknowledged and are lost", Needs: "PostgreSQL, root and a loop device", Short: "2 cuts"})
	cuts, twins := 2, 1
	if evidence.Whole() {
		cuts, twins = 200, 20
	}
	p := newPowered(t)
	for n := range cuts {
		acknowledged, lost := p.cut(n, time.Duration(150+37*n%300)*time.Millisecond, settled)
		if acknowledged == 0 {
			t.Fatal("nothing was ever acknowledged")
		}
		row.Cases(lost, acknowledged)
	}
	p.check()
	all, gone := 0, 0
	for n := 0; n < twins || gone == 0 && n < 20; n++ { // a stop may come just after what was acknowledged was synced
		acknowledged, lost := p.cut(cuts+n, time.Duration(150+37*n%300)*time.Millisecond, weakened)
		all, gone = all+acknowledged, gone+lost
	}
	t.Logf("with synchronous_commit = off: %d of %d lost", gone, all)
	if gone == 0 {
		t.Errorf("with synchronous_commit = off nothing of %d was lost: the cuts do not cut", all)
	}
}

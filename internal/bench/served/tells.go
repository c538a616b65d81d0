package served

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

const (
	tellers    = 64
	tellPeople = 20
	tellDim    = 3
)

// oneByOne commits every append by itself.
type oneByOne struct {
	session.Journal
	mu sync.Mutex
}

func (o *oneByOne) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.Journal.Append(loop, after, events, state)()
	return func() error { return err }
}

// together is what the service writes to, as it is: one commit for all that waits.
type together struct{ session.Journal }

// longer is how much longer a sync takes in the case that is asked for besides: as on disks that do not keep what they are given in memory of
// their own.
const longer = 2 * time.Millisecond

// tells is how many durable tells a second 64 clients get, each of a loop of its own.
func (b Trial) tells(ctx context.Context) ([]Rated, error) {
	var each float64 // tells of a commit, when they last were together
	rate := func(alone bool, longer time.Duration) func() (float64, error) {
		return func() (float64, error) {
			rate, of, err := b.tellRate(ctx, alone, longer)
			if !alone && longer == 0 {
				each = of
			}
			return rate, err
		}
	}
	all, err := b.inTurn(rate(false, 0), rate(true, 0), rate(false, longer), rate(true, longer), func() (float64, error) { return b.insertRate(ctx, max(1, int(each))) })
	if err != nil {
		return nil, err
	}
	grouped, alone, slow, slowAlone, bare := all[0], all[1], all[2], all[3], all[4]
	return []Rated{
		atLeast("durable tells, 64 clients", "/s", grouped, "one commit a tell", alone, 8),
		atLeast("the same", "/s", grouped, "bare inserts of the same bytes, same commit sizes", bare, 0.25),
		against(fmt.Sprintf("what if: the same, were every sync %v longer", longer), "/s", slow, "one commit a tell, the same", slowAlone),
	}, nil
}

// inTurn measures several things in turn, round by round, and returns what each of them came to.
func (b Trial) inTurn(measures ...func() (float64, error)) ([][]float64, error) {
	all := make([][]float64, len(measures))
	for range b.Rounds {
		for i, measure := range measures {
			v, err := measure()
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], v)
		}
	}
	return all, nil
}

// tellRate returns tells a second, and how many of them a commit held.
func (b Trial) tellRate(ctx context.Context, alone bool, longer time.Duration) (rate, each float64, err error) {
	wrap := func(j session.Journal) session.Journal {
		if longer > 0 { // the writer waits so long before it tells anybody that a commit is there
			j.(*store.SQLite).Observe(func(int, time.Duration) { time.Sleep(longer) })
		}
		if alone {
			return &oneByOne{Journal: j}
		}
		return together{j}
	}
	err = in(wrap, func(s *site) error {
		all, err := voices(ctx, s, tellers)
		if err != nil {
			return err
		}
		syncs := s.journal.Syncs
		rate, err = b.told(ctx, all)
		each = rate * b.Span.Seconds() / float64(max(1, s.journal.Syncs-syncs))
		return err
	})
	return rate, each, err
}

// told is how many tells a second clients get that have a loop each.
func (b Trial) told(ctx context.Context, all []voice) (rate float64, err error) {
	var told atomic.Int64
	end := time.Now().Add(b.Span)
	err = concurrently(ctx, len(all), func(ctx context.Context, i int) error {
		for time.Now().Before(end) && ctx.Err() == nil {
			if err := all[i].decision(ctx, session.MostBatches, end, &told); err != nil {
				return err
			}
		}
		return nil
	})
	return float64(told.Load()) / b.Span.Seconds(), err
}

// concurrently has several do something at once, until all have or one fails.
func concurrently(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var busy sync.WaitGroup
	for i := range n {
		busy.Go(func() {
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	busy.Wait()
	return context.Cause(ctx)
}

// bareTell is as many bytes as a tell has.
func bareTell() (event, people []byte) {
	return make([]byte, 300), make([]byte, 2*8*tellPeople*tellDim+100)
}

// insertRate is how many rows of a tell's bytes a second the database takes bare, so many a commit.
func (b Trial) insertRate(ctx context.Context, each int) (rate float64, err error) {
	dir, err := os.MkdirTemp("", "kedge-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(8192)&_pragma=cache_size(-32768)") // as the store has them
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE TABLE tells (id INTEGER PRIMARY KEY, event BLOB NOT NULL, people BLOB NOT NULL)`); err != nil {
		return 0, err
	}
	row, err := db.PrepareContext(ctx, `INSERT INTO tells (event, people) VALUES (?, ?)`)
	if err != nil {
		return 0, err
	}
	defer row.Close()
	event, people := bareTell()
	begun, rows := time.Now(), 0
	for time.Since(begun) < b.Span {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return 0, err
		}
		own := tx.StmtContext(ctx, row)
		for range each {
			if _, err := own.ExecContext(ctx, event, people); err != nil {
				tx.Rollback()
				return 0, err
			}
		}
		if err := tx.Commit(); err != nil {
			return 0, err
		}
		rows += each
	}
	return float64(rows) / time.Since(begun).Seconds(), nil
}

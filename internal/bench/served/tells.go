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

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
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

// tells is how many durable tells a second 64 clients get, each of a loop of its own.
func (b Trial) tells(ctx context.Context) ([]Rated, error) {
	var together, alone, bare []float64
	for range b.Rounds {
		rate, each, err := b.tellRate(ctx, nil)
		if err != nil {
			return nil, err
		}
		together = append(together, rate)
		rate, _, err = b.tellRate(ctx, func(j session.Journal) session.Journal { return &oneByOne{Journal: j} })
		if err != nil {
			return nil, err
		}
		alone = append(alone, rate)
		if rate, err = b.insertRate(ctx, max(1, int(each))); err != nil {
			return nil, err
		}
		bare = append(bare, rate)
	}
	return []Rated{
		atLeast("durable tells, 64 clients", "/s", together, "one commit a tell", alone, 8),
		atLeast("the same", "/s", together, "bare inserts of the same bytes, same commit sizes", bare, 0.25),
	}, nil
}

// tellRate returns tells a second, and how many of them a commit held.
func (b Trial) tellRate(ctx context.Context, wrap func(session.Journal) session.Journal) (rate, each float64, err error) {
	err = in(wrap, func(s *site) error {
		loops := make([]*client.Remote, tellers)
		for i := range loops {
			c := client.Open(s.address)
			if _, err := c.Create(ctx, fmt.Sprintf("shop-%d", i), shop(tellDim), session.Live); err != nil {
				return err
			}
			loops[i] = c.Loop(fmt.Sprintf("shop-%d", i))
		}
		var told atomic.Int64
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		end, syncs := time.Now().Add(b.Span), s.journal.Syncs
		var all sync.WaitGroup
		for i, l := range loops {
			all.Go(func() {
				for time.Now().Before(end) && ctx.Err() == nil {
					if err := tellDecision(ctx, l, i, session.MostBatches, end, &told); err != nil {
						cancel(err)
					}
				}
			})
		}
		all.Wait()
		rate = float64(told.Load()) / b.Span.Seconds()
		each = float64(told.Load()) / float64(max(1, s.journal.Syncs-syncs))
		return context.Cause(ctx)
	})
	return rate, each, err
}

// tellDecision tells so many batches of one decision, or until the end, and closes it.
func tellDecision(ctx context.Context, l *client.Remote, salt, most int, end time.Time, told *atomic.Int64) error {
	offer, err := l.Ask(ctx)
	if err != nil {
		return err
	}
	if _, err := l.Deploy(ctx, offer.K, offer.U); err != nil {
		return err
	}
	for n := 0; n < most && time.Now().Before(end); n++ {
		if _, err := l.Tell(ctx, offer.K, fmt.Sprint("b", n), answers(tellPeople, tellDim, 7919*salt+int(told.Load()))); err != nil {
			return err
		}
		told.Add(1)
	}
	_, err = l.Close(ctx, offer.K)
	return err
}

// insertRate is how many rows of a tell's bytes a second the database takes bare, so many a commit.
func (b Trial) insertRate(ctx context.Context, each int) (rate float64, err error) {
	dir, err := os.MkdirTemp("", "kedge-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
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
	event, people := make([]byte, 300), make([]byte, 2*8*tellPeople*tellDim+100)
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

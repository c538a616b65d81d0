// Package postgres keeps the events of loops in a PostgreSQL database that any number of servers share.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// Database is a journal in a PostgreSQL database. Every append is compared with the newest event and written in one statement, so that servers
// need not know of each other. While the database cannot be reached everything is refused, and it goes on by itself once it can.
type Database struct {
	pool   *pgxpool.Pool
	config *pgx.ConnConfig // of connections that are not of the pool
	packer *store.Packer
	name   string // of this host among those who write, in what it tells the others
	room   string // where they tell each other

	looks   bool // it changes nothing
	drawing *store.Drawing
	tails   store.Tails
	queue   queue
	asking  chan question
	telling chan session.Tip
	lost    atomic.Pointer[error]
	prompt  chan struct{} // that the database was lost
	store.Tempo

	mu    sync.Mutex
	heads map[string]head // of loops that this host wrote or read

	house  sync.Mutex // held while the database is asked
	keeper *pgx.Conn  // that holds the lock of who looks after deadlines; nil: another host does

	stop    context.CancelFunc
	stopped sync.WaitGroup
	closed  chan struct{} // once nobody answers any more
}

var _ session.Shared = (*Database)(nil)

var errClosed = errors.New("the journal is closed")

type head struct {
	id   int64
	seq  int
	hash []byte
}

// How many do what at a time. Of writers one gathers while the other commits: more of them would write less at once, which costs more.
const (
	writers   = 2
	askers    = 2
	leastPool = writers + askers + 10
)

// wait is how long the database may take to answer before it counts as lost.
const wait = 30 * time.Second

// WeakError says that the database may lose what it has acknowledged.
type WeakError struct{ Setting, Is, Want string }

func (e *WeakError) Error() string {
	return fmt.Sprintf("the database has %s = %s, so that it may lose what it has acknowledged; want %s", e.Setting, e.Is, e.Want)
}

// settled refuses a connection to a database that is not durable, or that cannot be written.
func settled(ctx context.Context, c *pgx.Conn) error {
	for _, s := range []struct {
		name string
		want []string
	}{{"fsync", []string{"on"}}, {"full_page_writes", []string{"on"}}, {"synchronous_commit", []string{"on", "remote_apply"}}} {
		var is string
		if err := c.QueryRow(ctx, `SELECT current_setting($1)`, s.name).Scan(&is); err != nil {
			return err
		}
		if !slices.Contains(s.want, is) {
			return &WeakError{s.name, is, strings.Join(s.want, " or ")}
		}
	}
	return nil
}

// Health says why nothing can be written or read at the moment.
func (j *Database) Health() error {
	if err := j.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// Codes of PostgreSQL, by its appendix A.
const (
	uniqueViolation = "23505"
	diskFull        = "53100"
	deadlock        = "40P01"
	serialization   = "40001"
)

// failed says what an error means to whoever called. One that is not an answer of the database means that it is lost.
func (j *Database) failed(err error) error {
	if answer, is := errors.AsType[*pgconn.PgError](err); is {
		switch class := answer.Code[:2]; {
		case answer.Code == diskFull:
			return fmt.Errorf("%w: %w", session.ErrFull, err)
		case answer.Code == uniqueViolation:
			return session.ErrConflict
		case answer.Code == deadlock || answer.Code == serialization:
			return fmt.Errorf("%w: %w", session.ErrBusy, err)
		case class != "57" && class != "53" && class != "08" && class != "58" && answer.Code != "25006": // it stops, has too many connections, or is a standby
			return err
		}
	}
	lost := fmt.Errorf("%w: %w", session.ErrLost, err)
	if j.lost.Swap(&lost) == nil {
		j.pool.Reset()
		select {
		case j.prompt <- struct{}{}:
		default:
		}
	}
	return lost
}

// mend tries to reach a database that is lost.
func (j *Database) mend(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.prompt:
		}
		for j.lost.Load() != nil {
			try, cancel := context.WithTimeout(ctx, 2*time.Second)
			var standby bool
			err := j.pool.QueryRow(try, `SELECT pg_is_in_recovery()`).Scan(&standby)
			cancel()
			if err == nil && !standby {
				j.forget()
				j.lost.Store(nil)
				break
			}
			if _, is := errors.AsType[*WeakError](err); is {
				why := fmt.Errorf("%w: %w", session.ErrLost, err)
				j.lost.Store(&why)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// forget forgets the heads of all loops.
func (j *Database) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.heads)
}

// retried does something again that the database ended because it waited for somebody who waited for it, as who changes tables does. Nothing of it
// has happened then.
func retried(do func() error) (err error) {
	for range 10 {
		var answer *pgconn.PgError
		if err = do(); !errors.As(err, &answer) || answer.Code != deadlock && answer.Code != serialization {
			break
		}
	}
	return err
}

// named says what an error means to whoever called with ctx. Of somebody who left it says nothing but that, whatever became of his connection.
func (j *Database) named(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, session.ErrConflict) {
		return err
	}
	if gone := ctx.Err(); errors.Is(gone, context.Canceled) {
		return gone
	}
	return j.failed(err)
}

package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// Open opens the database at a URL as postgres://kedge@db/kedge, and brings its tables to the newest schema.
func Open(ctx context.Context, url string) (*Database, error) {
	j, err := connect(ctx, url, settled)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, j.pool, migrations, schemaNumber); err != nil {
		j.pool.Close()
		return nil, err
	}
	j.begin()
	return j, nil
}

// Look opens a database to read it, without a change to it.
func Look(ctx context.Context, url string) (*Database, error) {
	j, err := connect(ctx, url, settled)
	if err != nil {
		return nil, err
	}
	number, err := schemaOf(ctx, j.pool)
	if err == nil && number != schemaNumber {
		err = fmt.Errorf("the database has schema %d, want %d: kedge serve --db brings it there", number, schemaNumber)
	}
	if err != nil {
		j.pool.Close()
		return nil, err
	}
	j.looks = true
	j.begin()
	return j, nil
}

// connect makes connections that pass a check.
func connect(ctx context.Context, url string, check func(context.Context, *pgx.Conn) error) (*Database, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err // which has no password in it
	}
	c.MaxConns = max(c.MaxConns, leastPool)
	c.ConnConfig.ConnectTimeout = 5 * time.Second
	if c.ConnConfig.RuntimeParams["application_name"] == "" {
		c.ConnConfig.RuntimeParams["application_name"] = "kedge"
	}
	c.AfterConnect = check
	dropLeft(c)
	j := &Database{
		config: c.ConnConfig.Copy(), name: rand.Text()[:12], asking: make(chan question, 1024), telling: make(chan session.Tip, 1024),
		prompt: make(chan struct{}, 1), heads: map[string]head{}, drawing: store.NewDrawing(), closed: make(chan struct{}),
	}
	j.queue.init()
	if j.packer, err = store.NewPacker(); err != nil {
		return nil, err
	}
	if j.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), c); err != nil {
		return nil, err
	}
	first, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := j.pool.QueryRow(first, `SELECT 'kedge_' || md5(current_schema())`).Scan(&j.room); err != nil {
		j.pool.Close()
		return nil, fmt.Errorf("%s: %w", c.ConnConfig.Host, err)
	}
	return j, nil
}

// begin starts those who write, ask and tell.
func (j *Database) begin() {
	ctx, stop := context.WithCancel(context.Background())
	j.stop = stop
	for range writers {
		j.stopped.Go(j.write)
	}
	for range askers {
		j.stopped.Go(func() { j.answer(ctx) })
	}
	j.stopped.Go(func() { j.drawing.Draw(ctx, j.graphOf) })
	j.stopped.Go(func() { j.tell(ctx) })
	j.stopped.Go(func() { j.mend(ctx) })
}

// Close writes what waits and leaves the database.
func (j *Database) Close() error {
	if j.queue.close() {
		return nil
	}
	j.stop()
	j.stopped.Wait()
	close(j.closed)
	j.house.Lock()
	defer j.house.Unlock()
	if j.keeper != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		j.keeper.Close(ctx)
	}
	j.pool.Close()
	j.packer.Close()
	return nil
}

// leaver knows whether somebody left while a connection worked for him. On a busy machine the driver may be reading ahead then: that he left would be
// told to whoever has the connection next, as a time-out of the database.
type leaver struct {
	pgconn.DeadlineContextWatcherHandler
	left bool
}

// HandleCancel implements [ctxwatch.Handler].
func (l *leaver) HandleCancel(ctx context.Context) {
	l.left = true
	l.DeadlineContextWatcherHandler.HandleCancel(ctx)
}

const leaverKey = "leaver"

// dropLeft lets nobody have a connection that somebody left.
func dropLeft(c *pgxpool.Config) {
	c.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		l := &leaver{DeadlineContextWatcherHandler: pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}}
		conn.CustomData()[leaverKey] = l
		return l
	}
	c.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) {
		l, known := conn.PgConn().CustomData()[leaverKey].(*leaver)
		return !known || !l.left, nil
	}
}

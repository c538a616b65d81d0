package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

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

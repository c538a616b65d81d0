package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Who leaves while he reads, at any moment, takes the database from nobody: it is not lost because one of its connections is.
func TestReadersWhoLeaveLoseNothing(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	random := rand.New(rand.NewPCG(5, 6))
	left := 0
	for i := range 1500 {
		ctx, leave := context.WithCancel(t.Context())
		soon := time.AfterFunc(time.Duration(random.IntN(1000))*time.Microsecond, leave)
		err := j.Read(ctx, "shop", 0, func(session.Event) error { return nil })
		if errors.Is(err, context.Canceled) {
			left++
		} else if err != nil {
			t.Fatalf("reader %d: %v", i, err)
		}
		if err := j.Health(); err != nil {
			t.Fatalf("after reader %d: %v", i, err)
		}
		soon.Stop()
		leave()
	}
	if left < 150 {
		t.Errorf("%d of 1500 readers left too early to tell", left)
	}
}

// Whose time is over while he reads, as that of a watcher whose key expires, takes the database from nobody either: others would be told that it cannot be reached.
func TestReadersWhoseTimeIsOverLoseNothing(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	for _, read := range []func(context.Context) error{
		func(ctx context.Context) error {
			return j.Read(ctx, "shop", 0, func(session.Event) error { return nil })
		},
		func(ctx context.Context) error { return second(j.Series(ctx, "shop", []string{"value"}, 1, 10)) },
	} {
		ctx, end := context.WithTimeout(t.Context(), 0)
		if err := read(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, session.ErrLost) {
			t.Error(err)
		}
		end()
		if err := j.Health(); err != nil {
			t.Error(err)
		}
	}
}

// A connection that somebody left is nobody's any more, whatever the driver may have kept of that.
func TestNobodyHasAConnectionThatWasLeft(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	gone := map[uint32]bool{}
	for _, left := range []bool{false, true, true} {
		all := j.pool.AcquireAllIdle(t.Context())
		if len(all) == 0 {
			one, err := j.pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		for _, c := range all {
			conn := c.Conn().PgConn()
			if gone[conn.PID()] {
				t.Errorf("connection %d was left and is there again", conn.PID())
			}
			if left {
				l := conn.CustomData()[leaverKey].(*leaver)
				l.HandleCancel(t.Context())
				l.HandleUnwatchAfterCancel()
				gone[conn.PID()] = true
			}
			c.Release()
		}
	}
	if err := j.Read(t.Context(), "shop", 0, func(session.Event) error { return nil }); err != nil {
		t.Error(err)
	}
}

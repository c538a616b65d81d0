package store

import (
	"context"
	"database/sql"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// A WAL of which somebody always reads does not grow for ever: the next who reads begins before the last one ends.
func TestReadersDoNotHoldUpTheWAL(t *testing.T) {
	s := opened(t, t.TempDir())
	c := &chain{loop: "shop"}
	if err := s.Append("shop", 0, []session.Event{c.next(1, "", nil)}, nil)(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	readers.Go(func() {
		for before := (*sql.Tx)(nil); ; time.Sleep(10 * time.Millisecond) {
			tx, err := s.peek.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
			if seen := 0; err == nil {
				err = tx.QueryRow(`SELECT count(*) FROM loops`).Scan(&seen)
			}
			if before != nil {
				before.Rollback()
			}
			if before = tx; ctx.Err() != nil {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	most := int64(0)
	for written := int64(0); written < 3*mostWAL; {
		var events []session.Event
		for range 64 {
			events = append(events, c.next(1, "", nil))
		}
		state := noise(uint64(written), 4<<20)
		if err := s.Append("shop", c.seq-len(events), events, state)(); err != nil {
			t.Fatal(err)
		}
		written += int64(len(state))
		info, err := os.Stat(s.dir.Path(database + "-wal"))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, info.Size())
	}
	stop()
	readers.Wait()
	t.Logf("the WAL had %d MB at most", most>>20)
	if bound := int64(mostWAL + 3*moreWAL); most > bound { // on a busy machine a reader may be asleep for longer than is waited for
		t.Errorf("the WAL has %d MB, want at most %d", most>>20, bound>>20)
	}
}

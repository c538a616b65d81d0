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

// While somebody writes, the WAL is folded another time: that is no fault, and the next try waits until it is larger. What else keeps it from being folded
// is one.
func TestAFoldThatIsKeptFromIt(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string // what the writer is told; without a word it is closed
		broken        bool
	}{
		"nobody":     {"SELECT 1", "SELECT 1", false},
		"one writes": {"BEGIN IMMEDIATE", "ROLLBACK", false}, // SQLite says locked of a connection that does so itself
		"a fault":    {"", "", true},
	} {
		s := opened(t, t.TempDir())
		one := &chain{loop: "shop"}
		if err := s.Append("shop", 0, []session.Event{one.next(1, "", nil)}, nil)(); err != nil {
			t.Fatal(err)
		}
		s.ended = true // as Close does it: nobody else folds from here on
		s.stop()
		close(s.queue)
		s.stopped.Wait()
		if c.broken {
			s.write.Close()
		} else if _, err := s.write.Exec(c.before); err != nil {
			t.Fatal(err)
		}
		const most, more = 128 << 20, 32 << 20 // docs/service.md
		for _, size := range []int64{most - 1, most} {
			if err := os.Truncate(s.dir.Path(database+"-wal"), size); err != nil { // with a hole that nobody reads
				t.Fatal(err)
			}
			s.foldIn()
			if err := s.Health(); (err != nil) != (c.broken && size == most) {
				t.Errorf("%s, %d bytes: %v", name, size, err)
			}
		}
		if want := map[bool]int64{true: 0, false: most + more}[name == "nobody"]; s.fold != want {
			t.Errorf("%s: the next at %d bytes, want %d", name, s.fold, want)
		}
		if !c.broken {
			s.write.Exec(c.after)
		}
		s.release()
	}
}

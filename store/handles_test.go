package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Whatever is asked of a database that cannot be read is an error, and never nothing.
func TestUnreadableDatabasesSaySo(t *testing.T) {
	ctx := t.Context()
	questions := map[string]func(s *SQLite) error{
		"read": func(s *SQLite) error {
			return s.Read(ctx, "shop", 0, func(session.Event) error { return nil })
		},
		"decision": func(s *SQLite) error { _, err := s.Decision("shop", 1); return err },
		"find":     func(s *SQLite) error { _, err := s.Find("shop", 1, "b/all"); return err },
		"newest": func(s *SQLite) error {
			_, err := s.Newest(ctx, "shop", []session.Kind{session.Opened}, 1)
			return err
		},
		"decision at": func(s *SQLite) error { _, err := s.DecisionAt("shop", 2); return err },
		"state":       func(s *SQLite) error { _, err := s.State("shop"); return err },
		"loops":       func(s *SQLite) error { _, err := s.Loops(ctx); return err },
		"blob":        func(s *SQLite) error { _, err := s.Blob("shop", session.Hash{}); return notDropped(err) },
		"series": func(s *SQLite) error {
			_, err := s.Series(ctx, "shop", []string{"u.0"}, 1, 10)
			return err
		},
		"check": func(s *SQLite) error { _, err := Check(ctx, s); return err },
		"backup": func(s *SQLite) error {
			file := filepath.Join(t.TempDir(), "backup.kedge")
			_, err := s.Backup(ctx, file)
			if _, there := os.Stat(file); err != nil && there == nil {
				t.Error("a backup that failed is left")
			}
			return err
		},
		"stock":    func(s *SQLite) error { _, err := stockOf(ctx, s, "shop"); return err },
		"sweep":    func(s *SQLite) error { _, err := s.sweep(); return err },
		"whole":    func(s *SQLite) error { _, err := whole(ctx, s, "shop"); return err },
		"export":   func(s *SQLite) error { return Export(ctx, s, "shop", t.TempDir()) },
		"renew":    func(s *SQLite) error { return Renew(ctx, s, wall{}, session.Standard, "test") },
		"newestIn": func(s *SQLite) error { _, err := rack{s: s, id: 1}.NewestIn(ctx, 1, 2); return err },
		"blocks":   func(s *SQLite) error { _, err := rack{s: s, id: 1}.Blocks(ctx, Always); return err },
		"stored":   func(s *SQLite) error { _, err := rack{s: s, id: 1}.Stored(ctx, Always, 0); return err },
	}
	s := opened(t, lived(t, 2))
	os.WriteFile(filepath.Join(s.path, blobFolder, "orphan"), nil, 0o600)
	for name, ask := range questions {
		if err := ask(s); err != nil && name != "blob" {
			t.Errorf("%s of a sound database: %v", name, err)
		}
	}
	os.WriteFile(filepath.Join(s.path, blobFolder, "orphan"), nil, 0o600)
	s.read.Close()
	s.peek.Close()
	for name, ask := range questions {
		if err := ask(s); err == nil {
			t.Errorf("%s of an unreadable database is answered", name)
		}
	}
}

// notDropped is an error that does not say that something is gone.
func notDropped(err error) error {
	if errors.Is(err, session.ErrDropped) {
		return nil
	}
	return err
}

// Numbers that are none, and hashes of another length, are found when they are read.
func TestRowsThatAreNone(t *testing.T) {
	ctx := t.Context()
	for harm, ask := range map[string]func(s *SQLite) error{
		`UPDATE events SET hash = x'00' WHERE seq = 3`: func(s *SQLite) error {
			return s.Read(ctx, "shop", 0, func(session.Event) error { return nil })
		},
		`UPDATE events SET hash = CAST(hash || x'00' AS BLOB) WHERE seq = 3`: func(s *SQLite) error { _, err := s.Decision("shop", 1); return err },
		`UPDATE events SET body = CAST('[]' AS BLOB) WHERE seq = 3`: func(s *SQLite) error {
			return s.decisions("shop", 1, 2, func(*session.Decision) {})
		},
		`UPDATE events SET body = CAST('[]' AS BLOB) WHERE seq = 7`: func(s *SQLite) error {
			return s.decisions("shop", 1, 2, func(*session.Decision) {})
		},
		`UPDATE events SET body = CAST('[]' AS BLOB) WHERE kind = 'opened'`: func(s *SQLite) error {
			_, err := s.Series(ctx, "shop", []string{"u.0"}, 1, 10)
			return err
		},
		`UPDATE events SET body = CAST('[]' AS BLOB) WHERE kind = 'batch'`: func(s *SQLite) error { _, err := whole(ctx, s, "shop"); return err },
		`UPDATE blobs SET file = '../lock', data = NULL`: func(s *SQLite) error {
			sum := session.Hash{}
			s.Read(ctx, "shop", 0, func(e session.Event) error {
				if r, err := e.Receipt(); e.Kind == session.Told && err == nil {
					sum = r.Content
				}
				return nil
			})
			_, err := s.Blob("shop", sum)
			return notDropped(err)
		},
	} {
		s := opened(t, lived(t, 2))
		if err := ask(s); err != nil {
			t.Fatalf("before %s: %v", harm, err)
		}
		if _, err := s.write.Exec("PRAGMA ignore_check_constraints = ON; " + harm); err != nil {
			t.Fatalf("%s: %v", harm, err)
		}
		s.Close()
		if s = opened(t, s.path); ask(s) == nil {
			t.Errorf("%s is not noticed", harm)
		}
		s.Close()
	}
}

// Whoever observes commits is told of all events of each; a commit is under way while it is, and no longer.
func TestCommitsAreObserved(t *testing.T) {
	s := opened(t, t.TempDir())
	told := make(chan int, 8)
	s.Observe(func(events int, took time.Duration) {
		if took < 0 || took > time.Hour {
			t.Errorf("it took %v", took)
		}
		told <- events
	})
	if d := s.Stuck(); d != 0 {
		t.Errorf("nothing is under way for %v", d)
	}
	c := &chain{loop: "a"}
	events := []session.Event{c.next(0, "", nil), c.next(0, "", nil), c.next(0, "", nil)}
	if err := s.Append("a", 0, events, nil)(); err != nil {
		t.Fatal(err)
	}
	if n := <-told; n != 3 {
		t.Errorf("%d events are told, want 3", n)
	}
	if err := s.alter(func(*sql.Tx) error {
		time.Sleep(time.Millisecond)
		if d := s.Stuck(); d < time.Millisecond || d > time.Hour {
			t.Errorf("it is under way for %v", d)
		}
		return nil
	}); err != nil || <-told != 0 {
		t.Error(err)
	}
	failed := errors.New("failed")
	if err := s.alter(func(*sql.Tx) error { return failed }); !errors.Is(err, failed) || !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	select {
	case <-s.Failed():
	default:
		t.Error("it goes on writing")
	}
	if err := s.Append("a", 3, []session.Event{c.next(0, "", nil)}, nil)(); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("%v", err)
	}
	s.Close()
	if err := opened(t, s.path).Append("a", 3, nil, []byte("state"))(); err != nil {
		t.Error(err)
	}
}

// A loop that is removed leaves nothing, neither rows nor files, and another can be called like it; if it has gone on meanwhile it stays.
func TestRemovedLoopsLeaveNothing(t *testing.T) {
	s := opened(t, t.TempDir())
	own, c := &chain{loop: session.OfServer}, &chain{loop: "shop"}
	blob := noise(1, mostInside+1)
	if err := s.Append("shop", 0, []session.Event{c.told(1, blob), c.next(0, "", nil)}, []byte("state"))(); err != nil {
		t.Fatal(err)
	}
	for _, tip := range []session.Tip{{Loop: "shop", Seq: 1, Hash: c.hash}, {Loop: "shop", Seq: 2}, {Loop: "none", Seq: 1}} {
		e := (&chain{loop: session.OfServer}).next(0, "", nil)
		e.Removes = tip
		if err := s.Append(session.OfServer, 0, []session.Event{e}, nil)(); !errors.Is(err, session.ErrConflict) {
			t.Errorf("%+v: %v", tip, err)
		}
	}
	e := own.next(0, "", nil)
	e.Removes = session.Tip{Loop: "shop", Seq: 2, Hash: c.hash}
	if err := s.Append(session.OfServer, 0, []session.Event{e}, nil)(); err != nil {
		t.Fatal(err)
	}
	heads, err := s.Loops(t.Context())
	state, _ := s.State("shop")
	if err != nil || len(heads) != 1 || heads[0].Loop != session.OfServer || state != nil || s.dir.Has(blobFolder+"/"+session.Hash(sumOf(blob)).String()) {
		t.Errorf("left are %+v and the state %q, %v", heads, state, err)
	}
	again := &chain{loop: "shop"}
	if err := s.Append("shop", 0, []session.Event{again.next(0, "", nil)}, nil)(); err != nil {
		t.Errorf("another of its name: %v", err)
	}
}

// A file of people stays where nobody can tell whether a loop has it.
func TestFilesStayWhereNobodyCanTellWhoHasThem(t *testing.T) {
	s, c, blob := opened(t, t.TempDir()), &chain{loop: "shop"}, noise(1, mostInside+1)
	if err := s.Append("shop", 0, []session.Event{c.told(1, blob)}, nil)(); err != nil {
		t.Fatal(err)
	}
	file := session.Hash(sumOf(blob)).String()
	s.peek.Close()
	if s.tidy([]*request{{files: []string{file}}}); !s.dir.Has(blobFolder + "/" + file) {
		t.Error("it is gone")
	}
}

// Series are thinned to buckets of as many decisions as it takes, by hand.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		from, newest, points int
		k                    []int
		least, most          []float64 // of the numbers 10 k
	}{
		{1, 10, 3, []int{1, 5, 9}, []float64{10, 50, 90}, []float64{40, 80, 100}},
		{1, 9, 3, []int{1, 4, 7}, []float64{10, 40, 70}, []float64{30, 60, 90}},
		{4, 9, 100, []int{4, 5, 6, 7, 8, 9}, []float64{40, 50, 60, 70, 80, 90}, []float64{40, 50, 60, 70, 80, 90}},
		{-3, 4, 0, []int{1}, []float64{10}, []float64{40}},
		{3, 2, 5, []int{}, nil, nil},
		{1, 0, 5, []int{}, nil, nil},
	} {
		for _, backwards := range []bool{false, true} {
			page, err := PageOf([]string{"x"}, c.from, c.newest, c.points, func(name string, from int, visit func(int, float64)) error {
				for i := -5; i <= 20; i++ {
					k := i
					if backwards {
						k = 15 - i
					}
					visit(k, 10*float64(k))
					visit(k, math.NaN())
				}
				return nil
			})
			if err != nil || !slices.Equal(page.K, c.k) || !slices.Equal(page.Series["x"].Min, c.least) || !slices.Equal(page.Series["x"].Max, c.most) {
				t.Errorf("%+v: %+v, %v", c, page, err)
			}
		}
	}
	lost := errors.New("lost")
	if _, err := PageOf([]string{"x"}, 1, 9, 3, func(string, int, func(int, float64)) error { return lost }); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
	if page, err := PageOf([]string{"x"}, 1, 1, 3, func(string, int, func(int, float64)) error { return nil }); err != nil || !math.IsNaN(page.Series["x"].Min[0]) || !math.IsNaN(page.Series["x"].Max[0]) {
		t.Errorf("%+v, %v", page, err)
	}
}

// A database without room, and one that another connection writes, are told from those that are broken.
func TestFaultsOfSQLiteAreToldApart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some.db")
	db := func(options string) *sql.Conn {
		t.Helper()
		all, err := sql.Open("sqlite", options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { all.Close() })
		one, err := all.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	exec := func(c *sql.Conn, text string) error { _, err := c.ExecContext(context.Background(), text); return err }
	is := func(name string, err error, full, busy bool) {
		t.Helper()
		if err == nil || isFull(err) != full || isBusy(err) != busy {
			t.Errorf("%s: %v, full %v, busy %v", name, err, isFull(err), isBusy(err))
		}
	}
	one, other := db("file:"+file+"?_pragma=busy_timeout(0)"), db("file:"+file+"?_pragma=busy_timeout(0)")
	if err := errors.Join(exec(one, "CREATE TABLE t (x BLOB)"), exec(one, "BEGIN IMMEDIATE")); err != nil {
		t.Fatal(err)
	}
	is("written elsewhere", exec(other, "BEGIN IMMEDIATE"), false, true)
	if err := errors.Join(exec(one, "COMMIT"), exec(one, "PRAGMA max_page_count = 4")); err != nil {
		t.Fatal(err)
	}
	is("full", exec(one, "INSERT INTO t VALUES (zeroblob(100000))"), true, false)
	is("no such table", exec(one, "INSERT INTO none VALUES (1)"), false, false)
	is("twice the same", errors.Join(exec(one, "CREATE UNIQUE INDEX u ON t (x)"), exec(one, "INSERT INTO t VALUES (1), (1)")), false, false)
	if isFull(nil) || isBusy(nil) {
		t.Error("no fault is one")
	}
}

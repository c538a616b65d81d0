package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// again is a copy of a data folder.
func again(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// small is a folder whose reserve is empty, so that it is quickly copied.
func small(t *testing.T, dir string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, reserve), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Whatever fails while a folder is opened, a new one or one of an older schema, is told, and afterwards the folder opens as if nothing had been.
func TestEveryFaultOfAnOpeningIsTold(t *testing.T) {
	old := small(t, firstSchema(t, 3))
	for name, c := range map[string]struct {
		make   func(t *testing.T) string
		events int
		spares func(call string) bool
	}{
		"a new folder": {func(t *testing.T) string { return small(t, t.TempDir()) }, 0, nil},
		"an old one":   {func(t *testing.T) string { return again(t, old) }, 3, ofOpening},
	} {
		sweep(t, name, c.spares, func(t *testing.T, f *failing) error {
			dir := c.make(t)
			is, from := dial, ground
			f.stands(t)
			s, err := Open(dir)
			if err == nil {
				return s.Close()
			}
			dial, ground = is, from
			found, wrong := Check(t.Context(), opened(t, dir))
			if wrong != nil || found.Events != c.events || found.Blobs != c.events {
				t.Errorf("%s, after %s has failed: %+v, %v", name, f.met, found, wrong)
			}
			return err
		})
	}
}

// everything is a commit that does all that a commit can: to a loop that is not there yet, with small and large people, a state, what goes live late,
// people who are dropped and a loop that is removed.
type everything struct {
	dir, loop    string
	events       []session.Event
	small, large []byte
}

func (e *everything) append(s *SQLite) error { return s.Append(e.loop, 0, e.events, []byte("state"))() }

func prepared(t *testing.T) *everything {
	t.Helper()
	dir := t.TempDir()
	s, c := opened(t, dir), &chain{loop: "gone"}
	gone := []session.Event{c.told(1, noise(1, mostInside+1)), c.told(2, noise(2, mostInside+1))}
	if err := s.Append("gone", 0, gone, []byte("state"))(); err != nil {
		t.Fatal(err)
	}
	s.Close()
	e := &everything{dir: small(t, dir), loop: "new", small: []byte("people"), large: noise(3, mostInside+1)}
	n := &chain{loop: e.loop}
	first := n.told(1, e.small)
	late := session.Event{Seq: 2, At: first.At, Kind: session.DeployedLate, Actor: "test", K: 1, Body: []byte(`{}`)}
	late.Hash = late.Chained(e.loop, first.Hash)
	n.seq, n.hash = 2, late.Hash
	large, drops, removes := n.told(2, e.large), n.next(0, "", nil), n.next(0, "", nil)
	drops.Drops = []session.Hash{sumOf(e.small)}
	removes.Removes = session.Tip{Loop: "gone", Seq: 2, Hash: c.hash}
	e.events = []session.Event{first, late, large, drops, removes}
	return e
}

// Whatever fails in a commit, whoever waits is told, and all of what was there is there, and nothing else.
func TestEveryFaultOfACommitIsTold(t *testing.T) {
	e := prepared(t)
	commit := func(t *testing.T, f *failing) error {
		dir := again(t, e.dir)
		s, over := f.opened(t, dir)
		err := e.append(s)
		over()
		heads, wrong := s.Loops(t.Context())
		want := session.Tip{Loop: "gone", Seq: 2, Hash: e.events[4].Removes.Hash}
		if err == nil {
			want = session.Tip{Loop: "new", Seq: 5, Hash: e.events[4].Hash}
		}
		if wrong != nil || len(heads) != 1 || heads[0] != want {
			t.Errorf("after %s has failed: %+v, %v", f.met, heads, wrong)
		}
		if err != nil && (!errors.Is(err, session.ErrReadOnly) || s.Health() == nil) {
			t.Errorf("after %s has failed: %v", f.met, err)
		}
		s.Close()
		s = opened(t, dir)
		if err != nil {
			if err := e.append(s); err != nil {
				t.Errorf("again, after %s has failed: %v", f.met, err)
			}
		}
		state, wrong := s.State("new")
		if data, missing := s.Blob("new", sumOf(e.large)); wrong != nil || missing != nil || string(state) != "state" || !bytes.Equal(data, e.large) {
			t.Errorf("after %s has failed: %q, %v, %v", f.met, state, wrong, missing)
		}
		return err
	}
	sweep(t, "a commit", ofOpening, commit)
	for _, call := range []string{"sync-file of a file", "sync-dir of a file"} { // a large blob is on the disk before anybody is told
		sweepCall(t, "a commit", call, 1, commit)
	}
}

// Whatever fails while somebody reads is told.
func TestEveryFaultOfAReaderIsTold(t *testing.T) {
	ctx, dir := t.Context(), lived(t, 2)
	s := opened(t, dir)
	c := &chain{loop: "large"}
	if err := s.Append("large", 0, []session.Event{c.told(1, noise(1, mostInside+1)), c.told(2, noise(2, mostInside+1))}, []byte("state"))(); err != nil {
		t.Fatal(err)
	}
	if !s.Mark(ctx, true, "large") {
		t.Fatal("it cannot be marked")
	}
	kills := s.kills.bits
	s.Close()
	for name, ask := range map[string]func(s *SQLite) error{
		"read": func(s *SQLite) error {
			return s.Read(ctx, "shop", 0, func(session.Event) error { return nil })
		},
		"decision":    func(s *SQLite) error { _, err := s.Decision("shop", 1); return err },
		"find":        func(s *SQLite) error { _, err := s.Find("shop", 1, "b/all"); return err },
		"newest":      func(s *SQLite) error { _, err := s.Newest(ctx, "shop", []session.Kind{session.Told}, 2); return err },
		"decision at": func(s *SQLite) error { _, err := s.DecisionAt("shop", 3); return err },
		"state":       func(s *SQLite) error { _, err := s.State("large"); return err },
		"loops":       func(s *SQLite) error { _, err := s.Loops(ctx); return err },
		"blob":        func(s *SQLite) error { _, err := s.Blob("large", sumOf(noise(1, mostInside+1))); return err },
		"series": func(s *SQLite) error {
			_, err := s.Series(ctx, "shop", []string{"u.0", "rows"}, 1, 10)
			if err == nil { // once more, of what is known by then
				_, err = s.Series(ctx, "shop", []string{"u.0"}, 1, 10)
			}
			return err
		},
		"check":    func(s *SQLite) error { _, err := Check(ctx, s); return err },
		"whole":    func(s *SQLite) error { _, err := whole(ctx, s, "large"); return err },
		"stock":    func(s *SQLite) error { _, err := stockOf(ctx, s, "large"); return err },
		"export":   func(s *SQLite) error { return Export(ctx, s, "shop", t.TempDir()) },
		"tip":      func(s *SQLite) error { return s.compareTip() },
		"marked":   func(s *SQLite) error { s.kills.bits = kills; _, err := s.Marked(ctx); return err },
		"newestIn": func(s *SQLite) error { _, err := rack{s: s, id: 1}.NewestIn(ctx, 1, 2); return err },
		"sweep": func(s *SQLite) error {
			if err := os.WriteFile(s.dir.Path(blobFolder+"/orphan"), nil, 0o600); err != nil {
				return err
			}
			_, err := s.sweep()
			return err
		},
	} {
		sweep(t, name, ofOpening, func(t *testing.T, f *failing) error {
			f.stands(t)
			s, err := Look(filepath.Join(dir, database), false)
			if err != nil {
				return err
			}
			defer s.Close()
			return ask(s)
		})
	}
}

// The same of whole blocks of series, of which two decisions cannot be read.
func TestEveryFaultOfASeriesIsTold(t *testing.T) {
	ctx, dir := t.Context(), lived(t, perBlock+1)
	s := opened(t, dir)
	g, err := s.graphOf(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(`DELETE FROM series WHERE name <> 'u.0'`); err != nil {
		t.Fatal(err)
	}
	g.Complete(ctx)
	s.Close()
	for name, from := range map[string]int{"u.0": 1, "rows": 1, "off": perBlock + 1} {
		sweep(t, name, ofOpening, func(t *testing.T, f *failing) error {
			f.stands(t)
			s, err := Look(filepath.Join(dir, database), true)
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Series(ctx, "shop", []string{name}, from, 10)
			return err
		})
	}
}

// Whatever fails while a backup is made, verified, restored, filled into another journal or repaired is told, and no half of a backup is left.
func TestEveryFaultOfABackupIsTold(t *testing.T) {
	ctx, dir := t.Context(), lived(t, 2)
	s := opened(t, dir)
	own := &chain{loop: session.OfServer}
	if err := s.Append(own.loop, 0, []session.Event{own.told(1, noise(1, mostInside+1))}, nil)(); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "all"+BackupEnding)
	if _, err := s.Backup(ctx, backup); err != nil {
		t.Fatal(err)
	}
	s.Close()
	small(t, dir)
	orphan := filepath.Join(dir, blobFolder, "orphan")
	if err := os.WriteFile(orphan, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(t *testing.T) error{
		"backup": func(t *testing.T) error {
			s, err := Look(filepath.Join(dir, database), false)
			if err != nil {
				return err
			}
			defer s.Close()
			file := filepath.Join(t.TempDir(), "copy"+BackupEnding)
			_, err = s.Backup(ctx, file)
			if _, missing := os.Stat(file); (err == nil) != (missing == nil) || missing != nil && !errors.Is(missing, fs.ErrNotExist) {
				t.Errorf("%v, but the backup: %v", err, missing)
			}
			return err
		},
		"restore": func(t *testing.T) error {
			_, err := Restore(ctx, backup, filepath.Join(t.TempDir(), "data"), wall{}, session.Standard)
			return err
		},
		"fill": func(t *testing.T) error {
			_, err := Fill(ctx, backup, NewMemory(), wall{}, session.Standard)
			return err
		},
		"verify": func(t *testing.T) error { _, err := Verify(ctx, dir); return err },
		"repair": func(t *testing.T) error {
			dir := again(t, dir)
			_, err := Repair(ctx, dir, false, wall{}, session.Standard)
			if _, left := os.Stat(filepath.Join(dir, blobFolder, "orphan")); err == nil && !errors.Is(left, fs.ErrNotExist) {
				t.Errorf("what nobody has is left: %v", left)
			}
			return err
		},
	} {
		standing := func(t *testing.T, f *failing) error {
			f.stands(t)
			return do(t)
		}
		sweep(t, name, ofOpening, standing)
		syncs := map[string]int{"backup": 1, "restore": 3, "repair": 1}[name] // of what was made, and of a folder that was opened
		sweepCall(t, name, "sync-dir of a file", syncs, standing)
	}
}

// A block that cannot be written is not there, and the journal says that it is unwell.
func TestEveryFaultOfABlockIsTold(t *testing.T) {
	dir := small(t, lived(t, 2))
	sweep(t, "a block", ofOpening, func(t *testing.T, f *failing) error {
		s, over := f.opened(t, again(t, dir))
		rack{s: s, loop: "shop", id: 1}.Keep(t.Context(), 0, map[string][]byte{"u.0": []byte("a"), "off": []byte("b")}, 1, 2, 9)
		over()
		names := 0
		if err := s.read.QueryRow(`SELECT count(*) FROM series`).Scan(&names); err != nil || names != 0 && names != 2 || (names == 0) != (f.met != "") {
			t.Errorf("%d numbers are there after %s has failed, %v", names, f.met, err)
		}
		return s.Health()
	})
}

// A loop that cannot be imported is not there, and why is told as it was.
func TestEveryFaultOfAnImportIsTold(t *testing.T) {
	ctx, empty := t.Context(), t.TempDir()
	m, _, _ := remembered(t, withIDs, 2)
	opened(t, empty).Close()
	small(t, empty)
	sweep(t, "an import", ofOpening, func(t *testing.T, f *failing) error {
		s, over := f.opened(t, again(t, empty))
		defer over()
		if err := Import(ctx, s, wall{}, session.Standard, m, "shop"); err != nil {
			return err
		}
		return s.Read(ctx, "shop", 0, func(session.Event) error { return nil })
	})
}

// A WAL of 128 MiB is folded in at the next commit, and again when it has grown as far once more; where that fails nothing is written any more.
func TestTheWALIsFoldedIn(t *testing.T) {
	nothing := func(*sql.Tx) error { return nil }
	folds := func(call string) bool { return call == "PRAGMA wal_checkpoint(RESTART)" }
	for n := range 4 {
		times := 0
		f := &failing{n: n, spares: func(call string) bool {
			if folds(call) {
				times++
			}
			return !strings.Contains(call, "busy_timeout = ") && !folds(call)
		}}
		t.Run("", func(t *testing.T) {
			s, over := f.opened(t, small(t, t.TempDir()))
			c := &chain{loop: "a"}
			if err := s.Append("a", 0, []session.Event{c.next(0, "", nil)}, nil)(); err != nil {
				t.Fatal(err)
			}
			grown := func(size int64) error {
				t.Helper()
				if err := os.Truncate(s.dir.Path(database+"-wal"), size); err != nil {
					t.Fatal(err)
				}
				err := s.alter(nothing)
				after := c.seq
				return errors.Join(err, s.Append("a", after, []session.Event{c.next(0, "", nil)}, nil)()) // which comes after what the first was followed by, and cuts the WAL
			}
			if err := grown(128<<20 - 1); err != nil || times != 0 {
				t.Fatalf("folded in %d times, %v", times, err)
			}
			for round := 1; round <= 2; round++ {
				err := grown(128 << 20)
				if over(); n == 3 && (err != nil || times != round) || n < 3 && !errors.Is(err, errPlanned) {
					t.Errorf("%q fails: folded in %d times, %v", f.met, times, err)
				}
				if n < 3 {
					return
				}
			}
		})
	}
}

// Whatever fails while a bundle is written is told: a step on the disk, or a byte of a tar.
func TestEveryFaultOfABundleIsTold(t *testing.T) {
	ctx := t.Context()
	_, m := exported(t)
	for n := 0; ; n++ {
		f := &failing{n: n}
		t.Run("", func(t *testing.T) {
			f.stands(t)
			err := Export(ctx, m, "shop", filepath.Join(t.TempDir(), "bundle"))
			if (err == nil) != (f.met == "") || err != nil && !errors.Is(err, errPlanned) {
				t.Errorf("%s: %v", f.met, err)
			}
		})
		if f.met == "" {
			break
		}
	}
	var all bytes.Buffer
	if err := ExportTar(ctx, m, "shop", &all); err != nil {
		t.Fatal(err)
	}
	for room := 0; room <= all.Len(); room += 256 {
		w := &narrow{room: room}
		if err := ExportTar(context.Background(), m, "shop", w); (err == nil) != (room >= all.Len()) || err != nil && !errors.Is(err, errPlanned) {
			t.Errorf("%d bytes of %d have room: %v", room, all.Len(), err)
		}
	}
}

// narrow takes so many bytes and no more.
type narrow struct{ room int }

func (w *narrow) Write(b []byte) (int, error) {
	n := min(len(b), w.room)
	if w.room -= n; n < len(b) {
		return n, errPlanned
	}
	return n, nil
}

// What cannot be a line of a bundle, or a row of its people, is no bundle; nor is there one where no folder can be made for it.
func TestBundlesThatCannotBe(t *testing.T) {
	ctx := t.Context()
	body, people := NewMemory(), NewMemory()
	e := session.Event{Seq: 1, Kind: session.Raised, Body: []byte("{")}
	body.loops["shop"] = &shelf{events: []session.Event{e}}
	if err := people.Append("shop", 0, []session.Event{(&chain{loop: "shop"}).told(1, []byte("nobody"))}, nil)(); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*InMemory{"half a body": body, "no people": people} {
		if err := Export(ctx, m, "shop", t.TempDir()); err == nil {
			t.Errorf("%s is exported", name)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, _, _ := remembered(t, withIDs, 1)
	var path *fs.PathError
	if err := Export(ctx, m, "shop", filepath.Join(file, "a", "b")); !errors.As(err, &path) || path.Path != file { // what is in the way
		t.Errorf("below a file: %v", err)
	}
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	var all bytes.Buffer
	if err := ExportTar(ctx, m, "shop", &all); err == nil || !strings.Contains(err.Error(), none) || all.Len() != 0 {
		t.Errorf("without a folder for what is temporary: %v", err)
	}
	if _, _, err := ReadTar(ctx, &all); err == nil || !strings.Contains(err.Error(), none) {
		t.Errorf("without a folder for what is temporary: %v", err)
	}
}

// The file tip is the number of the newest event, eight bytes from the lowest on, and the first eight of their SHA-256; one that is not says nothing.
func TestTips(t *testing.T) {
	dir := t.TempDir()
	s, c := opened(t, dir), &chain{loop: "a"}
	if err := s.Append("a", 0, []session.Event{c.next(0, "", nil), c.next(0, "", nil), c.next(0, "", nil)}, nil)(); err != nil {
		t.Fatal(err)
	}
	number := [8]byte{3}
	sum := sumOf(number[:])
	file := filepath.Join(dir, tipFile)
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, append(number[:], sum[:8]...)) {
		t.Errorf("%x, %v", got, err)
	}
	s.Close()
	beyond := [8]byte{4}
	sum = sumOf(beyond[:])
	for at := range 9 { // a bit that has turned in the sum, and none
		text := append(beyond[:], sum[:8]...)
		if at < 8 {
			text[8+at] ^= 1
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err == nil {
			s.Close()
		}
		if lost, is := errors.AsType[*LostError](err); is != (at == 8) || is && (lost.Acknowledged != 4 || lost.There != 3) || !is && err != nil {
			t.Errorf("bit of byte %d: %v", at, err)
		}
	}
}

package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/session/replay"
)

// victims are a data folder with its WAL, as a crash leaves it, a backup of it, and bundles of its loop.
func victims(t *testing.T) map[string]string {
	t.Helper()
	ctx, base := t.Context(), t.TempDir()
	m, _, _ := remembered(t, withIDs, 6)
	s := opened(t, filepath.Join(base, "open"))
	copied(t, m, s, "shop")
	if _, err := s.write.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	c := &chain{loop: "large"}
	for n := range 3 {
		if err := s.Append("large", n, []session.Event{c.told(n, noise(uint64(n), mostInside+1))}, nil)(); err != nil {
			t.Fatal(err)
		}
	}
	if err := chronicle.Anchor(ctx, s, wall{}, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(ctx, filepath.Join(base, "backup.kedge")); err != nil {
		t.Fatal(err)
	}
	if err := Export(ctx, s, "shop", filepath.Join(base, "bundle")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(base, "bundle.tar"))
	if err == nil {
		err = errors.Join(ExportTar(ctx, s, "shop", f), f.Close())
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(base, "data"), os.DirFS(filepath.Join(base, "open")))
	}
	if err == nil {
		err = os.Remove(filepath.Join(base, "data", reserve))
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range []string{"data", "backup.kedge", "bundle", "bundle.tar"} {
		all[name] = filepath.Join(base, name)
	}
	return all
}

// contentOf is all that can be read of something, in short; an error where there is one.
func contentOf(ctx context.Context, path string) (sum string, err error) {
	j, _, done, err := Reading(ctx, path)
	if err != nil {
		return "", err
	}
	defer done()
	heads, err := j.Loops(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, one := range heads {
		err := j.Read(ctx, one.Loop, 0, func(e session.Event) error {
			fmt.Fprintf(h, "%s %d %s %s %s %d %s %s %s\n", one.Loop, e.Seq, e.At, e.Kind, e.Actor, e.K, e.Ref, e.Body, e.Hash)
			names, _, err := e.Blobs()
			for _, sum := range names {
				data, err := j.Blob(one.Loop, sum)
				if err != nil {
					return err
				}
				h.Write(data)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// filesOf are the files whose damage matters: not the lock, nor what can be made anew.
func filesOf(t *testing.T, path string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		name := filepath.Base(file)
		if err == nil && !d.IsDir() && name != lockFile && name != reserve && !strings.HasSuffix(name, "-shm") {
			list = append(list, file)
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatal(path, err)
	}
	return list
}

// One bit or the end of a file is lost: verify says so, or everything reads as it was.
func TestRotIsNoticed(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-rot", Text: "2,000 bits turned and 500 ends lost of the database, WAL, files of batches and tip of the service, of backups and of bundles: unseen by `kedge verify` although something reads otherwise", Short: "80 bits, 20 ends"})
	blows := 100
	if evidence.Whole() {
		blows = 2500
	}
	ctx, random, named := t.Context(), rand.New(rand.NewPCG(8, 9)), 0
	all := victims(t)
	names := []string{"data", "data", "data", "backup.kedge", "bundle", "bundle.tar"}
	want := map[string]string{}
	for name, path := range all {
		var err error
		if want[name], err = contentOf(ctx, path); err != nil {
			t.Fatal(name, err)
		}
		if _, err := Verify(ctx, path); err != nil {
			t.Fatal(name, err)
		}
	}
	for n := range blows {
		name := names[n%len(names)]
		path := filepath.Join(t.TempDir(), name)
		if err := duplicate(all[name], path); err != nil {
			t.Fatal(err)
		}
		files := filesOf(t, path)
		file := files[random.IntN(len(files))]
		what := harm(t, random, file, n%5 == 4)
		_, err := Verify(ctx, path)
		var broken *session.ChainError
		if errors.As(err, &broken) {
			named++
			row.Ended("noticed, with loop and event")
		} else if err != nil {
			row.Ended("noticed")
		}
		if err != nil {
			row.Case(true, "")
			continue
		}
		is, err := contentOf(ctx, path)
		row.Case(err == nil && is == want[name], "%s of %s, %s: nobody notices, and it reads otherwise (%v)", what, name, filepath.Base(file), err)
		row.Ended("harmless")
		os.RemoveAll(path)
	}
	if named == 0 {
		t.Error("no fault was named with its event")
	}
}

// A digit of an event that turns into another is nothing to the database, which finds itself in order; the chain of hashes names the event.
func TestTheChainSeesWhatTheDatabaseDoesNot(t *testing.T) {
	ctx, file := t.Context(), victims(t)["backup.kedge"]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	j, _, done, err := Reading(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	err = j.Read(ctx, "shop", 0, func(e session.Event) error { events = append(events, e); return nil })
	done()
	if err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, e := range events {
		at := bytes.Index(data, e.Body) // -1: the body is not in one piece
		digit := bytes.IndexAny(e.Body, "0123456789")
		if at < 0 || digit < 0 || bytes.Count(data, e.Body) > 1 {
			continue
		}
		turned++
		data[at+digit] ^= 1
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if found := integrity(t, file); found != "ok" {
			t.Errorf("event %d: the database sees %s", e.Seq, found)
		}
		var broken *session.ChainError
		if _, err := Verify(ctx, file); !errors.As(err, &broken) || broken.Loop != "shop" || broken.Seq != e.Seq {
			t.Errorf("a digit of event %d has turned: %v", e.Seq, err)
		}
		data[at+digit] ^= 1
	}
	if turned < 10 {
		t.Errorf("%d of %d events could be turned", turned, len(events))
	}
}

// integrity is what a database says of itself.
func integrity(t *testing.T, file string) (found string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+uri(file)+"?mode=ro&immutable=1")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&found); err != nil {
		return err.Error()
	}
	return found
}

func duplicate(from, to string) error {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// harm turns a bit of a file, or cuts its end off.
func harm(t *testing.T, random *rand.Rand, file string, cut bool) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) == 0 {
		return "nothing"
	}
	at, what := random.IntN(len(data)), ""
	if cut {
		data, what = data[:at], fmt.Sprintf("all after byte %d", at)
	} else {
		bit := random.IntN(8)
		data[at] ^= 1 << bit
		what = fmt.Sprintf("bit %d of byte %d", bit, at)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return what
}

// A bundle holds all of a loop, and what is imported goes on in another epoch.
func TestBundlesHoldAllOfALoop(t *testing.T) {
	ctx, all := t.Context(), victims(t)
	for _, name := range []string{"bundle", "bundle.tar"} {
		m, loop, err := ReadBundle(ctx, all[name])
		if err != nil || loop != "shop" {
			t.Fatal(name, loop, err)
		}
		s := opened(t, t.TempDir())
		if err := Import(ctx, s, wall{}, session.Standard, m, loop); err != nil {
			t.Fatal(name, err)
		}
		r, err := replay.Loop(ctx, s, "shop", session.Standard)
		if err != nil || r.Events != 1+4*6+1 || r.Closes != 6 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if newest, err := s.Newest(ctx, "shop", []session.Kind{session.Imported, session.Restored}, 2); err != nil || len(newest) != 1 || newest[0].Kind != session.Imported || newest[0].Seq != 1+4*6+1 {
			t.Errorf("%s: %+v, %v", name, newest, err)
		}
		if err := Import(ctx, s, wall{}, session.Standard, m, loop); !session.IsRefusal(err, session.NameTaken) {
			t.Errorf("imported twice: %v", err)
		}
		h := session.NewFleet(s, wall{}, session.Standard, nil)
		if _, err := h.Do(ctx, "shop", "test", session.Deploy{K: 6, Epoch: "first", U: []float64{1, 1}}); !session.IsRefusal(err, session.StaleEpoch) {
			t.Errorf("a message of the old epoch: %v", err)
		}
	}
}

// What was acknowledged and is gone is told, and repair goes on only if somebody accepts that.
func TestLostEventsAreTold(t *testing.T) {
	data := victims(t)["data"]
	if err := os.Truncate(filepath.Join(data, database+"-wal"), 0); err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if _, err := Open(data); !errors.As(err, &lost) || lost.Acknowledged <= lost.There {
		t.Errorf("opened: %v", err)
	}
	if _, err := Repair(t.Context(), data, false, wall{}, session.Standard); !errors.As(err, &lost) {
		t.Errorf("repaired: %v", err)
	}
	r, err := Repair(t.Context(), data, true, wall{}, session.Standard)
	if err != nil || r.Lost != 4 || r.States != 1 || r.Orphans != 3 || r.Loops == 0 || r.Events == 0 { // three large batches and an anchor
		t.Errorf("%+v, %v", r, err)
	}
	opened(t, data)
}

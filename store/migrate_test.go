package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
)

// firstSchema is a folder as the first version of the schema had it: some loops with people, all of whom are random.
func firstSchema(t *testing.T, events int) string {
	t.Helper()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+uri(filepath.Join(dir, database))+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text, err := migrations.ReadFile("migrations/1.sql")
	if err != nil {
		t.Fatal(err)
	}
	must := func(text string, args ...any) {
		t.Helper()
		if _, err := db.Exec(text, args...); err != nil {
			t.Fatal(err)
		}
	}
	must(string(text) + "PRAGMA user_version = 1; INSERT INTO loops (name) VALUES ('a'); BEGIN")
	c := &chain{loop: "a"}
	for n := range events {
		blob := noise(uint64(n), 4000)
		e := c.told(n, blob)
		sum := session.Hash(sumOf(blob))
		must(`INSERT INTO blobs (loop, sum, data) VALUES (1, ?, ?)`, sum[:], blob)
		must(`INSERT INTO events (loop, seq, at, kind, actor, k, ref, body, hash, blob) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.Seq, e.At.UnixMicro(), string(e.Kind), e.Actor, e.K, e.Ref, []byte(e.Body), e.Hash[:], sum[:])
	}
	must("COMMIT")
	return dir
}

// A folder of the first schema is the same after it was brought to the newest.
func TestMigrationsKeepEverything(t *testing.T) {
	dir := firstSchema(t, 50)
	s := opened(t, dir)
	if c, err := Check(context.Background(), s); err != nil || c.Events != 50 || c.Blobs != 50 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A schema that is newer is refused, and not a byte changes, even where its newest events are in the WAL alone.
func TestNewerSchemasStayAsTheyAre(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-newer", Text: "files of a data folder of a newer schema, in use or closed, that opening it has changed, or that was not refused"})
	for _, inUse := range []bool{false, true} {
		dir := lived(t, 2)
		db, err := sql.Open("sqlite", "file:"+uri(filepath.Join(dir, database)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
			t.Fatal(err)
		}
		if !inUse {
			db.Close()
		}
		before := bytesOf(t, dir)
		_, err = Open(dir)
		var newer *TooNewError
		row.Case(errors.As(err, &newer) && newer.Schema == 99, "opened: %v", err)
		after := bytesOf(t, dir)
		row.Case(maps.Equal(before, after), "bytes have changed")
		db.Close()
	}
}

// bytesOf are the files of a folder whose content matters: the shared index of a WAL can be made anew.
func bytesOf(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	for _, name := range []string{database, database + "-wal", tipFile} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil && len(b) > 0 {
			all[name] = string(b)
		}
	}
	return all
}

// Killed at any moment of a migration a database is of the old schema or of the new one, with all that it held.
func TestKilledMigrationsAreOldOrNew(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-migrations", Text: "a migration killed -9 at 100 moments: databases neither of the old nor of the new schema, whole", Short: "10 moments"})
	kills, events := 10, 200
	if evidence.Whole() {
		kills, events = 100, 1000
	}
	from := firstSchema(t, events)
	data, err := os.ReadFile(filepath.Join(from, database))
	if err != nil {
		t.Fatal(err)
	}
	random, begun := rand.New(rand.NewPCG(3, 4)), map[int]int{}
	for n := range kills {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, database), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), migrating+"="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 1)) // it is about to begin
		time.Sleep(time.Duration(random.IntN(30_000)) * time.Microsecond)
		c.Process.Kill()
		c.Wait()
		number := schemaOf(t, dir)
		begun[number]++
		s, err := Open(dir)
		if err != nil {
			row.Case(false, "kill %d: %v", n, err)
			continue
		}
		found, err := Check(context.Background(), s)
		row.Case(err == nil && found.Events == events && found.Blobs == events && (number == 1 || number == schemaNumber), "kill %d: schema %d, %+v, %v", n, number, found, err)
		s.Close()
	}
	t.Logf("schemas found: %v", begun)
}

const migrating = "KEDGE_STORE_MIGRATES"

func migrateChild(dir string) {
	fmt.Print("!")
	s, err := Open(dir)
	if err == nil {
		s.Close()
	}
	os.Exit(0)
}

func schemaOf(t *testing.T, dir string) (number int) {
	db, err := sql.Open("sqlite", "file:"+uri(filepath.Join(dir, database))+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("PRAGMA user_version").Scan(&number); err != nil {
		t.Fatal(err)
	}
	return number
}

// What is older than SQLite must be is told by numbers, not by text.
func TestVersionsAreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"3.51.2", "3.51.3", true}, {"3.51.3", "3.51.3", false}, {"3.9.0", "3.51.3", true}, {"3.54.1", "3.51.3", false}, {"4.0.0", "3.51.3", false}} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%s, %s) = %v", c.a, c.b, got)
		}
	}
}

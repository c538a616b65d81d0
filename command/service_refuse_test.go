//go:build unix

package command

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	talker "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// refused runs a kedge serve that must end by itself, and returns what it said. One that serves is ended after a while.
func refused(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	path, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, append([]string{"serve"}, args...)...).CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("kedge serve %s serves: %s", strings.Join(args, " "), out)
	}
	if err == nil {
		return string(out), 0
	}
	return string(out), err.(*exec.ExitError).ExitCode()
}

// contentsOf are the hashes of all files of a data folder but its lock, and what a database makes anew for everybody who looks at it.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") || d.Name() == "lock" {
			return err
		}
		text, err := os.ReadFile(path)
		if len(text) > 0 || !strings.HasSuffix(path, "-wal") {
			all[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%x", sha256.Sum256(text))
		}
		return err
	})
	if err != nil || len(all) < 3 {
		t.Fatal(all, err)
	}
	return all
}

// A second process on the folder of a service is refused, says why, and changes nothing; the first goes on.
func TestASecondServiceIsRefused(t *testing.T) {
	s := newServing(t)
	service := talker.Open("http://" + s.address)
	if _, err := service.Create(t.Context(), "shop", shopSpec, session.Live); err != nil {
		t.Fatal(err)
	}
	before := contentsOf(t, s.data)
	said, code := refused(t, "--data", s.data, "--listen", "127.0.0.1:0")
	if code == 0 || !strings.Contains(said, "in use") || !strings.Contains(said, s.data) {
		t.Errorf("exit code %d: %s", code, said)
	}
	for _, args := range [][]string{{"ask", "shop"}, {"backup", filepath.Join(t.TempDir(), "b")}, {"repair"}, {"loop", "create", "other", "../examples/pricing.yaml"}} {
		if got := typed(t, "", append(args, "--data", s.data)...); got.code == 0 || !strings.Contains(got.complaint, "in use") {
			t.Errorf("kedge %s on its folder: %+v", args[0], got)
		}
	}
	if after := contentsOf(t, s.data); !maps.Equal(before, after) {
		t.Errorf("files have changed: %v, now %v", before, after)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a client asks a service that cannot answer for ever
	defer cancel()
	if offer, err := service.Loop("shop").Ask(ctx); err != nil || offer.K != 1 {
		t.Errorf("the first service: %+v, %v", offer, err)
	}
}

// A folder of a newer schema is refused by every command, and no byte of it changes.
func TestANewerSchemaIsRefused(t *testing.T) {
	s := newServing(t)
	if _, err := talker.Open("http://"+s.address).Create(t.Context(), "shop", shopSpec, session.Live); err != nil {
		t.Fatal(err)
	}
	s.kill() // so that the newest events are in the WAL alone
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.data, "kedge.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() // at last, for it would fold the WAL
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	before := contentsOf(t, s.data)
	said, code := refused(t, "--data", s.data, "--listen", "127.0.0.1:0")
	if code == 0 || !strings.Contains(said, "schema 99") || !strings.Contains(said, "use a newer kedge; nothing was changed") {
		t.Errorf("exit code %d: %s", code, said)
	}
	for _, args := range [][]string{{"ask", "shop", "--data", s.data}, {"verify", s.data}, {"replay", "shop", "--data", s.data}, {"repair", "--data", s.data}} {
		if got := typed(t, "", args...); got.code == 0 || !strings.Contains(got.complaint, "schema 99") {
			t.Errorf("kedge %s: %+v", args[0], got)
		}
	}
	if after := contentsOf(t, s.data); !maps.Equal(before, after) {
		t.Errorf("files have changed: %v, now %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}

// Where others can reach it a service wants a key, and then TLS: else it does not begin.
func TestAddressesInTheOpenAreRefused(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	open := []string{"0.0.0.0:0", "[::]:0", ":0"}
	for _, listen := range open {
		if said, code := refused(t, "--data", data, "--listen", listen); code == 0 || !strings.Contains(said, "kedge key create --data "+data) {
			t.Errorf("%s without a key: exit code %d: %s", listen, code, said)
		}
	}
	if got := typed(t, "", "key", "create", "--data", data, "--rights", "admin"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, listen := range open {
		if said, code := refused(t, "--data", data, "--listen", listen); code == 0 || !strings.Contains(said, "in the open; give --tls-cert and --tls-key") {
			t.Errorf("%s without TLS: exit code %d: %s", listen, code, said)
		}
	}
}

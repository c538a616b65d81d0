package cluster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// says is what a database says to a question.
func says(t *testing.T, url, question string) (answer string, err error) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		return "", err
	}
	defer db.Close(t.Context())
	return answer, db.QueryRow(t.Context(), question).Scan(&answer)
}

// A server answers with as many connections as are asked for, is gone when it is ended, has what it had when it begins again, and leaves nothing when it is removed.
func TestAServer(t *testing.T) {
	c, err := Start(Memory())
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	defer c.Remove()
	if info, err := os.Stat(c.dir); err != nil || !strings.HasPrefix(c.dir, filepath.Join(Memory(), "kedge-pg-")) || os.Getuid() == 0 && info.Sys().(*syscall.Stat_t).Uid != 65534 {
		t.Errorf("it lies in %s, which is %+v (%v)", c.dir, info, err)
	}
	url := database(t, c, "Test/Of#Names", `^test_of_names_\d{19}$`)
	database(t, c, strings.Repeat("long", 30), `^[long]{40}_\d{19}$`) // 60 letters, the last of them
	for question, want := range map[string]string{"SHOW max_connections": "200", "SHOW listen_addresses": "127.0.0.1", "SHOW server_encoding": "UTF8", "SHOW data_directory": c.data(), "SHOW unix_socket_directories": c.dir} {
		if got, err := says(t, url, question); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", question, got, err, want)
		}
	}
	if err := c.End("fast"); err != nil {
		t.Fatal(err)
	}
	if _, err := says(t, url, "SELECT 'here'"); err == nil {
		t.Error("it answers after its end")
	}
	if err := c.Begin(); err != nil {
		t.Fatal(err)
	}
	if got, err := says(t, url, "SELECT 'here'"); got != "here" || err != nil {
		t.Errorf("after it has begun again: %q, %v", got, err)
	}
	c.Remove()
	if _, err := says(t, url, "SELECT 'here'"); err == nil {
		t.Error("it answers after it was removed")
	}
	if _, err := os.Stat(c.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is there: %v", err)
	}
	if _, err := c.Database("late"); err == nil {
		t.Error("a database of a server that was removed")
	}
}

// database makes one, whose name is to be as a pattern says, in the words of the server and in its address.
func database(t *testing.T, c *Cluster, name, want string) (url string) {
	t.Helper()
	url, err := c.Database(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := says(t, url, "SELECT current_database()::text")
	if err != nil || !regexp.MustCompile(want).MatchString(got) || !strings.Contains(url, "@127.0.0.1:") || !strings.HasSuffix(url, "/"+got+"?sslmode=disable") {
		t.Errorf("%s is %s by the name %q, %v", name, url, got, err)
	}
	return url
}

// Where there is no room for its folder there is no server, and nothing is left.
func TestNoRoomForAServer(t *testing.T) {
	c, err := Start(filepath.Join(t.TempDir(), "missing"))
	if c != nil || err == nil && hasPrograms() {
		t.Errorf("%+v, %v", c, err)
	}
}

func hasPrograms() bool {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	return len(found) > 0
}

// What cannot be logged is not run.
func TestNothingRunsWithoutALog(t *testing.T) {
	c := &Cluster{bin: "/bin", dir: t.TempDir()}
	t.Setenv("TMPDIR", filepath.Join(c.dir, "missing"))
	if err := c.run("true"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "true") {
		t.Error(err)
	}
	if left, err := os.ReadDir(c.dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

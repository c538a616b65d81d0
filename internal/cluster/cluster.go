// Package cluster runs the distribution's PostgreSQL for tests, as an ordinary user.
package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server with its data.
type Cluster struct {
	bin, dir string
	port     int
}

// Start makes one; nil where there is no PostgreSQL.
func Start() (*Cluster, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return nil, nil
	}
	base := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // and a socket's path must be short
		base = "/dev/shm"
	}
	dir, err := os.MkdirTemp(base, "kedge-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{bin: filepath.Dir(found[len(found)-1]), dir: dir}
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c.port = ear.Addr().(*net.TCPAddr).Port
	ear.Close()
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return nil, err
		}
	}
	if err := c.run("initdb", "-A", "trust", "-U", "kedge", "-D", c.data(), "-N", "-E", "UTF8", "--locale=C"); err != nil {
		c.Remove()
		return nil, err
	}
	if err := c.Begin(); err != nil {
		c.Remove()
		return nil, err
	}
	return c, nil
}

// nobody is who runs it where the tests are root's, which it refuses to be.
const nobody = 65534

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) run(name string, args ...string) error {
	p := exec.Command(filepath.Join(c.bin, name), args...)
	p.Dir = c.dir
	if os.Getuid() == 0 {
		p.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	log, err := os.CreateTemp("", "kedge-pg-log-")
	if err != nil {
		return err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	p.Stdout, p.Stderr = log, log // not a pipe, which the server would keep open
	if err := p.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return nil
}

// Begin starts it.
func (c *Cluster) Begin() error {
	return c.run("pg_ctl", "-D", c.data(), "-w", "-l", filepath.Join(c.dir, "log"), "-o", fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 -c max_connections=200", c.port, c.dir), "start")
}

// End stops it, in one of its modes; immediate is as if it were killed.
func (c *Cluster) End(mode string) error {
	return c.run("pg_ctl", "-D", c.data(), "-w", "-m", mode, "stop")
}

// Remove stops it and removes its data.
func (c *Cluster) Remove() {
	c.End("immediate")
	os.RemoveAll(c.dir)
}

// Database is the address of a new database.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	name := strings.ToLower(strings.NewReplacer("/", "_", "#", "_").Replace(t.Name())) + fmt.Sprint("_", time.Now().UnixNano())
	if len(name) > 60 {
		name = name[len(name)-60:]
	}
	admin, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	return c.url(name)
}

func (c *Cluster) url(database string) string {
	return fmt.Sprintf("postgres://kedge@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

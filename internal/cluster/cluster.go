// Package cluster runs the distribution's PostgreSQL as an ordinary user, for tests and to be measured.
package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server with its data.
type Cluster struct {
	bin, dir string
	port     int
}

// Memory is where a cluster is that need not outlive the machine: a folder in memory where there is one.
func Memory() string {
	const shm = "/dev/shm"
	if info, err := os.Stat(shm); err == nil && info.IsDir() {
		return shm
	}
	return os.TempDir()
}

// Start makes one in a folder of its own beneath base, whose name must be short since a socket is there; nil where there is no PostgreSQL.
func Start(base string) (*Cluster, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return nil, nil
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
	err = c.run("initdb", "-A", "trust", "-U", "kedge", "-D", c.data(), "-N", "-E", "UTF8", "--locale=C")
	if err == nil {
		err = c.Begin()
	}
	if err != nil {
		c.Remove()
		return nil, err
	}
	return c, nil
}

// nobody is who runs it where root starts it, who it refuses to be.
const nobody = 65534

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) run(name string, args ...string) error {
	p := exec.Command(filepath.Join(c.bin, name), args...)
	p.Dir = c.dir
	if os.Getuid() == 0 {
		demote(p)
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
	log := filepath.Join(c.dir, "log")
	err := c.run("pg_ctl", "-D", c.data(), "-w", "-l", log, "-o", fmt.Sprintf("-p %d -k %s -c listen_addresses=127.0.0.1 -c max_connections=200", c.port, c.dir), "start")
	if err != nil {
		text, _ := os.ReadFile(log)
		return fmt.Errorf("%w\n%s", err, text[max(0, len(text)-1000):])
	}
	return nil
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

// Database is the address of a new database, whose name begins as said.
func (c *Cluster) Database(name string) (url string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	name = strings.ToLower(strings.NewReplacer("/", "_", "#", "_").Replace(name)) + fmt.Sprint("_", time.Now().UnixNano())
	if len(name) > 60 {
		name = name[len(name)-60:]
	}
	admin, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return "", err
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", err
	}
	return c.url(name), nil
}

func (c *Cluster) url(database string) string {
	return fmt.Sprintf("postgres://kedge@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

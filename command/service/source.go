package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
	"github.com/kedge-opt/kedge/store/postgres"
	"github.com/spf13/cobra"
)

// ledger is a journal that commands open.
type ledger interface {
	session.Journal
	Health() error
	Close() error
}

// source is where loops are kept: in a data folder, or in a database that servers share.
type source struct {
	data string
	db   string
	keep string // a folder for files of a server whose loops are in a database
}

func (s *source) offer(c *cobra.Command, data, says string) {
	c.Flags().StringVar(&s.data, "data", data, says)
	c.Flags().StringVar(&s.db, "db", "", "a PostgreSQL database instead, as postgres://kedge@db/kedge; a password comes from PGPASSWORD or ~/.pgpass")
	c.MarkFlagsMutuallyExclusive("data", "db")
}

// open opens it. Only who makes loops makes a folder.
func (s *source) open(ctx context.Context, makes bool) (ledger, error) {
	if s.db != "" {
		j, err := s.database(ctx, postgres.Open)
		if err != nil {
			return nil, err // and no journal, which j would be
		}
		return j, nil
	}
	if _, err := os.Stat(s.data); errors.Is(err, fs.ErrNotExist) && !makes {
		return nil, fmt.Errorf("--data %s: there is no such folder; kedge loop create makes one", s.data)
	}
	j, err := openFolder(s.data)
	if err != nil {
		return nil, err // and no journal, which j would be
	}
	return j, nil
}

// openFolder opens a data folder that no service has open.
func openFolder(dir string) (*store.SQLite, error) {
	j, err := store.Open(dir)
	if errors.Is(err, disk.ErrInUse) {
		return nil, fmt.Errorf("--data %s: %w, or talk with it through --server", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("--data %s: %w", dir, err)
	}
	return j, nil
}

// database opens the database, by a function of its package, and refuses what is no address of one.
func (s *source) database(ctx context.Context, open func(ctx context.Context, address string) (*postgres.Database, error)) (*postgres.Database, error) {
	if !isDatabase(s.db) {
		return nil, wrong("--db %s: want postgres://USER@HOST/DATABASE; a folder is --data", s.shown())
	}
	j, err := open(ctx, s.db)
	if err != nil {
		return nil, fmt.Errorf("--db %s: %w", s.shown(), err)
	}
	return j, nil
}

// isDatabase tells whether a text is the address of a database.
func isDatabase(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// shown is where they are, without a password.
func (s *source) shown() string {
	if s.db == "" {
		return s.data
	}
	return shownAddress(s.db)
}

func shownAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "the database"
	}
	u.RawQuery = "" // which may have one too
	return u.Redacted()
}

// flag is how a command is told of it.
func (s *source) flag() string {
	if s.db == "" {
		return "--data " + s.data
	}
	return "--db " + s.shown()
}

// folder is where a server puts its own files; empty: nowhere.
func (s *source) folder() string {
	if s.db == "" {
		return s.data
	}
	return s.keep
}

// free is the room for what is written there; nil: nobody knows.
func (s *source) free() func() float64 {
	if s.folder() == "" {
		return nil
	}
	return func() float64 { return float64(room.Disk(s.folder()).Bytes) }
}

// Dial is how a command calls a service.
type Dial struct{ address, keyFile string }

// keyVariable is where a key comes from if no file is named: arguments are seen by everybody on the machine.
const keyVariable = "KEDGE_KEY"

// Offer offers the flags.
func (d *Dial) Offer(c *cobra.Command) {
	c.Flags().StringVar(&d.address, "server", "http://"+DefaultAddress, "the address of the service, also unix:PATH")
	c.Flags().StringVar(&d.keyFile, "key-file", "", "the file of the key (default the variable "+keyVariable+")")
}

// mostKeyFile is how much of the file of a key is read.
const mostKeyFile = 4 << 10

// Open is a client of the service.
func (d *Dial) Open() (*client.Client, error) {
	key := os.Getenv(keyVariable)
	if d.keyFile != "" {
		f, err := plain.Open(d.keyFile)
		if err != nil {
			return nil, fmt.Errorf("--key-file: %w", err)
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, mostKeyFile))
		if err != nil {
			return nil, fmt.Errorf("--key-file %s: %w", d.keyFile, err)
		}
		if key = strings.TrimSpace(string(text)); key == "" {
			return nil, fmt.Errorf("--key-file %s: the file is empty", d.keyFile)
		}
	}
	return client.Open(d.address, client.Key(key)), nil
}

package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/kedge-opt/kedge/internal/disk"
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
		if err := s.addressed(); err != nil {
			return nil, err
		}
		j, err := postgres.Open(ctx, s.db)
		if err != nil {
			return nil, fmt.Errorf("--db %s: %w", s.shown(), err)
		}
		return j, nil
	}
	if _, err := os.Stat(s.data); errors.Is(err, fs.ErrNotExist) && !makes {
		return nil, fmt.Errorf("--data %s: there is no such folder; kedge loop create makes one", s.data)
	}
	j, err := store.Open(s.data)
	if errors.Is(err, disk.ErrInUse) {
		return nil, fmt.Errorf("--data %s: %w, or talk with it through --server", s.data, err)
	}
	if err != nil {
		return nil, fmt.Errorf("--data %s: %w", s.data, err)
	}
	return j, nil
}

// addressed refuses what is no address of a database.
func (s *source) addressed() error {
	if !isDatabase(s.db) {
		return wrong("--db %s: want postgres://USER@HOST/DATABASE; a folder is --data", s.shown())
	}
	return nil
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

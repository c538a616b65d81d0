package store

import (
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Each file brings a database from the schema before it to that of its number. What is released is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaNumber is the newest schema.
const schemaNumber = 2

// TooNewError says that a database was written by a newer version.
type TooNewError struct{ Schema, Newest int }

func (e *TooNewError) Error() string {
	return fmt.Sprintf("the database has schema %d, this version knows up to %d: use a newer kedge; nothing was changed", e.Schema, e.Newest)
}

// refuseNewer looks at a database before anything may write to it, even what a database does to itself when it is opened and closed.
func refuseNewer(file string) error {
	if info, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	} else if err != nil {
		return err
	}
	db := connections(file, "?mode=ro")
	defer db.Close()
	var number int
	if err := db.QueryRow("PRAGMA user_version").Scan(&number); err != nil {
		return err
	}
	if number > schemaNumber {
		return &TooNewError{number, schemaNumber}
	}
	return nil
}

// migrate brings the tables to the newest schema, each step in one transaction with its number.
func (s *SQLite) migrate() error {
	var number int
	if err := s.write.QueryRow("PRAGMA user_version").Scan(&number); err != nil {
		return err
	}
	for number++; number <= schemaNumber; number++ {
		text, err := migrations.ReadFile(fmt.Sprintf("migrations/%d.sql", number))
		if err != nil {
			return err
		}
		if err := s.raise(number, string(text)); err != nil {
			return fmt.Errorf("schema %d: %w", number, err)
		}
	}
	return nil
}

func (s *SQLite) raise(number int, text string) error {
	tx, err := s.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(text + fmt.Sprintf("\nPRAGMA user_version = %d;", number)); err != nil {
		return err
	}
	return tx.Commit()
}

// leastSQLite is the first version without the fault by which a WAL that is begun anew could damage its database.
const leastSQLite = "3.51.3"

// settled reads back what the database was asked for.
func settled(db *sql.DB, pragmas []setting) error {
	var version string
	if err := db.QueryRow("SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	if older(version, leastSQLite) {
		return fmt.Errorf("SQLite is %s, want %s or newer, which has a fault mended that damages databases", version, leastSQLite)
	}
	for _, p := range pragmas {
		var is string
		if err := db.QueryRow("PRAGMA " + p.name).Scan(&is); err != nil {
			return fmt.Errorf("PRAGMA %s: %w", p.name, err)
		}
		if !strings.EqualFold(is, p.reads) {
			return fmt.Errorf("the database has %s %s, want %s", p.name, is, p.reads)
		}
	}
	return nil
}

// older compares versions, number by number.
func older(a, b string) bool {
	var x, y [3]int
	fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	return slices.Compare(x[:], y[:]) < 0
}

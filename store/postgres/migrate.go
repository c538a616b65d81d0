package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/kedge-opt/kedge/store"
)

// Each file brings a database from the schema before it to that of its number. What is released is never changed, and servers of the schema
// before must be able to go on while the others are replaced: tables and columns are added, and taken away a version later.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaNumber is the newest schema.
const schemaNumber = 2

// Locks that hosts take in turn; the schema of the connection is part of them.
const (
	migrating = "migrate"
	keeping   = "keep"
)

// lockNumber is the number of a lock, in SQL.
const lockNumber = `hashtextextended('kedge/' || current_schema() || '/' || $1, 0)`

// schemaOf is the number of the schema of a database, 0 of one that is empty.
func schemaOf(ctx context.Context, db querier) (number int, err error) {
	var there bool
	const isThere = `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = 'meta')` // to_regclass would answer from a cache
	if err := db.QueryRow(ctx, isThere).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = db.QueryRow(ctx, `SELECT value FROM meta WHERE key = 'schema'`).Scan(&number)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return number, err
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// migrate brings the tables to the newest schema, each step in one transaction with its number, one host at a time.
func migrate(ctx context.Context, pool *pgxpool.Pool, files fs.FS, newest int) error {
	for {
		number, err := schemaOf(ctx, pool)
		if err != nil {
			return err
		}
		if number > newest {
			return &store.TooNewError{Schema: number, Newest: newest}
		}
		if number == newest {
			return nil
		}
		err = retried(func() error {
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return raise(ctx, tx, files, newest) })
		})
		if err != nil {
			return err
		}
	}
}

// raise takes the next step, unless another host has taken it meanwhile.
func raise(ctx context.Context, tx pgx.Tx, files fs.FS, newest int) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(`+lockNumber+`)`, migrating); err != nil {
		return err
	}
	number, err := schemaOf(ctx, tx)
	if err != nil || number >= newest {
		return err
	}
	number++
	text, err := fs.ReadFile(files, fmt.Sprintf("migrations/%d.sql", number))
	if err != nil {
		return err
	}
	for _, one := range []string{`CREATE TABLE IF NOT EXISTS meta (key text PRIMARY KEY, value bigint NOT NULL)`, string(text)} {
		if _, err := tx.Exec(ctx, one); err != nil {
			return fmt.Errorf("schema %d: %w", number, err)
		}
	}
	_, err = tx.Exec(ctx, `INSERT INTO meta VALUES ('schema', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, number)
	return err
}

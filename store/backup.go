package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// Backup copies the database as it is at one moment to a file that must not be there yet, with all blobs inside, opens the copy and checks
// all of it.
func (s *SQLite) Backup(ctx context.Context, file string) (c Audit, err error) {
	made, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // its owner's alone, from its first byte on
	if err != nil {
		return c, err
	}
	if err := made.Close(); err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			os.Remove(file)
		}
	}()
	s.copying.Add(1)
	defer func() {
		s.copying.Add(-1)
		s.alter(func(*sql.Tx) error { return nil }) // after which files go that stayed for the copy
	}()
	if _, err := s.read.ExecContext(ctx, `VACUUM INTO ?`, file); err != nil {
		return c, err
	}
	if err := s.inline(ctx, file); err != nil {
		return c, err
	}
	if err := syncFile(file); err != nil {
		return c, err
	}
	return CheckFile(ctx, file, true)
}

// inline puts blobs that are files into a copy of the database.
func (s *SQLite) inline(ctx context.Context, file string) error {
	db := connections(file, "?_pragma=synchronous(FULL)&_pragma=journal_mode(DELETE)")
	defer db.Close()
	db.SetMaxOpenConns(1)
	for at := int64(0); ; {
		var name string
		err := db.QueryRowContext(ctx, `SELECT pos, file FROM blobs WHERE pos > ? AND file IS NOT NULL ORDER BY pos LIMIT 1`, at).Scan(&at, &name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		var data []byte
		if err == nil {
			data, err = s.blobFile(name)
		}
		if err == nil {
			_, err = db.ExecContext(ctx, `UPDATE blobs SET data = ?, file = NULL WHERE pos = ?`, data, at)
		}
		if err != nil {
			return err
		}
	}
}

// syncFile puts a file and its name on the disk.
func syncFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return ground().SyncDir(filepath.Dir(file))
}

// Restore makes a data folder of a backup, which is checked first. Every loop begins another epoch.
func Restore(ctx context.Context, file, dir string, clock session.Clock, plan session.Planner) (c Audit, err error) {
	if c, err = CheckFile(ctx, file, true); err != nil {
		return c, fmt.Errorf("%s is not sound: %w", file, err)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return c, fmt.Errorf("%s is not empty; restore into another folder", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return c, err
	}
	from, err := os.Open(file)
	if err != nil {
		return c, err
	}
	defer from.Close()
	err = ground().WriteFile(filepath.Join(dir, database), func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
	if err != nil {
		return c, err
	}
	s, err := Open(dir)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return c, Renew(ctx, s, clock, plan, "restored from "+filepath.Base(file))
}

// Renew has every loop of a journal begin another epoch, since what was decided after it was copied is not in it.
func Renew(ctx context.Context, j session.Journal, clock session.Clock, plan session.Planner, reason string) error {
	heads, err := j.Loops(ctx)
	if err != nil {
		return err
	}
	fleet := session.NewFleet(j, clock, plan, nil)
	for _, one := range heads {
		if session.IsOwn(one.Loop) {
			continue
		}
		if _, err := fleet.Do(ctx, one.Loop, "restore", session.Renew{Epoch: session.NewEpoch(), Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}

// Fill copies all loops of a backup, which is checked first, into a journal that has none. Every loop begins another epoch.
func Fill(ctx context.Context, file string, to session.Journal, clock session.Clock, plan session.Planner) (c Audit, err error) {
	if c, err = CheckFile(ctx, file, true); err != nil {
		return c, fmt.Errorf("%s is not sound: %w", file, err)
	}
	if there, err := to.Loops(ctx); err != nil || len(there) > 0 {
		return c, errors.Join(err, errors.New("the database has loops already; restore into an empty one"))
	}
	from, err := Look(file, true)
	if err != nil {
		return c, err
	}
	defer from.Close()
	heads, err := from.Loops(ctx)
	if err != nil {
		return c, err
	}
	for _, h := range heads {
		events, err := whole(ctx, from, h.Loop)
		for part := range slices.Chunk(events, 1024) { // a database takes so much at once and no more
			if err == nil {
				err = to.Append(h.Loop, part[0].Seq-1, part, nil)()
			}
		}
		if err != nil {
			return c, fmt.Errorf("loop %s: %w", h.Loop, err)
		}
	}
	return c, Renew(ctx, to, clock, plan, "restored from "+filepath.Base(file))
}

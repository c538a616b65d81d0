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

// restoring is the folder in which a database is made ready that is restored. Without the rest of it, it is of a restore that was cut short.
const restoring = "restoring"

// Restore makes a data folder of a backup, which is checked first. Every loop begins another epoch before anybody can open the folder as one with loops.
func Restore(ctx context.Context, file, dir string, clock session.Clock, plan session.Planner) (c Audit, err error) {
	if c, err = CheckFile(ctx, file, true); err != nil {
		return c, fmt.Errorf("%s is not sound: %w", file, err)
	}
	if entries, err := os.ReadDir(dir); err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != restoring }) {
		return c, fmt.Errorf("%s is not empty; restore into another folder", dir)
	}
	work := filepath.Join(dir, restoring)
	if err := errors.Join(os.RemoveAll(work), os.MkdirAll(work, 0o700)); err != nil {
		return c, err
	}
	defer os.RemoveAll(work)
	broken := renewCopy(ctx, file, work, clock, plan)
	if broken != nil && !isUnread(broken) {
		return c, broken
	}
	into, err := ground().Open(dir)
	if err != nil {
		return c, err
	}
	defer into.Close()
	if err := into.Rename(restoring+"/"+database, database); err != nil {
		return c, err
	}
	return c, errors.Join(into.Sync("."), broken)
}

// renewCopy copies a backup to a folder, where its loops begin another epoch.
func renewCopy(ctx context.Context, file, dir string, clock session.Clock, plan session.Planner) error {
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	err = ground().WriteFile(filepath.Join(dir, database), func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
	if err != nil {
		return err
	}
	s, err := Open(dir)
	if err != nil {
		return err
	}
	err = Renew(ctx, s, clock, plan, restoredFrom(file))
	if closed := s.Close(); closed != nil {
		return closed
	}
	return err
}

func restoredFrom(file string) string { return "restored from " + filepath.Base(file) }

// isUnread tells whether an error is of loops alone that cannot be read. Nobody can ask them, in whatever epoch they are.
func isUnread(err error) bool {
	_, is := errors.AsType[*session.ChainError](err)
	return is
}

// Renew has every loop of a journal begin another epoch, since what was decided after it was copied is not in it. One that cannot be read keeps no other
// from that.
func Renew(ctx context.Context, j session.Journal, clock session.Clock, plan session.Planner, reason string) error {
	heads, err := j.Loops(ctx)
	if err != nil {
		return err
	}
	fleet := session.NewFleet(j, clock, plan, nil)
	var broken []error
	for _, one := range heads {
		if session.IsOwn(one.Loop) {
			continue
		}
		_, err := fleet.Do(ctx, one.Loop, "restore", session.Renew{Epoch: session.NewEpoch(), Reason: reason})
		if err != nil && !isUnread(err) {
			return err
		}
		broken = append(broken, err)
	}
	return errors.Join(broken...)
}

// Fill copies all loops of a backup, which is checked first, into a journal that has none. Every loop begins another epoch, by the last events that are written of it.
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
	var broken []error
	for _, h := range heads {
		events, err := whole(ctx, from, h.Loop)
		if err == nil && !session.IsOwn(h.Loop) {
			var again []session.Event
			again, err = renewed(ctx, clock, plan, h.Loop, events, "restore", session.Renew{Epoch: session.NewEpoch(), Reason: restoredFrom(file)})
			if isUnread(err) {
				broken, again, err = append(broken, err), events, nil
			}
			events = again
		}
		for part := range slices.Chunk(events, 1024) { // a database takes so much at once and no more
			if err == nil {
				err = to.Append(h.Loop, part[0].Seq-1, part, nil)()
			}
		}
		if err != nil {
			return c, fmt.Errorf("loop %s: %w", h.Loop, err)
		}
	}
	return c, errors.Join(broken...)
}

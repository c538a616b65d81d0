package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/session"
)

// Audit is what a check of a journal looked at.
type Audit struct {
	Loops  int `json:"loops"`
	Events int `json:"events"`
	Blobs  int `json:"blobs"`
}

// Check reads every event and every blob of a journal: that each event follows from those before it, and that each blob is what its event
// names. The error names the loop and the event.
func Check(ctx context.Context, j session.Journal) (c Audit, err error) {
	heads, err := j.Loops(ctx)
	if err != nil {
		return c, err
	}
	for _, h := range heads {
		c.Loops++
		seq, hash := 0, session.Hash{}
		err := j.Read(ctx, h.Loop, 0, func(e session.Event) error {
			if err := e.Follow(h.Loop, seq, hash); err != nil {
				return err
			}
			c.Events++
			seq, hash = e.Seq, e.Hash
			if e.Kind != session.Told && e.Kind != session.ToldLate {
				return nil
			}
			var r session.Receipt
			if err := json.Unmarshal(e.Body, &r); err != nil {
				return &session.ChainError{Loop: h.Loop, Seq: e.Seq, Why: err.Error()}
			}
			data, err := j.Blob(h.Loop, r.Content)
			if err != nil {
				return &session.ChainError{Loop: h.Loop, Seq: e.Seq, Why: err.Error()}
			}
			if sha256.Sum256(data) != r.Content {
				return &session.ChainError{Loop: h.Loop, Seq: e.Seq, Why: "its people are not those who were told"}
			}
			c.Blobs++
			return nil
		})
		if err == nil && (seq != h.Seq || hash != h.Hash) {
			err = &session.ChainError{Loop: h.Loop, Seq: seq, Why: fmt.Sprintf("the newest event should be %d", h.Seq)}
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// Backup copies the database as it is at one moment to a file that must not be there yet, opens the copy and checks all of it.
func (s *SQLite) Backup(ctx context.Context, file string) (c Audit, err error) {
	if _, err := os.Lstat(file); err == nil {
		return c, fmt.Errorf("%s: %w", file, os.ErrExist)
	}
	if _, err := s.read.ExecContext(ctx, `VACUUM INTO ?`, file); err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			os.Remove(file)
		}
	}()
	f, err := os.Open(file)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return c, err
	}
	return checkFile(ctx, file)
}

// checkFile checks a database that nobody writes.
func checkFile(ctx context.Context, file string) (c Audit, err error) {
	s := &SQLite{strength: "FULL"} // two connections: blobs are read while events are
	if s.read, err = s.connect(file, 2); err != nil {
		return c, err
	}
	defer s.read.Close()
	var found string
	if err := s.read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil || found != "ok" {
		return c, errors.Join(err, fmt.Errorf("%s: %s", file, found))
	}
	return Check(ctx, s)
}

// Restore makes a data folder of a backup, which is checked first. Every loop begins another epoch.
func Restore(ctx context.Context, file, dir string, clock session.Clock, plan session.Planner) (c Audit, err error) {
	if c, err = checkFile(ctx, file); err != nil {
		return c, fmt.Errorf("%s is not sound: %w", file, err)
	}
	target := filepath.Join(dir, database)
	if _, err := os.Lstat(target); err == nil {
		return c, fmt.Errorf("%s holds loops already; restore into another folder", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return c, err
	}
	from, err := os.Open(file)
	if err != nil {
		return c, err
	}
	defer from.Close()
	err = disk.Disk{}.WriteFile(target, func(w io.Writer) error {
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
	h := session.NewFleet(s, clock, plan, nil)
	heads, err := s.Loops(ctx)
	for _, one := range heads {
		if session.IsOwn(one.Loop) {
			continue
		}
		if _, err := h.Do(ctx, one.Loop, "restore", session.Renew{Epoch: session.NewEpoch(), Reason: "restored from " + filepath.Base(file)}); err != nil {
			return c, err
		}
	}
	return c, err
}

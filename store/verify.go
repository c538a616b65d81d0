package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kedge-opt/kedge/internal/plain"
	"github.com/kedge-opt/kedge/session"
)

// Holding is what somebody gave to be verified or replayed.
type Holding string

// What there is.
const (
	DataFolder Holding = "data folder"
	BackupFile Holding = "backup"
	Bundle     Holding = "bundle"
	Other      Holding = ""
)

// WhatIs tells what a path holds, by what is in it.
func WhatIs(path string) Holding {
	info, err := os.Stat(path)
	if err != nil {
		return Other
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, database)); err == nil {
			return DataFolder
		}
		if isBundle(os.DirFS(path)) {
			return Bundle
		}
		return Other
	}
	f, err := os.Open(path)
	if err != nil || !info.Mode().IsRegular() {
		return Other
	}
	defer f.Close()
	begin := make([]byte, 512)
	n, _ := io.ReadFull(f, begin)
	switch {
	case bytes.HasPrefix(begin[:n], []byte("SQLite format 3\x00")):
		return BackupFile
	case n > 262 && bytes.HasPrefix(begin[257:], []byte("ustar")), strings.HasSuffix(path, ".tar"):
		return Bundle
	case strings.HasSuffix(path, BackupEnding):
		return BackupFile
	}
	return Other
}

// BackupEnding is how names of backups end.
const BackupEnding = ".kedge"

// Verify checks all of a data folder, a backup or a bundle. The error names the loop and the event.
func Verify(ctx context.Context, path string) (Audit, error) {
	switch WhatIs(path) {
	case DataFolder:
		return CheckFile(ctx, filepath.Join(path, database), false)
	case BackupFile:
		return CheckFile(ctx, path, true)
	case Bundle:
		m, _, err := ReadBundle(ctx, path)
		if err != nil {
			return Audit{}, err
		}
		return Check(ctx, m)
	}
	return Audit{}, fmt.Errorf("%s is no data folder, backup or bundle", path)
}

// Reading is the journal of a data folder, a backup or a bundle, to be read and closed. Loop is that of a bundle.
func Reading(ctx context.Context, path string) (j session.Journal, loop string, done func() error, err error) {
	nothing := func() error { return nil }
	switch what := WhatIs(path); what {
	case DataFolder, BackupFile:
		isCopy := what == BackupFile
		if !isCopy {
			path = filepath.Join(path, database)
		}
		s, err := Look(path, isCopy)
		if err != nil {
			return nil, "", nothing, err
		}
		return s, "", s.Close, nil
	case Bundle:
		m, loop, err := ReadBundle(ctx, path)
		return m, loop, nothing, err
	}
	return nil, "", nothing, fmt.Errorf("%s is no data folder, backup or bundle", path)
}

// Repaired is what a repair did.
type Repaired struct {
	Audit
	Lost    int64 `json:"lost"`    // events that were acknowledged and are gone
	States  int   `json:"states"`  // of loops that were worked out again
	Orphans int   `json:"orphans"` // files of blobs that no loop has, removed
}

// Repair makes anew what is derived from the log: states, series, and what is left over in the folder. The log itself must be sound. Events that
// were acknowledged and are gone are only got over if somebody accepts that.
func Repair(ctx context.Context, dir string, acceptLoss bool, clock session.Clock, plan session.Planner) (r Repaired, err error) {
	if WhatIs(dir) != DataFolder {
		return r, fmt.Errorf("%s is no data folder", dir)
	}
	r.Audit, err = CheckFile(ctx, filepath.Join(dir, database), false)
	if lost, is := errors.AsType[*LostError](err); is && acceptLoss {
		r.Lost = lost.Acknowledged - lost.There
		if err = os.Remove(filepath.Join(dir, tipFile)); err == nil {
			r.Audit, err = CheckFile(ctx, filepath.Join(dir, database), false)
		}
	}
	if err != nil {
		return r, err
	}
	s, err := Open(dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.write.ExecContext(ctx, `DELETE FROM states; DELETE FROM series`); err != nil {
		return r, err
	}
	if r.Orphans, err = s.sweep(); err != nil {
		return r, err
	}
	heads, err := s.Loops(ctx)
	if err != nil {
		return r, err
	}
	fleet := session.NewFleet(s, clock, plan, nil)
	for _, h := range heads {
		if session.IsOwn(h.Loop) {
			continue
		}
		if err := fleet.Look(ctx, h.Loop, func(*session.Loop) error { return nil }); err != nil {
			return r, err
		}
		r.States++
	}
	fleet.Rest()
	return r, s.alter(func(*sql.Tx) error { return nil }) // done when the states are written, which nobody waits for
}

// sweep removes files of blobs that no loop has.
func (s *SQLite) sweep() (n int, err error) {
	files, err := s.dir.List(blobFolder)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		var used int
		if err := s.read.QueryRow(`SELECT count(*) FROM blobs WHERE file = ?`, f.Name()).Scan(&used); err != nil {
			return n, err
		}
		if used == 0 {
			n++
			if err := s.dir.Remove(blobFolder + "/" + f.Name()); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// mostPacked is how long a tar may be, as much as a service takes.
const mostPacked = 1 << 30

// Packed is a bundle, a folder or a tar, as a tar.
func Packed(file string) ([]byte, error) {
	if WhatIs(file) != Bundle {
		return nil, fmt.Errorf("%s is no bundle; kedge export writes one", file)
	}
	if info, err := os.Stat(file); err != nil || !info.IsDir() {
		if err != nil {
			return nil, err
		}
		return plain.ReadFile(file, mostPacked)
	}
	var b bytes.Buffer
	err := tarFolder(&b, os.DirFS(file), "bundle")
	return b.Bytes(), err
}

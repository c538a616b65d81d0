package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/session"
)

// SQLite is a journal in a database of a folder. All that is waiting is written in one commit, which is on the disk before anybody is told.
type SQLite struct {
	path     string
	dir      *disk.Dir
	lock     *disk.Lock
	write    *sql.DB // one connection
	read     *sql.DB // for what visits events
	peek     *sql.DB // for what such a visit looks up: connections of its own, so that no visit waits for another that waits for it
	packer   *Packer
	queue    chan *request
	stop     context.CancelFunc // of who draws
	stopped  sync.WaitGroup
	drawing  *Drawing
	strength string

	mu     sync.Mutex // guards ended, and the queue while it is closed
	ended  bool
	state  sync.Mutex    // guards the next two
	fault  error         // nothing is written any more
	tight  bool          // the disk was full, and the reserve was given up
	failed chan struct{} // closed at the fault
	files  sync.Mutex    // held while a blob becomes a file

	Tempo
	tails   Tails
	kills   killMap
	copying atomic.Int32 // backups under way, for which files of blobs stay

	// Known to the writer alone.
	prepared [inserts]*sql.Stmt
	own      [inserts]*sql.Stmt // of the transaction under way
	numbers  map[string]int64   // of loops
	heads    map[int64]session.Tip
	left     []string // files that some loop has left, and that are to go
	newest   int64    // position of the last event of a commit
	fold     int64    // bytes of the WAL from which on commits see to it that it begins anew
	tip      *os.File
	Syncs    int // commits so far; for measurements
}

var _ session.Journal = (*SQLite)(nil)

// readers is how many read at once.
const readers = 4

// Files of a data folder.
const (
	database   = "kedge.db"
	lockFile   = "lock"
	tipFile    = "tip"
	reserve    = "reserve"
	killFile   = "kill.map"
	blobFolder = "blobs"
)

// Open opens the database of a folder, or makes one. Only one program has it open at a time.
func Open(path string) (*SQLite, error) { return open(path, "FULL") }

// open lets tests ask for less than FULL, to see what that loses.
func open(path, strength string) (_ *SQLite, err error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	if err := refuseNetwork(path); err != nil {
		return nil, err
	}
	s := &SQLite{path: path, queue: make(chan *request, 4*mostRequests), failed: make(chan struct{}), drawing: NewDrawing(), numbers: map[string]int64{}, heads: map[int64]session.Tip{}, strength: strength}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if s.dir, err = ground().Open(path); err != nil {
		return nil, err
	}
	if s.lock, err = s.dir.Lock(lockFile); err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.stopped.Go(s.run)
	s.stopped.Go(func() { s.draw(ctx) })
	return s, nil
}

// begin makes ready what is in the folder, or an empty one.
func (s *SQLite) begin() (err error) {
	file := filepath.Join(s.path, database)
	if err := refuseNewer(file); err != nil {
		return err
	}
	if err := s.seclude(); err != nil {
		return err
	}
	if s.packer, err = NewPacker(); err != nil {
		return err
	}
	if s.write, err = s.connect(file, 1, setting{"cache_size", writerCache, writerCache}); err != nil {
		return err
	}
	if err := s.migrate(); err != nil {
		return err
	}
	if s.read, err = s.connect(file, readers); err != nil {
		return err
	}
	if s.peek, err = s.connect(file, readers); err != nil {
		return err
	}
	if err := s.openTip(); err != nil {
		return err
	}
	if err := s.openKills(); err != nil {
		return err
	}
	s.tight = !s.setAside()
	if err := s.dir.Sync("."); err != nil { // the database is there to stay
		return err
	}
	return s.prepare()
}

// seclude sees to it that what people answered is its owner's alone, also in a folder that was there before, for everybody to read. What the database keeps beside its
// file has that file's mode.
func (s *SQLite) seclude() error {
	f, err := os.OpenFile(s.dir.Path(database), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = s.dir.Make(blobFolder)
	}
	for name, mode := range map[string]os.FileMode{database: 0o600, database + "-wal": 0o600, database + "-shm": 0o600, lockFile: 0o600, blobFolder: 0o700} {
		if info, missing := os.Stat(s.dir.Path(name)); err == nil && missing == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(s.dir.Path(name), mode)
		}
	}
	return err
}

func (s *SQLite) connect(file string, most int, more ...setting) (*sql.DB, error) {
	all := append(s.pragmas(), more...)
	var text strings.Builder
	text.WriteString("?_txlock=immediate")
	for _, p := range all {
		fmt.Fprintf(&text, "&_pragma=%s(%s)", p.name, p.value)
	}
	db := connections(file, text.String())
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	db.SetConnMaxLifetime(0)
	if err := settled(db, all); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// What the writer is given. Pages that many commits change are folded into the database once every 32 MB of WAL, which the commit that does it
// waits for, and those in use stay at hand. A WAL that grew beyond that is cut when it begins anew.
const (
	walPages    = "8192"
	walBytes    = "33554432"
	writerCache = "-32768" // kB
)

// setting is how the database is used, and what it then says of it.
type setting struct{ name, value, reads string }

func (s *SQLite) pragmas() []setting {
	sync := map[string]string{"FULL": "2", "NORMAL": "1"}[s.strength]
	return []setting{
		{"busy_timeout", "5000", "5000"}, {"journal_mode", "WAL", "wal"}, {"synchronous", s.strength, sync}, {"trusted_schema", "OFF", "0"},
		{"cell_size_check", "ON", "1"}, {"mmap_size", "0", "0"}, {"foreign_keys", "ON", "1"}, {"wal_autocheckpoint", walPages, walPages},
		{"journal_size_limit", walBytes, walBytes},
	}
}

// Close writes what waits and gives the folder back.
func (s *SQLite) Close() error {
	s.mu.Lock()
	was := s.ended
	s.ended = true
	s.mu.Unlock()
	if s.write == nil { // it was only looked at
		return s.release()
	}
	if was {
		return nil
	}
	s.stop()
	close(s.queue) // to which nobody adds once it is ended
	s.stopped.Wait()
	_, err := s.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.release())
}

func (s *SQLite) release() error {
	var all []error
	for _, db := range []*sql.DB{s.read, s.peek, s.write} {
		if db != nil {
			all = append(all, db.Close())
		}
	}
	if s.tip != nil {
		all = append(all, s.tip.Close())
	}
	if s.kills.file != nil {
		all = append(all, s.kills.file.Close())
	}
	if s.packer != nil {
		s.packer.Close()
	}
	if s.lock != nil {
		s.lock.Release()
	}
	if s.dir != nil {
		all = append(all, s.dir.Close())
	}
	return errors.Join(all...)
}

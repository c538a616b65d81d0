package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
)

// The file tip has the number of the newest event of all loops, with a sum. It is written after every commit and never synced, so that it
// costs nothing; what it says was on the disk before. A database that is behind it has lost what was acknowledged: its WAL was damaged or
// cut, which SQLite takes for the end, or an older copy was put in its place.

// LostError says that acknowledged events are gone.
type LostError struct{ Acknowledged, There int64 }

func (e *LostError) Error() string {
	return fmt.Sprintf("%d events were acknowledged and %d are there: the database or its WAL was damaged, or replaced by an older one; restore a backup, or let kedge repair go on with what is there", e.Acknowledged, e.There)
}

func (s *SQLite) openTip() (err error) {
	if s.tip, err = os.OpenFile(s.dir.Path(tipFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	return compare(s.write, s.tip)
}

// compare tells whether acknowledged events are gone from a database.
func compare(db *sql.DB, tip *os.File) error {
	said, sound := readTip(tip) // before the database, which may grow meanwhile
	var is int64
	if err := db.QueryRow(`SELECT coalesce(max(pos), 0) FROM events`).Scan(&is); err != nil {
		return err
	}
	if sound && said > is {
		return &LostError{said, is}
	}
	return nil
}

// readTip reads what was acknowledged; a tip that was torn says nothing.
func readTip(f *os.File) (pos int64, sound bool) {
	var b [16]byte
	if n, _ := f.ReadAt(b[:], 0); n < len(b) {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(b[:])), tipOf(int64(binary.LittleEndian.Uint64(b[:]))) == b
}

func tipOf(pos int64) (b [16]byte) {
	binary.LittleEndian.PutUint64(b[:], uint64(pos))
	sum := sha256.Sum256(b[:8])
	copy(b[8:], sum[:])
	return b
}

// noteTip writes down what is about to be acknowledged. Where that fails the tip is behind, which is no harm.
func (s *SQLite) noteTip() {
	if s.newest > 0 {
		b := tipOf(s.newest)
		s.tip.WriteAt(b[:], 0)
	}
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"sync"
)

// The file kill.map has a bit for every loop that was killed while that could not be written down. Its room was taken when there was some, and
// bits are turned in place: a disk that is full lets that happen.

// killBytes is how large the map is: a bit for each of 131,072 loops.
const killBytes = 16 << 10

// killMap is the map, at hand.
type killMap struct {
	mu   sync.Mutex
	file *os.File // nil: there was no room for it
	bits []byte
}

// openKills opens the map, and takes room for it if it has none.
func (s *SQLite) openKills() error {
	f, err := os.OpenFile(s.dir.Path(killFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	bits := make([]byte, killBytes)
	filled, err := readAll(f, bits)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if !filled {
		if _, err := f.WriteAt(bits, 0); err != nil || f.Sync() != nil { // kills are then as durable as the journal
			return f.Close()
		}
	}
	s.kills.file, s.kills.bits = f, bits
	return nil
}

// Mark turns the bits of loops on or off, for good. It needs no room on the disk. It is false if that cannot be done.
func (s *SQLite) Mark(ctx context.Context, on bool, loops ...string) bool {
	m := &s.kills
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return false
	}
	changed := slices.Clone(m.bits)
	for _, loop := range loops {
		var id int64
		err := s.peek.QueryRowContext(ctx, `SELECT id FROM loops WHERE name = ?`, loop).Scan(&id)
		if !on && errors.Is(err, sql.ErrNoRows) { // it was removed, and its mark before that
			continue
		}
		if err != nil || id >= 8*killBytes {
			return false
		}
		if changed[id/8] |= 1 << (id % 8); !on {
			changed[id/8] &^= 1 << (id % 8)
		}
	}
	if _, err := m.file.WriteAt(changed, 0); err != nil {
		return false
	}
	m.bits = changed
	return m.file.Sync() == nil
}

// Marked are the loops whose bits are on.
func (s *SQLite) Marked(ctx context.Context) (loops []string, err error) {
	m := &s.kills
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.ContainsFunc(m.bits, func(b byte) bool { return b != 0 }) {
		return nil, nil
	}
	err = each(ctx, s.peek, func(row *sql.Rows) error {
		var id int64
		var name string
		err := row.Scan(&id, &name)
		if err == nil && id < 8*killBytes && m.bits[id/8]&(1<<(id%8)) != 0 {
			loops = append(loops, name)
		}
		return err
	}, `SELECT id, name FROM loops ORDER BY name`)
	return loops, err
}

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
)

// KillMarks is a file with the names of loops that were killed while the database that holds them could not be reached. Its room is taken when it
// is made, and names are written in place, so that a disk that is full lets that happen. It is safe for concurrent use.
type KillMarks struct {
	mu    sync.Mutex
	file  *os.File
	slots map[string]int // of names that are marked
	taken []bool         // slots
}

const (
	slotBytes = 64     // the length of a name, and the name
	mostMarks = 16_384 // names
)

// OpenKillMarks opens the file, and makes it if there is none.
func OpenKillMarks(path string) (*KillMarks, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	all := make([]byte, slotBytes*mostMarks)
	filled, err := readAll(f, all)
	if err == nil && !filled {
		if _, err = f.WriteAt(all, 0); err == nil {
			err = f.Sync()
		}
		if err != nil {
			err = fmt.Errorf("no room for the marks of kills: %w", err)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	m := &KillMarks{file: f, slots: map[string]int{}, taken: make([]bool, mostMarks)}
	for i := range mostMarks {
		slot := all[i*slotBytes : (i+1)*slotBytes]
		if n := int(slot[0]); n > 0 && n < slotBytes {
			m.slots[string(slot[1:1+n])], m.taken[i] = i, true
		}
	}
	return m, nil
}

// readAll reads a file, and tells whether it has as much. What cannot be read is an error: it must not be taken for marks that are not there.
func readAll(f *os.File, all []byte) (filled bool, err error) {
	n, err := f.ReadAt(all, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n == len(all), err
}

// Mark marks loops, or takes their marks away, for good. It is false if that cannot be done.
func (m *KillMarks) Mark(_ context.Context, on bool, loops ...string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, loop := range loops {
		at, is := m.slots[loop]
		switch {
		case is == on:
			continue
		case on:
			if at = slices.Index(m.taken, false); at < 0 || len(loop) >= slotBytes {
				return false
			}
		}
		slot := make([]byte, slotBytes)
		if on {
			slot[0] = byte(copy(slot[1:], loop))
		}
		if _, err := m.file.WriteAt(slot, int64(at)*slotBytes); err != nil {
			return false
		}
		if on {
			m.slots[loop] = at
		} else {
			delete(m.slots, loop)
		}
		m.taken[at] = on
	}
	return m.file.Sync() == nil
}

// Marked are the loops that are marked.
func (m *KillMarks) Marked(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.slots)), nil
}

// Close closes the file.
func (m *KillMarks) Close() error { return m.file.Close() }

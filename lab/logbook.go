package lab

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/wire"
)

// logbook is a file of frames that only grows. Records wait in memory until they are flushed, and after a failure until the
// next try.
type logbook struct {
	path string

	disk sync.Mutex // held while the file is written
	size int64      // of the whole records in it

	mu      sync.Mutex
	waiting []byte
}

// beginLog makes a log whose first record is the given one.
func beginLog(path string, first []byte) (*logbook, error) {
	err := folder.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(first)
		return err
	})
	if err == nil {
		err = folder.Flush(filepath.Dir(path))
	}
	return &logbook{path: path, size: int64(len(first))}, err
}

// readLog reads the whole records of a log, up to the first that is torn or damaged; new ones will take its place.
func readLog(path string) (l *logbook, records []frame, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	l = &logbook{path: path}
	for rest := data; len(rest) > 0 || records == nil; {
		var one frame
		if one.kind, one.data, rest, err = wire.Split(rest); err != nil {
			return l, records, err
		}
		records = append(records, one)
		l.size += int64(len(one.data))
	}
	return l, records, nil
}

// frame is one record of a log.
type frame struct {
	kind string
	data []byte
}

// add lets a record wait for the next flush.
func (l *logbook) add(record []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, record...)
}

// flush puts the waiting records on disk.
func (l *logbook) flush() error {
	l.disk.Lock()
	defer l.disk.Unlock()
	l.mu.Lock()
	records := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	if len(records) == 0 {
		return nil
	}
	if err := l.put(records); err != nil {
		l.mu.Lock()
		l.waiting = append(records, l.waiting...)
		l.mu.Unlock()
		return err
	}
	l.size += int64(len(records))
	return nil
}

// put writes records after the last whole one.
func (l *logbook) put(records []byte) error {
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(l.size)
	if err == nil {
		_, err = f.WriteAt(records, l.size)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

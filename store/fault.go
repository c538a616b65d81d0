package store

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/kedge-opt/kedge/session"
	"modernc.org/sqlite"
)

// fail ends writing for good: after a failed sync nobody knows what the disk holds, so nothing more is acknowledged until the journal is
// opened and checked again.
func (s *SQLite) fail(err error) error {
	s.state.Lock()
	defer s.state.Unlock()
	if s.fault == nil {
		s.fault = fmt.Errorf("%w: %w", session.ErrReadOnly, err)
		close(s.failed)
	}
	return s.fault
}

// named says what an error of a write means: what passes, or that nothing is written any more.
func (s *SQLite) named(err error) error {
	switch {
	case err == nil:
		return nil
	case isFull(err):
		return fmt.Errorf("%w: %w", session.ErrFull, err)
	case isBusy(err):
		return fmt.Errorf("%w: %w", session.ErrBusy, err)
	}
	return s.fail(err)
}

// Health says why nothing is written any more, if that is so.
func (s *SQLite) Health() error {
	s.state.Lock()
	defer s.state.Unlock()
	return s.fault
}

// Failed is closed once nothing is written any more.
func (s *SQLite) Failed() <-chan struct{} { return s.failed }

// Results of SQLite, by https://sqlite.org/rescode.html.
const (
	resultBusy         = 5
	resultLocked       = 6
	resultFull         = 13
	resultUnique       = 2067
	resultNoSharedPage = 4874 // SQLITE_IOERR_SHMSIZE: no room for the index of the WAL
)

// isFull tells whether there was no room, which is mended by making some.
func isFull(err error) bool {
	var e *sqlite.Error
	return errors.Is(err, syscall.ENOSPC) || errors.As(err, &e) && (e.Code()&0xff == resultFull || e.Code() == resultNoSharedPage)
}

// isBusy tells whether another program kept the database from being written, which passes.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == resultBusy || e.Code()&0xff == resultLocked)
}

// isTaken tells whether an event has what only one may have, as a ref, and another has it.
func isTaken(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == resultUnique
}

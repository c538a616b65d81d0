package store

import (
	"errors"
	"os"

	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/session"
)

// mostReserved is the size of a file that is given up when the disk is full, so that what operators do then still fits.
const mostReserved = 16 << 20

// setAside keeps some room, and tells whether there is any.
func (s *SQLite) setAside() bool {
	if s.dir.Has(reserve) {
		return true
	}
	size := int64(mostReserved)
	if free := room.Disk(s.path); free.Bytes >= 0 {
		size = min(size, free.Bytes/8)
	}
	if size < 64<<10 {
		return false
	}
	f, err := os.OpenFile(s.dir.Path(reserve), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return false
	}
	err = errors.Join(allocate(f, size), f.Sync(), f.Close())
	if err != nil {
		s.dir.Remove(reserve)
	}
	return err == nil
}

// giveUp gives the reserve to the disk, and tells whether there was one.
func (s *SQLite) giveUp() bool {
	s.state.Lock()
	s.tight = true
	s.state.Unlock()
	return s.dir.Has(reserve) && s.dir.Remove(reserve) == nil
}

// roomForPeople refuses blobs while there is no room for another reserve; what operators do must fit.
func (s *SQLite) roomForPeople() error {
	s.state.Lock()
	defer s.state.Unlock()
	if s.tight && s.setAside() {
		s.tight = false
	}
	if s.tight {
		return session.ErrFull
	}
	return nil
}

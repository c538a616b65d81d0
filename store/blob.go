package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/kedge-opt/kedge/session"
)

// parcel is a blob as it is kept.
type parcel struct {
	bytes int
	pack  int    // asIs or zipped
	file  any    // its name, nil: none
	data  []byte // nil: in the file
	whole []byte // of what becomes a file
}

const (
	asIs   = 0
	zipped = 1
)

// Blobs of more bytes than this are files of their own.
const mostInside = 256 << 10

// wrap packs the blobs of a request, and puts large ones on the disk.
func (s *SQLite) wrap(r *request) error {
	for _, e := range r.events {
		r.size += len(e.Body)
		if e.Blob == nil {
			continue
		}
		if err := s.roomForPeople(); err != nil {
			return err
		}
		sum, p := e.BlobSum(), &parcel{bytes: len(e.Blob)}
		if p.pack, p.data = s.packer.Pack(e.Blob); p.bytes > mostInside {
			p.file, p.whole, p.data = sum.String(), p.data, nil
			if err := s.keep(p); err != nil {
				return err
			}
		}
		if r.blobs == nil {
			r.blobs = map[session.Hash]*parcel{}
		}
		r.blobs[sum] = p
		r.size += len(p.data)
	}
	return nil
}

// keep makes a large blob a file that is on the disk, unless it is one.
func (s *SQLite) keep(p *parcel) error {
	if p.file == nil {
		return nil
	}
	s.files.Lock()
	defer s.files.Unlock()
	name := path.Join(blobFolder, p.file.(string))
	if s.dir.Has(name) {
		return nil
	}
	err := s.dir.Replace(name, func(w io.Writer) error { _, err := w.Write(p.whole); return err })
	if err == nil {
		err = s.dir.Sync(blobFolder)
	}
	return s.named(err)
}

// tidy removes files of blobs that no loop has any more, those that go while a backup is made once it is. One that stays behind because a program ended in
// between is removed by repair.
func (s *SQLite) tidy(all []*request) {
	for _, r := range all {
		if r.err != nil {
			continue
		}
		for _, e := range r.events {
			for _, sum := range e.Drops {
				s.left = append(s.left, sum.String())
			}
		}
		s.left = append(s.left, r.files...)
	}
	if s.copying.Load() > 0 {
		return
	}
	for _, name := range s.left {
		var n int
		if err := s.peek.QueryRow(`SELECT count(*) FROM blobs WHERE file = ?`, name).Scan(&n); err == nil && n == 0 {
			s.dir.Remove(path.Join(blobFolder, name))
		}
	}
	s.left = nil
}

// Blob returns a blob of a loop.
func (s *SQLite) Blob(loop string, sum session.Hash) ([]byte, error) {
	var b stored
	err := s.peek.QueryRow(`SELECT pack, file, data FROM blobs b JOIN loops l ON l.id = b.loop WHERE l.name = ? AND b.sum = ?`, loop, sum[:]).Scan(&b.pack, &b.file, &b.data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, NoBlob(loop, sum)
	}
	var data []byte
	if err == nil {
		data, err = s.open(&b, nil)
	}
	if err != nil {
		return nil, damaged(loop, sum, err)
	}
	return data, nil
}

func damaged(loop string, sum session.Hash, err error) error {
	return fmt.Errorf("blob %s of loop %s is damaged: %w", sum, loop, err)
}

// stored is a blob as the table has it.
type stored struct {
	pack int64
	file sql.NullString
	data []byte
}

// open unpacks a blob, into room if it is packed and that is enough.
func (s *SQLite) open(b *stored, room []byte) (data []byte, err error) {
	data = b.data
	if b.file.Valid {
		data, err = s.blobFile(b.file.String)
	}
	if err == nil {
		data, err = s.packer.Unpack(int(b.pack), data, room[:0])
	}
	return data, err
}

func (s *SQLite) blobFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) || path.Base(name) != name {
		return nil, fmt.Errorf("no blob is in %q", name)
	}
	f, err := s.dir.Open(path.Join(blobFolder, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostUnpacked))
}

package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/plain"
)

// Reading says how a folder is read.
type Reading int

// The ways to read a folder.
const (
	Verified   Reading = iota // every file that is read must be what was written
	Unverified                // files are read as they are
)

// Sealed is a finished folder that is being read.
type Sealed struct {
	*Manifest
	ctx   context.Context // once it is done, reading ends with its error
	dir   *disk.Dir
	trust Reading
	at    string // the folder inside dir that the manifest is of
}

// OpenSealed opens a finished folder to be read until a context is done. Without a manifest the error is ErrUnfinished.
func OpenSealed(ctx context.Context, dir string, trust Reading) (*Sealed, error) {
	root, err := disk.Disk{}.Open(dir)
	if err != nil {
		return nil, err
	}
	var s *Sealed
	if err = recovered(root); err == nil {
		s, err = sealedIn(ctx, root, ".", trust)
	}
	if err == nil {
		return s, nil
	}
	root.Close()
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", dir, ErrUnfinished)
	}
	return nil, err
}

// sealedIn is the finished folder at a place inside one that is open.
func sealedIn(ctx context.Context, dir *disk.Dir, at string, trust Reading) (*Sealed, error) {
	m, err := readManifest(dir, path.Join(at, manifestFile))
	return &Sealed{Manifest: m, ctx: ctx, dir: dir, trust: trust, at: at}, err
}

// ReadManifest reads the manifest of a finished folder.
func ReadManifest(dir string) (*Manifest, error) {
	s, err := OpenSealed(context.Background(), dir, Verified)
	if err != nil {
		return nil, err
	}
	return s.Manifest, s.Close()
}

// Owner is the manifest of the finished result that has written a file, nil if none has.
func Owner(file string) *Manifest {
	dir, name := filepath.Split(filepath.Clean(file))
	m, err := ReadManifest(filepath.Clean(dir))
	if err != nil || !m.covers(name) {
		return nil
	}
	return m
}

// openKind opens a finished folder that must hold a result of a kind.
func openKind(ctx context.Context, dir string, kind Kind, trust Reading) (*Sealed, error) {
	s, err := OpenSealed(ctx, dir, trust)
	if err == nil && s.Kind != kind {
		s.Close()
		return nil, fmt.Errorf("%s holds a %s, not a %s", dir, s.Kind, kind)
	}
	return s, err
}

// Close ends the reading.
func (s *Sealed) Close() error { return s.dir.Close() }

// Has tells whether the manifest lists a file.
func (s *Sealed) Has(name string) bool {
	_, ok := s.Files[name]
	return ok
}

// Read hands an open file of the folder over, which is what was written unless nobody wants to know.
func (s *Sealed) Read(name string, read func(f plain.Anywhere) error) error {
	full := path.Join(s.at, name)
	want, ok := s.Files[name]
	if !ok {
		return fmt.Errorf("%s: the manifest does not list it: %w", s.dir.Path(full), fs.ErrNotExist)
	}
	file, err := s.dir.Open(full)
	if within := new(fs.PathError); errors.As(err, &within) { // it names the file alone
		return fmt.Errorf("%s: %w", s.dir.Path(full), within.Err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	f := plain.Until(s.ctx, file)
	if s.trust == Verified {
		problem, err := s.differs(f, name, want)
		if err != nil {
			return fmt.Errorf("%s: %w", s.dir.Path(full), err)
		}
		if problem != "" {
			return fmt.Errorf("%s: %s, so it is %w: run its command again, or read it as it is with --unverified", s.dir.Path(full), problem, ErrChanged)
		}
	}
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", s.dir.Path(full), err)
	}
	return nil
}

// differs says in what an open file differs from what was written, "" if in nothing, and goes back to its beginning.
func (s *Sealed) differs(f plain.Anywhere, name string, want File) (problem string, err error) {
	if name == timesFile && want.SHA256 == "" {
		text, err := within(f, largestSummary)
		if _, ok := checkSum(text); err == nil && !ok && !s.IsBare() {
			problem = otherBytes
		}
		return problem, errors.Join(err, rewind(f))
	}
	got, err := sumOf(f)
	switch {
	case err != nil:
		return "", err
	case got.Bytes != want.Bytes:
		problem = fmt.Sprintf("%d bytes, written were %d", got.Bytes, want.Bytes)
	case got != want:
		problem = otherBytes
	}
	return problem, rewind(f)
}

const otherBytes = "other bytes than were written"

func rewind(f io.Seeker) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// readText reads a file of at most so many bytes.
func (s *Sealed) readText(name string, most int64) (text []byte, err error) {
	err = s.Read(name, func(f plain.Anywhere) (err error) {
		text, err = within(f, most)
		return err
	})
	return text, err
}

// readJSON reads a file that must hold one JSON value and no more than so many bytes.
func (s *Sealed) readJSON(name string, most int64, v any) error {
	return s.Read(name, func(f plain.Anywhere) error {
		text, err := within(f, most)
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		return err
	})
}

// readSized reads a file whose format must be told its size.
func (s *Sealed) readSized(name string, read func(f io.ReaderAt, size int64) error) error {
	return s.Read(name, func(f plain.Anywhere) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return read(f, info.Size())
	})
}

// cell is the folder of a cell, which the manifest vouches for.
func (s *Sealed) cell(id string) (*Sealed, error) {
	name := path.Join(cellsFolder, id, manifestFile)
	text, err := s.readText(name, largestManifest)
	if err != nil {
		return nil, err
	}
	m, err := manifestIn(s.dir, name, text)
	if err != nil {
		return nil, err
	}
	return &Sealed{Manifest: m, ctx: s.ctx, dir: s.dir, trust: s.trust, at: path.Dir(name)}, nil
}

// Decode reads a file of a finished folder.
func Decode[T any](ctx context.Context, dir, name string, trust Reading, decode func(io.Reader) (T, error)) (value T, err error) {
	s, err := OpenSealed(ctx, dir, trust)
	if err != nil {
		return value, err
	}
	defer s.Close()
	err = s.Read(name, func(f plain.Anywhere) error {
		value, err = decode(f)
		return err
	})
	return value, err
}

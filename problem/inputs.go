package problem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/internal/plain"
)

// Inputs are the files that the problem was made of, by name: SHA-256 of what they held.
func (p *Problem) Inputs() map[string]string {
	list := map[string]string{}
	for name, one := range p.files.seen {
		list[name] = one.sum
	}
	return list
}

// InputSum hashes a file that a spec names, as Inputs does, until the context is done.
func InputSum(ctx context.Context, files fs.FS, name string) (string, error) {
	if files == nil {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := plain.OpenIn(files, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, plain.UntilIn(ctx, f))
	return hex.EncodeToString(h.Sum(nil)), err
}

// witness hands files out and remembers what they held.
type witness struct {
	ctx   context.Context // once it is done, reading ends with its error
	files fs.FS           // may be nil
	mu    sync.Mutex
	seen  map[string]seenFile
}

// seenFile is what a file was when it was first opened.
type seenFile struct {
	sum   string
	size  int64
	since time.Time // its last change
}

// Open implements [fs.FS].
func (w *witness) Open(name string) (fs.File, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.seen[name]; !ok {
		sum, err := InputSum(w.ctx, w.files, name)
		if err != nil {
			return nil, err
		}
		info, err := fs.Stat(w.files, name)
		if err != nil {
			return nil, err
		}
		w.seen[name] = seenFile{sum, info.Size(), info.ModTime()}
	}
	f, err := plain.OpenIn(w.files, name)
	if err != nil {
		return nil, err
	}
	return plain.UntilIn(w.ctx, f), nil
}

// stayed wants all files as they were when they were hashed, so that the problem is made of what their checksums say.
func (p *Problem) stayed() error {
	for name, one := range p.files.seen {
		info, err := fs.Stat(p.files.files, name)
		if err != nil {
			return err
		}
		if info.Size() != one.size || !info.ModTime().Equal(one.since) {
			return fmt.Errorf("%s was changed while it was read; run the command again", name)
		}
	}
	return nil
}

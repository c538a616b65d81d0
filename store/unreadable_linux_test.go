package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// unreadable is a file that can be opened and not be read, as one on a disk that is damaged.
const unreadable = "/proc/self/mem"

// Marks of kills that cannot be read are not written over, and nobody begins without them: the loops that they stop would go on.
func TestKillMarksThatCannotBeReadAreKept(t *testing.T) {
	dir := t.TempDir()
	if err := opened(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, killFile)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(unreadable, file); err != nil {
		t.Fatal(err)
	}
	_, own := OpenKillMarks(unreadable)
	s, journal := Open(dir)
	if journal == nil {
		s.Close()
	}
	for whose, err := range map[string]error{"a server's": own, "a database's": journal} {
		if fault, is := errors.AsType[*fs.PathError](err); !is || fault.Op != "read" {
			t.Errorf("of %s marks that cannot be read: %v", whose, err)
		}
	}
}

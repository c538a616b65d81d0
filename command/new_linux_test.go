package command

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// On a full disk, here one for files of 1 KB, a spec that was to be replaced is what it was, and of a new one no half is left that would look like a whole one.
func TestSpecsAreWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	mine, other := filepath.Join(dir, "mine.yaml"), filepath.Join(dir, "other.yaml")
	const notes = "# what somebody has worked out\n"
	if err := os.WriteFile(mine, []byte(notes), 0o644); err != nil {
		t.Fatal(err)
	}
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 10, Max: usual.Max}); err != nil {
		t.Fatal(err)
	}
	_, replaced := command(t, "new", "--yes", "--force", mine)
	_, made := command(t, "new", "--yes", other)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(mine); replaced != 1 || err != nil || string(text) != notes {
		t.Errorf("exit code %d, and the file holds %d bytes: %.60q, %v", replaced, len(text), text, err)
	}
	if _, err := os.Stat(other); made != 1 || !os.IsNotExist(err) {
		t.Errorf("exit code %d, and of the new file there is something: %v", made, err)
	}
	if _, code := command(t, "new", "--yes", "--force", mine); code != 0 {
		t.Error(code)
	}
	if text, err := os.ReadFile(mine); err != nil || len(text) < 2000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

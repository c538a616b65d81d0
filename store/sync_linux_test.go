package store

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// What cannot be put on the disk is said: a pipe can be opened and written, and not synced.
func TestWhatCannotBeSynced(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syncFile(pipe); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a pipe is synced: %v", err)
	}
}

package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// One has the folder until it gives it free; who asks is told who it is, by what the file says.
func TestLocks(t *testing.T) {
	at := t.TempDir()
	dir, err := Disk{}.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	file := filepath.Join(at, "lock")
	if err := dir.Locked("lock"); err != nil {
		t.Errorf("before anybody has it: %v", err)
	}
	if err := os.WriteFile(file, []byte("1234567890123456789 of one that has died\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := dir.Locked("lock"); err != nil {
		t.Errorf("of one that has died: %v", err)
	}
	l, err := dir.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != fmt.Sprintln(os.Getpid()) {
		t.Errorf("the file says %q, %v", text, err)
	}
	for text, who := range map[string]string{fmt.Sprintln(os.Getpid()): fmt.Sprint(os.Getpid()), "": "unknown", "nobody": "unknown", " 42 \n": "42", strings.Repeat("1", 19) + "99": "unknown", "1234567890123456789\n2": "1234567890123456789"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		want := at + " is in use by another kedge (process " + who + "): wait until it has ended"
		if _, err := dir.Lock("lock"); !errors.Is(err, ErrInUse) || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if err := dir.Locked("lock"); !errors.Is(err, ErrInUse) || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if l.Release(); dir.Has("lock") || dir.Locked("lock") != nil {
		t.Error("the lock stays")
	}
	if l, err = dir.Lock("lock"); err != nil {
		t.Fatal(err)
	}
	if !l.current() {
		t.Error("a lock of its own file is not current")
	}
	if err := os.Remove(file); err != nil || l.current() {
		t.Errorf("a lock of a file that is gone is current, %v", err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil || l.current() {
		t.Errorf("a lock of another's file is current, %v", err)
	}
	l.file.Close()
	if l.current() {
		t.Error("a lock of a closed file is current")
	}
}

// What cannot be a lock is told.
func TestNoLocks(t *testing.T) {
	at := t.TempDir()
	dir, err := Disk{}.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := errors.Join(os.Mkdir(filepath.Join(at, "folder"), 0o755), os.Symlink(t.TempDir()+"/x", filepath.Join(at, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folder", "link", "missing/lock"} {
		if _, err := dir.Lock(name); err == nil || errors.Is(err, ErrInUse) {
			t.Errorf("%s is a lock: %v", name, err)
		}
		if err := dir.Locked(name); (err == nil) != (name == "missing/lock") || errors.Is(err, ErrInUse) {
			t.Errorf("%s is locked: %v", name, err)
		}
	}
}

// Who gives a folder free keeps no file open, and who is refused leaves none.
func TestLocksThatAreGivenFreeAreClosed(t *testing.T) {
	dir, err := Disk{}.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	l, err := dir.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	open := func() int {
		t.Helper()
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := open()
	for range 20 { // more than the garbage collector's other work could hide
		if _, err := dir.Lock("lock"); !errors.Is(err, ErrInUse) {
			t.Fatal(err)
		}
		if err := dir.Locked("lock"); !errors.Is(err, ErrInUse) {
			t.Fatal(err)
		}
	}
	if after := open(); after > before+5 {
		t.Errorf("%d files are open, %d were", after, before)
	}
	l.Release()
	if _, err := l.file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("its file is not closed: %v", err)
	}
}

// A lock's name goes while it is locked, so that nobody takes what is about to go: the system says in which order.
func TestLocksGoBeforeTheyAreFree(t *testing.T) {
	at := t.TempDir()
	dir, err := Disk{}.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	l, err := dir.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	watch, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(watch)
	if _, err := syscall.InotifyAddWatch(watch, at, syscall.IN_DELETE|syscall.IN_CLOSE_WRITE); err != nil {
		t.Fatal(err)
	}
	l.Release()
	room := make([]byte, 4096)
	n, err := syscall.Read(watch, room)
	if err != nil || n < 8 {
		t.Fatal(n, err)
	}
	if first := binary.NativeEndian.Uint32(room[4:]); first != syscall.IN_DELETE {
		t.Errorf("event %x comes first, want that it is removed", first)
	}
	if dir.Has("lock") {
		t.Error("it is still there")
	}
}

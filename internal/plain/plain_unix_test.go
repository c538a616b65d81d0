//go:build unix

package plain

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOddFilesAreRefusedAtOnce opens everything that is no file. A pipe without a writer would hang the test: nothing here is timed.
func TestOddFilesAreRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o644), os.Mkdir(at("folder"), 0o755), os.Symlink(at("pipe"), at("to-pipe")),
		os.Symlink("/dev/zero", at("zero")), os.Symlink(at("loop"), at("loop"))); err != nil {
		t.Fatal(err)
	}
	// The path of a socket may have some hundred bytes: it is made where paths are short.
	short, err := os.MkdirTemp("/tmp", "kedge")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	l, err := net.Listen("unix", filepath.Join(short, "socket"))
	if err == nil {
		err = os.Symlink(filepath.Join(short, "socket"), at("socket"))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]string{"pipe": "a named pipe", "to-pipe": "a named pipe", "folder": "a folder", "zero": "a device", "socket": "", "loop": "", "none": ""} {
		for how, open := range map[string]func() error{
			"Open":   func() error { _, err := Open(at(name)); return err },
			"OpenIn": func() error { _, err := OpenIn(os.DirFS(dir), name); return err },
			"Read":   func() error { _, err := ReadFile(at(name), 10); return err },
		} {
			err := open()
			var odd *OddFileError
			switch {
			case err == nil:
				t.Errorf("%s %s: no error", how, name)
			case want != "" && (!errors.As(err, &odd) || !strings.Contains(err.Error(), want)):
				t.Errorf("%s %s: %v, want an *OddFileError that says %q", how, name, err, want)
			}
		}
	}
}

func TestPlainFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(name, []byte("12345"), 0o644), os.Symlink(name, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{name, link} {
		text, err := ReadFile(path, 5)
		if err != nil || string(text) != "12345" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	var long *TooLongError
	if _, err := ReadFile(name, 4); !errors.As(err, &long) {
		t.Errorf("5 bytes of at most 4: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

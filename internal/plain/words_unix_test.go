//go:build unix

package plain

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// By hand: everything that is no plain file has a name of its own, by its type alone.
func TestOddFilesAreNamed(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		fs.ModeDir: "x is a folder, want a plain file", fs.ModeNamedPipe: "x is a named pipe, want a plain file", fs.ModeSocket: "x is a socket, want a plain file",
		fs.ModeDevice: "x is a device, want a plain file", fs.ModeDevice | fs.ModeCharDevice: "x is a device, want a plain file", fs.ModeSymlink: "x is a link, want a plain file",
		fs.ModeIrregular: "x is no file that can be read to its end, want a plain file",
	} {
		if got := (&OddFileError{"x", mode}).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := (&TooLongError{"x", 7}).Error(); got != "x has more than 7 bytes, the most that are read" {
		t.Error(got)
	}
}

var errBad = errors.New("bad sector")

// bad is a file, and a file system of it, that fails in one thing.
type bad struct {
	fs.File
	fails  string
	closed int
	opened int
	calls  int
}

func (b *bad) Open(string) (fs.File, error) {
	if b.opened++; b.fails == "open" || b.fails == "second open" && b.opened == 2 {
		return nil, errBad
	}
	return b, nil
}

// Stat is asked by name, before the file is opened, and of the open file.
func (b *bad) Stat() (fs.FileInfo, error) {
	switch b.calls++; {
	case b.fails == "second stat" && b.calls == 2:
		return nil, errBad
	case b.fails == "another file" && b.calls == 2:
		return fstest.MapFS{"folder/x": {}}.Stat("folder")
	}
	return fstest.MapFS{"x": {Data: []byte("1")}}.Stat("x")
}

func (b *bad) Close() error { b.closed++; return nil }

// A file that cannot be opened, or is another once it is open, is refused; every file that was opened and refused is closed.
func TestFilesThatChangeAreRefused(t *testing.T) {
	for fails, opened := range map[string]int{"open": 0, "second open": 1, "second stat": 2, "another file": 2, "": 1} {
		b := &bad{fails: fails}
		f, err := OpenIn(b, "x")
		var odd *OddFileError
		switch fails {
		case "":
			if err != nil || f != fs.File(b) {
				t.Errorf("%v, %v", f, err)
			}
		case "another file":
			if f != nil || !errors.As(err, &odd) || odd.Name != "x" {
				t.Errorf("%s: %v, %v", fails, f, err)
			}
		default:
			if f != nil || !errors.Is(err, errBad) {
				t.Errorf("%s: %v, %v", fails, f, err)
			}
		}
		if b.closed != opened { // once by who asked by name
			t.Errorf("%s: closed %d times, want %d", fails, b.closed, opened)
		}
	}
	if f, err := OpenIn(fstest.MapFS{}, "x"); f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", f, err)
	}
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := check("x", closed); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a file that was closed: %v", err)
	}
}

// A folder is opened and refused, and not left open; a file of 0 bytes at most is read if it has none.
func TestRefusedFilesAreClosed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "none"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	count := func() int { list, _ := os.ReadDir("/dev/fd"); return len(list) }
	before := count()
	for range 20 {
		if f, err := Open(dir); f != nil || err == nil {
			t.Fatalf("%v, %v", f, err)
		}
		if text, err := ReadFile(filepath.Join(dir, "none"), 0); err != nil || len(text) != 0 {
			t.Fatalf("%q, %v", text, err)
		}
	}
	if after := count(); after > before+5 {
		t.Errorf("%d files were open, now %d", before, after)
	}
}

// only is a file that can be read from its beginning alone.
type only struct{ fs.File }

// Once the context is done, nothing more is read, from anywhere; before, everything is as it was.
func TestUntil(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("abcdef"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, stop := context.WithCancel(t.Context())
	narrow := UntilIn(ctx, only{f})
	if _, is := narrow.(Anywhere); is {
		t.Error("a file that cannot be read from anywhere can")
	}
	wide, is := UntilIn(ctx, f).(Anywhere)
	if !is {
		t.Fatal("a file that can be read from anywhere cannot")
	}
	b := make([]byte, 2)
	if n, err := wide.ReadAt(b, 3); n != 2 || err != nil || string(b) != "de" {
		t.Errorf("%q, %v", b, err)
	}
	if n, err := narrow.Read(b); n != 2 || err != nil || string(b) != "ab" {
		t.Errorf("%q, %v", b, err)
	}
	if at, err := wide.Seek(1, io.SeekStart); at != 1 || err != nil {
		t.Errorf("%d, %v", at, err)
	}
	if n, err := wide.Read(b); n != 2 || err != nil || string(b) != "bc" {
		t.Errorf("%q, %v", b, err)
	}
	stop()
	for what, read := range map[string]func() (int, error){"narrow": func() (int, error) { return narrow.Read(b) }, "wide": func() (int, error) { return wide.Read(b) }, "at": func() (int, error) { return wide.ReadAt(b, 0) }} {
		if n, err := read(); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
	}
}

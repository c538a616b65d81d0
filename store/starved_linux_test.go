package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/session"
	"golang.org/x/sys/unix"
)

// A program may have so many files open and no more: with room for none, for one, for two, … whatever needs another says so, until there is enough for all of it.
func TestEveryFileThatCannotBeOpenedIsTold(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	bundle, m := exported(t)
	data := small(t, lived(t, 1))
	s := opened(t, data)
	backup := filepath.Join(dir, "all"+BackupEnding)
	if _, err := s.Backup(ctx, backup); err != nil {
		t.Fatal(err)
	}
	s.Close()
	var asTar bytes.Buffer
	if err := ExportTar(ctx, m, "shop", &asTar); err != nil {
		t.Fatal(err)
	}
	tarFile := filepath.Join(dir, "bundle.tar")
	if err := os.WriteFile(tarFile, asTar.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := func() string {
		name, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, do := range map[string]func() error{
		"export":  func() error { return Export(ctx, m, "shop", fresh()) },
		"tar":     func() error { return ExportTar(ctx, m, "shop", &bytes.Buffer{}) },
		"packed":  func() error { return tarFolder(&bytes.Buffer{}, os.DirFS(bundle), "bundle") },
		"bundle":  func() error { _, _, err := ReadBundle(ctx, bundle); return err },
		"of tar":  func() error { _, _, err := ReadBundle(ctx, tarFile); return err },
		"unpack":  func() error { return Unpack(bytes.NewReader(asTar.Bytes()), fresh()) },
		"restore": func() error { _, err := Restore(ctx, backup, fresh(), wall{}, session.Standard); return err },
		"open":    func() error { s, err := Open(data); return closing(s, err) },
		"check":   func() error { _, err := CheckFile(ctx, filepath.Join(data, database), false); return err },
		"marks": func() error {
			k, err := OpenKillMarks(filepath.Join(fresh(), "kills"))
			if err != nil {
				return err
			}
			return k.Close()
		},
	} {
		if err := do(); err != nil {
			t.Fatalf("%s, with room for all: %v", name, err)
		}
		told := 0
		for room := range 64 {
			err := starved(t, room, do)
			if err == nil {
				break
			}
			if told++; !errors.Is(err, syscall.EMFILE) && !strings.Contains(err.Error(), "unable to open database file") {
				t.Errorf("%s, with room for %d files: %v", name, room, err)
			}
		}
		if told == 0 || told == 64 {
			t.Errorf("%s fails with room for %d files", name, told-1)
		}
	}
}

// starved does something while only so many more files can be opened.
func starved(t *testing.T, room int, do func() error) error {
	t.Helper()
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Skip(err)
	}
	first, err := os.Open(os.DevNull) // the lowest number that is free
	if err != nil {
		t.Fatal(err)
	}
	var fill []*os.File
	defer func() {
		for _, f := range fill {
			f.Close()
		}
	}()
	most := uint64(filesOpen(t) + 64)
	for f := first; ; { // no number below is free
		fill = append(fill, f)
		if uint64(f.Fd()) >= most {
			break
		}
		if f, err = os.Open(os.DevNull); err != nil {
			t.Fatal(err)
		}
	}
	limit := unix.Rlimit{Cur: uint64(fill[len(fill)-1].Fd()) + 1 + uint64(room), Max: was.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &was)
	return do()
}

// A mark that may not be on the disk is none: /dev/zero takes what is written and cannot be synced, and reads as a file without marks; /dev/null reads as an
// empty one.
func TestMarksThatAreNotOnTheDisk(t *testing.T) {
	ctx := t.Context()
	if _, err := OpenKillMarks(os.DevNull); err == nil {
		t.Error("marks are opened that cannot be kept")
	}
	m, err := OpenKillMarks("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Mark(ctx, true, "shop") || m.Mark(ctx, false, "shop") {
		t.Error("a mark is acknowledged that may not be on the disk")
	}
	for device, opens := range map[string]bool{os.DevNull: false, "/dev/zero": true} {
		dir := lived(t, 1)
		if err := errors.Join(os.Remove(filepath.Join(dir, killFile)), os.Symlink(device, filepath.Join(dir, killFile))); err != nil {
			t.Fatal(err)
		}
		s := opened(t, dir)
		if (s.kills.file != nil) != opens || s.Mark(ctx, true, "shop") {
			t.Errorf("%s has marks: %v", device, s.kills.file)
		}
	}
}

// The reserve is an eighth of what is free, 16 MiB at most and 64 KiB at least; one that finds no room leaves nothing.
func TestReserves(t *testing.T) {
	at := func(dir string) *SQLite {
		t.Helper()
		d, err := disk.Disk{}.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return &SQLite{path: dir, dir: d}
	}
	reserved := func(s *SQLite) int64 {
		info, err := os.Stat(s.dir.Path(reserve))
		if errors.Is(err, fs.ErrNotExist) {
			return 0
		}
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	wide := at(t.TempDir())
	if room.Disk(wide.path).Bytes < 8<<24 {
		t.Skip("the disk is nearly full")
	}
	if !wide.setAside() || reserved(wide) != 16<<20 || !wide.setAside() {
		t.Errorf("%d bytes are set aside", reserved(wide))
	}
	if !wide.giveUp() || reserved(wide) != 0 || !wide.tight || wide.giveUp() {
		t.Errorf("%d bytes are left", reserved(wide))
	}
	if err := wide.roomForPeople(); err != nil || wide.tight || reserved(wide) != 16<<20 {
		t.Errorf("with room again: %v, %d bytes", err, reserved(wide))
	}
	gone := at(t.TempDir())
	if err := os.Remove(gone.path); err != nil || gone.setAside() {
		t.Errorf("something is set aside in a folder that is gone, %v", err)
	}
	for size, want := range map[string]int64{"1024k": 128 << 10, "512k": 64 << 10, "508k": 0} {
		dir := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "kedge", dir).CombinedOutput(); err != nil {
			t.Skipf("skipped: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
		s := at(dir)
		if is := s.setAside(); is != (want > 0) || reserved(s) != want {
			t.Errorf("of %s %d bytes are set aside, %v", size, reserved(s), is)
		}
		s.giveUp()
		s.path = wide.path // where there seems to be more room than there is
		if s.setAside() || reserved(s) != 0 {
			t.Errorf("of %s %d bytes are set aside where there is no room", size, reserved(s))
		}
		if err := s.roomForPeople(); !errors.Is(err, session.ErrFull) || !s.tight {
			t.Errorf("people have room: %v", err)
		}
	}
}

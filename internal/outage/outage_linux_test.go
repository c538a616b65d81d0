package outage

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A disk whose power was cut has power again also where somebody else had it mounted meanwhile.
func TestPowerReturnsOnceEverybodyHasLeft(t *testing.T) {
	d, err := Sized(t.TempDir(), t.TempDir(), 8)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	t.Cleanup(d.Close)
	other := exec.Command("unshare", "--mount", "sh", "-c", "echo; sleep 1")
	out, err := other.StdoutPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Skip("skipped: ", err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := d.Cut(); err != nil {
		t.Fatal(err)
	}
	if err := d.Restore(); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(); err != nil {
		t.Error(err)
	}
	t.Logf("after %v", time.Since(began))
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
}

// What was synced is there when the power returns, and what was not is gone.
func TestWhatACutLeaves(t *testing.T) {
	images, dir := t.TempDir(), t.TempDir()
	d, err := New(images, dir)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	there := true
	defer func() {
		if there {
			d.Close()
		}
	}()
	if image, err := os.Stat(filepath.Join(images, "disk.img")); err != nil || image.Size() != 96<<20 || d.Dir != dir {
		t.Errorf("%+v, %v", image, err)
	}
	kept, lost := filepath.Join(dir, "kept"), filepath.Join(dir, "lost")
	err = os.WriteFile(kept, []byte("kept"), 0o600)
	err = errors.Join(err, d.Sync(), os.WriteFile(lost, []byte("lost"), 0o600), d.Cut())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "late"), nil, 0o600); err == nil {
		t.Error("a disk without power is written to")
	}
	if err := d.Restore(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(kept)
	if _, gone := os.Stat(lost); string(text) != "kept" || err != nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("kept: %q, %v; lost: %v", text, err, gone)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "probe")); err != nil || len(left) != 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	d.Close()
	there = false
	if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is mounted after it was taken away: %v", err)
	}
}

// Where there is no room for an image, or no folder to mount it at, that is said; and nobody syncs or cuts what is not there.
func TestDisksThatCannotBe(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if os.Getuid() != 0 {
		if _, err := New(t.TempDir(), t.TempDir()); err == nil || err.Error() != "only root can mount a disk to cut its power" {
			t.Error(err)
		}
		return
	}
	if d, err := Sized(missing, t.TempDir(), 8); d != nil || err == nil || !strings.HasPrefix(err.Error(), "no file system: exit status ") {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := Sized(t.TempDir(), missing, 8); err == nil || !strings.HasPrefix(err.Error(), "mount: exit status ") {
		t.Error(err)
	}
	d := &Mount{Dir: missing}
	for what, err := range map[string]error{"sync": d.Sync(), "cut": d.Cut()} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

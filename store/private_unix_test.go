//go:build unix

package store

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What people answered is for the owner of a service alone, whatever the folder was before and whatever mode files have by default.
func TestAnswersAreTheOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, earlier := range []string{"nothing", "files for everybody"} {
		if earlier != "nothing" {
			for name, mode := range map[string]os.FileMode{database: 0o644, blobFolder: 0o777} {
				if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
					t.Fatal(err)
				}
			}
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			var info fs.FileInfo
			if info, err = e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("where there was %s before: others may use %s, %v, %v", earlier, e.Name(), info.Mode(), err)
			}
			seen++
		}
		if err != nil || seen < 6 {
			t.Errorf("%d files, %v", seen, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What a bundle is unpacked to is its owner's alone: it has what people answered.
func TestUnpackedBundlesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := Unpack(bytes.NewReader(packed(t, tar.Header{Name: "shop/states/a", Typeflag: tar.TypeReg})), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "states", "states/a"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: %v, %v", name, info.Mode(), err)
		}
	}
}

//go:build unix

package store

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kedge-opt/kedge/session"
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

// So is a backup, what is restored from it, a bundle that is written, and what a tar of one says of its files; whatever mode files have by default.
func TestCopiesAreTheOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	ctx, dir := t.Context(), t.TempDir()
	s := opened(t, lived(t, 2))
	file, data, bundle := filepath.Join(dir, "a.kedge"), filepath.Join(dir, "new", "data"), filepath.Join(dir, "bundle")
	if _, err := s.Backup(ctx, file); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(ctx, file, data, wall{}, session.Standard); err != nil {
		t.Fatal(err)
	}
	if err := Export(ctx, s, "shop", bundle); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{file: 0o600, data: 0o700, filepath.Dir(data): 0o700, filepath.Join(data, database): 0o600, bundle: 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v", name, info.Mode(), want)
		}
	}
	var out bytes.Buffer
	if err := ExportTar(ctx, s, "shop", &out); err != nil {
		t.Fatal(err)
	}
	files := 0
	for r := tar.NewReader(&out); ; files++ {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil || h.Mode != 0o600 {
			t.Fatalf("%+v, %v", h, err)
		}
	}
	if files != 4 {
		t.Errorf("%d files, want events, people, spec and manifest", files)
	}
}

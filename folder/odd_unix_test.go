//go:build unix

package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// A named pipe in the place of a file of a folder, which would be waited for without end, is refused by readers and writers.
func TestPipesAreNotWaitedFor(t *testing.T) {
	for _, name := range []string{"series.parquet", "summary.json", "times.json", "manifest.json", "unfinished.json", "checkpoint"} {
		dir := sealed(t, small())
		path := filepath.Join(dir, name)
		os.Remove(path)
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Skip("skipped:", err)
		}
		isData := name != "unfinished.json" && name != "checkpoint" // of which a finished result needs neither
		if _, err := folder.Open(t.Context(), dir, folder.Verified); isData && (err == nil || !strings.Contains(err.Error(), name)) {
			t.Errorf("%s, opened: %v", name, err)
		}
		found, err := folder.Verify(t.Context(), dir)
		if isData && err == nil {
			for _, c := range found.Files {
				if (c.Problem != "") != (c.File == name) {
					t.Errorf("%s, verified: %+v", name, c)
				}
			}
		}
		if c, err := folder.KindRun.Take(dir); err == nil {
			c.Release()
		}
	}
}

// The manifest of a cell that is a link to its own sweep does not make a reader go round.
func TestLinkedCellsEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	if err := os.CopyFS(dir, os.DirFS("testdata/format1/sweep")); err != nil {
		t.Fatal(err)
	}
	r, err := folder.OpenSweep(t.Context(), dir, folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	cell := filepath.Join(dir, "cells", r.Cells[0].ID)
	if err := os.RemoveAll(cell); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", cell); err != nil {
		t.Skip("skipped:", err)
	}
	if _, err := folder.OpenSweep(t.Context(), dir, folder.Verified); err == nil {
		t.Error("a sweep opens one of whose cells is the folder of cells")
	}
	if err := os.Remove(cell); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../..", filepath.Join(dir, "cells", r.Cells[0].ID)); err != nil {
		t.Fatal(err)
	}
	found, err := folder.Verify(t.Context(), dir)
	if err == nil {
		bad := 0
		for _, c := range found.Files {
			if c.Problem != "" {
				bad++
			}
		}
		if bad == 0 {
			t.Errorf("a sweep verifies one of whose cells is itself: %+v", found)
		}
	}
}

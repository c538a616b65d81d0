package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// Folders of the first format, as version 0.1.0 wrote them (figures and pages are left out), are read and compared; what has no checksum is
// marked, and new pages bring them to the present format.
func TestFirstFormatIsRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("testdata/format1/run")); err != nil {
		t.Fatal(err)
	}
	r, err := folder.Open(t.Context(), dir, folder.Verified)
	if err != nil || r.Case != "lq2" || len(r.Runs) == 0 || len(r.Runs[0].Trials) != 1 || r.Code != (folder.Code{}) {
		t.Errorf("%+v, %v", r, err)
	}
	marked := func() (list []string) {
		found, err := folder.Verify(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Files {
			if c.Problem != "" {
				t.Errorf("%s: %s", c.File, c.Problem)
			}
			if c.Note != "" {
				list = append(list, c.File)
			}
		}
		return list
	}
	if got := strings.Join(marked(), " "); got != "times.json manifest.json" {
		t.Errorf("marked are %q", got)
	}
	c := taken(t, folder.KindRun, dir)
	if err := c.Renew(map[string][]byte{"report.md": []byte("new")}); err != nil {
		t.Fatal(err)
	}
	c.Release()
	if m, err := folder.ReadManifest(dir); err != nil || m.IsBare() || len(marked()) > 0 {
		t.Errorf("with a new page: %v, %v, marked %v", m, err, marked())
	}
	if err := os.WriteFile(filepath.Join(dir, "series.parquet"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Open(t.Context(), dir, folder.Verified); !errors.Is(err, folder.ErrChanged) {
		t.Errorf("an empty series: %v", err)
	}
}

// Sweeps of the first format are read; their cells are not mixed with new ones.
func TestSweepsOfTheFirstFormat(t *testing.T) {
	r, err := folder.OpenSweep(t.Context(), "testdata/format1/sweep", folder.Verified)
	if err != nil || len(r.Cells) != 2 || r.Cells[0].Summary == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	dir := filepath.Join(t.TempDir(), "sweep")
	if err := os.CopyFS(dir, os.DirFS("testdata/format1/sweep")); err != nil {
		t.Fatal(err)
	}
	w := &folder.SweepPlan{SweepResult: *r, Is: func(i int, spec []byte, _ map[string]string) bool {
		text, err := os.ReadFile(filepath.Join(dir, "cells", r.Cells[i].ID, "spec.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text) == string(spec)
	}}
	c := taken(t, folder.KindSweep, dir)
	defer c.Release()
	f, err := folder.OpenSweepFolder(t.Context(), c, w, false)
	if err == nil {
		err = f.ComputedBy(func(string) (string, error) { return "", nil })
	}
	if !errors.Is(err, folder.ErrOtherIdentity) || !strings.Contains(err.Error(), "its arithmetic was 0") {
		t.Errorf("going on with cells of the first format: %v", err)
	}
}

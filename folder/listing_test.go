package folder_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
)

// shelf is a tree with three runs, a comparison, a sweep, and things that are no results.
func shelf(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for i, name := range []string{"a", "deep/er/b", "c"} {
		r := small()
		r.Finished = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		saveIn(t, r, filepath.Join(root, name))
	}
	c := taken(t, folder.KindCompare, filepath.Join(root, "met"))
	text := `{"name": "toy", "problems": [{"turns": 7, "methods": [{"method": "x", "failed": 1, "gap": {"mean": 0}}, {"method": "y", "failed": 0, "gap": {"mean": 0.5}}]}]}`
	err := c.Commit(folder.Manifest{Case: "toy", Identity: folder.CurrentIdentity(nil)}, folder.Contents{
		folder.CompareFile: func(w io.Writer) error { _, err := io.WriteString(w, text); return err }, "times.json": folder.AsTimes(map[string]float64{"x": 1})}, nil)
	c.Release()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app/manifest.json", ".hidden/manifest.json", "empty/readme"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, root, name)
	}
	return root
}

func saveIn(t *testing.T, r *folder.Result, dir string) {
	t.Helper()
	c := taken(t, folder.KindRun, dir)
	defer c.Release()
	if err := r.Save(c, map[string][]byte{"report.html": []byte("page")}); err != nil {
		t.Fatal(err)
	}
}

// names are the listed folders, from a root on.
func names(l *folder.Listing, root string) (list []string) {
	for _, one := range l.Folders {
		rel, _ := filepath.Rel(root, one.Dir)
		list = append(list, filepath.ToSlash(rel))
	}
	return list
}

func listOf(t *testing.T, verify bool, dirs ...string) *folder.Listing {
	t.Helper()
	l, err := folder.List(t.Context(), verify, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Results are found wherever they are below, the newest first; what only looks like one is not.
func TestListFindsResults(t *testing.T) {
	root := shelf(t)
	l := listOf(t, false, root)
	if got, want := names(l, root), []string{"met", "c", "deep/er/b", "a"}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	met, c := l.Folders[0], l.Folders[1]
	if info, err := os.Stat(filepath.Join(met.Dir, "manifest.json")); err != nil || !met.Finished.Equal(info.ModTime().Truncate(time.Second)) || c.Finished.Day() != 3 {
		t.Errorf("finished at %v and %v, %v", met.Finished, c.Finished, err)
	}
	if met.Kind != folder.KindCompare || met.Case != "toy" || met.Turns != 7 || met.Best == nil || *met.Best != (folder.Leader{Method: "y", Gap: 0.5}) {
		t.Errorf("the comparison is listed as %+v", met)
	}
	// Both trials of small end with the gap 0.5.
	if c.Kind != folder.KindRun || c.Case != "small" || c.Seed != 1 || c.Turns != 10 || *c.Best != (folder.Leader{Method: "a", Gap: 0.5}) || c.State != folder.NotAllRead {
		t.Errorf("a run is listed as %+v", c)
	}
	var bytes int64
	entries, _ := os.ReadDir(c.Dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Name() != "manifest.json" {
			bytes += info.Size()
		}
	}
	if c.Bytes != bytes {
		t.Errorf("%d bytes, the files have %d", c.Bytes, bytes)
	}
	if twice := listOf(t, false, root, filepath.Join(root, "deep"), root+"/deep/../a"); len(twice.Folders) != 4 {
		t.Errorf("folders that are named twice are listed twice: %v", names(twice, root))
	}
}

// Cells belong to their sweep, which counts their bytes.
func TestListTakesSweepsWhole(t *testing.T) {
	root := t.TempDir()
	f := sweepIn(t, filepath.Join(root, "grid"))
	l := listOf(t, true, root)
	if len(l.Folders) != 1 || l.Folders[0].Kind != folder.KindSweep || l.Folders[0].State != folder.AllAsWritten {
		t.Fatalf("%+v", l)
	}
	var bytes int64 // of all files below, without the manifest that lists them
	err := filepath.WalkDir(f, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && path != filepath.Join(f, "manifest.json") {
			info, err := e.Info()
			bytes += info.Size()
			return err
		}
		return err
	})
	if err != nil || l.Folders[0].Bytes != bytes {
		t.Errorf("%d bytes, the files have %d (%v)", l.Folders[0].Bytes, bytes, err)
	}
	path := filepath.Join(f, "cells", "a", "summary.json")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	l = listOf(t, false, root)
	if one := l.Folders[0]; one.State != folder.SomeChanged || !strings.Contains(strings.Join(one.Problems, " "), "cells/a/summary.json") {
		t.Errorf("%+v", one)
	}
}

// sweepIn makes a sealed sweep of two cells.
func sweepIn(t *testing.T, dir string) string {
	t.Helper()
	c := taken(t, folder.KindSweep, dir)
	defer c.Release()
	f, err := folder.OpenSweepFolder(t.Context(), c, planned("ab"), false)
	if err == nil {
		err = f.ComputedBy(func(string) (string, error) { return "", nil })
	}
	for _, step := range []func() error{f.Begin, func() error { return f.Put("a", small()) }, func() error { return f.Put("b", small()) },
		func() error { _, err := f.Finish(nil, false, nil); return err }} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What differs is found by size at once, and by content where every file is read.
func TestListSaysWhatWasChanged(t *testing.T) {
	root := shelf(t)
	series := filepath.Join(root, "a", "series.csv")
	text, err := os.ReadFile(series)
	if err != nil {
		t.Fatal(err)
	}
	standing := func(verify bool) folder.Wholeness {
		for _, one := range listOf(t, verify, root).Folders {
			if filepath.Base(one.Dir) == "a" {
				return one.State
			}
		}
		return "missing"
	}
	for _, c := range []struct {
		text        string
		quick, full folder.Wholeness
	}{
		{string(text), folder.NotAllRead, folder.AllAsWritten},
		{strings.Replace(string(text), "10", "11", 1), folder.NotAllRead, folder.SomeChanged},
		{string(text) + "\n", folder.SomeChanged, folder.SomeChanged},
	} {
		if err := os.WriteFile(series, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if quick, full := standing(false), standing(true); quick != c.quick || full != c.full {
			t.Errorf("%s and, verified, %s; want %s and %s", quick, full, c.quick, c.full)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "a", "manifest.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := standing(false); got != folder.SomeChanged {
		t.Errorf("a damaged manifest: %s", got)
	}
}

// Links are not followed, neither out nor in circles.
func TestListFollowsNoLinks(t *testing.T) {
	root, outside := shelf(t), shelf(t)
	for name, to := range map[string]string{"out": outside, "deep/round": "..", "file": filepath.Join(outside, "a", "manifest.json")} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	if l := listOf(t, false, root); len(l.Folders) != 4 || len(l.Skipped) > 0 {
		t.Errorf("%v", names(l, root))
	}
}

// The work is bounded, and it stops when it is told to.
func TestListIsBounded(t *testing.T) {
	root := shelf(t)
	for depth, want := range map[int]int{33: 4, 32: 5} { // one more than may be looked into, and as many
		deep := filepath.Join(root, strings.Repeat("d/", depth-1), "run")
		if err := saveOn(disk.Disk{}, deep, 1); err != nil {
			t.Fatal(err)
		}
		if l := listOf(t, false, root); len(l.Folders) != want {
			t.Errorf("%d deep: %v", depth, names(l, root))
		}
		if err := os.RemoveAll(filepath.Join(root, "d")); err != nil {
			t.Fatal(err)
		}
	}
	if l := listOf(t, false, root); len(l.Folders) != 4 {
		t.Errorf("%v", names(l, root))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := folder.List(ctx, false, root); err == nil {
		t.Error("a stop was not heard")
	}
	if _, err := folder.List(t.Context(), false, filepath.Join(root, "nosuch")); err == nil {
		t.Error("a folder that is not there is no mistake")
	}
}

package folder_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
)

// opened opens a folder for a sweep and lets it go at the end of the test.
func opened(t *testing.T, dir string, w *folder.SweepPlan, anew bool) (*folder.SweepFolder, error) {
	t.Helper()
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		return nil, err
	}
	f, err := folder.OpenSweepFolder(t.Context(), c, w, anew)
	if err != nil {
		c.Release()
		return nil, err
	}
	t.Cleanup(c.Release)
	return f, nil
}

func unchanged(string) (string, error) { return "", nil }

// A sweep of other specs that was stopped before its end left cells that wait for their places: who comes back to the sealed one finds all of its own.
func TestCellsOfAStoppedSweepAreInNobodysWay(t *testing.T) {
	dir := sweepIn(t, filepath.Join(t.TempDir(), "grid"))
	other := planned("ab/other")
	other.Replace = true
	c := taken(t, folder.KindSweep, dir)
	f, err := folder.OpenSweepFolder(t.Context(), c, other, false)
	if err == nil {
		err = errors.Join(f.Begin(), f.Put("a", cellOf("ab/other")))
	}
	c.Release()
	if err != nil {
		t.Fatal(err)
	}
	finds := func(sweep string, want ...bool) {
		t.Helper()
		f, err := folder.LookIntoSweepFolder(t.Context(), dir, planned(sweep), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := []bool{f.Finished("a"), f.Finished("b")}; !slices.Equal(got, want) {
			t.Errorf("of %s there are %v, want %v", sweep, got, want)
		}
	}
	finds("ab", true, true)
	finds("ab/other", true, false)
	if err := os.RemoveAll(filepath.Join(dir, "cells", "a")); err != nil {
		t.Fatal(err)
	}
	finds("ab", false, true)
	finds("ab/other", true, false) // a waits for a place that is free now
}

// Cells are finished that are there with the bytes that were written and the spec that the sweep gives them; not those that were changed, of another spec, or files.
func TestWhichCellsAreFinished(t *testing.T) {
	for name, x := range map[string]struct {
		change func(dir string) error
		plan   *folder.SweepPlan
		anew   bool
		want   string
	}{
		"as written":         {func(string) error { return nil }, planned("abc"), false, "ab"},
		"anew":               {func(string) error { return nil }, planned("abc"), true, ""},
		"another spec":       {func(string) error { return nil }, planned("ab/other"), false, ""},
		"a byte less":        {func(dir string) error { return os.Truncate(filepath.Join(dir, "cells/a/series.parquet"), 9) }, planned("ab"), false, "b"},
		"a file less":        {func(dir string) error { return os.Remove(filepath.Join(dir, "cells/b/summary.json")) }, planned("ab"), false, "a"},
		"without a manifest": {func(dir string) error { return os.Remove(filepath.Join(dir, "cells/b/manifest.json")) }, planned("ab"), false, "a"},
		"a file for a cell":  {func(dir string) error { return os.WriteFile(filepath.Join(dir, "cells/c"), nil, 0o600) }, planned("abc"), false, "ab"},
	} {
		dir := sweepIn(t, filepath.Join(t.TempDir(), "grid"))
		if err := x.change(dir); err != nil {
			t.Fatal(name, err)
		}
		look, err := folder.LookIntoSweepFolder(t.Context(), dir, x.plan, x.anew)
		if err != nil {
			t.Fatal(name, err)
		}
		f, err := opened(t, dir, x.plan, x.anew)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, of := range []*folder.SweepFolder{look, f} {
			got := ""
			for _, c := range x.plan.Cells {
				if of.Finished(c.ID) {
					got += c.ID
				}
			}
			if got != x.want {
				t.Errorf("%s: %q are finished, want %q", name, got, x.want)
			}
		}
	}
	if f, err := folder.LookIntoSweepFolder(t.Context(), filepath.Join(t.TempDir(), "none"), planned("a"), false); f != nil || err != nil {
		t.Errorf("of no folder: %v, %v", f, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := folder.LookIntoSweepFolder(ended, sweepIn(t, filepath.Join(t.TempDir(), "grid")), planned("ab"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// Cells of different origins are not mixed: of another program, of inputs that are other ones now, are missing, cannot be read, or were changed while the sweep ran.
func TestOriginsAreNotMixed(t *testing.T) {
	with := func(sum string) *folder.Result {
		r := small()
		r.Identity = folder.CurrentIdentity(map[string]string{"people.csv": sum})
		return r
	}
	grow := func(t *testing.T, first *folder.Result, inputs map[string]string) (string, *folder.SweepFolder) {
		dir, w := filepath.Join(t.TempDir(), "grid"), planned("ab")
		w.Inputs = inputs
		f, err := opened(t, dir, w, false)
		if err == nil {
			err = errors.Join(f.ComputedBy(unchanged), f.Begin(), f.Put("a", first))
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir, f
	}
	_, f := grow(t, with("1"), nil)
	other := with("1")
	other.Build.Version = "another"
	var mixed *folder.MixedError
	if err := f.Put("b", other); !errors.As(err, &mixed) || mixed.Whose != "cell b" || !errors.Is(err, folder.ErrOtherIdentity) {
		t.Errorf("of another program: %v", err)
	}
	if err := f.Put("b", with("2")); !errors.As(err, &mixed) || !strings.Contains(err.Error(), "people.csv") {
		t.Errorf("of another input: %v", err)
	}
	_, f = grow(t, with("1"), map[string]string{"people.csv": "1"})
	if err := f.Put("b", with("2")); !errors.As(err, &mixed) || !strings.Contains(err.Error(), "was changed while the sweep ran") {
		t.Errorf("of an input that was changed: %v", err)
	}
	for name, x := range map[string]struct {
		sum func(string) (string, error)
		ok  bool
	}{
		"as it was": {func(string) (string, error) { return "1", nil }, true}, "another": {func(string) (string, error) { return "2", nil }, false}, "missing": {func(string) (string, error) { return "", fs.ErrNotExist }, false},
	} {
		dir := sweepOf(t, with("1"))
		f, err := opened(t, dir, planned("ab"), false)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.ComputedBy(x.sum); (err == nil) != x.ok || !x.ok && (!errors.As(err, &mixed) || name == "missing" && !strings.Contains(err.Error(), "(SHA-256 1, now missing)")) {
			t.Errorf("an input that is %s: %v", name, err)
		}
	}
	f, err := opened(t, sweepOf(t, with("1")), planned("ab"), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.ComputedBy(func(string) (string, error) { return "", errDisk }); !errors.Is(err, errDisk) {
		t.Errorf("an input that cannot be read: %v", err)
	}
}

// A folder in which somebody put a cell that was computed from other data is not gone on with.
func TestCellsOfOtherDataAreNotTakenOver(t *testing.T) {
	whole := func(sum string) string {
		dir := filepath.Join(t.TempDir(), "grid")
		f, err := opened(t, dir, planned("ab"), false)
		if err != nil {
			t.Fatal(err)
		}
		r := small()
		r.Identity = folder.CurrentIdentity(map[string]string{"people.csv": sum})
		if err := errors.Join(f.ComputedBy(unchanged), f.Begin(), f.Put("a", r), f.Put("b", r)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dir := whole("1")
	if _, err := folder.LookIntoSweepFolder(t.Context(), dir, planned("ab"), false); err != nil {
		t.Fatal(err)
	}
	b := filepath.Join("cells", "b")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, b)), os.CopyFS(filepath.Join(dir, b), os.DirFS(filepath.Join(whole("2"), b)))); err != nil {
		t.Fatal(err)
	}
	var mixed *folder.MixedError
	if _, err := folder.LookIntoSweepFolder(t.Context(), dir, planned("ab"), false); !errors.As(err, &mixed) || mixed.Whose != "cell b" {
		t.Errorf("with a cell of other data: %v", err)
	}
}

// sweepOf makes a sealed sweep of one cell a.
func sweepOf(t *testing.T, r *folder.Result) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "grid")
	c := taken(t, folder.KindSweep, dir)
	defer c.Release()
	f, err := folder.OpenSweepFolder(t.Context(), c, planned("a"), false)
	if err == nil {
		err = errors.Join(f.Begin(), f.Put("a", r))
	}
	if err == nil {
		_, err = f.Finish(nil, false, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A sweep that has nothing in common with the one that is there is refused, unless it may replace it. Cells that it no longer has stay and are named, or go; what failed is read back with the
// reason, and what is neither is left out. A report that fails is told.
func TestSweepsFollowEachOther(t *testing.T) {
	dir := sweepIn(t, filepath.Join(t.TempDir(), "grid"))
	refusing, err := opened(t, dir, planned("xy"), false)
	if err != nil {
		t.Fatal(err)
	}
	var held *folder.HeldError
	if err := refusing.Spares(); !errors.As(err, &held) || held.Dir != dir {
		t.Errorf("with nothing in common: %v", err)
	}
	refusing.Release()
	may := planned("xy")
	may.Replace = true
	for _, w := range []*folder.SweepPlan{may, planned("bz")} {
		f, err := opened(t, dir, w, false)
		if err != nil || f.Spares() != nil {
			t.Fatalf("%v, %v", err, f.Spares())
		}
		f.Release()
	}
	f, err := opened(t, dir, planned("bcd"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Finish(nil, false, func(*folder.SweepResult) (map[string][]byte, error) { return nil, errDisk }); !errors.Is(err, errDisk) {
		t.Errorf("a report that fails: %v", err)
	}
	r, err := f.Finish(map[string]string{"c": "it failed"}, false, func(*folder.SweepResult) (map[string][]byte, error) {
		return map[string][]byte{"report.html": []byte("page")}, nil
	})
	if err != nil || !slices.Equal(r.Other, []string{"a"}) || len(r.Cells) != 2 || r.Cells[1].Err != "it failed" || r.Failed() != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	f.Release()
	back, err := folder.OpenSweep(t.Context(), dir, folder.Verified)
	if err != nil || len(back.Cells) != 2 || back.Cells[0].ID != "b" || back.Cells[0].Summary == nil || back.Cells[1].Err != "it failed" || back.Cells[1].Numbers[0] != 1 {
		t.Fatalf("%+v, %v", back, err)
	}
	put(t, filepath.Join(dir, "cells/a"), "mine")
	f, err = opened(t, dir, planned("b"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin())
	}
	if err == nil {
		_, err = f.Finish(nil, true, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(filepath.Join(dir, "cells/a"))
	if len(left) != 1 || left[0].Name() != "mine" {
		t.Errorf("of a cell that was pruned %v are left, want what is not kedge's", left)
	}
}

// A sweep all of whose cells have failed has nothing to lose: another may take its place.
func TestSweepsThatFailedAreReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "grid")
	f, err := opened(t, dir, planned("ab"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin())
	}
	if err == nil {
		_, err = f.Finish(map[string]string{"a": "it failed", "b": "it failed, too"}, false, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Release()
	other, err := opened(t, dir, planned("xy"), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Spares(); err != nil {
		t.Error(err)
	}
}

// A result that was committed, but is not in its place yet, is moved there by who reads it, unless somebody is at work in the folder: then that is told.
func TestCommittedResultsAreRecovered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := saveOn(disk.Disk{}, dir, 1); err != nil {
		t.Fatal(err)
	}
	stopped := false
	err := saveOn(disk.Disk{Before: func(s disk.Step) error {
		if stopped = stopped || s.Call == disk.Rename && filepath.Base(filepath.Dir(s.Path)) == "commit"; stopped {
			return errDisk
		}
		return nil
	}}, dir, 2)
	if !stopped || !errors.Is(err, errDisk) {
		t.Fatalf("the stop was not told: %v", err)
	}
	d, err := disk.Disk{}.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock(".kedge/lock")
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"open": func() error { _, err := folder.Open(t.Context(), dir, folder.Verified); return err }, "look": func() error { _, err := folder.KindRun.Look(dir); return err },
	} {
		if err := read(); !errors.Is(err, disk.ErrInUse) || !strings.Contains(err.Error(), "not in its place yet") {
			t.Errorf("%s, while somebody is at work: %v", name, err)
		}
	}
	l.Release()
	if got := outcome(dir); got != "version 2" {
		t.Errorf("recovered is %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".kedge")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was kedge's own is left: %v", err)
	}
}

// A folder of another kind in the place of a cell is no cell: it is neither finished nor among those that the sweep does not have, as a cell is that is there.
func TestAnotherKindOfFolderIsNoCell(t *testing.T) {
	dir := sweepIn(t, filepath.Join(t.TempDir(), "grid"))
	inner := sweepIn(t, filepath.Join(t.TempDir(), "inner"))
	for place, from := range map[string]string{"y": filepath.Join(dir, "cells/a"), "z": inner} {
		if err := os.CopyFS(filepath.Join(dir, "cells", place), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := opened(t, dir, planned("ab"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin())
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, err := f.Finish(nil, false, nil); err != nil || !slices.Equal(r.Other, []string{"y"}) {
		t.Errorf("of y, a cell, and z, a sweep, others are %q, %v", r.Other, err)
	}
	if look, err := folder.LookIntoSweepFolder(t.Context(), dir, planned("abyz"), false); err != nil || look.Finished("z") {
		t.Errorf("a sweep is a finished cell, %v", err)
	}
}

package folder_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
)

// partOf makes a sealed part of the sweep ab: a result for some of its cells, and why others failed.
func partOf(t *testing.T, cells map[string]*folder.Result, failed map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "part")
	f, err := opened(t, dir, planned("ab"), false)
	if err == nil {
		err = f.Begin()
	}
	for id, r := range cells {
		err = errors.Join(err, f.Put(id, r))
	}
	if err == nil {
		err = f.ComputedBy(func(string) (string, error) { return "1", nil })
	}
	if len(cells) > 0 && err != nil && errors.Is(err, folder.ErrOtherIdentity) {
		err = nil // made by another program, as a test wants it
	}
	if err == nil {
		_, err = f.Finish(failed, false, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Release()
	return dir
}

// of is a result with a change.
func of(change func(r *folder.Result)) *folder.Result {
	r := small()
	change(r)
	return r
}

func mergeInto(ctx context.Context, dir string, parts ...string) (*folder.SweepResult, error) {
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	return folder.Merge(ctx, c, parts, planned("ab"), nil)
}

// Parts give what they have: a cell that any of them has finished is finished, one that none has and some failed at has failed. What no part knows of is told, and can be brought later.
func TestPartsGiveWhatTheyHave(t *testing.T) {
	a := partOf(t, map[string]*folder.Result{"a": small()}, nil)
	b := partOf(t, map[string]*folder.Result{"b": small()}, map[string]string{"a": "it fell"})
	none := partOf(t, nil, map[string]string{"a": "it fell", "b": "it broke"})
	for name, x := range map[string]struct {
		parts []string
		want  string
	}{
		"both": {[]string{a, b}, "a, b"}, "the other way round": {[]string{b, a}, "a, b"}, "one that failed": {[]string{b}, "a: it fell, b"}, "all that failed": {[]string{none}, "a: it fell, b: it broke"},
		"one that failed later": {[]string{a, none}, "a, b: it broke"},
	} {
		dir := filepath.Join(t.TempDir(), "whole")
		r, err := mergeInto(t.Context(), dir, x.parts...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := folder.OpenSweep(t.Context(), dir, folder.Verified)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, of := range []*folder.SweepResult{r, back} {
			var got []string
			for _, c := range of.Cells {
				if c.Err != "" {
					got = append(got, c.ID+": "+c.Err)
				} else if c.Summary != nil {
					got = append(got, c.ID)
				}
			}
			if said := strings.Join(got, ", "); said != x.want {
				t.Errorf("%s: %s, want %s", name, said, x.want)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "whole")
	if _, err := mergeInto(t.Context(), dir, a); !errors.Is(err, folder.ErrMissing) || !strings.HasPrefix(err.Error(), "1 of 2 cells are") {
		t.Errorf("a cell in no part: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cells/a/manifest.json")); err != nil {
		t.Errorf("the cell that was there is not kept: %v", err)
	}
	if r, err := mergeInto(t.Context(), dir, b); err != nil || r.Failed() > 0 || len(r.Cells) != 2 {
		t.Errorf("brought later: %+v, %v", r, err)
	}
}

// Parts that are not what they should be are refused by what is wrong with them, and so is a folder that holds something else.
func TestPartsThatAreRefused(t *testing.T) {
	good := func() string { return partOf(t, map[string]*folder.Result{"a": small(), "b": small()}, nil) }
	other := of(func(r *folder.Result) { r.Seed = 9 })
	changed, exchanged, in := good(), good(), good()
	if err := os.Truncate(filepath.Join(changed, "cells/b/series.parquet"), 9); err != nil {
		t.Fatal(err)
	}
	donor := partOf(t, map[string]*folder.Result{"a": other}, nil)
	if err := errors.Join(os.RemoveAll(filepath.Join(exchanged, "cells/a")), os.Rename(filepath.Join(donor, "cells/a"), filepath.Join(exchanged, "cells/a"))); err != nil {
		t.Fatal(err)
	}
	lock := taken(t, folder.KindSweep, in)
	defer lock.Release()
	broken := partOf(t, map[string]*folder.Result{"a": small()}, map[string]string{"b": "it fell"})
	if err := os.WriteFile(filepath.Join(broken, "failures.json"), []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	input := func(sum string) *folder.Result {
		return of(func(r *folder.Result) { r.Identity = folder.CurrentIdentity(map[string]string{"people.csv": sum}) })
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, x := range map[string]struct {
		ctx   context.Context
		parts []string
		want  error
		says  string
	}{
		"none":           {t.Context(), []string{filepath.Join(t.TempDir(), "none")}, fs.ErrNotExist, ""},
		"a run":          {t.Context(), []string{sealed(t, small())}, nil, "holds a run, not a sweep"},
		"in use":         {t.Context(), []string{in}, disk.ErrInUse, ""},
		"changed":        {t.Context(), []string{good(), changed}, folder.ErrChanged, filepath.Join(changed, "cells", "b")},
		"exchanged":      {t.Context(), []string{exchanged}, folder.ErrChanged, "cells/a/manifest.json"},
		"other failures": {t.Context(), []string{broken}, folder.ErrChanged, "failures.json"},
		"another kedge":  {t.Context(), []string{partOf(t, map[string]*folder.Result{"a": of(func(r *folder.Result) { r.Build.Version = "0.0.1" })}, nil)}, nil, "was made by kedge 0.0.1 in format 2"},
		"two origins": {t.Context(), []string{partOf(t, map[string]*folder.Result{"a": input("1")}, nil), partOf(t, map[string]*folder.Result{"b": input("2")}, nil)},
			folder.ErrOtherIdentity, "people.csv"},
		"no time": {ended, []string{good()}, context.Canceled, ""},
	} {
		dir := filepath.Join(t.TempDir(), "whole")
		_, err := mergeInto(x.ctx, dir, x.parts...)
		if err == nil || x.want != nil && !errors.Is(err, x.want) || !strings.Contains(filepath.ToSlash(err.Error()), filepath.ToSlash(x.says)) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := folder.OpenSweep(t.Context(), dir, folder.Verified); err == nil {
			t.Errorf("%s: something is merged", name)
		}
	}
	var held *folder.HeldError
	if _, err := mergeInto(t.Context(), sweepNamed(t, "xy"), good()); !errors.As(err, &held) {
		t.Errorf("into another sweep: %v", err)
	}
	if _, err := folder.CommonSweep([]string{in}, 1<<20); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("a part in use: %v", err)
	}
	if _, err := folder.CommonSweep([]string{filepath.Join(in, "none")}, 1<<20); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no part: %v", err)
	}
}

// sweepNamed makes a sealed sweep of any cells.
func sweepNamed(t *testing.T, sweep string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "grid")
	if _, err := sweepOn(disk.Disk{}, dir, sweep, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Where the disk refuses something while parts are joined, or while cells that waited take the places of others, that is told, whatever it is.
func TestFaultsWhileCellsMoveAreTold(t *testing.T) {
	a, b := partOf(t, map[string]*folder.Result{"a": small()}, nil), partOf(t, map[string]*folder.Result{"b": small()}, nil)
	for name, do := range map[string]func(d disk.Disk, dir string) error{
		"merge": func(d disk.Disk, dir string) error {
			c, err := folder.KindSweep.TakeOn(d, dir)
			if err != nil {
				return err
			}
			_, err = folder.Merge(t.Context(), c, []string{a, b}, planned("ab"), nil)
			d.Before = nil
			c.Release()
			return err
		},
		"change": func(d disk.Disk, dir string) error {
			if _, err := sweepOn(disk.Disk{}, dir, "ab", false); err != nil {
				return err
			}
			_, err := sweepOn(d, dir, "ab/other", false)
			return err
		},
	} {
		tried := map[string]bool{} // each kind of change of each folder once
		for again := true; again; {
			again = false
			dir, refused := filepath.Join(t.TempDir(), "whole"), ""
			err := do(disk.Disk{Before: func(s disk.Step) error {
				rel, _ := filepath.Rel(dir, s.Path)
				kind := string(s.Call) + " " + filepath.Dir(rel)
				if inCells := strings.Contains(rel, "cells") || strings.Contains(rel, "waiting"); !inCells || tried[kind] || refused != "" {
					return nil
				}
				tried[kind], again, refused = true, true, kind
				return errDisk
			}}, dir)
			if again && !errors.Is(err, errDisk) {
				t.Errorf("%s: %q was refused, and it says %v", name, refused, err)
			}
			if !again && (err != nil || len(tried) < 3) {
				t.Errorf("%s: after %d faults %v", name, len(tried), err)
			}
		}
	}
}

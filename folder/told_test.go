package folder_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

var errWriter = errors.New("it cannot be written")

// What cannot be made is told by who asked for it, and what was there stays: a file of a result, a value that JSON has no words for, a report, a page that is taken.
func TestContentsThatFailAreTold(t *testing.T) {
	dir := sealed(t, version(1))
	for name, content := range map[string]func(io.Writer) error{
		"a writer":     func(w io.Writer) error { return errors.Join(os.ErrInvalid, errWriter) },
		"half a file":  func(w io.Writer) error { _, err := w.Write([]byte("half")); return errors.Join(err, errWriter) },
		"no JSON":      folder.AsJSON(map[string]float64{"a": math.NaN()}),
		"no times":     folder.AsTimes(map[string]float64{"a": math.NaN()}),
		"no such type": folder.AsTimes(map[string]any{"a": func() {}}),
	} {
		c := taken(t, folder.KindRun, dir)
		if err := c.Commit(folder.Manifest{Case: "new"}, folder.Contents{"spec.yaml": content}, nil); err == nil {
			t.Errorf("%s is written", name)
		}
		c.Release()
		if r, err := folder.Open(t.Context(), dir, folder.Verified); err != nil || r.Seed != 1 {
			t.Errorf("after %s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, ".kedge")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s leaves something behind: %v", name, err)
		}
	}
	var b bytes.Buffer
	if err := folder.AsTimes(map[string]float64{"a": math.NaN()})(&b); err == nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
	f, err := opened(t, filepath.Join(t.TempDir(), "grid"), planned("a"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin(), f.Put("a", small()))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Finish(nil, false, func(*folder.SweepResult) (map[string][]byte, error) { return nil, errWriter }); !errors.Is(err, errWriter) {
		t.Errorf("a report that fails: %v", err)
	}
	if _, err := folder.OpenSweep(t.Context(), f.Dir(), folder.Verified); !errors.Is(err, folder.ErrUnfinished) {
		t.Errorf("it is finished: %v", err)
	}
}

// ends is a context that is done after it has been asked so often.
type ends struct {
	context.Context
	left int
}

func (c *ends) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a context ends, who reads a folder says so, or has read it.
func TestContextsEndReading(t *testing.T) {
	top := t.TempDir()
	run, grid := filepath.Join(top, "a", "b", "run"), filepath.Join(top, "c", "grid")
	saveIn(t, small(), run)
	sweepIn(t, grid)
	part := partOf(t, map[string]*folder.Result{"a": small(), "b": small()}, nil)
	for name, read := range map[string]func(ctx context.Context) error{
		"open":       func(ctx context.Context) error { _, err := folder.Open(ctx, run, folder.Verified); return err },
		"unverified": func(ctx context.Context) error { _, err := folder.Open(ctx, run, folder.Unverified); return err },
		"sweep":      func(ctx context.Context) error { _, err := folder.OpenSweep(ctx, grid, folder.Verified); return err },
		"verify":     func(ctx context.Context) error { _, err := folder.Verify(ctx, grid); return err },
		"cells": func(ctx context.Context) error {
			f, err := folder.LookIntoSweepFolder(ctx, grid, planned("ab"), false)
			if err == nil && (!f.Finished("a") || !f.Finished("b")) {
				t.Error("finished cells are not seen")
			}
			return err
		},
		"merge": func(ctx context.Context) error {
			_, err := mergeInto(ctx, filepath.Join(t.TempDir(), "merged"), part)
			return err
		},
	} {
		n := 0
		for ; n < 400; n++ {
			err := read(&ends{t.Context(), n})
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, asked %d times: %v", name, n, err)
			}
		}
		if n == 0 || n == 400 {
			t.Errorf("%s asks %d times", name, n)
		}
	}
	for n := range 4 { // the folder, a, a/b and what is in it: the walk ends where it is
		if _, err := folder.List(&ends{t.Context(), n}, false, top); !errors.Is(err, context.Canceled) {
			t.Errorf("a list of what was asked for %d times: %v", n, err)
		}
	}
}

// Hidden folders are not looked into, and methods without a gap lead nobody.
func TestListsLeaveOut(t *testing.T) {
	top := t.TempDir()
	saveIn(t, small(), filepath.Join(top, "seen"))
	saveIn(t, small(), filepath.Join(top, ".hidden", "run"))
	without := small()
	without.Runs = append([]folder.Run{{Name: "none", Planned: 1}}, without.Runs...)
	saveIn(t, without, filepath.Join(top, "without"))
	l := listOf(t, false, top)
	if len(l.Folders) != 2 || len(l.Skipped) != 0 {
		t.Fatalf("%+v", l)
	}
	for _, one := range l.Folders {
		if one.Best == nil || one.Best.Method != "a" || one.Best.Gap != 0.5 {
			t.Errorf("%s: %+v", one.Dir, one.Best)
		}
	}
}

// A cell that is to be pruned and can no longer be read is told; inputs that the plan names are not asked for again.
func TestPruningTells(t *testing.T) {
	dir := sweepIn(t, filepath.Join(t.TempDir(), "grid"))
	f, err := opened(t, dir, planned("a"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin(), os.WriteFile(filepath.Join(dir, "cells/b/manifest.json"), []byte("{}"), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Finish(nil, true, nil); err == nil {
		t.Error("a cell that cannot be read is pruned")
	}
	if _, err := os.Stat(filepath.Join(dir, "cells/b/spec.yaml")); err != nil {
		t.Errorf("its files: %v", err)
	}
	with := small()
	with.Identity = folder.CurrentIdentity(map[string]string{"people.csv": "1"})
	w := planned("a")
	w.Inputs = map[string]string{"people.csv": "1"}
	g, err := opened(t, filepath.Join(t.TempDir(), "grid"), w, false)
	if err == nil {
		err = errors.Join(g.Begin(), g.Put("a", with))
	}
	if err == nil {
		err = g.ComputedBy(func(string) (string, error) { return "", errWriter })
	}
	if err != nil {
		t.Errorf("inputs of the plan are asked for: %v", err)
	}
}

// A file of a folder is read by what it holds, and what reads it may fail; who owns a file is known by the folder.
func TestDecoding(t *testing.T) {
	dir := sealed(t, small())
	text, err := folder.Decode(t.Context(), dir, "spec.yaml", folder.Verified, io.ReadAll)
	if err != nil || string(text) != small().Spec {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := folder.Decode(t.Context(), dir, "spec.yaml", folder.Verified, func(io.Reader) (int, error) { return 1, errWriter }); !errors.Is(err, errWriter) {
		t.Error(err)
	}
	if _, err := folder.Decode(t.Context(), dir, "missing", folder.Verified, io.ReadAll); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := folder.Decode(t.Context(), t.TempDir(), "spec.yaml", folder.Verified, io.ReadAll); !errors.Is(err, folder.ErrUnfinished) {
		t.Error(err)
	}
}

// What is no folder is not looked into, and one that is not there has nothing.
func TestLookingAtWhatIsNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if m, err := folder.KindRun.Look(file); m != nil || err == nil {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := folder.KindRun.Look(file + "-not"); m != nil || err != nil {
		t.Errorf("%v, %v", m, err)
	}
}

// A sweep is not finished with a cell whose manifest was damaged meanwhile.
func TestCellsThatAreDamagedMeanwhile(t *testing.T) {
	for _, text := range []string{"{", "{}"} {
		dir := filepath.Join(t.TempDir(), "out")
		c, err := folder.KindSweep.Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
		f, err := folder.OpenSweepFolder(t.Context(), c, planned("a"), false)
		if err == nil {
			err = f.ComputedBy(func(string) (string, error) { return "", nil })
		}
		if err == nil {
			err = errors.Join(f.Begin(), f.Put("a", small()))
		}
		if err != nil {
			t.Fatal(err)
		}
		hurt := 0
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == "manifest.json" {
				hurt++
				err = os.WriteFile(path, []byte(text), 0o644)
			}
			return err
		})
		if _, err := f.Finish(nil, false, nil); hurt != 1 || err == nil || !strings.Contains(err.Error(), "manifest.json: ") {
			t.Errorf("%s in %d manifests: %v", text, hurt, err)
		}
	}
}

// A result of the first format is not renewed where its times, for which nobody vouches, are gone.
func TestTimesOfTheFirstFormat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("testdata/format1/run")); err != nil {
		t.Fatal(err)
	}
	c := taken(t, folder.KindRun, dir)
	defer c.Release()
	if err := os.Remove(filepath.Join(dir, "times.json")); err != nil {
		t.Fatal(err)
	}
	if err := c.Renew(map[string][]byte{"report.md": []byte("new")}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Parts are not merged into a folder whose cells cannot be looked at, of which nothing changes.
func TestMergesIntoWhatCannotBeSeen(t *testing.T) {
	part, dir := partOf(t, map[string]*folder.Result{"a": small(), "b": small()}, nil), filepath.Join(t.TempDir(), "out")
	c := taken(t, folder.KindSweep, dir)
	defer c.Release()
	if err := os.WriteFile(filepath.Join(dir, "cells"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	names := func() (list []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	before := strings.Join(names(), " ")
	if _, err := folder.Merge(t.Context(), c, []string{part}, planned("ab"), nil); err == nil || strings.Join(names(), " ") != before {
		t.Errorf("%v; there is %q, was %q", err, names(), before)
	}
}

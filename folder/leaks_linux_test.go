package folder_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// Whatever comes of it, a folder that was looked at is closed again.
func TestFoldersAreClosed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or forgotten files would be closed by and by
	fine, grid, damaged, mine, none := sealed(t, small()), sweepNamed(t, "ab"), sealed(t, small()), t.TempDir(), filepath.Join(t.TempDir(), "none")
	bad := sweepNamed(t, "ab")
	put(t, mine, "mine")
	for _, name := range []string{filepath.Join(damaged, "manifest.json"), filepath.Join(bad, "cells.json"), filepath.Join(bad, "failures.json")} {
		if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	refused := errors.New("refused")
	for name, do := range map[string]func(dir string){
		"open":     func(dir string) { folder.Open(t.Context(), dir, folder.Verified) },
		"sweep":    func(dir string) { folder.OpenSweep(t.Context(), dir, folder.Verified) },
		"manifest": func(dir string) { folder.ReadManifest(dir) },
		"verify":   func(dir string) { folder.Verify(t.Context(), dir) },
		"list":     func(dir string) { folder.List(t.Context(), true, dir) },
		"tag":      func(dir string) { folder.Retag(dir, []string{"a"}, nil) },
		"common":   func(dir string) { folder.CommonSweep([]string{dir}, 1<<20) },
		"merge":    func(dir string) { mergeInto(t.Context(), filepath.Join(t.TempDir(), "whole"), dir) },
		"look":     func(dir string) { folder.KindRun.Look(dir) },
		"cells":    func(dir string) { folder.LookIntoSweepFolder(t.Context(), dir, planned("abc"), false) },
		"owner":    func(dir string) { folder.Owner(filepath.Join(dir, "summary.json")) },
		"decode": func(dir string) {
			folder.Decode(t.Context(), dir, "series.csv", folder.Verified, func(io.Reader) (int, error) { return 0, refused })
		},
		"take": func(dir string) {
			if c, err := folder.KindRun.Take(dir); err == nil {
				c.Release()
			}
		},
	} {
		for what, dir := range map[string]string{"a run": fine, "a sweep": grid, "a damaged run": damaged, "a damaged sweep": bad, "something else": mine, "nothing": none} {
			before := open()
			do(dir)
			if after := open(); after != before {
				t.Errorf("%s of %s leaves %d files open", name, what, after-before)
			}
		}
	}
}

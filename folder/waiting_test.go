package folder

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
)

// changed is what a change leaves of a folder.
func changed(t *testing.T, before disktest.Tree, change func(dir *disk.Dir) error) (disktest.Tree, error) {
	t.Helper()
	root := t.TempDir()
	if err := before.Write(root); err != nil {
		t.Fatal(err)
	}
	dir, err := disk.Disk{}.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	failed := change(dir)
	left, err := disktest.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return left, failed
}

// A cell that waits goes to its place where the sweep lists it with the sum of its manifest. One of another sweep, and what is left of one that went there, stays; and
// what cannot be read is told. Cell b goes in any case, unless a is told of.
func TestOnlyCellsOfTheSweepAreMoved(t *testing.T) {
	m := &Manifest{Format: manifestFormat, Kind: KindRun, Files: map[string]File{"out": sumOfText([]byte("new"))}}
	text, err := m.text()
	if err != nil {
		t.Fatal(err)
	}
	own, odd := sumOfText(text), sumOfText([]byte("{}"))
	const waits, place = ".kedge/cells/a/", "cells/a/"
	for name, c := range map[string]struct {
		manifest string // of the cell; "": it has none, "/": a folder of that name
		listed   File   // without a sum: it is not
		moves    bool
		fails    string
	}{
		"a cell of the sweep":        {string(text), own, true, ""},
		"a cell of another sweep":    {string(text), odd, false, ""},
		"a cell of no sweep":         {string(text), File{}, false, ""},
		"one that went there":        {"", own, false, ""},
		"one that cannot be read":    {"/", own, false, "is no plain file"},
		"what cannot be, unlisted":   {"/", File{}, false, ""},
		"what is no manifest":        {"{}", odd, false, "format is 0"},
		"no manifest, and no member": {"{}", own, false, ""},
	} {
		tree := disktest.Tree{"cells/": "", waits + "out": "new", ".kedge/cells/b/out": "new", ".kedge/cells/b/manifest.json": string(text)}
		if c.manifest == "/" {
			tree[waits+"manifest.json/"] = ""
		} else if c.manifest != "" {
			tree[waits+"manifest.json"] = c.manifest
		}
		sweep := &Manifest{Files: map[string]File{"cells/b/manifest.json": own}}
		if c.listed.SHA256 != "" {
			sweep.Files["cells/a/manifest.json"] = c.listed
		}
		left, err := changed(t, tree, func(dir *disk.Dir) error { return moveWaiting(dir, sweep) })
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v, want %q", name, err, c.fails)
		}
		_, there := left[place+"out"]
		_, stays := left[waits+"out"]
		_, other := left["cells/b/out"]
		if there != c.moves || stays == c.moves || other != (c.fails == "") {
			t.Errorf("%s: %q", name, left)
		}
	}
}

// Of cells that waited what is left is removed, the others only with all of them, and their folder once nothing is in it.
func TestWhatIsLeftOfWaitingIsCleared(t *testing.T) {
	const whole, rest = ".kedge/cells/a/manifest.json", ".kedge/cells/b/out"
	for _, c := range []struct {
		tree disktest.Tree
		all  bool
		left int // of names: cells, a and its manifest
	}{{disktest.Tree{whole: "", rest: ""}, false, 3}, {disktest.Tree{whole: "", rest: ""}, true, 0}, {disktest.Tree{rest: ""}, false, 0}, {disktest.Tree{".kedge/": ""}, false, 0}} {
		left, err := changed(t, c.tree, func(dir *disk.Dir) error { return clearWaiting(dir, c.all) })
		delete(left, ".kedge/")
		_, stays := left[whole]
		if err != nil || len(left) != c.left || stays != (c.left > 0) {
			t.Errorf("of %q, all %t, is left %q, %v", c.tree, c.all, left, err)
		}
	}
}

// Whatever of that the disk refuses is told, with the name that it is about.
func TestWhatCannotBeMovedOrClearedIsTold(t *testing.T) {
	text, err := (&Manifest{Format: manifestFormat, Kind: KindRun, Files: map[string]File{"out": sumOfText(nil)}}).text()
	if err != nil {
		t.Fatal(err)
	}
	moves := func(dir *disk.Dir) error {
		return moveWaiting(dir, &Manifest{Files: map[string]File{"cells/a/manifest.json": sumOfText(text)}})
	}
	clears := func(all bool) func(dir *disk.Dir) error {
		return func(dir *disk.Dir) error { return clearWaiting(dir, all) }
	}
	for name, c := range map[string]struct {
		tree   disktest.Tree
		change func(dir *disk.Dir) error
		about  string
	}{
		"a file for the cells that wait": {disktest.Tree{".kedge/cells": ""}, moves, "cells is no folder"},
		"no folder of places":            {disktest.Tree{".kedge/cells/a/manifest.json": string(text)}, moves, "cells"},
		"a file for those to be cleared": {disktest.Tree{".kedge/cells": ""}, clears(true), "cells is no folder"},
		"a folder in a cell":             {disktest.Tree{".kedge/cells/a/stuck/inner": ""}, clears(true), "stuck"},
		"one in what is left of another": {disktest.Tree{".kedge/cells/a/manifest.json": "", ".kedge/cells/b/stuck/inner": ""}, clears(false), "stuck"},
	} {
		if _, err := changed(t, c.tree, c.change); err == nil || !strings.Contains(err.Error(), c.about) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

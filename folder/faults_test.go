package folder_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
)

var errDisk = errors.New("input/output error")

// A change that the disk refuses, whichever it is, is told by what asked for it: nobody takes a result for written that is not. What the folder held is there, or
// what was to be written.
func TestEveryFaultOfTheDiskIsTold(t *testing.T) {
	sweep := func(c *folder.Taken) error {
		f, err := folder.OpenSweepFolder(t.Context(), c, planned("a"), false)
		if err == nil {
			err = f.ComputedBy(func(string) (string, error) { return "", nil })
		}
		if err == nil {
			err = f.Begin()
		}
		if err == nil {
			err = f.Put("a", small())
		}
		if err == nil {
			_, err = f.Finish(nil, false, nil)
		}
		return err
	}
	first := t.TempDir()
	if err := saveOn(disk.Disk{}, first, 1); err != nil {
		t.Fatal(err)
	}
	before, err := disktest.Read(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name      string
		kind      folder.Kind
		do        func(c *folder.Taken) error
		look      func(dir string) string
		old, then string
	}{
		{"run", folder.KindRun, func(c *folder.Taken) error { return version(2).Save(c, pagesOf(2)) }, outcome, "version 1", "version 2"},
		{"page", folder.KindRun, func(c *folder.Taken) error { return c.Renew(map[string][]byte{"report.html": []byte("new")}) }, outcome, "version 1", "version 1"},
		{"tags", folder.KindRun, func(c *folder.Taken) error { _, err := c.Tag([]string{"new"}, nil); return err }, tagsOf, "", "new"},
		{"sweep", folder.KindSweep, sweep, cellsIn, "nothing", "a"},
	} {
		for n, done := 0, false; !done; n++ {
			dir := filepath.Join(t.TempDir(), "out")
			if x.kind == folder.KindRun {
				if err := before.Write(dir); err != nil {
					t.Fatal(err)
				}
			}
			at, refused, inside := 0, "", true
			c, err := x.kind.TakeOn(disk.Disk{Before: func(s disk.Step) error {
				at++
				if at == n+1 && inside {
					refused = fmt.Sprint(s.Call, " ", s.Path)
					return errDisk
				}
				return nil
			}}, dir)
			if err == nil {
				err = x.do(c)
				inside = false
				c.Release()
			}
			if done = refused == ""; done && (err != nil || n == 0 || x.look(dir) != x.then) {
				t.Errorf("%s: %v after %d changes, with %q", x.name, err, at, x.look(dir))
			}
			if !done && !errors.Is(err, errDisk) {
				t.Errorf("%s: %s was refused, and it says %v", x.name, refused, err)
			}
			if got := x.look(dir); got != x.old && got != x.then {
				t.Errorf("%s: %s was refused, and %q is there", x.name, refused, got)
			}
		}
	}
}

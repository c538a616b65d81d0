package folder_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// everyStop writes what is left before every step, in every way, and wants what a look at it says to be the old or the new; after the end the new.
func everyStop(t *testing.T, whole *evidence.Witness, tape *disktest.Tape, what, old, new string, look func(root string) string) {
	t.Helper()
	random, stops := rand.New(rand.NewPCG(7, 8)), 0
	for n := range tape.Len() + 1 {
		if spared(n) {
			continue
		}
		for how, left := range map[string]disktest.Tree{
			"killed": tape.Killed(n), "cut": tape.Cut(n, -1), "eager": tape.Eager(n, -1), "scrambled": tape.Scrambled(n, -1, random),
		} {
			stops++
			root := t.TempDir()
			if err := left.Write(root); err != nil {
				t.Fatal(err)
			}
			got := look(root)
			whole.Case(got == new || got == old && n < tape.Len(), "%s, %s before step %d: %s", what, how, n, got)
		}
	}
	t.Logf("%s: %d steps, %d stops", what, tape.Len(), stops)
}

func record(t *testing.T, root string) *disktest.Tape {
	t.Helper()
	tape, err := disktest.Record(root)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// A report that is made anew, wherever it is stopped, is the old one or the new one.
func TestStoppedReportsAreOldOrNew(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-report", Text: "the same of a report that is made anew"})
	root := t.TempDir()
	dir := filepath.Join(root, "out")
	if err := saveOn(disk.Disk{}, dir, 1); err != nil {
		t.Fatal(err)
	}
	tape := record(t, root)
	c, err := folder.KindRun.TakeOn(tape.Disk(), dir)
	if err == nil {
		err = c.Renew(map[string][]byte{"report.html": []byte("new page"), "more.svg": []byte("<svg/>")})
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	everyStop(t, whole, tape, "report", "version 1 with page 1", "version 1 with new page", func(root string) string {
		dir := filepath.Join(root, "out")
		said := outcome(dir)
		text, err := os.ReadFile(filepath.Join(dir, "report.html"))
		return said + " with " + string(text) + errorText(err)
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A comparison, a study and a page that compares runs are written alike.
func TestStoppedComparisonsAreOldOrNew(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-compare", Text: "the same of a comparison and of a study"})
	for _, kind := range []folder.Kind{folder.KindCompare, folder.KindStudy} {
		root := t.TempDir()
		dir := filepath.Join(root, "out")
		write := func(d disk.Disk, text string) error {
			c, err := kind.TakeOn(d, dir)
			if err != nil {
				return err
			}
			defer c.Release()
			return c.Commit(folder.Manifest{Identity: folder.CurrentIdentity(nil)}, folder.Contents{
				"table.csv": func(w io.Writer) error { _, err := io.WriteString(w, text); return err }, "times.json": folder.AsTimes(map[string]int{"a": 1}),
			}.With(map[string][]byte{text + ".svg": []byte(text)}), nil)
		}
		if err := write(disk.Disk{}, "old"); err != nil {
			t.Fatal(err)
		}
		tape := record(t, root)
		if err := write(tape.Disk(), "new"); err != nil {
			t.Fatal(err)
		}
		everyStop(t, whole, tape, string(kind), "old", "new", func(root string) string {
			dir := filepath.Join(root, "out")
			text, err := folder.Decode(t.Context(), dir, "table.csv", folder.Verified, io.ReadAll)
			return found(dir, err, func() string { return string(text) })
		})
	}
}

// Parts that are joined, wherever that is stopped, are nothing or the whole.
func TestStoppedMergesAreNothingOrAll(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-merge", Text: "the same of parts that are merged"})
	root := t.TempDir()
	parts := []string{filepath.Join(root, "1"), filepath.Join(root, "2")}
	for i, id := range []string{"a", "b"} {
		c := taken(t, folder.KindSweep, parts[i])
		f, err := folder.OpenSweepFolder(t.Context(), c, planned("ab"), false)
		if err == nil {
			err = errors.Join(f.ComputedBy(func(string) (string, error) { return "", nil }), f.Begin(), f.Put(id, small()))
		}
		if err == nil {
			_, err = f.Finish(nil, false, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
	}
	tape := record(t, root)
	c, err := folder.KindSweep.TakeOn(tape.Disk(), filepath.Join(root, "whole"))
	if err == nil {
		_, err = folder.Merge(t.Context(), c, parts, planned("ab"), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Release()
	everyStop(t, whole, tape, "merge", "nothing", "ab", func(root string) string { return cellsIn(filepath.Join(root, "whole")) })
}

// A figure that is written somewhere is the old one or the new one.
func TestStoppedFilesAreOldOrNew(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-plot", Text: "the same of a figure that is plotted"})
	root := t.TempDir()
	put(t, root, "plot.svg")
	tape := record(t, root)
	err := tape.Disk().WriteFile(filepath.Join(root, "plot.svg"), func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
	if err != nil {
		t.Fatal(err)
	}
	everyStop(t, whole, tape, "plot", "mine", "new", func(root string) string {
		text, err := os.ReadFile(filepath.Join(root, "plot.svg"))
		return string(text) + errorText(err)
	})
}

package folder_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// planned is a sweep of cells a, b, … Behind a slash stands what is another in all of them, as a seed is.
func planned(sweep string) *folder.SweepPlan {
	w := &folder.SweepPlan{
		SweepResult: folder.SweepResult{Name: "sweep", Spec: "over: " + sweep + "\n", Keys: []string{"seed"}},
		Is:          func(_ int, spec []byte, _ map[string]string) bool { return string(spec) == cellOf(sweep).Spec },
	}
	cells, _, _ := strings.Cut(sweep, "/")
	for _, id := range cells {
		w.Cells = append(w.Cells, folder.CellResult{ID: string(id), Values: []string{"1"}, Numbers: []float64{1}})
	}
	return w
}

// cellOf is what comes out of the cells of a sweep.
func cellOf(sweep string) *folder.Result {
	r := small()
	_, other, _ := strings.Cut(sweep, "/")
	r.Spec += other
	return r
}

// sweepOn computes the cells of a sweep that are not there.
func sweepOn(d disk.Disk, dir, sweep string, prune bool) (kept int, err error) {
	c, err := folder.KindSweep.TakeOn(d, dir)
	if err != nil {
		return 0, err
	}
	defer c.Release()
	f, err := folder.OpenSweepFolder(context.Background(), c, planned(sweep), false)
	if err == nil {
		err = f.ComputedBy(func(string) (string, error) { return "", nil })
	}
	if err == nil {
		err = f.Begin()
	}
	for _, cell := range planned(sweep).Cells {
		if err == nil && !f.Finished(cell.ID) {
			err = f.Put(cell.ID, cellOf(sweep))
		} else {
			kept++
		}
	}
	if err == nil {
		_, err = f.Finish(nil, prune, nil)
	}
	return kept, err
}

// cellsIn says which sweep a reader finds in a folder after a stop.
func cellsIn(dir string) string {
	r, err := folder.OpenSweep(context.Background(), dir, folder.Verified)
	return found(dir, err, func() (ids string) {
		for _, c := range r.Cells {
			ids += c.ID
		}
		if _, other, isOther := strings.Cut(strings.TrimSpace(r.Spec), "/"); isOther {
			ids += "/" + other
		}
		return ids
	})
}

// A sweep that is stopped anywhere, while it grows or is changed, is the old one, the new one or not finished; the cells that were finished
// are there, and the same command ends with the bytes of one that was left alone.
func TestStoppedSweepsAreOldOrNew(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-sweep", Text: "the same of a sweep that grows or changes, or other bytes once the command is repeated"})
	root := t.TempDir()
	dir := filepath.Join(root, "grid")
	random, stops := rand.New(rand.NewPCG(5, 6)), 0
	for _, change := range []struct {
		from, to string
		prune    bool
		damage   string
	}{{"", "ab", false, ""}, {"ab", "bcd", false, ""}, {"bcd", "bc", true, ""}, {"bc", "bc", false, "cells/b/summary.json"}, {"bc", "bcd/2", false, ""}, {"bcd/2", "ab", true, ""}} {
		if change.damage != "" {
			put(t, dir, change.damage)
		}
		rec, err := disktest.Record(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sweepOn(rec.Disk(), dir, change.to, change.prune); err != nil {
			t.Fatal(err)
		}
		want := clean(rec.Killed(rec.Len()))
		for n := range rec.Len() + 1 {
			if spared(n) {
				continue
			}
			for how, left := range map[string]disktest.Tree{"killed": rec.Killed(n), "cut": rec.Cut(n, -1), "scrambled": rec.Scrambled(n, -1, random)} {
				stops++
				there := t.TempDir()
				if err := left.Write(there); err != nil {
					t.Fatal(err)
				}
				at := filepath.Join(there, "grid")
				got := cellsIn(at)
				isOld := got == change.from || change.from == "" && got == "nothing" || change.damage != "" && (got == "nothing" || strings.HasPrefix(got, "bad: "))
				whole.Case(got == change.to || isOld && n < rec.Len(), "%s → %s, %s before step %d: %s", change.from, change.to, how, n, got)
				if how != "killed" {
					continue
				}
				if _, err := sweepOn(disk.Disk{}, at, change.to, change.prune); err != nil {
					t.Fatal(err)
				}
				again, err := disktest.Read(there)
				whole.Case(err == nil && maps.Equal(clean(again), want), "%s → %s, killed before step %d, then again: %v, want %v (%v)", change.from, change.to, n, keys(again), keys(want), err)
			}
		}
	}
	t.Logf("%d stops", stops)
}

func keys(t disktest.Tree) string { return fmt.Sprint(len(t), " files") }

// A finished cell is on disk: no power cut after its end takes it.
func TestFinishedCellsSurvive(t *testing.T) {
	needed := evidence.For(t, evidence.Promise{Name: "syncs-cells", Text: "the same of a finished cell of a sweep"})
	root := t.TempDir()
	dir := filepath.Join(root, "grid")
	rec, err := disktest.Record(root)
	if err != nil {
		t.Fatal(err)
	}
	c, err := folder.KindSweep.TakeOn(rec.Disk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	f, err := folder.OpenSweepFolder(t.Context(), c, planned("ab"), false)
	if err == nil {
		err = f.Begin()
	}
	if err == nil {
		err = f.Put("a", small())
	}
	if err != nil {
		t.Fatal(err)
	}
	survives := func(skip int) bool {
		there := t.TempDir()
		if err := rec.Cut(rec.Len(), skip).Write(there); err != nil {
			t.Fatal(err)
		}
		kept, err := sweepOn(disk.Disk{}, filepath.Join(there, "grid"), "ab", false)
		return err == nil && kept == 1
	}
	if !survives(-1) {
		t.Error("a finished cell is lost")
	}
	for i := range rec.Len() {
		if call, path := rec.Call(i); (call == disk.SyncFile || call == disk.SyncDir) && !strings.HasSuffix(path, "unfinished.json-draft") {
			needed.Case(!survives(i), "without step %d, %s %s, nothing is lost", i, call, path)
		}
	}
}

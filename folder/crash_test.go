package folder_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
)

// spared tells whether a stop is left out where time is short: three of four, and fifteen of sixteen under the race detector, where each takes ten times as long.
func spared(n int) bool {
	every := 1
	if testing.Short() {
		every = 4
	}
	if heap.Race {
		every = 16
	}
	return n%every > 0
}

// version is a result that can be told from others.
func version(n uint64) *folder.Result {
	r := small()
	r.Seed, r.Optimum.Value = n, float64(n)
	return r
}

// pagesOf are pages of a version: each has one that the others have not.
func pagesOf(n uint64) map[string][]byte {
	return map[string][]byte{"report.html": fmt.Append(nil, "page ", n), fmt.Sprintf("figure-%d.svg", n): []byte("<svg/>")}
}

func saveOn(d disk.Disk, dir string, n uint64) error {
	c, err := folder.KindRun.TakeOn(d, dir)
	if err != nil {
		return err
	}
	defer c.Release()
	return version(n).Save(c, pagesOf(n))
}

// outcome says what a reader finds in a folder of results after a stop: nothing, a version that is whole, or what is wrong.
func outcome(dir string) string {
	r, err := folder.Open(context.Background(), dir, folder.Verified)
	return found(dir, err, func() string {
		if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("figure-%d.svg", r.Seed))); err != nil || string(text) != "<svg/>" {
			return fmt.Sprintf("bad: version %d without its figure", r.Seed)
		}
		return fmt.Sprint("version ", r.Seed)
	})
}

// found says what a reader who got an error or none finds: nothing, something whole that is described, or what is wrong.
func found(dir string, err error, describe func() string) string {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, folder.ErrUnfinished) {
		return "nothing"
	}
	var all *folder.Inspection
	if err == nil {
		all, err = folder.Verify(context.Background(), dir)
	}
	if err != nil {
		return "bad: " + err.Error()
	}
	for _, c := range all.Files {
		if c.Problem != "" {
			return "bad: " + c.File + ": " + c.Problem
		}
	}
	for _, name := range all.Strange {
		if name != "mine.svg" {
			return "bad: " + name + " is left"
		}
	}
	return describe()
}

// after is what a reader finds of a tree that a stop has left. A file of the user must be as it was.
func after(t *testing.T, left disktest.Tree, base string) string {
	t.Helper()
	root := t.TempDir()
	if err := left.Write(root); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, base)
	if text, err := os.ReadFile(filepath.Join(dir, "mine.svg")); left[base+"/mine.svg"] != "" && (err != nil || string(text) != "mine") {
		return "bad: the user's file is gone"
	}
	return outcome(dir)
}

// recorded saves a version over an older one, or over nothing, and remembers every step.
func recorded(t *testing.T, old bool) *disktest.Tape {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "runs", "out")
	if old {
		if err := saveOn(disk.Disk{}, dir, 1); err != nil {
			t.Fatal(err)
		}
		put(t, dir, "mine.svg")
	}
	rec, err := disktest.Record(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := saveOn(rec.Disk(), dir, 2); err != nil {
		t.Fatal(err)
	}
	return rec
}

// Killed, or without power, before any step: a reader finds the old result or the new one, whole, and after the end the new one.
func TestAnyStopLeavesTheOldOrTheNew(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-run", Text: "killed, or without power, before any step of writing a run: neither the old result nor the new one, whole"})
	for _, old := range []bool{false, true} {
		rec := recorded(t, old)
		before, stops := "nothing", 0
		if old {
			before = "version 1"
		}
		random := rand.New(rand.NewPCG(1, 2))
		for n := range rec.Len() + 1 {
			if spared(n) && n < rec.Len() {
				continue
			}
			left := map[string]disktest.Tree{"killed": rec.Killed(n), "cut": rec.Cut(n, -1), "eager": rec.Eager(n, -1)}
			for i := range 3 {
				left[fmt.Sprint("scrambled ", i)] = rec.Scrambled(n, -1, random)
			}
			for how, tree := range left {
				stops++
				got := after(t, tree, "runs/out")
				whole.Case(got == "version 2" || got == before && n < rec.Len(), "over %s, %s before step %d: %s", before, how, n, got)
			}
		}
		t.Logf("over %s: %d steps, %d stops", before, rec.Len(), stops)
	}
}

// Whoever is killed before any step, the same command ends with the bytes of one that was left alone.
func TestAfterAnyStopTheSameCommandGoesOn(t *testing.T) {
	rec := recorded(t, true)
	want := clean(rec.Killed(rec.Len()))
	for n := range rec.Len() + 1 {
		root := t.TempDir()
		if err := rec.Killed(n).Write(root); err != nil {
			t.Fatal(err)
		}
		if err := saveOn(disk.Disk{}, filepath.Join(root, "runs", "out"), 2); err != nil {
			t.Fatalf("killed before step %d: %v", n, err)
		}
		got, err := disktest.Read(root)
		if err != nil || !maps.Equal(clean(got), want) {
			t.Fatalf("killed before step %d, then again (%v): %v", n, err, got)
		}
	}
}

// clean leaves out what only the clock decides, and locks.
func clean(t disktest.Tree) disktest.Tree {
	maps.DeleteFunc(t, func(name, _ string) bool {
		return strings.HasSuffix(name, "times.json") || strings.Contains(name, ".kedge/")
	})
	return t
}

// Without any one of the calls that put something on disk, a power cut can do harm: none of them is there for nothing.
func TestEverySyncIsNeeded(t *testing.T) {
	needed := evidence.For(t, evidence.Promise{Name: "syncs", Text: "calls that put a run on disk without which no power cut does harm"})
	if testing.Short() {
		t.Skip("skipped: one goroutine, and it waits for the disk")
	}
	random, idle := rand.New(rand.NewPCG(3, 4)), map[string]bool{}
	for _, old := range []bool{true, false} {
		rec, seen := recorded(t, old), map[string]int{}
		for i := range rec.Len() {
			call, path := rec.Call(i)
			if call != disk.SyncFile && call != disk.SyncDir {
				continue
			}
			name := fmt.Sprint(call, " ", path, " ", seen[path]) // the same in both, but for folders that have to be made
			seen[path]++
			if isIdle, known := idle[name]; !known || isIdle {
				idle[name] = !harms(t, rec, i, old, random)
			}
		}
	}
	for name, isIdle := range idle {
		needed.Case(!isIdle, "without %s nothing is lost", name)
	}
	t.Logf("%d calls put something on disk", len(idle))
}

// harms tells whether some power cut does harm when a step was not taken, the end first. After the end the result must be in its place.
func harms(t *testing.T, rec *disktest.Tape, skip int, old bool, random *rand.Rand) bool {
	before := "nothing"
	if old {
		before = "version 1"
	}
	for n := rec.Len(); n > skip; n-- {
		left := []disktest.Tree{rec.Cut(n, skip), rec.Eager(n, skip)}
		for range 20 {
			left = append(left, rec.Scrambled(n, skip, random))
		}
		for _, tree := range left {
			_, inPlace := tree["runs/out/manifest.json"]
			_, onItsWay := tree["runs/out/.kedge/commit/manifest.json"]
			got := after(t, tree, "runs/out")
			if got != "version 2" && got != before || n == rec.Len() && (got != "version 2" || !inPlace || onItsWay) {
				return true
			}
		}
	}
	return false
}

package lab_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// little is a sweep of twelve quick cells.
const little = `base: lq2
set: {iterations: 100, trials: 2}
over:
  algorithms.composite.step: {from: 0.01, to: 0.3, count: 4, scale: log}
  hold: [1, 2, 3]
`

func parseSweep(t testing.TB, src string) *family.Sweep {
	t.Helper()
	w, err := family.Parse(kind.Standard(), "little.yaml", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func sweep(t testing.TB, src, dir string, o lab.SweepOptions) *folder.SweepResult {
	t.Helper()
	r, err := sweepIn(context.Background(), parseSweep(t, src), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tree reads a folder whole. The file of times is the only one that may differ between equal results.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == "times.json" {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text := []byte("folder")
		if !e.IsDir() {
			text, err = os.ReadFile(path)
		}
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sameTree reports every file in which two folders differ, and counts them.
func sameTree(t testing.TB, what, got, want string) (differ, of int) {
	t.Helper()
	a, b := tree(t, got), tree(t, want)
	for name := range maps.Keys(b) {
		if _, ok := a[name]; !ok {
			differ++
			t.Errorf("%s: %s is missing", what, name)
		}
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			differ++
			t.Errorf("%s: %s differs or should not be there", what, name)
		}
	}
	return differ, len(b)
}

func TestSweepsOnAnyWorkersAndInShards(t *testing.T) {
	dir := t.TempDir()
	one, three, whole := filepath.Join(dir, "one"), filepath.Join(dir, "three"), filepath.Join(dir, "whole")
	r := sweep(t, little, one, lab.SweepOptions{Workers: 1})
	if len(r.Cells) != 12 || r.Failed() != 0 || r.Cells[4].Summary.Algorithms["composite"].Gap == nil {
		t.Errorf("result %+v", r)
	}
	sweep(t, little, three, lab.SweepOptions{Workers: 3})
	sameTree(t, "three workers", three, one)
	var parts []string
	for i := range 5 {
		part := filepath.Join(dir, fmt.Sprint("part", i))
		sweep(t, little, part, lab.SweepOptions{Shard: lab.Shard{Index: i + 1, Of: 5}})
		parts = append(parts, part)
	}
	if _, err := mergeIn(whole, parts[1:]); !errors.Is(err, folder.ErrMissing) || !strings.Contains(err.Error(), "3 of 12 cells") {
		t.Errorf("without the first part: %v", err)
	}
	if _, err := mergeIn(whole, parts); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "merged", whole, one)
	back, err := folder.OpenSweep(t.Context(), whole, folder.Verified)
	if err != nil || fmt.Sprint(cellsOf(back)) != fmt.Sprint(cellsOf(r)) || back.Spec != r.Spec || back.Name != "little" {
		t.Errorf("opened (%v)\n%v\nwas\n%v", err, cellsOf(back), cellsOf(r))
	}
}

// cellsOf writes what is known of the cells.
func cellsOf(r *folder.SweepResult) (all []string) {
	for _, c := range r.Cells {
		all = append(all, fmt.Sprint(c.ID, c.Values, c.Numbers, c.Err, c.Summary != nil && c.Summary.Seed > 0))
	}
	return all
}

// Whatever is wrong with a cell, it is run again, and nothing else is.
func TestSweepsMendWhatIsBroken(t *testing.T) {
	dir := t.TempDir()
	want, got := filepath.Join(dir, "want"), filepath.Join(dir, "got")
	r := sweep(t, little, want, lab.SweepOptions{})
	sweep(t, little, got, lab.SweepOptions{})
	cell := func(i int, name string) string { return filepath.Join(got, "cells", r.Cells[i].ID, name) }
	spoil := func(path string, do func(text []byte) []byte) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, do(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	spoil(cell(0, "summary.json"), func(text []byte) []byte { return text[:len(text)/2] })
	spoil(cell(1, "series.parquet"), func(text []byte) []byte { text[len(text)-2] ^= 1; return text })
	spoil(cell(2, "spec.yaml"), func(text []byte) []byte { return append(text, "# mine\n"...) })
	for _, path := range []string{cell(3, "manifest.json"), cell(4, "")} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []string{".kedge/cell-0123456789abcdef", ".kedge/new"} { // by dead processes
		if err := os.MkdirAll(filepath.Join(got, left), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, got, left+"/table.csv", "cell,")
	}
	p := new(lab.SweepProgress)
	sweep(t, little, got, lab.SweepOptions{Progress: p})
	if s := p.State(); s.Kept != 7 || s.Done != 5 {
		t.Errorf("%d cells were kept and %d run, want 7 and 5", s.Kept, s.Done)
	}
	sameTree(t, "mended", got, want)
}

// A cell that cannot be run is written down and leaves the others alone.
func TestFailingCells(t *testing.T) {
	const src = `base: lq2
set: {iterations: 50, trials: 1}
over:
  "dynamics.a": [[[0.5, 0], [0, 0.5]], [[1.5, 0], [0, 0.5]], [[0.2, 0], [0, 0.2]]]
  objective.decision: [2, -40]
`
	dir := t.TempDir()
	first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
	r := sweep(t, src, first, lab.SweepOptions{Workers: 2})
	if r.Failed() != 4 || r.Cells[0].Err != "" || !strings.Contains(r.Cells[2].Err, "does not attract") {
		t.Errorf("cells %v", cellsOf(r))
	}
	text, err := os.ReadFile(filepath.Join(first, "failures.json"))
	if err != nil || strings.Count(string(text), `"error"`) != 4 || !strings.Contains(string(text), `"dynamics.a": "[[1.5, 0], [0, 0.5]]"`) {
		t.Errorf("failures.json (%v): %s", err, text)
	}
	sweep(t, src, again, lab.SweepOptions{Workers: 8})
	stored, err := family.Parse(kind.Standard(), "sweep.yaml", []byte(r.Spec), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sweepIn(context.Background(), stored, again, lab.SweepOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "failures again", again, first)
	back, err := folder.OpenSweep(t.Context(), first, folder.Verified)
	if err != nil || fmt.Sprint(cellsOf(back)) != fmt.Sprint(cellsOf(r)) {
		t.Errorf("opened (%v) %v", err, cellsOf(back))
	}
}

// A changed file keeps the cells that it still has; the others stay but do not count, until they are pruned.
func TestChangedSweeps(t *testing.T) {
	dir := t.TempDir()
	want, got := filepath.Join(dir, "want"), filepath.Join(dir, "got")
	changed := strings.Replace(little, "[1, 2, 3]", "[3, 1, 4]", 1)
	sweep(t, changed, want, lab.SweepOptions{})
	sweep(t, little, got, lab.SweepOptions{})
	notes := filepath.Join(got, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := new(lab.SweepProgress)
	r := sweep(t, changed, got, lab.SweepOptions{Progress: p})
	if s := p.State(); s.Kept != 8 || s.Done != 4 || len(r.Other) != 4 || len(r.Cells) != 12 {
		t.Errorf("%d kept, %d run, %d other", s.Kept, s.Done, len(r.Other))
	}
	if a, b := tree(t, got), tree(t, want); a["manifest.json"] != b["manifest.json"] || a["table.csv"] != b["table.csv"] {
		t.Error("cells that do not count show in the manifest or the table")
	}
	sweep(t, changed, got, lab.SweepOptions{Prune: true})
	if text, err := os.ReadFile(notes); err != nil || string(text) != "mine" {
		t.Errorf("a foreign file holds %q (%v)", text, err)
	}
	os.Remove(notes)
	sameTree(t, "pruned", got, want)
}

func TestSweepRefusals(t *testing.T) {
	dir := t.TempDir()
	w := parseSweep(t, little)
	mine := filepath.Join(dir, "mine")
	os.MkdirAll(mine, 0o755)
	os.WriteFile(filepath.Join(mine, "thesis.tex"), []byte("years of work"), 0o644)
	if _, err := sweepIn(context.Background(), w, mine, lab.SweepOptions{}); !errors.Is(err, folder.ErrNotOurs) {
		t.Errorf("a folder with other files gives %v", err)
	}
	if files := tree(t, mine); len(files) != 2 {
		t.Errorf("the folder now holds %v", files)
	}

	other := filepath.Join(dir, "other")
	r := sweep(t, little, other, lab.SweepOptions{})
	for _, c := range r.Cells {
		path := filepath.Join(other, "cells", c.ID, "manifest.json")
		resealed(t, path, `"version": "`, `"version": "9`)
	}
	before := tree(t, other)
	_, err := sweepIn(context.Background(), w, other, lab.SweepOptions{})
	if !errors.Is(err, folder.ErrOtherIdentity) || !strings.Contains(err.Error(), "the version of kedge was 9") || !strings.Contains(err.Error(), "--fresh") {
		t.Errorf("cells of another version give %v", err)
	}
	if _, err := mergeIn(filepath.Join(dir, "m"), []string{other}); err == nil || !strings.Contains(err.Error(), "merge with the version that made it") {
		t.Errorf("merging another version gives %v", err)
	}
	if !maps.Equal(before, tree(t, other)) {
		t.Error("a refused folder has changed")
	}
	if _, err := folder.OpenSweep(t.Context(), filepath.Join(other, "cells", r.Cells[0].ID), folder.Verified); err == nil || !strings.Contains(err.Error(), "holds a run, not a sweep") {
		t.Errorf("opening a cell as a sweep gives %v", err)
	}
}

func TestMergeRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out")
	r := sweep(t, little, a, lab.SweepOptions{})
	sweep(t, strings.Replace(little, "trials: 2", "trials: 3", 1), b, lab.SweepOptions{})
	refused := func(want string, parts ...string) {
		t.Helper()
		if _, err := mergeIn(out, parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("merging %v gives %v, want %s", parts, err, want)
		}
	}
	refused("different sweeps", a, b)
	refused("holds no sweep", a, dir)
	series := filepath.Join(a, "cells", r.Cells[3].ID, "series.parquet")
	text, _ := os.ReadFile(series)
	os.WriteFile(series, slices.Concat(text, []byte("0")), 0o644)
	refused("is not as it was written", a)
	if _, err := os.Stat(filepath.Join(out, "cells")); err == nil {
		t.Error("a refused merge has written cells")
	}
}

// resealed changes a manifest and gives it the checksum that it must have then: SHA-256 of the text without the checksum.
func resealed(t testing.TB, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bare, _, ok := strings.Cut(string(text), ",\n  \"sha256\": \"")
	if !ok || !strings.Contains(bare, old) {
		t.Fatalf("%s: %s", path, text)
	}
	bare = strings.Replace(bare, old, new, 1)
	sum := sha256.Sum256([]byte(bare + "\n}\n"))
	if err := os.WriteFile(path, fmt.Appendf(nil, "%s,\n  \"sha256\": \"%x\"\n}\n", bare, sum), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Two processes must not work on one folder; a stopped sweep gives it free.
func TestSweepsLockTheirFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "o")
	long := strings.Replace(little, "iterations: 100", "iterations: 1000000", 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	p, ended := new(lab.SweepProgress), make(chan error)
	go func() {
		_, err := sweepIn(ctx, parseSweep(t, long), dir, lab.SweepOptions{Progress: p})
		ended <- err
	}()
	for len(p.State().Running) == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := sweepIn(ctx, parseSweep(t, little), dir, lab.SweepOptions{}); !errors.Is(err, disk.ErrInUse) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second sweep in the folder gives %v", err)
	}
	if _, err := mergeIn(dir+"m", []string{dir}); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("merging a sweep at work gives %v", err)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the stopped sweep gives %v", err)
	}
	if _, err := folder.OpenSweep(t.Context(), dir, folder.Verified); !errors.Is(err, folder.ErrUnfinished) {
		t.Errorf("opening a stopped sweep gives %v", err)
	}
	sweep(t, little, dir, lab.SweepOptions{})
}

// Another runner can be put where cells are run: here one that hands the spec over as text, as one on another machine would.
func TestCellsRunThroughTheRunner(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	sweep(t, little, here, lab.SweepOptions{})
	var mu sync.Mutex
	seen := map[string]bool{}
	remote := func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		mu.Lock()
		seen[job.Cell.ID] = true
		mu.Unlock()
		if job.Workers < 1 || job.Workers > 2 {
			t.Errorf("cell %v may have %d workers, want those that are not needed for other cells", job.Cell.Values, job.Workers)
		}
		s, err := problem.Parse(kind.Standard(), "remote.yaml", job.Spec.YAML())
		if err != nil {
			return nil, err
		}
		job.Spec = s
		return lab.RunCell(ctx, job)
	}
	sweep(t, little, there, lab.SweepOptions{Runner: remote, Workers: 2})
	if len(seen) != 12 {
		t.Errorf("%d cells went through the runner, want all 12", len(seen))
	}
	sameTree(t, "another runner", there, here)
}

// What a runner says is what the cell died of, and the other cells are run all the same.
func TestErrorsOfARunnerAreTheCells(t *testing.T) {
	lost := errors.New("the line is dead")
	r := sweep(t, little, t.TempDir(), lab.SweepOptions{Runner: func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		if strings.HasPrefix(job.Cell.Values[1], "3") {
			return nil, lost
		}
		return lab.RunCell(ctx, job)
	}})
	if r.Failed() != 4 {
		t.Fatalf("%d cells failed, want the 4 with hold 3", r.Failed())
	}
	for _, c := range r.Cells {
		if (c.Err == lost.Error()) != (c.Values[1] == "3") {
			t.Errorf("cell %v: %q", c.Values, c.Err)
		}
	}
}

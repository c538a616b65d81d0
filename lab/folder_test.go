package lab_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// saved runs a case into a sealed folder.
func saved(t testing.TB, name string, workers int, sets ...string) (*folder.Result, string) {
	t.Helper()
	r, dir := execute(t, build(t, name, sets...), lab.Options{Workers: workers}), filepath.Join(t.TempDir(), "out")
	seal(t, r, dir)
	return r, dir
}

func seal(t testing.TB, r *folder.Result, dir string) {
	t.Helper()
	if err := save(r, dir); err != nil {
		t.Fatal(err)
	}
}

// save takes a folder for a result and saves it there, with a page.
func save(r *folder.Result, dir string, pages ...string) error {
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		return err
	}
	defer c.Release()
	files := map[string][]byte{}
	for _, name := range pages {
		files[name] = []byte(name)
	}
	return r.Save(c, files)
}

// usable takes a folder for a run and gives it back.
func usable(dir string) error {
	c, err := folder.KindRun.Take(dir)
	if err == nil {
		c.Release()
	}
	return err
}

// executeIn runs a problem with a checkpoint in a folder.
func executeIn(ctx context.Context, p *problem.Problem, o lab.Options, dir string) (*folder.Result, error) {
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	o.Checkpoint.In = c
	return lab.Execute(ctx, p, o)
}

// removeCheckpoint removes the checkpoint of a folder and tells whether none is left.
func removeCheckpoint(dir string) error {
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		return err
	}
	defer c.Release()
	if err := lab.RemoveCheckpoint(c); err != nil {
		return err
	}
	if lab.HasCheckpoint(c) {
		return errors.New("the checkpoint is still there")
	}
	return nil
}

// sweepIn runs a sweep in a folder.
func sweepIn(ctx context.Context, w *family.Sweep, dir string, o lab.SweepOptions) (*folder.SweepResult, error) {
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	return lab.Sweep(ctx, w, c, o)
}

// mergeIn joins parts of a sweep in a folder.
func mergeIn(dir string, parts []string) (*folder.SweepResult, error) {
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	return lab.Merge(context.Background(), kind.Standard(), c, parts, lab.MergeOptions{})
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents are the files of a folder but times.json, by name.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	delete(files, "times.json")
	return files
}

// variants are results with and without what a folder may lack.
func variants() map[string][]string {
	return map[string][]string{
		"polarized": append(small, "record.rollout=3", "record.gradient=true", "record.paths=7"),
		"choice":    {"population.dim=9", "iterations=30", "trials=4", "set.sum=20", "optimum.starts=3", "record.theory=true", "record.transport=9"},
		"lq2":       {"iterations=50", "trials=3", `algorithms=[{name: 'a, "b"/c%:d', kind: vanilla, step: 0.01}]`},
	}
}

// What is opened is what was saved, bit for bit, and saved again it makes the same files.
func TestOpenedIsWhatWasSaved(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "opened", Text: "a folder that is opened, and saved again: other values or bytes"})
	for name, sets := range variants() {
		want, dir := saved(t, name, 2, sets...)
		got, err := folder.Open(t.Context(), dir, folder.Verified)
		if err != nil {
			t.Fatal(name, err)
		}
		again := filepath.Join(t.TempDir(), "again")
		seal(t, got, again)
		same.Case(reflect.DeepEqual(contents(t, dir), contents(t, again)), "%s: the folder of the opened result differs", name)
		for i := range want.Runs {
			trials, n := want.Runs[i].Trials, len(want.Runs[i].Trials)
			for j := range trials[:n-1] {
				trials[j].Angles = nil
			}
			for j := range trials {
				trials[j].Seconds = 0
			}
		}
		want.Started, want.Finished = got.Started, got.Finished
		w, g := printed(want), printed(got)
		same.Case(w == g, "%s: opened\n%.2000s\nsaved\n%.2000s", name, g, w)
	}
}

// Everything but times.json is the same on any number of workers.
func TestFoldersDoNotDependOnWorkers(t *testing.T) {
	for name, sets := range variants() {
		_, one := saved(t, name, 1, sets...)
		_, many := saved(t, name, 7, sets...)
		if !reflect.DeepEqual(contents(t, one), contents(t, many)) {
			t.Errorf("%s: 7 workers write another folder than one", name)
		}
	}
}

// One bit of any file, a cut, a missing file: each is named, and only that.
func TestVerifyFindsWhatChanged(t *testing.T) {
	_, dir := saved(t, "lq2", 1, "iterations=20", "trials=2")
	for name, text := range contents(t, dir) {
		if name == "manifest.json" {
			continue
		}
		flipped := []byte(text)
		flipped[len(flipped)/2] ^= 4
		for problem, damaged := range map[string][]byte{"other bytes": flipped, "written were": flipped[1:], "missing": nil} {
			path := filepath.Join(dir, name)
			put(t, dir, name, string(damaged))
			if damaged == nil {
				os.Remove(path)
			}
			if bad := problems(t, dir); len(bad) != 1 || bad[0].File != name || !strings.Contains(bad[0].Problem, problem) {
				t.Errorf("%s, %s: %v", name, problem, bad)
			}
			put(t, dir, name, text)
		}
	}
	if bad := problems(t, dir); len(bad) > 0 {
		t.Errorf("restored: %v", bad)
	}
}

func problems(t testing.TB, dir string) []folder.Checked {
	t.Helper()
	found, err := folder.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(found.Files, func(c folder.Checked) bool { return c.Problem == "" })
}

// A folder of folders: the outer manifest vouches for the inner ones, and they for their files.
func TestVerifyDescends(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	outer := t.TempDir()
	r := sweep(t, little, outer, lab.SweepOptions{})
	m, err := folder.ReadManifest(outer)
	cell := "cells/" + r.Cells[0].ID
	if err != nil || len(m.Files) != 12+4 || m.Files[cell+"/manifest.json"].SHA256 == "" {
		t.Errorf("%+v, %v", m, err)
	}
	put(t, outer, cell+"/series.parquet", "")
	if bad := problems(t, outer); len(bad) != 1 || bad[0].File != cell+"/series.parquet" {
		t.Error(bad)
	}
	if err := usable(outer); err == nil || !strings.Contains(err.Error(), "holds a sweep") {
		t.Errorf("a run may go where a sweep is: %v", err)
	}
}

func names(files map[string]string) (list []string) {
	for name := range files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Overwriting removes what the old manifest lists and the new result lacks, and nothing else, again and again.
func TestOverwritingLeavesNothingStale(t *testing.T) {
	r, dir := saved(t, "lq2", 1, "iterations=20", "trials=1")
	if err := save(r, dir, "old.svg"); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "notes.txt", "the user's")
	for range 3 {
		seal(t, r, dir)
		got := contents(t, dir)
		if _, ok := got["old.svg"]; ok || got["notes.txt"] == "" || strings.Contains(got["manifest.json"], "notes.txt") {
			t.Errorf("the folder holds %v, manifest %s", names(got), got["manifest.json"])
		}
	}
}

// Manifests that would reach outside, are of a later format or not JSON are refused and change nothing.
func TestBadManifestsAreRefused(t *testing.T) {
	r, dir := saved(t, "lq2", 1, "iterations=20", "trials=1")
	whole := contents(t, dir)["manifest.json"]
	for what, text := range map[string]string{
		"checksum":       strings.Replace(whole, `"series.csv"`, `"../../series.csv"`, 1),
		"format is 3":    strings.Replace(whole, `"format": 2`, `"format": 3`, 1),
		"unexpected end": whole[:len(whole)/2],
		"unknown field":  strings.Replace(whole, `"format": 2`, `"format": 1`, 1),
	} {
		put(t, dir, "manifest.json", text)
		before := contents(t, dir)
		_, open := folder.Open(t.Context(), dir, folder.Verified)
		_, verify := folder.Verify(t.Context(), dir)
		for _, err := range []error{open, verify, usable(dir), save(r, dir)} {
			if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "manifest.json") {
				t.Errorf("want an error with %q, got %v", what, err)
			}
		}
		if !reflect.DeepEqual(before, contents(t, dir)) {
			t.Errorf("%s: the folder changed", what)
		}
	}
}

// Damaged data files are errors that name the file, whether or not they are verified.
func TestOpenRefusesDamage(t *testing.T) {
	_, dir := saved(t, "polarized", 1, small...)
	for name, text := range contents(t, dir) {
		if name == "series.csv" { // not what a result is read from
			continue
		}
		put(t, dir, name, text[:len(text)/2])
		if _, err := folder.Open(t.Context(), dir, folder.Verified); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("half of %s: %v", name, err)
		}
		if _, err := folder.Open(t.Context(), dir, folder.Unverified); name != "spec.yaml" && (err == nil || !strings.Contains(err.Error(), name)) {
			t.Errorf("half of %s, unverified: %v", name, err)
		}
		put(t, dir, name, text)
	}
	summary := contents(t, dir)["summary.json"]
	put(t, dir, "summary.json", strings.ReplaceAll(summary, "vanilla", "spam"))
	if _, err := folder.Open(t.Context(), dir, folder.Unverified); err == nil || !strings.Contains(err.Error(), "series.parquet: row 0: ") {
		t.Error(err)
	}
}

// printed shows every number of a result so that other bits are other letters, and NaN equals NaN.
func printed(r *folder.Result) string {
	flat := *r
	flat.Reference, flat.Angles = nil, nil
	flat.Runs = nil
	flat.Optimum, flat.Stable, flat.Rests = folder.Point{}, folder.Point{}, nil // have pointers: below
	points := append([]folder.Point{r.Optimum, r.Stable}, r.Rests...)
	if ref := r.Reference; ref != nil {
		points = append(points, ref.Optimum, ref.True)
	}
	text := fmt.Sprintf("%+v %+v", flat, r.Angles)
	for _, p := range points {
		evidence, err := json.Marshal([]any{p.Evidence, p.Sampling}) // which have no NaN
		p.Evidence, p.Sampling = nil, nil
		text += fmt.Sprintf("\n%+v %s %v", p, evidence, err)
	}
	for _, one := range r.Runs {
		text += fmt.Sprintf("\n%s %d %v", one.Name, one.Planned, one.Seconds)
		for _, trial := range one.Trials {
			path := trial.Path
			trial.Path = nil
			text += fmt.Sprintf("\n%+v %+v", trial, path)
		}
	}
	return text
}

package lab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
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
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.Seal(dir); err != nil {
		t.Fatal(err)
	}
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
	for name, sets := range variants() {
		want, dir := saved(t, name, 2, sets...)
		got, err := folder.Open(dir)
		if err != nil {
			t.Fatal(name, err)
		}
		again := filepath.Join(t.TempDir(), "again")
		seal(t, got, again)
		if !reflect.DeepEqual(contents(t, dir), contents(t, again)) {
			t.Errorf("%s: the folder of the opened result differs", name)
		}
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
		if w, g := printed(want), printed(got); w != g {
			t.Errorf("%s: opened\n%.2000s\nsaved\n%.2000s", name, g, w)
		}
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
	list, err := folder.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(c folder.Checked) bool { return c.Problem == "" })
}

// A folder of folders: the outer manifest vouches for the inner ones, and they for their files.
func TestVerifyDescends(t *testing.T) {
	outer := t.TempDir()
	r := execute(t, build(t, "lq2", "iterations=20", "trials=1"), lab.Options{})
	seal(t, r, filepath.Join(outer, "cells", "a"))
	put(t, outer, "sweep.yaml", "x: 1\n")
	if err := (folder.Manifest{Kind: folder.KindSweep, Case: "outer", Seed: 3}).Seal(outer); err != nil {
		t.Fatal(err)
	}
	m, err := folder.ReadManifest(outer)
	if err != nil || len(m.Files) != 2 || m.Files["cells/a/manifest.json"].SHA256 == "" || m.Seed != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	put(t, outer, "cells/a/series.csv", "")
	if bad := problems(t, outer); len(bad) != 1 || bad[0].File != "cells/a/series.csv" {
		t.Error(bad)
	}
	if err := folder.KindRun.Usable(outer); err == nil || !strings.Contains(err.Error(), "holds a sweep") {
		t.Errorf("a run may go where a sweep is: %v", err)
	}
}

// A crash at any point before Seal leaves a folder that says it is not finished, is not opened, and may be run again; then
// nothing of the first attempt is left, and the files of others are as they were.
func TestUnfinishedFoldersAreRunAgain(t *testing.T) {
	r := execute(t, build(t, "lq2", "iterations=20", "trials=1"), lab.Options{})
	dir := filepath.Join(t.TempDir(), "out")
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "w1.svg", "a figure of the first attempt")
	put(t, dir, ".series.csv-123", "half a file")
	put(t, dir, "notes.txt", "the user's")
	if _, err := folder.Open(dir); !errors.Is(err, folder.ErrUnfinished) {
		t.Errorf("an unfinished folder opens: %v", err)
	}
	if _, ok := contents(t, dir)["unfinished.json"]; !ok {
		t.Error("nothing says that the folder is not finished")
	}
	if err := folder.KindRun.Usable(dir); err != nil {
		t.Error(err)
	}
	seal(t, r, dir)
	fresh := filepath.Join(t.TempDir(), "fresh")
	seal(t, r, fresh)
	got := contents(t, dir)
	if got["notes.txt"] != "the user's" {
		t.Errorf("the user's notes are %q", got["notes.txt"])
	}
	delete(got, "notes.txt")
	if !reflect.DeepEqual(got, contents(t, fresh)) {
		t.Errorf("the folder holds %v, a fresh one %v", names(got), names(contents(t, fresh)))
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
	put(t, dir, "old.svg", "stale")
	if err := r.Seal(dir); err != nil {
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
		"outside the folder": strings.Replace(whole, `"series.csv"`, `"../../series.csv"`, 1),
		"format is 2":        strings.Replace(whole, `"format": 1`, `"format": 2`, 1),
		"unexpected end":     whole[:len(whole)/2],
	} {
		put(t, dir, "manifest.json", text)
		before := contents(t, dir)
		_, open := folder.Open(dir)
		_, verify := folder.Verify(dir)
		for _, err := range []error{open, verify, folder.KindRun.Usable(dir), r.Save(dir)} {
			if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "manifest.json") {
				t.Errorf("want an error with %q, got %v", what, err)
			}
		}
		if !reflect.DeepEqual(before, contents(t, dir)) {
			t.Errorf("%s: the folder changed", what)
		}
	}
}

// Damaged data files are errors that name the file.
func TestOpenRefusesDamage(t *testing.T) {
	_, dir := saved(t, "polarized", 1, small...)
	for name, text := range contents(t, dir) {
		if name == "spec.yaml" || name == "series.csv" { // not what a result is read from
			continue
		}
		put(t, dir, name, text[:len(text)/2])
		if _, err := folder.Open(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("half of %s: %v", name, err)
		}
		put(t, dir, name, text)
	}
	summary := contents(t, dir)["summary.json"]
	put(t, dir, "summary.json", strings.ReplaceAll(summary, "vanilla", "spam"))
	if _, err := folder.Open(dir); err == nil || !strings.Contains(err.Error(), "series.parquet: row 0: ") {
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
		evidence, err := json.Marshal(p.Evidence) // which has no NaN
		p.Evidence = nil
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

// What a dead process was writing goes, into whatever folder it was: one it had hardly begun, or one that was finished before.
func TestDraftsOfDeadProcessesGo(t *testing.T) {
	r, dir := execute(t, build(t, "lq2", "iterations=10", "trials=1"), lab.Options{}), t.TempDir()
	put(t, dir, ".unfinished.json-1", "{")
	seal(t, r, dir)
	first := contents(t, dir)
	put(t, dir, ".unfinished.json-2", "{")
	seal(t, r, dir)
	if again := contents(t, dir); first[".unfinished.json-1"] != "" || !reflect.DeepEqual(first, again) {
		t.Errorf("the folder holds %q, then %q", slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(again)))
	}
}

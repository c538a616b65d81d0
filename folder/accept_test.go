package folder_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// A cell that somebody else has computed is taken as its files are, if they go together and are of this build, of the cell, and whole; a second time it must be the same.
func TestCellsOfOthersAreAccepted(t *testing.T) {
	cell := func(seed uint64) map[string][]byte {
		r := small()
		r.Case, r.Seed = "sweep", seed
		files, err := r.CellFiles()
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	spec := func() string { return small().Spec }
	f, err := opened(t, filepath.Join(t.TempDir(), "grid"), planned("ab"), false)
	if err == nil {
		err = errors.Join(f.ComputedBy(unchanged), f.Begin())
	}
	if err != nil {
		t.Fatal(err)
	}
	summary, err := f.Accept(0, spec, cell(1), false)
	if err != nil || summary.Seed != 1 || summary.Case != "sweep" {
		t.Fatalf("%+v, %v", summary, err)
	}
	if _, err := f.Accept(0, spec, cell(1), true); err != nil {
		t.Errorf("the same again: %v", err)
	}
	var differs *folder.DiffersError
	if _, err := f.Accept(0, spec, cell(2), true); !errors.As(err, &differs) || !errors.Is(err, folder.ErrDiffers) || differs.Cell != "a" || !strings.Contains(err.Error(), "summary.json") {
		t.Errorf("another: %v", err)
	}
	differs = &folder.DiffersError{Cell: "a", What: "x", Who: "w", Where: "d"}
	if got := differs.Error(); !strings.HasPrefix(got, "cell a was computed twice, and x, the second time by w (kept in d); ") {
		t.Error(got)
	}
	for name, change := range map[string]func(files map[string][]byte){
		"a file less":    func(files map[string][]byte) { delete(files, "summary.json") },
		"a file more":    func(files map[string][]byte) { files["other"] = nil },
		"another byte":   func(files map[string][]byte) { files["summary.json"] = append(bytes.Clone(files["summary.json"]), ' ') },
		"no manifest":    func(files map[string][]byte) { files["manifest.json"] = []byte("{}") },
		"a manifest cut": func(files map[string][]byte) { files["manifest.json"] = files["manifest.json"][:9] },
	} {
		files := cell(1)
		change(files)
		var unsound *folder.UnsoundError
		if _, err := f.Accept(1, spec, files, false); !errors.As(err, &unsound) || unsound.Cell != "b" || !strings.Contains(err.Error(), "cell b is not taken") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, x := range map[string]struct {
		spec   string
		change func(r *folder.Result)
	}{
		"of another spec": {"seed: 9\n", func(*folder.Result) {}}, "of another build": {spec(), func(r *folder.Result) { r.Build.Version = "other" }}, "stopped": {spec(), func(r *folder.Result) { r.Partial = true }},
		"of another case": {spec(), func(r *folder.Result) { r.Case = "other" }}, "of an input that is not planned": {spec(), func(r *folder.Result) { r.Inputs = map[string]string{"people.csv": "1"} }},
	} {
		r := small()
		r.Case = "sweep"
		x.change(r)
		files, err := r.CellFiles()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Accept(1, func() string { return x.spec }, files, false); !errors.As(err, new(*folder.UnsoundError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Angles and paths come back from files, and all of a trial from its state.
func TestAnglesAndPathsComeBack(t *testing.T) {
	want := small()
	path := &folder.Path{K: []int{0, 10}, People: []int{0, 2}, States: []float64{1, 2, 3, 4}, Decisions: []float64{0, 0, 1, 1}}
	last := &want.Runs[0].Trials[1]
	last.Path, last.Angles = path, []float64{30, 60, 90}
	want.Angles = &folder.Angles{Initial: []float64{1, 2, 3}, Optimal: []float64{4, 5, 6}, Final: map[string][]float64{"a": last.Angles}}
	got, err := folder.Open(t.Context(), sealed(t, want), folder.Verified)
	if err != nil || !reflect.DeepEqual(got.Angles, want.Angles) || !reflect.DeepEqual(got.Runs, want.Runs) {
		t.Errorf("%+v, %+v (%v) came back", got.Angles, got.Runs, err)
	}
	last.Seconds, last.Carried = 2.5, 7
	state, err := last.AppendBinary(nil)
	var back folder.Trial
	if err == nil {
		err = back.UnmarshalBinary(state)
	}
	if err != nil || !reflect.DeepEqual(back, *last) {
		t.Errorf("%+v came back as %+v (%v)", *last, back, err)
	}
}

// Who wrote a file, what a folder is about, and what parts are of.
func TestWhoseFilesAre(t *testing.T) {
	dir := sealed(t, small())
	put(t, dir, "mine")
	for name, want := range map[string]bool{"summary.json": true, "manifest.json": true, "mine": false, "none": false} {
		if m := folder.Owner(filepath.Join(dir, name)); (m != nil) != want {
			t.Errorf("%s is of %+v", name, m)
		}
	}
	if m := folder.Owner(filepath.Join(t.TempDir(), "summary.json")); m != nil {
		t.Errorf("of no result: %+v", m)
	}
	file := map[string]folder.File{folder.CompareFile: {}}
	for want, m := range map[string]folder.Manifest{
		"a run of x with seed 3": {Kind: folder.KindRun, Case: "x", Seed: 3}, "a comparison of x with seed 0": {Kind: folder.KindCompare, Case: "x", Files: file}, "a report of x": {Kind: folder.KindCompare, Case: "x"}, "a report of several folders": {Kind: folder.KindCompare},
	} {
		if got := m.About(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	a, b := sweepIn(t, filepath.Join(t.TempDir(), "a")), sweepIn(t, filepath.Join(t.TempDir(), "b"))
	if text, err := folder.CommonSweep([]string{a, b}, 1<<20); err != nil || string(text) != planned("ab").Spec {
		t.Errorf("%q, %v", text, err)
	}
	other := sweepOf(t, small())
	if _, err := folder.CommonSweep([]string{a, other}, 1<<20); err == nil || !strings.Contains(err.Error(), a+" and "+other+" are of different sweeps") {
		t.Errorf("of two sweeps: %v", err)
	}
	if _, err := folder.CommonSweep([]string{a}, 3); err == nil {
		t.Error("more is read than may be")
	}
	if _, err := folder.CommonSweep([]string{a, t.TempDir()}, 1<<20); err == nil || !strings.Contains(err.Error(), "holds no sweep") {
		t.Errorf("of an empty folder: %v", err)
	}
	if _, err := folder.Open(t.Context(), a, folder.Verified); err == nil || !strings.Contains(err.Error(), "holds a sweep, not a run") {
		t.Errorf("a sweep is opened as a run: %v", err)
	}
	if err := os.WriteFile(filepath.Join(a, "cells.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.OpenSweep(t.Context(), a, folder.Unverified); err == nil {
		t.Error("half of an index is read")
	}
	held := &folder.HeldError{Dir: "d", Holds: "h", Differs: "x", Other: "by name"}
	if got := held.Error(); got != "d holds h, and x; replace it with --overwrite, or choose another folder by name" {
		t.Error(got)
	}
	for name, want := range map[string]bool{folder.CheckpointRun: true, folder.CheckpointTrial + "7.bin": true, folder.CheckpointTrial + "7": false, "other.bin": false, "." + folder.CheckpointRun + "-draft": true} {
		if folder.IsCheckpointFile(name) != want {
			t.Errorf("%s is of a checkpoint: %v", name, !want)
		}
	}
}

package lab_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// People who change while a sweep runs: the next cell is refused, and what was finished is of one world.
func TestPeopleWhoChangeUnderASweepAreRefused(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "out")
	text := "base: polarized\nset: {iterations: 5, trials: 1, optimum.starts: 1, population: {size: 2, dim: 2, law: file, file: people.csv}}\nover:\n  hold: [1, 2, 3]\n"
	w, err := family.Parse(kind.Standard(), "grid.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	put(t, data, "people.csv", "1,0\n0,1\n")
	cells := 0
	o := lab.SweepOptions{Workers: 1, Files: os.DirFS(data), Runner: func(ctx context.Context, job lab.CellJob) (*folder.Result, error) {
		if cells++; cells == 2 {
			put(t, data, "people.csv", "1,0\n0,-1\n")
		}
		return lab.RunCell(ctx, job)
	}}
	for _, want := range []int{2, 2} { // and the same command again
		_, err = sweepIn(context.Background(), w, dir, o)
		var mixed *folder.MixedError
		if !errors.As(err, &mixed) || !strings.Contains(err.Error(), "people.csv held other bytes") || !strings.Contains(err.Error(), "--fresh") || cells != want {
			t.Errorf("after %d cells: %v", cells, err)
		}
	}
	if _, err := folder.ReadManifest(dir); !errors.Is(err, folder.ErrUnfinished) {
		t.Errorf("the sweep is sealed: %v", err)
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "cells", "*", "manifest.json")); len(list) != 1 {
		t.Errorf("the cells are %v", list)
	}
	o.Anew, o.Runner = true, nil
	r, err := sweepIn(context.Background(), w, dir, o)
	if err != nil || len(r.Cells) != 3 || r.Failed() > 0 {
		t.Errorf("anew: %v", err)
	}
}

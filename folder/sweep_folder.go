package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names in the folder of a sweep.
const (
	SweepFile    = "sweep.yaml" // the sweep
	cellsFolder  = "cells"
	indexFile    = "cells.json"
	tableFile    = "table.parquet"
	tableCSV     = "table.csv"
	failuresFile = "failures.json"
)

// ErrOtherBuild says that finished cells were made by a program whose bits may differ.
var ErrOtherBuild = errors.New("whose bits may differ; choose another folder with --out")

// SweepPlan is what the folder of a sweep must know of it: the result before anything has come out.
type SweepPlan struct {
	SweepResult
	SpecOf func(cell int) []byte // the spec of a cell, in YAML
}

// SweepReport writes what people read into the folder of a sweep.
type SweepReport func(dir string, r *SweepResult) error

// SweepFolder is the folder of a sweep, in the hands of this process.
type SweepFolder struct {
	dir   string
	plan  *SweepPlan
	lock  *Lock
	whole map[string]bool // cells of the sweep that are finished
	hurt  []string        // cells of the sweep that are there but not as they were written
	other []string        // finished cells that the sweep does not have
	build *Build          // that made the finished cells

	failed map[string]string // of a part to be merged: by cell, what it died of
}

// OpenSweepFolder takes a folder that is new or holds a sweep, and looks which cells are finished.
func OpenSweepFolder(dir string, w *SweepPlan) (*SweepFolder, error) {
	if err := errors.Join(KindSweep.Usable(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	l, err := Acquire(dir)
	if err != nil {
		return nil, err
	}
	f, err := surveyFolder(dir, w)
	if err != nil {
		l.Release()
		return nil, err
	}
	f.lock = l
	return f, nil
}

func (f *SweepFolder) path(name ...string) string {
	return filepath.Join(append([]string{f.dir}, name...)...)
}

// surveyFolder looks which cells of a sweep are finished in a folder. It changes nothing.
func surveyFolder(dir string, w *SweepPlan) (*SweepFolder, error) {
	f := &SweepFolder{dir: dir, plan: w, whole: map[string]bool{}}
	entries, err := os.ReadDir(f.path(cellsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = !strings.HasPrefix(e.Name(), ".")
	}
	for i, c := range f.plan.Cells {
		if !there[c.ID] {
			continue
		}
		there[c.ID] = false
		if err := f.look(i, c.ID); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if there[e.Name()] {
			f.other = append(f.other, e.Name())
		}
	}
	return f, nil
}

// look notes a cell that is finished, with the spec that the sweep gives it and the bytes that were written.
func (f *SweepFolder) look(cell int, id string) error {
	dir := f.path(cellsFolder, id)
	text, err := os.ReadFile(filepath.Join(dir, specFile))
	if err != nil || string(text) != string(f.plan.SpecOf(cell)) || !intact(dir) {
		f.hurt = append(f.hurt, id)
		return nil
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	if f.build == nil {
		f.build = &m.Build
	}
	if *f.build != m.Build {
		return fmt.Errorf("%s holds cells made by kedge %s and by kedge %s, %w", f.dir, *f.build, m.Build, ErrOtherBuild)
	}
	f.whole[id] = true
	return nil
}

// intact tells whether a sealed folder has the bytes that were written.
func intact(dir string) bool {
	list, err := Verify(dir)
	return err == nil && !slices.ContainsFunc(list, func(c Checked) bool { return c.Problem != "" })
}

// BuiltBy refuses finished cells that another build has made.
func (f *SweepFolder) BuiltBy(b Build) error {
	if f.build != nil && *f.build != b {
		return fmt.Errorf("%s holds cells made by kedge %s, this is kedge %s, %w", f.dir, *f.build, b, ErrOtherBuild)
	}
	f.build = &b
	return nil
}

// Begin marks the folder as unfinished, takes away what a new end will write and what dead processes left, and writes the
// sweep down. Finished cells that the sweep no longer has stay, unless they are to be pruned, but count as somebody else's.
func (f *SweepFolder) Begin(prune bool) error {
	var spared []string
	for _, id := range f.other {
		if !prune {
			spared = append(spared, filepath.Join(cellsFolder, id))
		}
	}
	err := errors.Join(KindSweep.begin(f.dir, "sweep", spared...), os.MkdirAll(f.path(cellsFolder), 0o755))
	if err != nil {
		return err
	}
	if prune {
		err, f.other = f.removeCells(f.other), nil
	}
	return errors.Join(err, f.sweepLeftovers(), Contents{SweepFile: asText(f.plan.Spec)}.Write(f.dir))
}

// sweepLeftovers removes the cells that dead processes had not finished.
func (f *SweepFolder) sweepLeftovers() error {
	entries, err := os.ReadDir(f.path(cellsFolder))
	var left []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			left = append(left, e.Name())
		}
	}
	return errors.Join(err, f.removeCells(left))
}

func (f *SweepFolder) removeCells(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.RemoveAll(f.path(cellsFolder, name)))
	}
	return errors.Join(errs...)
}

// put makes the folder of a cell beside its place and moves it there when it is sealed and on disk.
func (f *SweepFolder) put(id string, save func(dir string) error) error {
	draft, place := f.path(cellsFolder, "."+id+"-tmp"), f.path(cellsFolder, id)
	err := errors.Join(os.RemoveAll(draft), os.Mkdir(draft, 0o755))
	if err == nil {
		err = save(draft)
	}
	if err == nil {
		err = os.RemoveAll(place)
	}
	if err == nil {
		err = os.Rename(draft, place)
	}
	if err != nil {
		return fmt.Errorf("write cell %s: %w", id, err)
	}
	return Flush(f.path(cellsFolder))
}

// Finished tells whether a cell is there as it was written.
func (f *SweepFolder) Finished(id string) bool { return f.whole[id] }

// Put keeps the result of a cell.
func (f *SweepFolder) Put(id string, r *Result) error { return f.put(id, r.saveCell) }

// Close lets others have the folder.
func (f *SweepFolder) Close() { f.lock.Release() }

// saveCell writes and seals the folder of a cell.
func (r *Result) saveCell(dir string) error {
	data := Contents{specFile: asText(r.Spec), parquetFile: r.writeParquet, summaryFile: AsJSON(r.Summarize())}
	if err := data.Write(dir); err != nil {
		return err
	}
	return r.Seal(dir)
}

// Finish writes what came out of all cells and seals the folder.
func (f *SweepFolder) Finish(failed map[string]string, report SweepReport) (*SweepResult, error) {
	r, err := f.collect(failed)
	if err != nil {
		return nil, err
	}
	data := Contents{indexFile: AsJSON(r), tableFile: r.Table().WriteParquet, tableCSV: r.Table().WriteCSV}
	if failures := r.failures(); len(failures) > 0 {
		data[failuresFile] = AsJSON(failures)
	}
	if err = data.Write(f.dir); err == nil && report != nil {
		err = report(f.dir, r)
	}
	if err != nil {
		return nil, err
	}
	return r, Manifest{Kind: KindSweep, Case: r.Name, Seed: r.Seed, Spec: SweepFile, Build: r.Build}.Seal(f.dir)
}

// collect reads what every cell came to. Cells that are neither finished nor failed are left out.
func (f *SweepFolder) collect(failed map[string]string) (*SweepResult, error) {
	r := f.plan.SweepResult
	r.Cells, r.Build, r.Other = []CellResult{}, *f.build, f.other
	for _, cell := range f.plan.Cells {
		err := cell.read(f.dir, failed)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Cells = append(r.Cells, cell)
	}
	return &r, nil
}

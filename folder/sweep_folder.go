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

// SweepPlan is what the folder of a sweep must know of it.
type SweepPlan struct {
	Name  string
	Seed  uint64
	Text  []byte                // the sweep, in YAML
	Keys  []string              // the swept keys of the spec
	Cells []CellResult          // what there is to find out, without what came out
	Spec  func(cell int) []byte // the spec of a cell, in YAML
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

// surveyFolder looks which cells of a sweep are finished in a folder. It changes nothing.
func surveyFolder(dir string, w *SweepPlan) (*SweepFolder, error) {
	f := &SweepFolder{dir: dir, plan: w, whole: map[string]bool{}}
	return f, f.survey()
}

func (f *SweepFolder) path(name ...string) string {
	return filepath.Join(append([]string{f.dir}, name...)...)
}

// survey looks at every cell that is there.
func (f *SweepFolder) survey() error {
	entries, err := os.ReadDir(f.path(cellsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
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
			return err
		}
	}
	for _, e := range entries {
		if there[e.Name()] {
			f.other = append(f.other, e.Name())
		}
	}
	return nil
}

// look notes a cell that is finished, with the spec that the sweep gives it and the bytes that were written.
func (f *SweepFolder) look(cell int, id string) error {
	dir := f.path(cellsFolder, id)
	text, err := os.ReadFile(filepath.Join(dir, specFile))
	if err != nil || string(text) != string(f.plan.Spec(cell)) || !intact(dir) {
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
		err = f.prune()
	}
	return errors.Join(err, f.sweepLeftovers(), Contents{SweepFile: asText(string(f.plan.Text))}.Write(f.dir))
}

// sweepLeftovers removes the cells that dead processes had not finished.
func (f *SweepFolder) sweepLeftovers() error {
	entries, err := os.ReadDir(f.path(cellsFolder))
	errs := []error{err}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			errs = append(errs, os.RemoveAll(f.path(cellsFolder, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// prune removes the finished cells that the sweep no longer has.
func (f *SweepFolder) prune() error {
	var errs []error
	for _, id := range f.other {
		errs = append(errs, os.RemoveAll(f.path(cellsFolder, id)))
	}
	f.other = nil
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
	return Seal(dir, KindRun)
}

// Finish writes what came out of all cells and seals the folder.
func (f *SweepFolder) Finish(failed map[string]string, report SweepReport) (*SweepResult, error) {
	r, err := f.collect(failed)
	if err != nil {
		return nil, err
	}
	data := Contents{indexFile: AsJSON(r.index()), tableFile: r.Table().WriteParquet, tableCSV: r.Table().WriteCSV}
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
	w := f.plan
	r := &SweepResult{Name: w.Name, Seed: w.Seed, Spec: string(w.Text), Keys: w.Keys, Build: *f.build, Other: f.other}
	for _, cell := range w.Cells {
		if cell.Err = failed[cell.ID]; cell.Err == "" {
			s, err := readSummary(f.path(cellsFolder, cell.ID, summaryFile))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			cell.Summary = s
		}
		r.Cells = append(r.Cells, cell)
	}
	return r, nil
}

package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
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

// ErrOtherIdentity says that finished cells were computed with something else, so that the sweep would hold two worlds.
var ErrOtherIdentity = errors.New("cannot be mixed: begin anew with --fresh, or choose another folder with --out")

// SweepPlan is what the folder of a sweep must know of it: the result before anything has come out.
type SweepPlan struct {
	SweepResult
	Is func(cell int, spec []byte, inputs map[string]string) bool // whether a spec that was run with some inputs is that of a cell
	// Inputs are the files that the cells name, by SHA-256: what they hold is part of what a cell is.
	Inputs map[string]string
	// Replace lets it take the place of a finished sweep that has no cell in common with it.
	Replace bool
}

// SweepReport makes what people read of a sweep: files by name.
type SweepReport func(r *SweepResult) (map[string][]byte, error)

// SweepFolder is the folder of a sweep, in the hands of this process.
type SweepFolder struct {
	*Taken
	ctx   context.Context // once it is done, reading cells ends with its error
	plan  *SweepPlan
	whole map[string]bool // cells of the sweep that are finished
	hurt  []string        // cells of the sweep that are there but not as they were written
	other []string        // finished cells that the sweep does not have

	mu    sync.Mutex        // held while the following is used
	ident *Identity         // of the finished cells
	at    map[string]string // the folders of cells that are not in their places yet
}

// OpenSweepFolder looks which cells are finished in a folder that was taken for a sweep. To begin anew, none is. Cells are
// read until the context is done.
func OpenSweepFolder(ctx context.Context, c *Taken, w *SweepPlan, anew bool) (*SweepFolder, error) {
	if anew {
		if err := clearWaiting(c.dir, true); err != nil {
			return nil, err
		}
	}
	return surveyed(ctx, c, w, anew)
}

// LookIntoSweepFolder looks which cells are finished in a folder that nobody has taken, and changes nothing. It is nil where there is no folder.
func LookIntoSweepFolder(ctx context.Context, dir string, w *SweepPlan, anew bool) (*SweepFolder, error) {
	c, err := KindSweep.look(dir)
	if err != nil || c == nil {
		return nil, err
	}
	defer c.dir.Close()
	return surveyed(ctx, c, w, anew)
}

// surveyed is the folder of a sweep with the cells in their places and those that wait for theirs.
func surveyed(ctx context.Context, c *Taken, w *SweepPlan, anew bool) (*SweepFolder, error) {
	f := &SweepFolder{Taken: c, ctx: ctx, plan: w, whole: map[string]bool{}, at: map[string]string{}}
	waiting, err := f.dir.List(waitingFolder)
	for _, e := range waiting {
		f.at[e.Name()] = path.Join(waitingFolder, e.Name())
	}
	return f, errors.Join(err, f.survey(anew))
}

// survey looks which cells of a sweep are finished in a folder. It changes nothing.
func (f *SweepFolder) survey(anew bool) error {
	entries, err := f.dir.List(cellsFolder)
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = e.IsDir() && isCellName(e.Name())
	}
	for i, c := range f.plan.Cells {
		isThere := there[c.ID] || f.at[c.ID] != ""
		delete(there, c.ID)
		if !isThere || anew {
			continue
		}
		if err := f.look(i, c.ID); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(there)) {
		delete(f.at, id)
		if _, err := f.cell(id); err == nil && there[id] {
			f.other = append(f.other, id)
		}
	}
	return err
}

// cell is the folder of a cell.
func (f *SweepFolder) cell(id string) (*Sealed, error) {
	s, err := sealedIn(f.ctx, f.dir, f.where(id), Verified)
	if err == nil && s.Kind != KindRun {
		err = fmt.Errorf("%s holds a %s, not a cell", f.dir.Path(s.at), s.Kind)
	}
	return s, err
}

// where is the folder of a cell.
func (f *SweepFolder) where(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.at[id], path.Join(cellsFolder, id))
}

// keep notes where the folder of a cell is, or will be: in its place unless the sealed sweep has a cell there, which holds until this one is
// committed.
func (f *SweepFolder) keep(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.at, id)
	place := path.Join(cellsFolder, id)
	if f.owns(path.Join(place, manifestFile)) {
		place = path.Join(waitingFolder, id)
		f.at[id] = place
	}
	return place
}

// look notes a cell that is finished, with the spec that the sweep gives it and the bytes that were written.
func (f *SweepFolder) look(cell int, id string) error {
	m := f.finished(cell, id)
	if m == nil && f.at[id] != "" { // that one was of another sweep
		delete(f.at, id)
		m = f.finished(cell, id)
	}
	if err := f.ctx.Err(); err != nil {
		return err // which may be why it does not look finished
	}
	if m == nil {
		f.hurt = append(f.hurt, id)
		return nil
	}
	if err := f.agrees(m.Identity, "cell "+id); err != nil {
		return err
	}
	f.whole[id] = true
	return nil
}

// finished is the manifest of a cell with the right spec and all its bytes; nil if it is not there.
func (f *SweepFolder) finished(cell int, id string) *Manifest {
	s, err := f.cell(id)
	if err != nil {
		return nil
	}
	if text, err := s.readText(specFile, largestSummary); err != nil || !f.plan.Is(cell, text, s.Inputs) || !s.intact() {
		return nil
	}
	return s.Manifest
}

// agrees wants the identity of the cells that are there, and takes one's inputs into account.
func (f *SweepFolder) agrees(id Identity, whose string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ident == nil {
		id.Inputs = maps.Clone(id.Inputs)
		f.ident = &id
		return nil
	}
	if list := id.Differs(*f.ident); len(list) > 0 {
		return &MixedError{Dir: f.Dir(), Whose: whose, Differs: list}
	}
	if f.ident.Inputs == nil {
		f.ident.Inputs = map[string]string{}
	}
	maps.Copy(f.ident.Inputs, id.Inputs)
	return nil
}

// MixedError says that results of different origins would be mixed.
type MixedError struct {
	Dir     string
	Whose   string   // what is different from the cells that are there
	Differs []string // what is different, in words
}

func (e *MixedError) Error() string {
	return fmt.Sprintf("%s holds cells of another origin than %s: %s; they %v", e.Dir, e.Whose, strings.Join(e.Differs, ", "), ErrOtherIdentity)
}

func (e *MixedError) Unwrap() error { return ErrOtherIdentity }

// HeldError says that a folder holds a result that another one would replace.
type HeldError struct {
	Dir     string
	Holds   string // what it is
	Differs string // in what it is another
	Other   string // how another folder is named, "" means with --out
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s holds %s, and %s; replace it with --overwrite, or choose another folder %s", e.Dir, e.Holds, e.Differs, cmp.Or(e.Other, "with --out"))
}

// Spares refuses a folder whose finished sweep has cells, but none of this one: nothing of it would be left. Sweeps that grow or shrink keep
// what they have in common.
func (f *SweepFolder) Spares() error {
	if f.plan.Replace || f.old == nil || len(f.whole) > 0 || !slices.ContainsFunc(slices.Collect(maps.Keys(f.old.Files)), func(name string) bool { return path.Dir(name) != "." }) {
		return nil
	}
	return &HeldError{Dir: f.Dir(), Holds: f.old.About(), Differs: "none of its cells is one of this sweep"}
}

// ComputedBy refuses finished cells that another program has made, or that were made of other inputs: sum hashes those as they are now.
func (f *SweepFolder) ComputedBy(sum func(input string) (string, error)) error {
	now := CurrentIdentity(nil)
	if f.ident != nil && len(f.plan.Inputs) == 0 {
		for name := range f.ident.Inputs {
			is, err := sum(name)
			if errors.Is(err, fs.ErrNotExist) {
				is = "missing"
			} else if err != nil {
				return err
			}
			now.Inputs[name] = is
		}
	}
	return f.agrees(now, "what this command would compute")
}

// Begin marks the folder as one in which a sweep is growing.
func (f *SweepFolder) Begin() error {
	err := errors.Join(f.begin(), f.dir.Make(cellsFolder), f.dir.Sync("."))
	if err == nil && f.old != nil {
		err = errors.Join(f.dir.Make(waitingFolder), f.dir.Sync(ownFolder))
	}
	return err
}

// Finished tells whether a cell is there as it was written.
func (f *SweepFolder) Finished(id string) bool { return f.whole[id] }

// Put keeps the result of a cell. It must be of the same origin as the others.
func (f *SweepFolder) Put(id string, r *Result) error {
	for name, sum := range r.Inputs {
		if planned := f.plan.Inputs[name]; planned != "" && planned != sum {
			return &MixedError{Dir: f.Dir(), Whose: "cell " + id, Differs: []string{fmt.Sprintf("%s was changed while the sweep ran (SHA-256 %.12s, now %.12s)", name, planned, sum)}}
		}
	}
	if err := f.agrees(r.Identity, "cell "+id); err != nil {
		return err
	}
	m, data := r.cell()
	return f.put(id, m, data)
}

// put makes the folder of a cell beside its place and moves it there when it is sealed and on disk.
func (f *SweepFolder) put(id string, m *Manifest, data Contents) error {
	draft, place := draftFolder+id, f.keep(id)
	err := f.dir.Make(draft)
	if err == nil {
		err = clearFolder(f.dir, path.Join(waitingFolder, id))
	}
	if err == nil {
		err = seal(f.dir, draft, m, data)
	}
	if err == nil {
		err = moveCell(f.dir, draft, place, m)
	}
	if err != nil {
		return fmt.Errorf("write cell %s: %w", id, err)
	}
	return f.dir.Sync(path.Dir(place))
}

// Finish writes what came out of all cells and seals the folder. Finished cells that the sweep no longer has stay, unless they are to be
// pruned, but are not listed.
func (f *SweepFolder) Finish(failed map[string]string, prune bool, report SweepReport) (*SweepResult, error) {
	var gone []string
	if prune {
		gone, f.other = f.other, nil
	}
	r, err := f.finish(failed, report)
	for _, id := range gone {
		if err == nil {
			err = f.removeCell(id)
		}
	}
	return r, err
}

func (f *SweepFolder) finish(failed map[string]string, report SweepReport) (*SweepResult, error) {
	r, kept, err := f.collect(failed)
	if err != nil {
		return nil, err
	}
	data := Contents{SweepFile: asText(f.plan.Spec), indexFile: r.writeIndex, tableFile: r.Table().WriteParquet, tableCSV: r.Table().WriteCSV}
	if r.Failed() > 0 {
		data[failuresFile] = r.writeFailures
	}
	if report != nil {
		pages, err := report(r)
		if err != nil {
			return nil, err
		}
		data = data.With(pages)
	}
	if err := f.Commit(Manifest{Case: r.Name, Seed: r.Seed, Spec: SweepFile, Identity: *f.ident}, data, kept); err != nil {
		return r, err
	}
	clear(f.at) // all are in their places
	return r, clearWaiting(f.dir, true)
}

// collect reads what every cell came to, and the checksums of their manifests. Cells that are neither finished nor failed are left out.
func (f *SweepFolder) collect(failed map[string]string) (*SweepResult, map[string]File, error) {
	r, kept := f.plan.SweepResult, map[string]File{}
	r.Cells, r.Build, r.Other = []CellResult{}, f.ident.Build, f.other
	for _, cell := range f.plan.Cells {
		if cell.Err = failed[cell.ID]; cell.Err == "" {
			sum, summary, err := f.collectCell(cell.ID)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			kept[path.Join(cellsFolder, cell.ID, manifestFile)], cell.Summary = sum, summary
		}
		r.Cells = append(r.Cells, cell)
	}
	return &r, kept, nil
}

func (f *SweepFolder) collectCell(id string) (sum File, summary *Summary, err error) {
	name := path.Join(f.where(id), manifestFile)
	text, err := readAll(f.dir, name, largestManifest)
	if err != nil {
		return sum, nil, err
	}
	m, err := manifestIn(f.dir, name, text)
	if err != nil {
		return sum, nil, err
	}
	summary, err = (&Sealed{Manifest: m, ctx: f.ctx, dir: f.dir, at: path.Dir(name)}).readSummary()
	return sumOfText(text), summary, err
}

// removeCell removes the folder of a finished cell, but nothing in it that its manifest does not name. A folder that holds nothing else
// becomes kedge's own first, so that it goes even if the process dies.
func (f *SweepFolder) removeCell(id string) error {
	s, err := f.cell(id)
	if err != nil {
		return err
	}
	place, draft := path.Join(cellsFolder, id), draftFolder+id
	entries, err := f.dir.List(place)
	isStrange := func(e fs.DirEntry) bool { return !s.covers(e.Name()) || !e.Type().IsRegular() }
	if err == nil && !slices.ContainsFunc(entries, isStrange) {
		return errors.Join(f.dir.Rename(place, draft), clearFolder(f.dir, draft))
	}
	for name := range s.Files {
		err = errors.Join(err, removePlain(f.dir, path.Join(place, name)))
	}
	return errors.Join(err, removePlain(f.dir, path.Join(place, manifestFile)))
}

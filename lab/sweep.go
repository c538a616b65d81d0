package lab

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
)

// SweepOptions say how a sweep is run. But for the cells that a shard leaves out, they never change what comes out.
type SweepOptions struct {
	Workers  int                // goroutines that compute: cells first, spare ones within the last cells; 0 means one a core
	Shard    Shard              // the part of the cells to run
	Prune    bool               // remove finished cells that the sweep no longer has
	Anew     bool               // compute finished cells again
	Replace  bool               // take the place of a finished sweep that has no cell in common with this one
	Files    fs.FS              // what specs name
	Progress *SweepProgress     // watched by someone else, or nil
	Runner   Runner             // runs the cells; nil means RunCell
	Report   folder.SweepReport // adds to the folder before it is sealed, unless it is nil
	// Before is told which cells are to be computed before the first is, and can end it all with an error; or nil.
	Before func(left []family.Cell) error
}

// Shard is part Index, from 1, of the Of parts of a sweep: every Of-th cell. The zero value is all of it.
type Shard struct{ Index, Of int }

// has tells whether cell i belongs to the shard.
func (s Shard) has(i int) bool { return s.Of == 0 || i%s.Of == s.Index-1 }

// Sweep runs the cells of a sweep, or of its shard, that are not finished in a folder that was taken for it, and writes what came out of
// all of them. A cell is there whole or not at all, so a sweep that was stopped in whatever way goes on where it was and ends with
// the bytes of one that was not. A cell that fails leaves the others alone; the result says what it died of. When the context
// ends first, the error is the context's and the finished cells stay.
func Sweep(ctx context.Context, w *family.Sweep, c *folder.Taken, o SweepOptions) (*folder.SweepResult, error) {
	r, err := BeginSweep(ctx, w, c, o)
	if err != nil {
		return nil, err
	}
	if err := forEach(ctx, min(r.Workers, len(r.cells)), r.cells, r.do); err != nil {
		return nil, err
	}
	return r.Conclude(ctx)
}

// BeginSweep begins a sweep in a folder that was taken for it. Whoever computes the cells that are Left has them Received, or Failed, and Concludes.
func BeginSweep(ctx context.Context, w *family.Sweep, c *folder.Taken, o SweepOptions) (*SweepRun, error) {
	f, err := folder.OpenSweepFolder(ctx, c, o.plan(w), o.Anew)
	if err != nil {
		return nil, err
	}
	if err := o.admits(ctx, f); err != nil {
		return nil, err
	}
	r := newSweepRun(w, f, o)
	if o.Before != nil {
		if err := o.Before(r.cells); err != nil {
			return nil, err
		}
	}
	return r, f.Begin()
}

// LeftOfSweep is what Sweep would compute in a folder, which it neither takes nor changes: the cells of the shard that are not finished.
func LeftOfSweep(ctx context.Context, w *family.Sweep, dir string, o SweepOptions) ([]family.Cell, error) {
	f, err := folder.LookIntoSweepFolder(ctx, dir, o.plan(w), o.Anew)
	if err == nil && f != nil {
		err = o.admits(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	left, _ := o.left(w, f)
	return left, nil
}

func (o SweepOptions) plan(w *family.Sweep) *folder.SweepPlan {
	p := planOf(w)
	p.Replace = o.Replace || o.Anew
	return p
}

// admits refuses a folder whose result would be lost, or whose cells are of another origin.
func (o SweepOptions) admits(ctx context.Context, f *folder.SweepFolder) error {
	if err := f.Spares(); err != nil {
		return err
	}
	return f.ComputedBy(func(name string) (string, error) { return problem.InputSum(ctx, o.Files, name) })
}

// left are the cells of the shard that are not finished, and how many are, of all.
func (o SweepOptions) left(w *family.Sweep, f *folder.SweepFolder) (cells []family.Cell, kept int) {
	for i, c := range w.Cells {
		switch {
		case f != nil && f.Finished(c.ID):
			kept++
		case o.Shard.has(i):
			cells = append(cells, c)
		}
	}
	return cells, kept
}

// SweepRun is a sweep at work.
type SweepRun struct {
	SweepOptions
	sweep  *family.Sweep
	folder *folder.SweepFolder
	cells  []family.Cell // to run
	open   atomic.Int64  // cells that are not done

	mu     sync.Mutex
	failed map[string]string // by cell, what it died of
	done   map[string]bool   // cells that were received
}

func newSweepRun(w *family.Sweep, f *folder.SweepFolder, o SweepOptions) *SweepRun {
	r := &SweepRun{SweepOptions: o, sweep: w, folder: f, failed: map[string]string{}, done: map[string]bool{}}
	r.Progress = cmp.Or(r.Progress, new(SweepProgress))
	if r.Runner == nil {
		r.Runner = RunCell
	}
	r.Workers = crew.Workers(r.Workers)
	kept := 0
	r.cells, kept = o.left(w, f)
	r.open.Store(int64(len(r.cells)))
	r.Progress.begin(kept, len(r.cells))
	return r
}

// do runs one cell. What fails in the cell is the cell's own; what fails in writing it stops the sweep.
func (r *SweepRun) do(ctx context.Context, c family.Cell) error {
	turns := r.Progress.enter(c)
	defer r.open.Add(-1)
	result, err := r.run(ctx, c, turns)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cell := resultOf(c)
	if err != nil {
		cell.Err = err.Error()
		r.mu.Lock()
		r.failed[c.ID] = cell.Err
		r.mu.Unlock()
	} else {
		cell.Summary = result.Summarize()
		if err := r.folder.Put(c.ID, result); err != nil {
			return err
		}
	}
	r.Progress.leave(cell)
	return nil
}

// run has a cell run, with more than one worker when there are fewer cells than workers.
func (r *SweepRun) run(ctx context.Context, c family.Cell, turns *Progress) (*folder.Result, error) {
	result, err := r.Runner(ctx, CellJob{
		Sweep: r.sweep.Name, Cell: c, Spec: r.sweep.Spec(c), Files: r.Files, Workers: max(1, r.Workers/int(r.open.Load())), Progress: turns,
	})
	if err == nil && result.Partial {
		err = errors.New("stopped")
	}
	return result, err
}

package lab

import (
	"context"
	"errors"
	"io/fs"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/form"
)

// CellJob is one cell of a sweep to be run.
type CellJob struct {
	Sweep    string // the name of the sweep
	Cell     family.Cell
	Spec     *problem.Spec // all that the result depends on, but for files
	Files    fs.FS         // what the spec names; may be nil
	Workers  int           // goroutines that it may use; 0 means one a core
	Progress *Progress     // where it counts its turns
}

// Runner runs one cell of a sweep and returns what came out of it. Several are at work at once. Whatever it does to run a cell, in
// this process or elsewhere, the result must be that of RunCell, bit for bit, on the build that the sweep is run with: the folder
// promises it. An error is what the cell dies of, and the same from wherever the sweep is run; when the context ends it does not
// count.
type Runner func(ctx context.Context, job CellJob) (*folder.Result, error)

// RunCell runs a cell in this process.
func RunCell(ctx context.Context, job CellJob) (*folder.Result, error) {
	p, err := problem.BuildWithin(ctx, job.Sweep, job.Spec, job.Files)
	if place := (*form.Mistake)(nil); errors.As(err, &place) {
		return nil, errors.New(place.Msg) // the same from whatever file the sweep was read
	}
	if err != nil {
		return nil, err
	}
	result, err := Execute(ctx, p, Options{Workers: job.Workers, Progress: job.Progress})
	if err != nil && job.Workers != 1 && ctx.Err() == nil {
		// Of several trials that fail, one worker always meets the same first.
		result, err = Execute(ctx, p, Options{Workers: 1, Progress: new(Progress)})
	}
	return result, err
}

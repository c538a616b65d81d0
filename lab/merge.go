package lab

import (
	"context"
	"path/filepath"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// MergeOptions say how parts of a sweep are joined.
type MergeOptions struct {
	Replace bool               // take the place of a finished sweep that has no cell in common with this one
	Report  folder.SweepReport // adds to the folder before it is sealed, unless it is nil
}

// Merge joins the folders of shards, or of any parts, of one sweep, as folder.Merge does. Its specs can
// name the given kinds.
func Merge(ctx context.Context, kinds *kind.Catalogue, c *folder.Taken, parts []string, o MergeOptions) (*folder.SweepResult, error) {
	text, err := folder.CommonSweep(parts, problem.MaxSize)
	if err != nil {
		return nil, err
	}
	w, err := family.Parse(kinds, filepath.Join(parts[0], folder.SweepFile), text, nil)
	if err != nil {
		return nil, err
	}
	p := planOf(w)
	p.Replace = o.Replace
	return folder.Merge(ctx, c, parts, p, o.Report)
}

// planOf is what the folder of a sweep must know of it.
func planOf(w *family.Sweep) *folder.SweepPlan {
	p := &folder.SweepPlan{SweepResult: folder.SweepResult{Name: w.Name, Seed: w.Seed, Spec: string(w.YAML()), Keys: w.Keys}}
	p.Inputs = w.Inputs
	p.Is = func(cell int, spec []byte, inputs map[string]string) bool { return w.Is(w.Cells[cell], spec, inputs) }
	p.Cells = lists.Of(w.Cells, resultOf)
	return p
}

// resultOf is what a cell is known by in the folder of its sweep, with no result yet.
func resultOf(c family.Cell) folder.CellResult {
	return folder.CellResult{ID: c.ID, Values: c.Values, Numbers: c.Numbers}
}

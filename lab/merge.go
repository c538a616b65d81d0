package lab

import (
	"context"
	"path/filepath"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Merge joins the folders of shards, or of any parts, of one sweep, as folder.Merge does. Its specs can
// name the given kinds.
func Merge(ctx context.Context, kinds *kind.Catalogue, c *folder.Taken, parts []string, report folder.SweepReport) (*folder.SweepResult, error) {
	text, err := folder.CommonSweep(parts, problem.MaxSize)
	if err != nil {
		return nil, err
	}
	w, err := problem.ParseSweep(kinds, filepath.Join(parts[0], folder.SweepFile), text, nil)
	if err != nil {
		return nil, err
	}
	return folder.Merge(ctx, c, parts, planOf(w), report)
}

// planOf is what the folder of a sweep must know of it.
func planOf(w *problem.Sweep) *folder.SweepPlan {
	p := &folder.SweepPlan{SweepResult: folder.SweepResult{Name: w.Name, Seed: w.Seed, Spec: string(w.YAML()), Keys: w.Keys}}
	p.Inputs = w.Inputs
	p.Is = func(cell int, spec []byte, inputs map[string]string) bool { return w.Is(w.Cells[cell], spec, inputs) }
	for _, c := range w.Cells {
		p.Cells = append(p.Cells, folder.CellResult{ID: c.ID, Values: c.Values, Numbers: c.Numbers})
	}
	return p
}

package lab

import (
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
)

const (
	mostSnapshots = 100     // after the first
	mostPath      = 1 << 21 // numbers of a path, whatever the dimension
)

// walk records a path while a trial runs.
type walk struct {
	of   *attempt
	path *folder.Path
	due  []int // snapshots still to be taken
}

// walk returns the recorder of a trial's path, which may have been begun by an earlier process. The path of the last trial alone is kept, and none of states so long that a
// single one would be too much.
func (r *run) walk(a *attempt, last bool) *walk {
	slot := a.slot
	dim := r.problem.Spec.Dims()
	n := min(r.problem.Spec.Record.Paths, mostPath/mostSnapshots/dim.State)
	if !last || n == 0 {
		return &walk{}
	}
	if slot.Path == nil {
		slot.Path = &folder.Path{People: r.problem.Some(n)}
	}
	due := snapshots(r.result.Iterations, min(mostSnapshots, mostPath/(n*dim.State+dim.Decision)))
	return &walk{a, slot.Path, due[min(len(due), len(slot.Path.K)):]}
}

// snapshots lists at most n + 1 turns, the first and the last among them. They lie closest at first, where most happens:
// the i-th is ⌈turns·(i/n)²⌉.
func snapshots(turns, n int) []int {
	due := make([]int, n+1)
	for i := range due {
		due[i] = (turns*i*i + n*n - 1) / (n * n)
	}
	return slices.Compact(due)
}

// see takes a snapshot before turn k if one is due.
func (w *walk) see(k int) {
	if len(w.due) == 0 || k < w.due[0] {
		return
	}
	w.due = w.due[1:]
	w.path.K = append(w.path.K, k)
	w.path.States = append(w.path.States, w.of.trial.States(w.path.People)...)
	u := make([]float64, w.of.trial.People.Dims().Decision)
	loop.Center(w.of.rule)(u)
	w.path.Decisions = append(w.path.Decisions, u...)
}

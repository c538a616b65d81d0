package lab_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
)

// lastPath returns the path of an algorithm's last trial and checks that the others have none.
func lastPath(t *testing.T, run *folder.Run) *folder.Path {
	t.Helper()
	n := len(run.Trials)
	for _, trial := range run.Trials[:n-1] {
		if trial.Path != nil {
			t.Errorf("%s keeps the path of trial %d", run.Name, trial.Index)
		}
	}
	return run.Trials[n-1].Path
}

// A path begins where the population does and ends with the final decision; all of it is the same on any number of workers.
func TestPathsGoFromTheStartToTheEnd(t *testing.T) {
	for name, sets := range map[string][]string{
		"polarized": append(small, "record.paths=7"),
		"lq2":       {"iterations=2000", "trials=2"},
		"choice":    {"population.dim=9", "iterations=3", "trials=2", "set.sum=20", "optimum.starts=1"},
	} {
		p := build(t, name, sets...)
		r, other := execute(t, p, lab.Options{Workers: 1}), execute(t, build(t, name, sets...), lab.Options{Workers: 3})
		for i := range r.Runs {
			path := lastPath(t, &r.Runs[i])
			if !reflect.DeepEqual(path, lastPath(t, &other.Runs[i])) {
				t.Errorf("%s, %s: other workers, another path", name, r.Runs[i].Name)
			}
			checkPath(t, path, r.Iterations)
			first, _ := p.First(path.People)
			if !slices.Equal(path.States[:len(first)], first) || !slices.Equal(path.Decisions[:len(p.Start)], p.Start) {
				t.Errorf("%s, %s: the path does not begin at the start", name, r.Runs[i].Name)
			}
			end := r.Runs[i].Trials[len(r.Runs[i].Trials)-1].Decision
			if !slices.Equal(path.Decisions[len(path.Decisions)-len(end):], end) {
				t.Errorf("%s, %s: the path does not end with the last decision", name, r.Runs[i].Name)
			}
		}
	}
}

func checkPath(t *testing.T, path *folder.Path, turns int) {
	t.Helper()
	n := len(path.K)
	if path.K[0] != 0 || path.K[n-1] != turns || n > 101 || !slices.IsSorted(path.K) || len(slices.Compact(slices.Clone(path.K))) != n {
		t.Errorf("snapshots at %v of %d turns", path.K, turns)
	}
	if len(path.States)%(n*len(path.People)) != 0 || len(path.Decisions)%n != 0 {
		t.Errorf("%d numbers for %d snapshots of %d people", len(path.States), n, len(path.People))
	}
}

// Keeping paths changes nothing else.
func TestPathsAreOnlyWatched(t *testing.T) {
	with, without := seriesOf(t, "polarized", 2, small...), seriesOf(t, "polarized", 2, append(small, "record.paths=0")...)
	if !bytes.Equal(with, without) {
		t.Error("a run whose paths are kept gives other bytes")
	}
	if r := execute(t, build(t, "lq2", "iterations=20", "record.paths=0"), lab.Options{}); lastPath(t, &r.Runs[0]) != nil {
		t.Error("record.paths 0 keeps a path")
	}
}

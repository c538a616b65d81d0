package lab_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// liveProblems are cases and examples, made small.
func liveProblems(t *testing.T) map[string]*problem.Problem {
	all := map[string]*problem.Problem{
		"polarized": build(t, "polarized", append(small, "record.paths=7")...),
		"choice":    build(t, "choice", variants()["choice"]...),
		"lq2":       build(t, "lq2", "iterations=50", "trials=3"),
	}
	for name, sets := range map[string][]string{
		"learned-polarized": {"iterations=300", "population.size=60", "trials=2"},
		"constraints":       {"iterations=60", "population.size=60", "trials=2"},
		"pricing":           {"iterations=60", "population.size=60", "trials=2"},
	} {
		src, err := os.ReadFile("../examples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var over []problem.Overlay
		for _, s := range sets {
			over = append(over, problem.Assign(s))
		}
		s, err := problem.Parse(kind.Standard(), name, src, over...)
		if err != nil {
			t.Fatal(err)
		}
		if all[name], err = problem.Build(name, s, nil); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// outside is a rule that the laboratory knows nothing of but that it decides.
type outside struct{ of *problem.Live }

func (o outside) Ask(dst []float64)              { o.of.Algorithm.Ask(dst) }
func (o outside) Tell(x kedge.Observation) error { return o.of.Algorithm.Tell(x) }
func (o outside) Center(dst []float64)           { o.of.Algorithm.Center(dst) }

// Rules that were built without anybody, driven from outside, leave the folders of ordinary runs: bit for bit, but times.json.
func TestDecidersFromOutsideLeaveTheSameFolder(t *testing.T) {
	evidence.OneGoroutine(t)
	for name, p := range liveProblems(t) {
		if testing.Short() && name != "constraints" {
			continue // others of its kind run
		}
		live := func(bare bool) func(a, k int) (kedge.Algorithm, error) {
			return func(a, k int) (kedge.Algorithm, error) {
				l, err := problem.BuildLive(p.Spec, a, k, nil)
				if err != nil || !bare {
					return l.Algorithm, err
				}
				return outside{l}, nil
			}
		}
		want := filepath.Join(t.TempDir(), "own")
		seal(t, execute(t, p, lab.Options{Workers: 1}), want)
		bare := name != "constraints" && name != "learned-polarized" // where trust and multipliers are measured of who decides
		got := filepath.Join(t.TempDir(), "outside")
		seal(t, execute(t, p, lab.Options{Workers: 2, Decide: live(bare)}), got)
		if !reflect.DeepEqual(contents(t, want), contents(t, got)) {
			t.Errorf("%s: a rule from outside leaves another folder", name)
		}
	}
}

// Another decider leaves another folder, a nil one that of the algorithm, and its errors end the run.
func TestDecide(t *testing.T) {
	p := build(t, "lq2", "iterations=20", "trials=2")
	folderOf := func(decide func(a, k int) (kedge.Algorithm, error)) map[string]string {
		dir := filepath.Join(t.TempDir(), "out")
		seal(t, execute(t, p, lab.Options{Workers: 1, Decide: decide}), dir)
		return contents(t, dir)
	}
	own := folderOf(nil)
	if !reflect.DeepEqual(own, folderOf(func(int, int) (kedge.Algorithm, error) { return nil, nil })) {
		t.Error("nobody decides otherwise, but the folder is another")
	}
	if reflect.DeepEqual(own["series.csv"], folderOf(func(int, int) (kedge.Algorithm, error) { return still{}, nil })["series.csv"]) {
		t.Error("a decider that stands still leaves the same series")
	}
	wrong := errors.New("no decider")
	if _, err := lab.Execute(t.Context(), p, lab.Options{Decide: func(int, int) (kedge.Algorithm, error) { return nil, wrong }}); !errors.Is(err, wrong) {
		t.Errorf("a decider that cannot be made gives %v", err)
	}
	_, err := executeIn(t.Context(), p, lab.Options{Decide: func(int, int) (kedge.Algorithm, error) { return still{}, nil }}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "cannot be saved") {
		t.Errorf("a checkpoint of a decider without a state gives %v", err)
	}
}

// still always decides 0.
type still struct{}

func (still) Ask(dst []float64)            { clear(dst) }
func (still) Tell(kedge.Observation) error { return nil }

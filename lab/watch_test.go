package lab_test

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
)

// Who watches sees the means of what is recorded, and the same comes out as if nobody did.
func TestWatch(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "watched", Text: "trials that end elsewhere when somebody watches"})
	var w lab.Watch
	if w.Methods() != nil {
		t.Error("there are methods before a run")
	}
	watched := execute(t, build(t, "polarized", small...), lab.Options{Watch: &w, Workers: 4})
	alone := execute(t, build(t, "polarized", small...), lab.Options{})
	for a, m := range w.Methods() {
		one := watched.Runs[a]
		if m.Name != one.Name || m.Done() != 5*40 || m.Share() != 1 {
			t.Errorf("%s has done %d turns, a share of %v; want all 200 of %s", m.Name, m.Done(), m.Share(), one.Name)
		}
		for i, g := range m.Gaps() {
			mean := 0.0
			for _, trial := range one.Trials {
				mean += trial.Of("gap")[i] / 5
			}
			if math.Abs(g.Mean-mean) > 1e-14 || math.Abs(g.Turn-float64(one.Trials[0].K[i])) > 0.1 {
				t.Errorf("%s: gap %v at turn %v, want %v at %d", m.Name, g.Mean, g.Turn, mean, one.Trials[0].K[i])
			}
		}
		for i := range one.Trials {
			same.Case(reflect.DeepEqual(one.Trials[i].Decision, alone.Runs[a].Trials[i].Decision), "%s, trial %d ends elsewhere when it is watched", m.Name, i)
		}
		if got, want := len(m.Gaps()), len(one.Trials[0].K); got != want {
			t.Errorf("%s has %d gaps, want %d", m.Name, got, want)
		}
	}
}

// Who watches a run that goes on sees what earlier processes did of it, as if they had watched those.
func TestWatchesSeeWhatWasDoneBefore(t *testing.T) {
	p := build(t, "lq2", "iterations=20", "record.every=5", "optimum.starts=1", "algorithms=[{name: one, kind: composite, step: 0.1, trials: 2}]")
	dir := filepath.Join(t.TempDir(), "out")
	first, again := new(lab.Watch), new(lab.Watch)
	for _, w := range []*lab.Watch{first, again} {
		if _, err := executeIn(t.Context(), p, lab.Options{Workers: 1, Watch: w, Checkpoint: lab.Checkpoint{Every: time.Hour}}, dir); err != nil {
			t.Fatal(err)
		}
	}
	a, b := first.Methods()[0], again.Methods()[0]
	if b.Done() != 40 || b.Share() != 1 || len(b.Gaps()) != 5 || !slices.Equal(a.Gaps(), b.Gaps()) {
		t.Errorf("%d turns, %v; at first %d, %v", b.Done(), b.Gaps(), a.Done(), a.Gaps())
	}
}

package lab_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/lab"
)

// restless is a crowd in which everything changes by itself.
var restless = []string{
	"population.size=16", "population.dim=4", "iterations=16", "trials=2", "optimum={starts: 1, tolerance: 1e-6}", "record.every=4", "record.paths=0", "record.decisions=true", "record.traits=true",
	"population.drift={rate: [0.001, 0, 0, 0], walk: 0.01, swing: [0, 0.2, 0, 0], period: 25}", "population.churn=0.02",
	"dynamics={kind: polarized, lambda: 0.4, sigma: 0.3, noise: 0.02, coupling: 0.2, heterogeneity: {lambda: [0.3, 0.5], sigma: [0.2, 0.4]}}",
	"algorithms=[{name: vanilla, step: 0.05, batch: 20}, {name: composite, step: 0.05, batch: 20}, {name: derivative-free, step: 0.01, batch: 20, delta: 0.1}]",
}

// many is a crowd large enough for several workers to move it together.
var many = []string{
	fmt.Sprintf("population.size=%d", 2*crew.Grain/20+1), "iterations=2", "trials=1", "optimum={starts: 1, tolerance: 1e-2}",
	"population.drift={walk: 0.01}", "population.churn=0.001", "dynamics.noise=0.01",
	"algorithms=[{name: composite, step: 0.1, batch: 50}]",
}

func TestRestlessRunsGiveTheSameBytesOnAnyWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long; others of its kind run")
	}
	for what, sets := range map[string][]string{"restless": restless, "many": many} {
		first := seriesOf(t, "polarized", 1, sets...)
		for _, workers := range []int{2, 8} {
			if !bytes.Equal(first, seriesOf(t, "polarized", workers, sets...)) {
				t.Errorf("%s: %d workers give other bytes than one", what, workers)
			}
		}
	}
}

func TestStoppedRestlessRunsGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: long; others of its kind run")
	}
	p := build(t, "polarized", restless...)
	want, calm := saved(t, "polarized", 2, restless...)
	dir := filepath.Join(t.TempDir(), "out")
	for i, turns := range []int64{1, 24, 54, 90} {
		if said := stopAt(t, p, dir, turns, 1+i%3); said.has("cannot be used") {
			t.Errorf("stop %d: said %q", i, said.lines)
		}
	}
	if said := finish(t, p, dir, 2); !said.has("resumed at") || said.has("cannot be used") {
		t.Errorf("said %q", said.lines)
	}
	if !reflect.DeepEqual(contents(t, dir), contents(t, calm)) {
		t.Error("the folder differs from that of an undisturbed run")
	}
	got, err := folder.Open(t.Context(), calm, folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range want.Runs {
		for j, trial := range run.Trials {
			if back := got.Runs[i].Trials[j]; trial.Of("tracking")[3] != back.Of("tracking")[3] || trial.Of("regret")[3] != back.Of("regret")[3] {
				t.Errorf("%s, trial %d: tracking is not what was saved", run.Name, j)
			}
		}
	}
}

// The composite rule on LQ2 follows a ramp at the distance of its closed-form lag, |(5.0823e-4, −2.31426e-3)| = 2.36941e-3, and
// its regret grows by ½·lagᵀH·lag = 1.2374e-5 a turn with H = [101 34; 34 84]/16. Measured every fifth turn both are the same.
func TestTrackingOfARamp(t *testing.T) {
	const each, rate = 2.36941e-3, 1.2374e-5
	for _, every := range []int{1, 5} {
		r := execute(t, build(t, "lq2", "population.drift={rate: [0.001, -0.002]}", "iterations=500", fmt.Sprintf("record.every=%d", every),
			"algorithms=[{name: composite, step: 0.1, batch: 4}]"), lab.Options{})
		trial := r.Runs[0].Trials[0]
		n := len(trial.K)
		last, regret := trial.Last("tracking"), trial.Of("regret")
		grown := regret[n-1] - regret[n-1-100/every]
		if e := math.Abs(last/each - 1); e > 1e-5 {
			t.Errorf("every %d: the tracking error is %.6g, want %.6g", every, last, each)
		}
		if e := math.Abs(grown/(100*rate) - 1); e > 1e-3 {
			t.Errorf("every %d: regret grows by %.5g a turn, want %.5g", every, grown/100, rate)
		}
	}
}

// The columns hold what they are named after: the tracking error of the ramp is its closed-form lag, the regret is larger.
func TestTrackingColumns(t *testing.T) {
	text := seriesOf(t, "lq2", 1, "population.drift={rate: [0.001, -0.002]}", "iterations=500", "algorithms=[{name: composite, step: 0.1, batch: 4}]")
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) float64 {
		x, err := strconv.ParseFloat(all[len(all)-1][slices.Index(all[0], name)], 64)
		if err != nil {
			t.Fatal(name, err)
		}
		return x
	}
	if e := math.Abs(column("tracking")/2.36941e-3 - 1); e > 1e-5 || column("regret") < 0.1 {
		t.Errorf("tracking %v, regret %v", column("tracking"), column("regret"))
	}
}

// The decision and the mean traits of the sample are columns. Everybody of LQ2 is in a sample of four, and the mean trait is (1, −1).
func TestDecisionsAndTraitsAreColumns(t *testing.T) {
	r := execute(t, build(t, "lq2", "iterations=20", "record.every=5", "record.decisions=true", "record.traits=true"), lab.Options{})
	for _, run := range r.Runs {
		for _, trial := range run.Trials {
			if trial.Last("u_0") != trial.Decision[0] || trial.Last("u_1") != trial.Decision[1] || trial.Has("u_2") {
				t.Errorf("%s: the last decision is %v, %v, want %v", run.Name, trial.Last("u_0"), trial.Last("u_1"), trial.Decision)
			}
			for i, mean := range []float64{1, -1} {
				seen := trial.Of(fmt.Sprintf("trait_%d", i))
				if !math.IsNaN(seen[0]) || slices.ContainsFunc(seen[1:], func(v float64) bool { return math.Abs(v-mean) > 1e-15 }) {
					t.Errorf("%s: trait %d is %v, want nothing and then %v", run.Name, i, seen, mean)
				}
			}
		}
	}
	sameFromDisk(t, r)
}

package lab_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/lab"
)

// seriesOf runs a case and returns its series.csv.
func seriesOf(t *testing.T, name string, workers int, sets ...string) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if err := save(execute(t, build(t, name, sets...), lab.Options{Workers: workers}), dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The bytes must not depend on the number of workers, for any way of drawing and stepping, nor on whether they work on trials
// or, in a population large enough, on one trial together.
func TestWorkersGiveTheSameBytes(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "workers", Text: "same seed, same bytes on 1, 2 and 8 workers: series of runs"})
	large := []string{
		fmt.Sprintf("population.size=%d", 2*crew.Grain/20+1), "iterations=3", "trials=1", "optimum={starts: 1, tolerance: 1e-2}", "record.rollout=2",
		"algorithms=[{name: composite, step: 0.1, batch: 50}]",
	}
	for what, sets := range map[string][]string{
		"polarized":         append(small, "record.every=7", "record.rollout=3", "record.theory=true", "record.transport=14"),
		"polarized, large":  append(large, "record.theory=true"),
		"polarized, single": append(large, "population.storage=float32"),
		"choice":            {"population.dim=9", "iterations=30", "trials=4", "set.sum=20", "optimum.starts=3"},
		"lq2":               {"iterations=200", "trials=6"},
	} {
		if testing.Short() && what == "polarized, single" { // as the large one, for the race detector
			continue
		}
		name, _, _ := strings.Cut(what, ",")
		many := seriesOf(t, name, 8, sets...)
		if testing.Short() { // the race detector sees nothing of one worker
			same.Case(len(many) > 0, "%s: no series", what)
			continue
		}
		for _, workers := range []int{1, 2} {
			same.Case(bytes.Equal(many, seriesOf(t, name, workers, sets...)), "%s: %d workers give other bytes than eight", what, workers)
		}
	}
}

// Traits that are drawn anew give the bytes of traits that are stored.
func TestRegeneratedTraitsGiveTheSameBytes(t *testing.T) {
	sets := append(small, "record.rollout=3")
	stored := seriesOf(t, "polarized", 2, sets...)
	if !bytes.Equal(stored, seriesOf(t, "polarized", 2, append(sets, "population.traits=regenerated")...)) {
		t.Error("regenerated traits give other bytes than stored ones")
	}
}

// Single precision of states and traits moves results by about its rounding, 2⁻²⁴ = 6e-8 in every state.
func TestSinglePrecisionIsClose(t *testing.T) {
	long := execute(t, build(t, "polarized", small...), lab.Options{})
	short := execute(t, build(t, "polarized", append(small, "population.storage=float32")...), lab.Options{})
	for i := range long.Runs {
		for j, a := range long.Runs[i].Trials {
			b := short.Runs[i].Trials[j]
			u := rows.Distance(a.Decision, b.Decision)
			value := math.Abs(a.Last("value") - b.Last("value"))
			if !(u > 0 && u < 1e-6 && value > 0 && value < 1e-6) {
				t.Errorf("%s, trial %d: decisions are %.1e apart, values %.1e", long.Runs[i].Name, j, u, value)
			}
		}
	}
}

// Of a large population the angles are those of a part, and a note says so.
func TestAnglesOfLargePopulations(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and large populations on many workers are tried elsewhere")
	}
	sets := []string{"population.size=100001", "population.dim=2", "iterations=1", "trials=1", "optimum={starts: 1, tolerance: 1e-4}"}
	r := execute(t, build(t, "polarized", sets...), lab.Options{})
	for name, angles := range map[string][]float64{"initial": r.Angles.Initial, "optimal": r.Angles.Optimal, "final": r.Angles.Final["vanilla"]} {
		if len(angles) != 100_000 {
			t.Errorf("%d %s angles", len(angles), name)
		}
	}
	if note := "Angles are those of 100000 individuals at equal distances in the population."; !slices.Contains(r.Notes, note) {
		t.Errorf("notes %q", r.Notes)
	}
}

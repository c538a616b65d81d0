package lab_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

func build(t testing.TB, name string, sets ...string) *problem.Problem {
	t.Helper()
	src, ok := problem.Case(name)
	if !ok {
		t.Fatalf("no case %s", name)
	}
	var over []problem.Overlay
	for _, s := range sets {
		over = append(over, problem.Assign(s))
	}
	s, err := problem.Parse(kind.Standard(), name, src, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func execute(t testing.TB, p *problem.Problem, o lab.Options) *folder.Result {
	t.Helper()
	r, err := lab.Execute(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var small = []string{"population.size=60", "population.dim=5", "iterations=40", "trials=5", "optimum.starts=3"}

// Adding an algorithm or a trial must not move anybody else's draws.
func TestTrialsAreIndependentOfEachOther(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "independent", Text: "trials whose draws are moved by another trial or algorithm"})
	few := execute(t, build(t, "polarized", small...), lab.Options{})
	more := append(small, "trials=7", `algorithms=[{name: composite, step: 0.005, batch: 50}, {name: vanilla, step: 0.005, batch: 50}]`)
	many := execute(t, build(t, "polarized", more...), lab.Options{})
	for a, one := range few.Runs {
		other := many.Runs[1-a]
		for i, trial := range one.Trials {
			got, want := other.Trials[i].Decision, trial.Decision
			same.Case(one.Name == other.Name && slices.Equal(got, want), "%s, trial %d ends at %v in one run and %v in the other", one.Name, i, want, got)
		}
	}
	if slices.Equal(few.Runs[0].Trials[0].Decision, few.Runs[0].Trials[1].Decision) {
		t.Error("two trials end at the same decision")
	}
}

func TestSummaryAndSeries(t *testing.T) {
	r := execute(t, build(t, "polarized", append(small, "record.every=15")...), lab.Options{})
	dir := filepath.Join(t.TempDir(), "deep", "out")
	if err := save(r, dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s folder.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Case != "polarized" || s.Trials != 5 || s.Partial || len(s.Optimum.Decision) != 5 || s.Build.GOARCH == "" {
		t.Errorf("summary %+v", s)
	}
	gap := s.Algorithms["composite"].Gap
	if gap == nil || !(gap.Min <= gap.Mean && gap.Mean <= gap.Max) {
		t.Errorf("composite gap %+v", gap)
	}
	series, err := os.ReadFile(filepath.Join(dir, "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(series)), "\n")
	if want := 1 + 2*5*4; len(lines) != want { // turns 0, 15, 30 and 40
		t.Errorf("%d lines, want %d", len(lines), want)
	}
	if !strings.HasPrefix(lines[4], "vanilla,0,40,") || !strings.Contains(lines[4], ",,,,,,,") {
		t.Errorf("the fifth line is %s", lines[4])
	}
	if _, err := problem.Parse(kind.Standard(), "again", []byte(r.Spec)); err != nil {
		t.Errorf("the spec as run cannot be read again: %v", err)
	}
}

// A run that is stopped keeps the trials it finished and says so.
func TestStoppedRunsArePartial(t *testing.T) {
	p := build(t, "polarized", "population.size=200", "population.dim=5", "iterations=2000", "trials=50", "optimum.starts=2")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	progress := new(lab.Progress)
	go func() {
		for progress.Done.Load() < 3*2000 {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	r, err := lab.Execute(ctx, p, lab.Options{Workers: 2, Progress: progress})
	if err != nil {
		t.Fatal(err)
	}
	finished := 0
	for _, one := range r.Runs {
		for _, trial := range one.Trials {
			finished++
			if n := len(trial.K); trial.K[n-1] != 2000 {
				t.Errorf("a trial that ended at turn %d is in the result", trial.K[n-1])
			}
		}
	}
	if !r.Partial || finished == 0 || finished == 100 {
		t.Errorf("partial %v with %d finished trials", r.Partial, finished)
	}
	if err := save(r, filepath.Join(t.TempDir(), "o")); err != nil {
		t.Error(err)
	}
}

func TestForeignFoldersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.tex")
	if err := os.WriteFile(mine, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &folder.Result{}
	if err := save(r, dir); !errors.Is(err, folder.ErrNotOurs) {
		t.Errorf("a folder with other files gives %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("the folder now holds %v", entries)
	}
}

// By hand.
func TestSpread(t *testing.T) {
	if s := folder.SpreadOf([]float64{3, 1, 2}); s.Mean != 2 || s.Min != 1 || s.Max != 3 {
		t.Errorf("spread of 3, 1, 2 is %+v", s)
	}
	if folder.SpreadOf(nil) != nil || folder.SpreadOf([]float64{1, math.NaN()}) != nil {
		t.Error("no numbers and not-a-numbers have no spread")
	}
}

// The bar of the polarized case at full length with kedge's own streams and all its trials: composite ends near the optimum,
// vanilla at the stable point, which is computed here. From trial to trial vanilla's gap deviates by 8 %, so the mean of few
// would say little.
func TestPolarizedOnOurOwnStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("the case at full scale")
	}
	r := execute(t, build(t, "polarized", "record.every=8000", "optimum.starts=2"), lab.Options{})
	composite, vanilla := folder.SpreadOf(r.Runs[1].Final("gap")), folder.SpreadOf(r.Runs[0].Final("gap"))
	t.Logf("composite %.2e, vanilla %.4e, stable point %.4e", composite.Mean, vanilla.Mean, r.Stable.Gap)
	if composite.Mean > 5e-4 {
		t.Errorf("composite's mean final gap is %.2e, want 5e-4", composite.Mean)
	}
	if math.Abs(vanilla.Mean-r.Stable.Gap) > 0.1*r.Stable.Gap {
		t.Errorf("vanilla's mean final gap is %.3e, the stable point's %.3e", vanilla.Mean, r.Stable.Gap)
	}
}

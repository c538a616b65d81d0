package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// built is a case with some keys set.
func built(t *testing.T, name string, sets ...string) *problem.Problem {
	t.Helper()
	text, _ := problem.Case(name)
	var over []problem.Overlay
	for _, set := range sets {
		over = append(over, problem.Assign(set))
	}
	s, err := problem.Parse(kind.Standard(), name, text, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sealed writes files to a folder as the finished result of a kind.
func sealed(t *testing.T, k folder.Kind, m folder.Manifest, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r")
	c, err := k.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	data := folder.Contents{}
	for name, text := range files {
		data[name] = func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	if err := c.Commit(m, data, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// words are the lines of a plan without what depends on the machine and on the clock.
func words(p *Outlook) (lines []string) {
	for _, line := range p.Lines() {
		if strings.HasPrefix(line, "memory") || strings.HasPrefix(line, "disk") {
			line, _, _ = strings.Cut(line, ", ")
		}
		lines = append(lines, line)
	}
	return append(lines, p.Line())
}

// Plans are told in words as when this was recorded.
func TestPlansAreToldAsRecorded(t *testing.T) {
	one := OutlookProblem{Name: "small", Seed: 7, People: 12000, Decisions: 1, Turns: 1, Every: 1, Methods: []OutlookMethod{{"mine", "composite", 1}, {"vanilla", "vanilla", 1200}}}
	two := OutlookProblem{Name: "large", Seed: 1, People: 1, Decisions: 3, Turns: 20000, Every: 10, Notes: []string{"Turns are left out.", "And so on."}}
	var got []string
	for _, p := range []*Outlook{
		{Command: "run", Name: "small", Folder: "runs/small", There: "nothing", Problems: []OutlookProblem{one}, Memory: 1.5e9, Disk: 3e6, Seconds: 0.4, Workers: 2},
		{Command: "run", Name: "large", Folder: "runs/large", There: "no finished run", Problems: []OutlookProblem{two}, Memory: 1e3, Disk: 12, Seconds: 1, Workers: 1},
		{Command: "run", Folder: "x", There: "a run of x with seed 3", Problems: []OutlookProblem{one}, Seconds: 0, Workers: 2},
		{Command: "sweep", Folder: "x", There: "nothing", Cells: 1, Left: 1, Problems: []OutlookProblem{one}, Seconds: 4000, Workers: 3},
		{Command: "sweep", Folder: "x", There: "nothing", Cells: 12345, Left: 2, Problems: []OutlookProblem{two}, Seconds: 0, Workers: 3},
		{Command: "sweep", Folder: "x", There: "nothing", Cells: 1, Left: 0, Workers: 3},
		{Command: "sweep", Folder: "x", There: "nothing", Cells: 5, Left: 0, Workers: 3},
		{Command: "compare", Folder: "x", There: "nothing", Problems: []OutlookProblem{one, two}, Seconds: 59, Workers: 3},
		{Command: "study", Folder: "x", There: "nothing", Workers: 3}, {Command: "study", Folder: "x", There: "nothing", Seconds: 2, Workers: 3},
	} {
		text, err := json.Marshal(p)
		got = append(append(got, string(text), fmt.Sprint(err)), words(p)...)
	}
	evidence.AsRecorded(t, "testdata/plans.txt", got)
}

// A run is planned by its spec: memory and disk are what package lab says, and the time is measured.
func TestRunsArePlanned(t *testing.T) {
	p, dir := built(t, "lq2", "iterations=20", "trials=2", "seed=5", "record.every=4"), filepath.Join(t.TempDir(), "none")
	made := Run(t.Context(), p, dir, 2)
	if made.Command != "run" || made.Name != "lq2" || made.Folder != dir || made.There != "nothing" || made.Workers != 2 || made.Cells != 0 || made.Left != 0 {
		t.Errorf("the plan is %+v", made)
	}
	if made.Memory != lab.Need(p.Spec, 2).Bytes() || made.Disk != lab.DiskNeed(p.Spec) || !(made.Memory > 0) || !(made.Disk > 0) {
		t.Errorf("it takes %v and %v", made.Memory, made.Disk)
	}
	if !(made.Seconds > writing && made.Seconds < 60) {
		t.Errorf("it takes %v s, of which %v to write", made.Seconds, writing)
	}
	want := OutlookProblem{Name: "lq2", Seed: 5, People: p.Spec.Population.Size, Decisions: 2, Turns: 20, Every: 4}
	for _, a := range p.Spec.Algorithms {
		want.Methods = append(want.Methods, OutlookMethod{a.Name, a.Kind(), a.Trials})
	}
	if got := fmt.Sprintf("%+v", made.Problems); got != fmt.Sprintf("%+v", []OutlookProblem{want}) {
		t.Errorf("planned is %s, want %+v", got, want)
	}
	if all := Run(t.Context(), p, dir, -1); all.Workers != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers where nobody says how many", all.Workers)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if late := Run(stopped, p, dir, 1); late.Seconds != 0 || late.time() != "time unknown, for the first turns could not be measured" {
		t.Errorf("a plan that was stopped knows %v s", late.Seconds)
	}
}

// Turns are all measured unless more than one is said to be from one measurement to the next.
func TestPlansTellHowOftenIsMeasured(t *testing.T) {
	s := built(t, "lq2").Spec
	for _, x := range [][2]int{{0, 1}, {1, 1}, {2, 2}, {7, 7}} {
		if s.Record.Every = x[0]; part("x", s).Every != x[1] {
			t.Errorf("every %d: planned is every %d, want %d", x[0], part("x", s).Every, x[1])
		}
	}
}

// Of a sweep the first cell that is left is measured, and others by their people and turns: four times as many of both take longer.
func TestSweepsArePlanned(t *testing.T) {
	parse := func(text string) *family.Sweep {
		w, err := family.Parse(kind.Standard(), "x.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w, dir := parse("base: scalar-pricing\nset: {iterations: 20, population.law: normal, population.values: null}\nover: {population.size: [20, 80]}\n"), t.TempDir()
	made, err := Sweep(t.Context(), w, w.Cells, nil, dir, 1)
	if err != nil || made.Cells != 2 || made.Left != 2 || len(made.Problems) != 1 || made.Problems[0].Name != w.Cells[0].ID || made.Problems[0].People != 20 || !(made.Seconds > writing) {
		t.Fatalf("planned is %+v, %v", made, err)
	}
	if made.Memory != lab.SweepNeed(w, 1).Bytes() || made.Disk != lab.SweepDiskNeed(w, w.Cells) || made.Command != "sweep" || made.Name != "x" {
		t.Errorf("it takes %v and %v", made.Memory, made.Disk)
	}
	last, err := Sweep(t.Context(), w, w.Cells[1:], nil, dir, 1)
	if err != nil || last.Left != 1 || last.Problems[0].People != 80 || last.Disk >= made.Disk {
		t.Errorf("what is left is %+v, %v", last, err)
	}
	byTurns := func(s *problem.Spec, repeat float64) float64 { return float64(s.Iterations) * repeat }
	if all := ofCells(w, w.Cells, byTurns); all != 20+20*80/20 { // a second a turn of 20 people
		t.Errorf("both cells take %v s, want 100", all)
	}
	if large := ofCells(w, w.Cells[1:], byTurns); large != 20 { // measured with as many
		t.Errorf("the large one takes %v s, want 20", large)
	}
	none, err := Sweep(t.Context(), w, nil, nil, dir, 1)
	if err != nil || none.Left != 0 || none.Seconds != 0 || len(none.Problems) != 0 || none.Problems == nil || none.time() != "nothing is left to compute" {
		t.Errorf("of nothing there is %+v, %v", none, err)
	}
	bad := parse("base: lq2\nover: {population: [{size: 2, dim: 2, law: file, file: none.csv}]}\n")
	if made, err := Sweep(t.Context(), bad, bad.Cells, fstest.MapFS{}, dir, 1); err != nil || made.Seconds != 0 || len(made.Problems) != 1 {
		t.Errorf("a cell that cannot be built: %+v, %v", made, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if made, err := Sweep(stopped, w, w.Cells, nil, dir, 1); !errors.Is(err, context.Canceled) || made.Seconds != 0 {
		t.Errorf("a sweep that was stopped: %+v, %v", made, err)
	}
}

func subject(name string, sets ...string) compare.Subject {
	text, _ := problem.Case(name)
	s := compare.Subject{Name: name, Target: name, Text: text, Files: fstest.MapFS{}}
	for _, set := range sets {
		s.Over = append(s.Over, problem.Assign(set))
	}
	return s
}

// A comparison is planned by its problems, and by the methods that are compared instead of those of the specs.
func TestComparisonsArePlanned(t *testing.T) {
	problems := []compare.Subject{subject("lq2", "iterations=20"), subject("scalar-pricing", "iterations=10")}
	f, err := compare.NewFixture(problems, nil, compare.Terms{Trials: 2, NoTune: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err := Compare(t.Context(), f, problems, t.TempDir(), 1)
	if err != nil || len(made.Problems) != 2 || made.Command != "compare" || made.Disk != 2*5e6 || made.Memory != f.Need().Bytes() || !(made.Seconds > writing) {
		t.Fatalf("planned is %+v, %v", made, err)
	}
	for i, one := range made.Problems {
		if one.Name != problems[i].Name || one.Turns != f.Specs[i].Iterations || len(one.Methods) != len(f.Problems[i].Rows) || one.Methods[0].Trials != 2 {
			t.Errorf("problem %d is %+v", i, one)
		}
	}
	wild := []compare.Subject{problems[0], subject("scalar-pricing", "iterations=10", "set={kind: whole}", "algorithms.vanilla.step=1e308")}
	if f, err = compare.NewFixture(wild, nil, compare.Terms{Trials: 2, NoTune: true}); err != nil {
		t.Fatal(err)
	}
	if made, err := Compare(t.Context(), f, wild, t.TempDir(), 1); err != nil || made.Seconds != 0 || len(made.Problems) != 2 {
		t.Errorf("a rule that runs away: %+v, %v", made, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Compare(stopped, f, problems, t.TempDir(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a comparison that was stopped: %v", err)
	}
}

// What folders hold is told, and a finished result of something else is spared.
func TestFoldersAreSpared(t *testing.T) {
	run := sealed(t, folder.KindRun, folder.Manifest{Case: "lq2", Seed: 3, Spec: "spec.yaml", Identity: folder.Identity{Inputs: map[string]string{"a.csv": "00"}}}, map[string]string{"spec.yaml": "seed: 3\nhold: 1\n"})
	empty, mine := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(mine, "letter.txt"), []byte("Dear"), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	tell := func(what string, k folder.Kind, dir string, other Other) {
		err := Spare(k, dir, other)
		got = append(got, what+": "+strings.NewReplacer(run, "RUN", mine, "MINE", empty, "EMPTY").Replace(fmt.Sprint(err)))
		if held := (*folder.HeldError)(nil); errors.As(err, &held) {
			got = append(got, "  holds "+held.Holds+", differs: "+held.Differs)
		}
	}
	ctx := t.Context()
	for _, spec := range []string{"seed: 3\nhold: 1\n", "seed: 4\nhold: 1\n", "seed: 3\nhold: 1\ntrials: 2\n", "seed: 3\n", ""} {
		tell(fmt.Sprintf("a run of %q", spec), folder.KindRun, run, OtherRun(ctx, run, spec, nil))
	}
	tell("with its input", folder.KindRun, run, OtherRun(ctx, run, "seed: 3\nhold: 1\n", map[string]string{"a.csv": "00", "b.csv": "11"}))
	tell("with another input", folder.KindRun, run, OtherRun(ctx, run, "seed: 3\nhold: 1\n", map[string]string{"a.csv": "01"}))
	tell("that cannot be read", folder.KindRun, run, func(*folder.Manifest) (string, error) { return "", errors.New("it is torn") })
	if _, err := OtherRun(ctx, mine, "", nil)(&folder.Manifest{Spec: "none.yaml"}); err == nil {
		t.Error("a spec that is not there is the same as an empty one")
	}
	tell("a study", folder.KindStudy, run, OtherStudy(ctx, run, study.Study{}, study.Options{}))
	tell("nothing", folder.KindRun, filepath.Join(empty, "none"), OtherRun(ctx, empty, "", nil))
	tell("an empty folder", folder.KindRun, empty, OtherRun(ctx, empty, "", nil))
	tell("a letter", folder.KindRun, mine, OtherRun(ctx, mine, "", nil))
	for _, dir := range []string{run, empty, mine} {
		got = append(got, there(folder.KindRun, dir), there(folder.KindSweep, dir))
	}
	evidence.AsRecorded(t, "testdata/spared.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Studies and comparisons are told apart by what they were asked.
func TestOtherStudiesAndComparisons(t *testing.T) {
	ctx, s := t.Context(), study.All()[0]
	o := study.Options{Quick: true, Trials: 3, Seed: 9}
	text, err := json.Marshal(study.Result{Name: s.Name, Seed: 9, Quick: true, Trials: 3})
	if err != nil {
		t.Fatal(err)
	}
	dir := sealed(t, folder.KindStudy, folder.Manifest{Case: s.Name, Seed: 9}, map[string]string{folder.StudyFile: string(text)})
	for what, c := range map[string]struct {
		s    study.Study
		o    study.Options
		want string
	}{
		"the same": {s, o, ""}, "another": {study.All()[1], o, "this is another study"}, "seed": {s, study.Options{Quick: true, Trials: 3, Seed: 8}, "this one has seed 8"},
		"trials": {s, study.Options{Quick: true, Trials: 4, Seed: 9}, "it had 3 trials a point, this one 4"}, "long": {s, study.Options{Trials: 3, Seed: 9}, "it was a quick one, this one is not"},
	} {
		how, err := OtherStudy(ctx, dir, c.s, c.o)(nil)
		if err != nil || how != c.want {
			t.Errorf("%s: %q, %v, want %q", what, how, err, c.want)
		}
	}
	if _, err := OtherStudy(ctx, t.TempDir(), s, o)(nil); err == nil {
		t.Error("a study without a file is compared")
	}
	problems := []compare.Subject{subject("lq2", "iterations=20")}
	f, err := compare.NewFixture(problems, nil, compare.Terms{Trials: 1, NoTune: true})
	if err != nil {
		t.Fatal(err)
	}
	other, err := compare.NewFixture(problems, nil, compare.Terms{Trials: 2, NoTune: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err := compare.Run(ctx, problems, nil, compare.Terms{Trials: 1, NoTune: true, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(made); err != nil {
		t.Fatal(err)
	}
	dir = sealed(t, folder.KindCompare, folder.Manifest{Case: "lq2"}, map[string]string{folder.CompareFile: string(text)})
	if how, err := OtherComparison(ctx, dir, f, kind.Standard())(nil); err != nil || how != "" {
		t.Errorf("the same comparison: %q, %v", how, err)
	}
	if how, err := OtherComparison(ctx, dir, other, kind.Standard())(nil); err != nil || how == "" {
		t.Errorf("another comparison: %q, %v", how, err)
	}
	if _, err := OtherComparison(ctx, t.TempDir(), f, kind.Standard())(nil); err == nil {
		t.Error("a comparison without a file is compared")
	}
}

// What there is stands behind what is needed, where that is known.
func TestSuppliesAreToldWhereTheyAreKnown(t *testing.T) {
	if got := of(room.Supply{Bytes: 2e9, Of: "free"}); got != ", 2 GB free" {
		t.Errorf("two gigabytes are %q", got)
	}
	if got := of(room.Supply{Bytes: -1}); got != "" {
		t.Errorf("nobody knows, and it is said %q", got)
	}
}

// A study is planned without being measured.
func TestStudiesArePlanned(t *testing.T) {
	made := Study(study.All()[0], "x", 0)
	if made.Command != "study" || made.Name != study.All()[0].Name || made.Memory != 300e6 || made.Disk != 5e6 || made.Seconds != 0 || made.Problems == nil || made.Workers != runtime.GOMAXPROCS(0) {
		t.Errorf("planned is %+v", made)
	}
}

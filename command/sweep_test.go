package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

const tinySweep = `base: lq2
set: {iterations: 20, trials: 1}
over:
  algorithms.composite.step: [0.1, 0.2]
  hold: [1, 2, 3]
`

// writeSweep writes a sweep file and returns its path and a folder for results.
func writeSweep(t *testing.T, text string) (file, dir string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "tiny.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, filepath.Join(dir, "out")
}

func TestSweepAndMerge(t *testing.T) {
	file, dir := writeSweep(t, tinySweep)
	out, code := command(t, "sweep", file, "--out", dir)
	if code != 0 || !strings.Contains(out, "6 cells, 0 of them from before, 0 failed") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if out, code := command(t, "sweep", file, "--out", dir, "--json"); code != 0 || !strings.Contains(out, `"kept": 6`) {
		t.Errorf("again: exit code %d: %s", code, out)
	}
	for _, shard := range []string{"1/2", "2/2"} {
		if out, code := command(t, "sweep", file, "--quiet", "--shard", shard, "--out", dir+shard[:1]); code != 0 || out != "" {
			t.Errorf("shard %s: exit code %d: %s", shard, code, out)
		}
	}
	if out, code := command(t, "merge", dir+"m", dir+"1"); code != exitFailed || !strings.Contains(out, "3 of 6 cells are in no part") {
		t.Errorf("half a merge: exit code %d: %s", code, out)
	}
	if out, code := command(t, "merge", dir+"m", dir+"1", dir+"m/"); code != exitUsage || !strings.Contains(out, "leave it out of the parts") {
		t.Errorf("merge into a part: code %d, %s", code, out)
	}
	if out, code := command(t, "merge", dir+"m", dir+"1", dir+"2"); code != 0 || !strings.Contains(out, "6 cells") {
		t.Errorf("merge: exit code %d: %s", code, out)
	}
	for _, name := range []string{"table.csv", "table.parquet", "cells.json", "manifest.json"} {
		a, err := os.ReadFile(filepath.Join(dir, name))
		b, err2 := os.ReadFile(filepath.Join(dir+"m", name))
		if err != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s differs after the merge (%v, %v)", name, err, err2)
		}
	}
}

// What a sweep says while it runs: how much is done, cells at work by their turns, and how long the rest will take at that rate.
func TestPaceOfASweep(t *testing.T) {
	half := lab.RunningCell{Turns: new(lab.Progress)}
	half.Turns.Total.Store(10)
	half.Turns.Done.Store(5)
	idle := lab.RunningCell{Turns: new(lab.Progress)} // which does not know yet how much there is to do
	for _, c := range []struct {
		state lab.SweepState
		share float64
		words string
	}{
		{lab.SweepState{}, 0, "looking what is finished"},
		{lab.SweepState{Kept: 3}, 1, "nothing to do"},
		{lab.SweepState{Kept: 3, Total: 9}, 0.25, "no pace yet"},
		{lab.SweepState{Kept: 3, Total: 9, Running: []lab.RunningCell{idle}}, 0.25, "no pace yet"},
		{lab.SweepState{Kept: 3, Total: 9, Running: []lab.RunningCell{idle, half, half}}, 1.0 / 3, "0.1 a second, 1m20s left"},
		{lab.SweepState{Total: 20, Done: 4, Failed: 1, Running: []lab.RunningCell{half}}, 0.275, "0.55 a second, 26s left"},
		{lab.SweepState{Total: 20, Done: 20}, 1, "2 a second"},
	} {
		if share, words := sweepPace(c.state, 10*time.Second); share != c.share || words != c.words {
			t.Errorf("%+v: %v, %q, want %v, %q", c.state, share, words, c.share, c.words)
		}
	}
}

func TestSweepDryRun(t *testing.T) {
	file, dir := writeSweep(t, tinySweep)
	out, code := command(t, "sweep", file, "--dry-run", "--out", dir)
	if code != 0 || !strings.HasPrefix(out, "cell              algorithms.composite.step  hold\n") || !strings.Contains(out, "\n6 cells\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	one, _ := writeSweep(t, "base: lq2\nover: {hold: [1]}\n")
	if out, code := command(t, "sweep", one, "--dry-run"); code != 0 || !strings.Contains(out, "\n1 cell\n") {
		t.Errorf("of one cell: exit code %d:\n%s", code, out)
	}
	out, code = command(t, "sweep", file, "--dry-run", "--json")
	var plan struct {
		Keys  []string
		Cells []struct {
			Cell   string
			Values []string
		}
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil || code != 0 || len(plan.Cells) != 6 || plan.Cells[5].Values[1] != "3" {
		t.Errorf("exit code %d, %v:\n%s", code, err, out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run has written something")
	}
}

func TestSweepMistakesAreRefused(t *testing.T) {
	file, dir := writeSweep(t, tinySweep)
	wrong, _ := writeSweep(t, strings.Replace(tinySweep, "hold", "hodl", 1))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{file, "--shard", "3/2"}, `--shard is "3/2", want a part and how many there are, as in 2/8`},
		{[]string{file, "--set", "hold=2"}, "hold is swept"},
		{[]string{file + "x"}, "no such file"},
		{[]string{wrong}, "tiny.yaml:5: unknown key hodl, did you mean hold? (in 6 cells"},
	} {
		if out, code := command(t, append([]string{"sweep", "--out", dir}, c.args...)...); code != exitUsage || !strings.Contains(out, c.want) {
			t.Errorf("kedge sweep %v: exit code %d: %s", c.args, code, out)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a refused sweep has written something")
	}
	failing, dir := writeSweep(t, strings.Replace(tinySweep, "hold: [1, 2, 3]", "dynamics.a: [[[2, 0], [0, 0]], [[0.5, 0], [0, 0]]]", 1))
	out, code := command(t, "sweep", failing, "--out", dir)
	if code != exitFailed || !strings.Contains(out, "2 of 4 cells failed, the first (algorithms.composite.step: 0.1, dynamics.a: [[2, 0], [0, 0]]) with:") {
		t.Errorf("failing cells: exit code %d: %s", code, out)
	}
}

// A part is one of as many as there are, from the first to the last.
func TestShards(t *testing.T) {
	for text, want := range map[string]lab.Shard{"": {}, "1/1": {Index: 1, Of: 1}, "1/8": {Index: 1, Of: 8}, "8/8": {Index: 8, Of: 8}} {
		if got, err := parseShard(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0/8", "9/8", "-1/8", "x/8", "2/x", "2", "2/", "/8", "2/8/9", "0/0"} {
		if got, err := parseShard(text); err == nil || got != (lab.Shard{}) {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

// A folder is itself by any of its names, and no other; what is not there is nothing, not even itself.
func TestSameFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("a", 0o700), os.Mkdir("b", 0o700)); err != nil {
		t.Fatal(err)
	}
	for names, want := range map[[2]string]bool{{"a", "a"}: true, {"a", "b/../a/"}: true, {"a", "b"}: false, {"a", "c"}: false, {"c", "a"}: false, {"c", "c"}: false} {
		if got := isSame(names[0], names[1]); got != want {
			t.Errorf("%q: %t", names, got)
		}
	}
}

// Every example is read, and is small.
func TestExampleSweeps(t *testing.T) {
	files, err := filepath.Glob("../examples/sweeps/*.yaml")
	if err != nil || len(files) != 4 {
		t.Fatalf("examples %v: %v", files, err)
	}
	for _, file := range files {
		out, code := command(t, "sweep", file, "--dry-run")
		if code != 0 || strings.Count(out, "\n") > 65 {
			t.Errorf("%s: exit code %d: %s", file, code, out)
		}
	}
}

// The table is never wider or higher than the terminal.
func TestSweepTableFits(t *testing.T) {
	w, err := family.Parse(kind.Standard(), "wide.yaml", []byte(strings.Replace(tinySweep, "hold: [1, 2, 3]", "dynamics.a: [[[0.5, 0.25], [0, 0.5]]]", 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var now lab.SweepState
	c := w.Cells[0]
	for i := range 60 {
		now.Last = append(now.Last, folder.CellResult{ID: c.ID, Values: c.Values, Err: strings.Repeat("long ", i)})
		now.Running = append(now.Running, lab.RunningCell{ID: c.ID, Values: c.Values, Turns: new(lab.Progress)})
	}
	now.Total, now.Failed = 100, 60
	for _, size := range [][2]int{{80, 24}, {200, 50}, {20, 8}, {500, 5}} {
		s := page.Terminal{Rewrites: true, Colour: true, Width: size[0], Height: size[1]}
		lines := sweepTable(s, w, now, time.Second)
		for _, line := range lines {
			if n := page.PrintedWidth(line); n >= size[0] {
				t.Errorf("%v: a line has %d characters: %s", size, n, line)
			}
		}
		if len(lines) >= size[1] && size[1] > 8 {
			t.Errorf("%v: %d lines", size, len(lines))
		}
	}
	if got := fmt.Sprint(shortKeys([]string{"algorithms.a.step", "algorithms.b.step", "hold"})); got != "[a.step b.step hold]" {
		t.Errorf("short keys %s", got)
	}
}

// The live table in a real terminal, at two sizes.
func TestLiveSweep(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil || testing.Short() {
		t.Skip("tmux is not installed, or -short")
	}
	file, dir := writeSweep(t, strings.Replace(tinySweep, "iterations: 20, trials: 1", "iterations: 15000, trials: 2", 1)) // long enough to be seen on quick machines
	kedge, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		server := filepath.Join(shortDir(t), "tmux")
		tmux := func(args ...string) string {
			out, err := exec.Command("tmux", append([]string{"-S", server}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("tmux %v: %v: %s", args, err, out)
			}
			return string(out)
		}
		tmux("new", "-d", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]),
			fmt.Sprintf("%s sweep %s --workers 1 --out %s%d; echo exit $?; sleep 600", kedge, file, dir, size[0]))
		t.Cleanup(func() { exec.Command("tmux", "-S", server, "kill-server").Run() })
		var live, screen string
		for range 6000 {
			screen = tmux("capture-pane", "-p")
			if strings.Contains(screen, "running ") {
				live = screen
			}
			if strings.Contains(screen, "exit ") {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if !strings.Contains(live, "tiny: ") || !strings.Contains(live, "cell      step") || !strings.Contains(live, " a second") {
			t.Errorf("%v: the live table was\n%s", size, live)
		}
		if !strings.Contains(screen, "tiny: 6 of 6 cells done, 0 running, 0 failed") || !strings.Contains(screen, "exit 0") || strings.Contains(screen, "cell      step") {
			t.Errorf("%v: the end was\n%s", size, screen)
		}
		for line := range strings.Lines(live) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) >= size[0] {
				t.Errorf("%v: a line is as wide as the terminal: %s", size, line)
			}
		}
	}
}

// A file that was renamed keeps the cells that were made of it, and a byte that was changed makes others.
func TestSweepsKnowFilesByWhatTheyHold(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := `over: {hold: [1, 2]}
base:
  iterations: 3
  population: {file: a.csv, traits: x}
  dynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[1]]}
  objective: {kind: quadratic, decision: 1}
  set: {kind: ball, radius: 2}
  algorithms: [{name: composite, step: 0.1}]
`
	write(t, "a.csv", "x\n1\n2\n")
	write(t, "grid.yaml", spec)
	sweep := func(want string) {
		t.Helper()
		if out, code := command(t, "sweep", "grid.yaml", "--out", "out", "--json"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d: %s, want %s", code, out, want)
		}
	}
	sweep(`"kept": 0`)
	if err := os.Rename("a.csv", "b.csv"); err != nil {
		t.Fatal(err)
	}
	write(t, "grid.yaml", strings.Replace(spec, "a.csv", "b.csv", 1))
	sweep(`"kept": 2`)
	if out, code := command(t, "verify", "out"); code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
	write(t, "b.csv", "x\n1\n3\n")
	if out, code := command(t, "sweep", "grid.yaml", "--out", "out", "--json", "--overwrite"); code != 0 || !strings.Contains(out, `"kept": 0`) {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// The example of a table with texts and gaps runs: 155 of its 160 rows pass, as a count by hand of ages below 18 and missing incomes has it.
func TestExampleOfATable(t *testing.T) {
	t.Chdir("..")
	out, code := command(t, "run", "examples/data/credit.yaml", "--quiet", "--no-check", "--trials", "1", "--iterations", "20", "--set", "optimum.starts=1", "--out", filepath.Join(t.TempDir(), "out"))
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	out, code = command(t, "check", "examples/data/credit.yaml")
	if code != 0 || !strings.Contains(out, "of 155 individuals") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

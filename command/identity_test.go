package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
)

// peopleSweep is a sweep whose individuals come from a file.
const peopleSweep = `base: polarized
set: {iterations: 10, trials: 1, optimum.starts: 1, population: {size: 3, dim: 2, law: file, file: people.csv}}
over:
  hold: [1, 2, 3, 4]
`

// Two worlds that people.csv can hold.
const (
	oneWorld     = "1,0\n0,1\n-1,0\n"
	anotherWorld = "1,0\n0,-1\n0.6,0.8\n"
)

// write writes a file of the present folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// succeeds runs a command that must come to its end.
func succeeds(t *testing.T, args ...string) {
	t.Helper()
	if out, code := command(t, args...); code != 0 {
		t.Fatalf("kedge %s: exit code %d: %s", strings.Join(args, " "), code, out)
	}
}

// refuses runs a command that must not, and say why and what to do.
func refuses(t *testing.T, wants []string, args ...string) {
	t.Helper()
	out, code := command(t, args...)
	for _, want := range wants {
		if code == 0 || !strings.Contains(out, want) {
			t.Errorf("kedge %s: exit code %d, no %q in %q", strings.Join(args, " "), code, want, out)
		}
	}
}

// People who change between shards, or between a stop and the resume, are never mixed: their cells are others, and a sweep holds one world.
func TestSweepsHoldOneWorld(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "grid.yaml", peopleSweep)
	write(t, "people.csv", oneWorld)
	succeeds(t, "sweep", "grid.yaml", "--quiet", "--shard", "1/2", "--out", "a")
	succeeds(t, "sweep", "grid.yaml", "--quiet", "--shard", "1/2", "--out", "grid")
	write(t, "people.csv", anotherWorld)
	succeeds(t, "sweep", "grid.yaml", "--quiet", "--shard", "2/2", "--out", "b")
	differ := []string{"are of different sweeps: compare their sweep.yaml"}
	refuses(t, differ, "merge", "both", "a", "b")
	refuses(t, differ, "merge", "both", "b", "a")
	if cells, _ := filepath.Glob("both/cells/*"); len(cells) > 0 {
		t.Errorf("a refused merge has copied %v", cells)
	}
	succeeds(t, "sweep", "grid.yaml", "--quiet", "--out", "clean")
	refuses(t, []string{"none of its cells is one of this sweep"}, "sweep", "grid.yaml", "--quiet", "--out", "grid")
	succeeds(t, "sweep", "grid.yaml", "--quiet", "--out", "grid", "--overwrite")
	if read(t, "grid/table.csv") != read(t, "clean/table.csv") || read(t, "grid/manifest.json") != read(t, "clean/manifest.json") {
		t.Error("the sweep is not that of the new people")
	}
	write(t, "people.csv", oneWorld)
	refuses(t, []string{"sweep.yaml: inputs: people.csv holds other bytes"}, "sweep", "grid/sweep.yaml", "--out", "grid")
	if err := os.Remove("people.csv"); err != nil {
		t.Fatal(err)
	}
	refuses(t, []string{"people.csv"}, "sweep", "grid.yaml", "--out", "grid", "--overwrite")
}

// letSpec is a problem with a table that comes from a file.
const letSpec = `model:
  decision: u[1]
  state: x[1]
  trait: d[1]
  let: {w: {file: w.csv}}
  next: 0.5*x + 0.2*w[0]*u + 0.1*d
  minimize: sum((x - 1)^2) + w[1]*sum(u^2)
  subject to: ["-1 <= u <= 1"]
population: {size: 20, law: normal}
iterations: 200000
record: {every: 20000}
trials: 2
seed: 1
algorithms: [{name: vanilla, step: 0.1, batch: 1}]
`

// stopEarly runs a command until the checkpoint in its folder holds a trial.
func stopEarly(t *testing.T, dir string, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		for len(underWay(dir)) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	root := newRoot(kind.Standard())
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); exitCode(err) != exitInterrupted {
		t.Fatalf("kedge %s was not stopped: %v", strings.Join(args, " "), err)
	}
}

// A file of model.let that changes under a checkpoint is refused by name.
func TestCheckpointsHoldOneWorld(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.yaml", letSpec)
	write(t, "w.csv", "1,2\n")
	args := []string{"run", "mine.yaml", "--quiet", "--no-check", "--checkpoint", "5ms", "--out", "out"}
	stopEarly(t, "out", args...)
	write(t, "w.csv", "1,3\n")
	refuses(t, []string{"w.csv held other bytes", "--fresh"}, args...)
	if len(underWay("out")) == 0 {
		t.Error("a refused run has removed the checkpoint")
	}
	succeeds(t, append(args, "--fresh")...)
	succeeds(t, "run", "mine.yaml", "--quiet", "--no-check", "--out", "clean")
	sameFolder(t, filesOf(t, "out"), filesOf(t, "clean"))
}

// anotherProgram builds a kedge with one more line.
func anotherProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	main, err := filepath.Abs("../cmd/kedge/main.go")
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(dir, "main.go")
	write(t, changed, read(t, main)+"\nvar another = func() int { return 7 }()\n")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{main: changed}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	path := filepath.Join(dir, "another")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", path, "../cmd/kedge").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// What one program has begun, a program of other code does not go on with.
func TestProgramsAreNotMixed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	first, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	second := anotherProgram(t)
	t.Chdir(t.TempDir())
	write(t, "grid.yaml", tinySweep)
	by := func(program string, args ...string) (string, bool) {
		out, err := exec.Command(program, args...).CombinedOutput()
		return string(out), err == nil
	}
	sweep := []string{"sweep", "grid.yaml", "--quiet", "--out", "grid"}
	for _, one := range []struct {
		program string
		args    []string
		want    string // why it is refused, "" if it is not
	}{
		{first, append(sweep, "--shard", "1/2"), ""},
		{second, sweep, "the revision of kedge's code was"},
		{first, sweep, ""},
		{second, append(sweep, "--fresh"), ""},
		{first, sweep, "the revision of kedge's code was"},
		{first, []string{"sweep", "grid.yaml", "--quiet", "--shard", "1/2", "--out", "a"}, ""},
		{second, []string{"sweep", "grid.yaml", "--quiet", "--shard", "2/2", "--out", "b"}, ""},
		{first, []string{"merge", "both", "a", "b"}, "the revision of kedge's code was"},
	} {
		out, ok := by(one.program, one.args...)
		if ok != (one.want == "") || !strings.Contains(out, one.want) || !ok && !strings.Contains(out, "--fresh") {
			t.Errorf("%s %v: %v, %s", filepath.Base(one.program), one.args, ok, out)
		}
	}
	run := []string{"run", "lq2", "--quiet", "--no-check", "--iterations", "20000", "--trials", "3", "--checkpoint", "2ms", "--out", "out"}
	for len(underWay("out")) == 0 {
		os.RemoveAll("out")
		killOnceSaved(t, first, "out", run)
	}
	if out, ok := by(second, run...); ok || !strings.Contains(out, "the revision of kedge's code was") || !strings.Contains(out, "--fresh") {
		t.Errorf("another program goes on from a checkpoint: %s", out)
	}
	if out, ok := by(second, append(run, "--fresh")...); !ok {
		t.Errorf("another program does not begin anew: %s", out)
	}
}

// killOnceSaved kills a program when its checkpoint holds a trial, unless it comes to its end before.
func killOnceSaved(t *testing.T, program, dir string, args []string) {
	t.Helper()
	c := exec.Command(program, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Wait()
	}()
	for len(underWay(dir)) == 0 {
		select {
		case <-ended:
			return
		default:
			time.Sleep(time.Millisecond)
		}
	}
	c.Process.Kill()
	<-ended
}

// Comparisons and studies say what they were made of and by which code.
func TestEveryManifestCarriesItsOrigin(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "people.csv", oneWorld)
	spec, _ := command(t, "run", "polarized", "--print-spec", "--set", "population={size: 3, dim: 2, law: file, file: people.csv}", "--set", "optimum.starts=1")
	write(t, "mine.yaml", spec)
	succeeds(t, "compare", "mine.yaml", "--quiet", "--methods", "vanilla,composite", "--trials", "2", "--iterations", "20", "--out", "compare")
	succeeds(t, "run", "mine.yaml", "--quiet", "--trials", "1", "--iterations", "5", "--out", "run")
	succeeds(t, "study", "batch", "--quick", "--quiet", "--out", "study")
	for dir, inputs := range map[string]int{"compare": 1, "run": 1, "study": 0} {
		m, err := folder.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		if m.Code != folder.CurrentCode() || m.Build != folder.CurrentBuild() || len(m.Inputs) != inputs || inputs == 1 && len(m.Inputs["people.csv"]) != 64 {
			t.Errorf("%s: %s", dir, fmt.Sprint(m.Identity))
		}
	}
}

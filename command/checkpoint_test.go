package command

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// program is kedge for all tests that need a process.
var program = evidence.NewProgram()

func TestMain(m *testing.M) {
	if os.Getenv("KEDGE_TEST_PANIC") != "" {
		panicBehindTheView()
	}
	os.Exit(program.Around(m))
}

// process prepares a real kedge, whose standard error goes to the buffer.
func process(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	c, out, err := ready(args...)
	if err != nil {
		t.Fatal(err)
	}
	return c, out
}

// ready prepares a real kedge where there may be no test to fail.
func ready(args ...string) (*exec.Cmd, *bytes.Buffer, error) {
	path, err := program.Path()
	if err != nil {
		return nil, nil, err
	}
	c, out := exec.Command(path, args...), new(bytes.Buffer)
	c.Stderr = out
	return c, out, nil
}

// filesOf returns the files of a result by name, but times.json, the only one that may differ.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	delete(files, "times.json")
	return files
}

func sameFolder(t *testing.T, got, want map[string]string) {
	t.Helper()
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("the folder holds %v, an undisturbed one %v", g, w)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s has other bytes than after an undisturbed run", name)
		}
	}
}

// killed are runs that between them have every kind of state.
func killed() map[string][]string {
	polarized := []string{"polarized", "--iterations", "800", "--trials", "3", "--set", "population.size=300", "--set", "population.dim=5",
		"--set", "optimum.starts=2", "--set", "hold=2"}
	choice := []string{"choice", "--iterations", "2000", "--trials", "3", "--set", "population.dim=9", "--set", "set.sum=20", "--set", "optimum.starts=2"}
	return map[string][]string{
		"paths, reference and gradient": append(slices.Clone(polarized), "--set", "record.paths=7", "--set", "record.rollout=3", "--set", "record.gradient=true"),
		"float32, traits drawn anew, without replacement": append(slices.Clone(polarized), "--iterations", "300", "--set", "population.storage=float32",
			"--set", "population.traits=regenerated", "--set", "population.sampling=without-replacement"),
		"derivative-free, one trial handing on to the next": append(slices.Clone(choice), "--iterations", "20000", "--set", // long enough to be saved halfway
			"algorithms=[{name: derivative-free, step: 0.1, batch: 1, delta: 2, carry: true}, {name: alone, kind: derivative-free, step: 0.1, batch: 1, delta: 2}]"),
		"momentum": {"lq2", "--iterations", "20000", "--trials", "2", "--set",
			"algorithms=[{name: vanilla, step: 0.1, batch: 2, momentum: 0.9, clip: 3, schedule: inverse-sqrt}, {name: composite, step: 0.1, batch: 2, momentum: 0.5}]"},
		"published choice":    append(slices.Clone(choice), "--published", "--set", "population.dim=100", "--set", "set.sum=250", "--iterations", "1000"),
		"published polarized": append(slices.Clone(polarized), "--published", "--set", "population.size=200", "--set", "population.dim=20", "--set", "hold=1"),
	}
}

// Killed at random moments and resumed with other numbers of workers, a run ends with the bytes of one that was left alone.
func TestKilledRunsEndWithTheSameBytes(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "killed", Text: "killed at random moments and resumed on other numbers of workers, six kinds of runs: other bytes"})
	for name, args := range killed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			calm, stormy := filepath.Join(dir, "calm"), filepath.Join(dir, "stormy")
			c, out := process(t, append([]string{"run", "--quiet", "--out", calm}, args...)...)
			if err := c.Run(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			storm(t, stormy, append([]string{"run", "--out", stormy, "--checkpoint", "5ms"}, args...))
			sameFolder(t, filesOf(t, stormy), filesOf(t, calm))
			same.Case(!t.Failed(), "%s: not the folder of an undisturbed run", name)
		})
	}
}

// storm gives a command until it comes to its end by itself. It kills it at least four times at random moments, and until it
// has gone on with a trial from the middle.
func storm(t *testing.T, dir string, args []string) {
	resumed := 0
	for kills := 0; ; kills++ {
		resumed += len(underWay(dir))
		c, out := process(t, append(args, "--workers", strconv.Itoa(1+rand.IntN(3)))...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		if kills < 4 || resumed == 0 {
			go strike(c, dir, kills, ended)
		}
		err := c.Wait()
		close(ended)
		if err == nil {
			t.Logf("killed %d times, went on with %d trials", kills, resumed)
			if resumed == 0 {
				t.Error("the run came to its end without going on with any trial")
			}
			return
		}
		if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// strike kills a process a moment after it was started or, later on, after it has saved a trial.
func strike(c *exec.Cmd, dir string, kills int, ended <-chan struct{}) {
	later, most := kills >= 2, 100
	if later {
		most = 30
	}
	for later && len(underWay(dir)) == 0 {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(time.Duration(rand.IntN(most)) * time.Millisecond)
	c.Process.Kill()
}

// underWay lists the files of trials that are under way.
func underWay(dir string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, "checkpoint", "trial-*.bin"))
	return list
}

var resumedAt = regexp.MustCompile(`resumed at \d %`)

// Ctrl-C with a checkpoint: exit code 130, no result but the way to go on; without it the run can be started over.
func TestInterruptWithCheckpoint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"run", "polarized", "--out", dir, "--set", "population.size=300", "--set", "hold=2", "--set", "optimum.starts=1", "--trials", "2000", "--workers", "2"}
	stop := func(extra ...string) string {
		t.Helper()
		c, out := process(t, append(args, extra...)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(1500*time.Millisecond, func() { c.Process.Signal(syscall.SIGINT) })
		if err := c.Wait(); c.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("exit code %d (%v), want %d: %s", c.ProcessState.ExitCode(), err, exitInterrupted, out)
		}
		return out.String()
	}
	if out := stop("--checkpoint", "1h"); !strings.Contains(out, "the same command goes on") {
		t.Errorf("nobody says how to go on: %s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "checkpoint", "run.json")); err != nil {
		t.Error(err)
	}
	if out := stop("--checkpoint", "1h"); !resumedAt.MatchString(out) { // of a machine with many quick processors not at 0 %
		t.Errorf("not resumed: %s", out)
	}
	if out := stop("--checkpoint", "1h", "--fresh"); strings.Contains(out, "resumed") {
		t.Errorf("not started over: %s", out)
	}
	for want, extra := range map[string][]string{
		"holds the checkpoint of a run that was stopped":      nil,
		`the spec had "trials: 2000", now it has "trials: 7"`: {"--checkpoint", "1s", "--trials", "7"},
		"want a time above 0":                                 {"--checkpoint", "-1s"},
	} {
		if text, code := command(t, append(args, extra...)...); code != exitUsage || !strings.Contains(text, want) {
			t.Errorf("%v: exit code %d, %q; want 64 and %q", extra, code, text, want)
		}
	}
}

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
)

// command runs kedge in this process and returns what it prints and its exit code.
func command(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	root := newRoot(kind.Standard())
	var b bytes.Buffer
	root.SetOut(&b)
	root.SetErr(&b)
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return b.String(), 0
	}
	return b.String() + complaint(err), exitCode(err)
}

var tiny = []string{"--iterations", "20", "--trials", "2", "--set", "population.size=30", "--set", "population.dim=4", "--set", "optimum.starts=2"}

func TestRunWritesTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	out, code := command(t, append([]string{"run", "polarized", "--out", dir}, tiny...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for _, name := range []string{"summary.json", "series.csv", "spec.yaml", "report.html", "gap.svg", "gap.png", "distance.svg", "angles.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, word := range []string{"optimum", "stable point", "vanilla", "composite", "report.html"} {
		if !strings.Contains(out, word) {
			t.Errorf("the output has no %q:\n%s", word, out)
		}
	}
	if out, code := command(t, append([]string{"run", "polarized", "--quiet", "--out", dir}, tiny...)...); code != 0 || out != "" {
		t.Errorf("a second, quiet run into the same folder: exit code %d, output %q", code, out)
	}
}

// Every mistake: exit code 64, a message that names what is wrong, and no folder.
func TestMistakesAreRefused(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("dynamics: [1, 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(dir, "wrong.yaml")
	text, _ := command(t, "run", "choice", "--print-spec")
	text = strings.Replace(text, "upper: 5", "upper: 2", 1)
	if err := os.WriteFile(wrong, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "polarized", "--set", "dynamics.lambda=1.5"}, "--set dynamics.lambda=1.5: dynamics.lambda is 1.5"},
		{[]string{"run", "polarized", "--set", "dynamics.lamda=1"}, "did you mean lambda?"},
		{[]string{"run", "polarized", "--set", "population.size=abc"}, "population.size"},
		{[]string{"run", "polarized", "--seed", "-1"}, "--seed"},
		{[]string{"run", "polarized", "--iterations", "0"}, "--iterations 0"},
		{[]string{"run", "nosuchcase"}, `no case "nosuchcase"; the cases are choice, credit, gaussian-mean`},
		{[]string{"run", filepath.Join(dir, "missing.yaml")}, "missing.yaml"},
		{[]string{"run", broken}, "broken.yaml:1"},
		{[]string{"run", wrong}, "the set is empty"},
		{[]string{"run", "lq2", "--published"}, "no published run of lq2"},
		{[]string{"run", "lq2", "--set", "dynamics.a=[[1.5, 0], [0, 0.5]]"}, "lq2:27: dynamics: the steady state does not attract"},
		{[]string{"run", "polarized", "--nosuchflag"}, "nosuchflag"},
		{[]string{"run"}, "accepts 1 arg"},
		{[]string{"sail"}, "unknown command"},
	} {
		out := filepath.Join(dir, "o")
		args := append(c.args, "--out", out)
		if len(c.args) < 2 {
			args = c.args
		}
		text, code := command(t, args...)
		if code != exitUsage || !strings.Contains(text, c.want) {
			t.Errorf("kedge %s: exit code %d, %q; want 64 and %q", strings.Join(c.args, " "), code, text, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("kedge %s left a folder behind", strings.Join(c.args, " "))
		}
	}
}

func TestPrintSpec(t *testing.T) {
	text, code := command(t, "run", "polarized", "--print-spec")
	if code != 0 || !strings.Contains(text, "# A political party") {
		t.Errorf("the case is not shown with its comments: %s", text)
	}
	text, code = command(t, "run", "polarized", "--published", "--print-spec", "--set", "dynamics.lambda=0.3")
	if code != 0 || !strings.Contains(text, "lambda: 0.3") || !strings.Contains(text, "generator: numpy") {
		t.Errorf("overlays are not shown: %s", text)
	}
}

// Ctrl-C in a real process: exit code 130 and a folder that says it is partial.
func TestInterrupt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "o")
	c, _ := process(t, "run", "polarized", "--out", out, "--set", "population.size=50", "--set", "optimum.starts=1", "--trials", "2000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d (%v), want %d", code, err, exitInterrupted)
	}
	summary, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil || !strings.Contains(string(summary), `"partial": true`) {
		t.Errorf("summary (%v): %s", err, summary)
	}
}

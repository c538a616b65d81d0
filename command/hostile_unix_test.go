//go:build unix

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// hostile clears the screen, sets the title of the window, turns the writing around and pretends to be a line of kedge's own.
const hostile = "x\x1b]0;owned\x07\x1b[2J\u202e\u009b31m\nkedge: all is well"

// Names from file names, specs, sweeps, manifests, tables and flags reach a terminal only written out.
func TestHostileNamesAreWrittenOut(t *testing.T) {
	t.Chdir(t.TempDir())
	text, _ := command(t, "run", "lq2", "--print-spec")
	spec, sweep := hostile+".yaml", "s"+hostile+".yaml"
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(spec, text)
	write("wrong.yaml", strings.Replace(text, "name: composite", `name: "c\e[2J\u202e"`, 1))
	write(sweep, "base: "+`"x\e]0;owned\a\e[2J\u202e\u009b31m\nkedge: all is well.yaml"`+"\nover:\n  trials: [1, 2]\n")
	write("named.yaml", "name: \"a\\e[2J\"\nbase: lq2\nover:\n  trials: [1, 2]\n")
	seen := func(args ...string) {
		out, code := command(t, args...)
		for line := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
			if !phrase.IsSafe(line) || strings.HasPrefix(line, "kedge: all is well") {
				t.Errorf("kedge %q (exit code %d) prints the line %q", args, code, line)
			}
		}
	}
	few := []string{"--iterations", "10", "--trials", "2", "--set", "optimum.starts=1"}
	seen(append([]string{"run", spec}, few...)...)
	seen(append([]string{"run", spec, "--out", "a" + hostile}, few...)...)
	seen(append([]string{"check", spec}, few[:2]...)...)
	seen("certify", spec)
	seen("compare", spec, "--methods", "composite", "--budget", "1000", "--seeds", "2", "--out", "c"+hostile)
	seen("sweep", sweep, "--dry-run")
	seen("sweep", sweep, "--set", "iterations=10", "--out", "w"+hostile)
	seen("sweep", "named.yaml")
	seen("run", "wrong.yaml")
	seen("run", hostile)
	seen("run", "lq2", "--set", hostile+"=1")
	seen("run", "lq2", "--"+hostile)
	seen("spec", "explain", hostile)
	seen(hostile)
	seen("report", "a"+hostile)
	seen("plot", "a"+hostile, "--y", hostile)
	seen("plot", "a"+hostile, "--out", "p"+hostile+".svg")
	seen("verify", "a"+hostile)
	for file, change := range map[string][2]string{
		"manifest.json": {`"series.csv"`, `"x\u001b]0;owned\u0007\u202e\u009b31m\nkedge: all is well"`},
		"summary.json":  {`"composite"`, `"x\u001b]0;owned\u0007\u202e\u009b31m\nkedge: all is well"`},
		"series.csv":    {"distance", "x\x1b[2J\u202e"},
		"spec.yaml":     {"name: composite", `name: "x\e[2J"`},
	} {
		seen(append([]string{"run", "lq2", "--out", "r"}, few...)...)
		name := filepath.Join("r", file)
		there, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(there), change[0]) {
			t.Fatalf("%s has no %s (%v)", name, change[0], err)
		}
		write(name, strings.ReplaceAll(string(there), change[0], change[1]))
		seen("verify", "r")
		seen("report", "r", "--out", "again")
		seen("plot", "r")
		seen("plot", "r", "--y", "nothere")
		seen(append([]string{"run", "lq2", "--out", "r"}, few...)...)
		if err := os.RemoveAll("r"); err != nil {
			t.Fatal(err)
		}
	}
}

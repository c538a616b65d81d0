package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Everything that the command does with kinds of its own it does with those of a program: the words below come from fatigue.go, from
// unit.go, and from the results of both.
func TestForeignKindsRunThroughTheCommand(t *testing.T) {
	dir := t.TempDir()
	kedge := filepath.Join(dir, "kedge")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", kedge, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	spec, err := filepath.Abs("fatigue.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, file, want string }{
		{"check " + spec, "", "none of 17 checks failed"},
		{"run " + spec + " --quiet --out run", "run/report.md", "s·tanh u) with λ = 0.5 and s = 0.8"},
		{"compare " + spec + " --methods vanilla,unit:delay=20 --trials 1 --points 3 --quiet --out methods", "methods/report.md", "At the optimum, as they must: unit:delay=20."},
		{"report run --out again", "again/report.md", "s·tanh u) with λ = 0.5 and s = 0.8"},
		{"report methods", "methods/report.md", "At the stable point, as they must: vanilla."},
		{"plot run --y distance --out distance.svg", "distance.svg", ">unit<"},
		{"spec explain dynamics.strength", "", "of        kind fatigue"},
		{"spec explain algorithms.kind", "", "unit: Follows the direction of the composite gradient."},
		{"compare --help", "", "  unit\n"},
	} {
		command := exec.Command(kedge, strings.Fields(c.args)...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", c.args, err, out)
		}
		if c.file != "" {
			if out, err = os.ReadFile(filepath.Join(dir, c.file)); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(string(out), c.want) {
			t.Errorf("%s: there is no %q in\n%s", c.args, c.want, out)
		}
	}
}

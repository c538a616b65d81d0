package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Both sides agree, or run fails.
func TestAgreesWithSciPy(t *testing.T) {
	python := ""
	for _, name := range []string{os.Getenv("KEDGE_PYTHON"), "python3"} {
		if name != "" && exec.Command(name, "-c", "import scipy.optimize").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("no Python with SciPy: install Debian's python3-scipy, or pip install scipy and set KEDGE_PYTHON")
	}
	var out strings.Builder
	if err := run(context.Background(), options{rows: 3000, rounds: 1, workers: 1, python: python}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "processors") {
		t.Error(out.String())
	}
}

func TestMissingSciPyIsNamed(t *testing.T) {
	err := run(context.Background(), options{rows: 500, rounds: 1, workers: 1, python: "true"}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "python3-scipy") {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"--rows", "0"}, {"--rounds", "-1"}, {"--workers", "0"}, {"more"}, {"--nonsense"}} {
		var complaint strings.Builder
		if _, err := parse(args, &complaint); err == nil || complaint.Len() == 0 {
			t.Errorf("%v: %v", args, err)
		}
	}
}

package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// python is one that has POT, or the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("KEDGE_PYTHON"), "python3"} {
		if name != "" && exec.Command(name, "-c", "import ot").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with POT: install Debian's python3-pot, or pip install pot and set KEDGE_PYTHON")
	return ""
}

// Both sides agree on every kind, or run fails.
func TestAgreesWithPOT(t *testing.T) {
	var out strings.Builder
	if err := run(context.Background(), options{n: 60, rounds: 1, python: python(t)}, &out); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds() {
		if !strings.Contains(out.String(), k.name) {
			t.Errorf("no line for %s in\n%s", k.name, out.String())
		}
	}
}

func TestMissingPOTIsNamed(t *testing.T) {
	if _, err := solve(context.Background(), pot("true"), kinds()[0].instance(1, 0)); err == nil || !strings.Contains(err.Error(), "python3-pot") {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"--n", "0"}, {"--rounds", "-1"}, {"more"}, {"--nonsense"}} {
		var complaint strings.Builder
		if _, err := parse(args, &complaint); err == nil || complaint.Len() == 0 {
			t.Errorf("%v: %v", args, err)
		}
	}
}

package command

import (
	"strings"
	"testing"
)

// What is asked for is done or refused: of two values for one key none is dropped in silence, and a number that means nothing is not taken for none.
func TestFlagsAreNotDropped(t *testing.T) {
	for line, want := range map[string]string{
		"spec show lq2 --iterations 7 --set iterations=5":         "--iterations 7 and --set iterations=5: want one of them",
		"run lq2 --seed 3 --set seed=4 --print-spec":              "--seed 3 and --set seed=4: want one of them",
		"compare lq2 --iterations 7 --set iterations=5 --dry-run": "--iterations 7 and --set iterations=5: want one of them",
		"certify lq2 --T 0":     "--T 0 and --tau 0.05: want a horizon of 1 or more",
		"check lq2 --people 0":  "--people 0: want 1 or more",
		"check lq2 --people -1": "--people -1: want 1 or more",
	} {
		if out, code := command(t, strings.Fields(line)...); code != 64 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, want 64 with %q in\n%.300s", line, code, want, out)
		}
	}
	for _, line := range []string{"certify lq2 --T 1", "check lq2 --people 1"} { // the least that means something
		if out, code := command(t, strings.Fields(line)...); code != 0 {
			t.Errorf("%s: exit code %d\n%.300s", line, code, out)
		}
	}
	if out, code := command(t, "spec", "show", "lq2", "--iterations", "7", "--set", "iterations=7"); code != 0 || !strings.Contains(out, "iterations: 7\n") {
		t.Errorf("the same twice: exit code %d\n%.300s", code, out)
	}
}

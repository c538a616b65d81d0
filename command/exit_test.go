package command

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A process of ours that crashes must not end with a code that has a meaning: 2 once said that nothing was written.
func TestACrashHasNoCodeOfOurs(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "KEDGE_TEST_PANIC=1")
	out, _ := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); slices.Contains([]int{0, exitFailed, exitUsage, exitInterrupted}, code) || !strings.Contains(string(out), "broken row") {
		t.Errorf("a panic ends with exit code %d: %s", code, out)
	}
}

// The codes stand in the one table that help and docs/command.md have of them.
func TestExitCodesAreListed(t *testing.T) {
	text, _ := command(t, "help", "exit-codes")
	for _, line := range []string{"\n  0 ", "\n  1 ", "\n  64 ", "\n  130 ", "2 is a crash"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in %s", line, text)
		}
	}
}

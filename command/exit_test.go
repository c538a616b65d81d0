package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/exit"
)

// The codes and how they are had, as tests of the command call them.
const (
	exitFailed      = exit.Failed
	exitHolds       = exit.Holds
	exitUsage       = exit.Usage
	exitInterrupted = exit.Interrupted
)

var exitCode = exit.CodeOf

// A process of ours that crashes must not end with a code that has a meaning: 2 once said that nothing was written.
func TestACrashHasNoCodeOfOurs(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "KEDGE_TEST_PANIC=1")
	out, _ := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); slices.Contains([]int{0, exitFailed, exitHolds, exitUsage, exitInterrupted}, code) || !strings.Contains(string(out), "broken row") {
		t.Errorf("a panic ends with exit code %d: %s", code, out)
	}
}

// An error has the code that it was given; of others what could not be written went wrong while running, and the rest are mistakes.
func TestCodesOfErrors(t *testing.T) {
	write, open := &fs.PathError{Op: "write", Path: "o", Err: fs.ErrClosed}, &fs.PathError{Op: "open", Path: "i", Err: fs.ErrNotExist}
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("x"), exitUsage}, {open, exitUsage}, {write, exitFailed}, {fmt.Errorf("in x: %w", write), exitFailed},
		{exit.Failure(open), exitFailed}, {exit.With(exitInterrupted, write), exitInterrupted}, {errors.Join(errors.New("x"), exit.With(exitHolds, open)), exitHolds},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

// Of an error with several causes every one has its line; a name in it begins none.
func TestComplaint(t *testing.T) {
	first := fmt.Errorf("in %s: %w", "a\nb", errors.New("c\nd"))
	for want, err := range map[string]error{
		`in a\u000ab: c\u000ad`:             first,
		"in a\\u000ab: c\\u000ad\nx":        errors.Join(first, errors.New("x")),
		"w: x\ny; see z":                    fmt.Errorf("w: %w; see z", errors.Join(errors.New("x"), errors.New("y"))),
		"open \\u001b: file does not exist": &fs.PathError{Op: "open", Path: "\x1b", Err: fs.ErrNotExist},
		"x":                                 exit.Failure(errors.New("x")),
	} {
		if got := complaint(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, _ := command(t, "rnu"); got != `unknown command "rnu" for "kedge"; did you mean run or runs?` {
		t.Errorf("a word that is nearly one: %q", got)
	}
}

// The codes stand in the one table that help and docs/command.md have of them.
func TestExitCodesAreListed(t *testing.T) {
	text, _ := command(t, "help", "exit-codes")
	for _, line := range []string{"\n  0 ", "\n  1 ", "\n  3 ", "\n  64 ", "\n  130 ", "2 is a crash"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in %s", line, text)
		}
	}
}

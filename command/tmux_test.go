package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminal is a real terminal of a given size with a shell in it.
type terminal struct {
	*testing.T
	socket        string
	env           []string
	width, height int
}

// open starts a terminal with a shell that says how commands end, as in "[0]$ ".
func open(t *testing.T, width, height int, env ...string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	name, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+filepath.Dir(name)+":"+os.Getenv("PATH"), "PS1=[$?]$ ", "HISTFILE=", "LC_ALL=C.UTF-8", "TMUX=")
	term := &terminal{t, filepath.Join(shortDir(t), "tmux"), append(os.Environ(), env...), width, height}
	t.Cleanup(func() { term.tmux("kill-server") })
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", t.TempDir(),
		"bash", "--norc", "--noprofile")
	term.wait("]$")
	return term
}

// shortDir makes a folder for sockets, whose paths may have some hundred bytes, however long TMPDIR and the test's name are.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kedge")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (t *terminal) tmux(args ...string) string {
	t.Helper()
	c := exec.Command("tmux", append([]string{"-u", "-S", t.socket}, args...)...)
	c.Env = t.env
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// line types a line.
func (t *terminal) line(text string) {
	t.Helper()
	t.tmux("send-keys", "-l", text+"\r")
}

func (t *terminal) key(name string) {
	t.Helper()
	t.tmux("send-keys", name)
}

func (t *terminal) resize(width, height int) {
	t.Helper()
	t.width, t.height = width, height
	t.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// screen returns the rows that show.
func (t *terminal) screen() []string {
	t.Helper()
	return strings.Split(strings.TrimRight(t.tmux("capture-pane", "-p"), "\n"), "\n")
}

// wait waits until the screen has all of the words and returns it.
func (t *terminal) wait(words ...string) []string {
	t.Helper()
	var screen []string
	for range 600 {
		screen = t.screen()
		text, missing := strings.Join(screen, "\n"), false
		for _, w := range words {
			missing = missing || !strings.Contains(text, w)
		}
		if !missing {
			return screen
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%q did not appear:\n%s", words, strings.Join(screen, "\n"))
	return nil
}

// becomes waits until a screen has no faults: one that is being drawn has some for a moment.
func (t *terminal) becomes(faults func(*terminal, []string) []string) {
	t.Helper()
	for try := 0; ; try++ {
		screen := t.screen()
		found := faults(t, screen)
		if len(found) == 0 {
			return
		}
		if try == 600 {
			t.Fatalf("%s:\n%s", strings.Join(found, "; "), strings.Join(screen, "\n"))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// restored checks that the shell is back on its own screen with what was on it before, and that typing shows again.
func (t *terminal) restored(before string) {
	t.Helper()
	if on := strings.TrimSpace(t.tmux("display-message", "-p", "#{alternate_on}")); on != "0" {
		t.Error("the full screen was not left")
	}
	if history := t.tmux("capture-pane", "-p", "-S", "-"); !strings.Contains(history, before) {
		t.Errorf("what was on the screen is gone:\n%s", history)
	}
	t.line("stty -a | grep -ow 'isig\\|icanon\\|-*echo' | tr '\\n' ' '; echo .")
	t.wait("\nisig icanon echo .")
}

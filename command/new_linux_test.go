package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// On a full disk, here one for files of 1 KB, a spec that was to be replaced is what it was, and of a new one no half is left that would look like a whole one.
func TestSpecsAreWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	mine, other := filepath.Join(dir, "mine.yaml"), filepath.Join(dir, "other.yaml")
	const notes = "# what somebody has worked out\n"
	if err := os.WriteFile(mine, []byte(notes), 0o644); err != nil {
		t.Fatal(err)
	}
	full := func(args ...string) int {
		c, out := process(t, args...)
		limited := exec.Command("sh", append([]string{"-c", `ulimit -f 2; trap "" XFSZ; exec "$0" "$@"`}, c.Args...)...) // blocks of 512 bytes
		limited.Stderr = out
		if limited.Run(); limited.ProcessState == nil {
			t.Fatal(out)
		}
		return limited.ProcessState.ExitCode()
	}
	code := full("new", "--yes", "--force", mine)
	if text, err := os.ReadFile(mine); code != 1 || err != nil || string(text) != notes {
		t.Errorf("exit code %d, and the file holds %d bytes: %.60q, %v", code, len(text), text, err)
	}
	code = full("new", "--yes", other)
	if _, err := os.Stat(other); code != 1 || !os.IsNotExist(err) {
		t.Errorf("exit code %d, and of the new file there is something: %v", code, err)
	}
	if _, code := command(t, "new", "--yes", "--force", mine); code != 0 {
		t.Error(code)
	}
	if text, err := os.ReadFile(mine); err != nil || len(text) < 2000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// Anybody may read a spec, its owner alone change it and nobody run it, as far as the umask lets them: a new one, and one that takes the place of another.
func TestSpecsAreNoPrograms(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mine.yaml")
	for _, force := range []bool{false, true} {
		if err := (&newFlags{force: force}).write(name, []byte("seed: 1\n")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode(); mode&^0o644 != 0 || mode&0o600 != 0o600 {
			t.Errorf("with --force %t: %v", force, mode)
		}
	}
}

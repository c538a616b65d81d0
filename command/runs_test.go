package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// quickRun runs lq2 for a moment.
func quickRun(t *testing.T, out string, more ...string) {
	t.Helper()
	args := append([]string{"run", "lq2", "--quiet", "--no-check", "--trials", "1", "--iterations", "5", "--out", out}, more...)
	if text, code := command(t, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
}

func TestRunsListsByTag(t *testing.T) {
	t.Chdir(t.TempDir())
	if out, code := command(t, "runs"); code != exitUsage || !strings.Contains(out, "--out") {
		t.Errorf("without any results: exit code %d, %s", code, out)
	}
	quickRun(t, "runs/one", "--tag", "baseline", "--tag", "paper", "--seed", "7")
	quickRun(t, "runs/two")
	if out, code := command(t, "runs", "tag", "runs/two", "paper", "b\x1b[31m"); code != exitUsage || !strings.Contains(out, `"b\x1b[31m" is no tag`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := command(t, "runs", "tag", "runs/two", "paper"); code != 0 || out != "runs/two: paper\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
	for args, want := range map[string]string{
		"":                           "one two",
		"--tag paper":                "one two",
		"--tag paper --tag baseline": "one",
		"--tag nosuch":               "",
		"--case lq2 --tag baseline":  "one",
		"--case polarized":           "",
	} {
		out, code := command(t, strings.Fields("runs runs --json "+args)...)
		var found folder.Listing
		if err := json.Unmarshal([]byte(out), &found); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v: %s", code, err, out)
		}
		got := map[string]bool{}
		for _, one := range found.Folders {
			got[filepath.Base(one.Dir)] = true
		}
		for _, name := range strings.Fields(want) {
			if !got[name] || len(got) != len(strings.Fields(want)) {
				t.Errorf("kedge runs %s lists %v, want %s", args, got, want)
			}
		}
	}
	if out, code := command(t, "runs", "untag", "runs/one", "paper"); code != 0 || out != "runs/one: baseline\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
	quickRun(t, "runs/one", "--tag", "again", "--overwrite")
	out, code := command(t, "runs", "--verify")
	for _, word := range []string{"again baseline", "✓ runs/one", "✓ runs/two", "composite", "lq2"} {
		if code != 0 || !strings.Contains(out, word) {
			t.Errorf("exit code %d, no %q in\n%s", code, word, out)
		}
	}
}

// A wrong tag is found before anything is computed; a folder that was changed is told, and its name cannot act on the terminal.
func TestRunsAndMistakes(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "o")
	if text, code := command(t, "run", "lq2", "--out", out, "--tag", "-a"); code != exitUsage || !strings.Contains(text, "is no tag") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a wrong tag left a folder behind")
	}
	quickRun(t, out, "--tag", "a")
	if err := os.WriteFile(filepath.Join(out, "tags.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, code := command(t, "run", "lq2", "--out", out, "--tag", "b", "--trials", "1", "--iterations", "5"); code != exitUsage || !strings.Contains(text, "tags.json") {
		t.Errorf("exit code %d: %s", code, text)
	}
	quickRun(t, out) // without tags nobody asks for the file
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, "odd\x1b[31m")
	quickRun(t, odd)
	if err := os.WriteFile(filepath.Join(odd, "gap.svg"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, code := command(t, "runs", dir)
	if code != 0 || !strings.Contains(text, "gap.svg") || !strings.Contains(text, "✗ ") || strings.Contains(text, "\x1b") {
		t.Errorf("exit code %d: %q", code, text)
	}
	if text, code := command(t, "runs", dir, "--verify"); code != exitFailed {
		t.Errorf("exit code %d: %s", code, text)
	}
}

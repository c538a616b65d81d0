package evidence

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence/board"
)

// TestStated is a test with a row, which TestRows runs in a process and a module of its own.
func TestStated(t *testing.T) {
	how := os.Getenv("KEDGE_TEST_ROW")
	if how == "" {
		t.Skip("a part of TestRows")
	}
	p := Promise{Name: "sums", Text: "sums add up", Needs: "numbers"}
	if how == "long" {
		p.Short = "a few"
	}
	if how == "other words" {
		p.Text = "sums are sums"
	}
	row := For(t, p)
	switch how {
	case "nothing":
		return
	case "skipped":
		t.Skip("no numbers")
	case "wrong":
		row.Case(false, "1 + 1 is 3")
	case "over":
		row.AtMost("", 1.5, 1)
	case "other bar":
		row.AtMost("", 0.5, 2)
	}
	row.Case(true, "")
	row.Ended("even")
	row.AtMost("", 0.5, 1)
	row.AtMost("", 0.25, 1)
}

// stated runs TestStated in a module and returns what it says.
func stated(t *testing.T, module, how string, env ...string) (said string, passed bool) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.v", "-test.run", "^TestStated$")
	c.Dir = filepath.Join(module, "sums")
	c.Env = append(os.Environ(), append([]string{"KEDGE_UPDATE=", "KEDGE_TORTURE=", "KEDGE_TEST_ROW=" + how}, env...)...)
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

// A row is written where that is asked for, compared otherwise; wrong, over its bar, without a figure or about something else it fails.
func TestRows(t *testing.T) {
	module := t.TempDir()
	if err := os.MkdirAll(filepath.Join(module, "sums"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.org/m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, day := filepath.Join(module, "docs", "reliability", "sums.json"), time.Now().UTC().Format(time.DateOnly)
	for _, c := range []struct {
		how, env string
		passes   bool
		want     string // of what it says
		line     string // of the table, then
	}{
		{"plain", "", false, "KEDGE_UPDATE=1 go test -v -run '^TestStated$' ./sums writes it", ""},
		{"plain", "KEDGE_UPDATE=1", true, "sums add up: 0 of 1 (even 1); 0.5, the bar is 0; 1", "| 0 of 1 (even 1); 0.5 | 0; 1 | " + day + " |"},
		{"plain", "", true, "0 of 1", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"wrong", "KEDGE_UPDATE=1", false, "1 + 1 is 3", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"over", "KEDGE_UPDATE=1", false, "1.5, the bar is 1", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"nothing", "", false, "the test passed without a figure", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"other bar", "", false, "has other words or bars than its test", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"other words", "", false, "has other words or bars than its test", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"skipped", "", true, "SKIP", "| 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"skipped", "KEDGE_UPDATE=1", true, "SKIP", "| *skipped*: needs numbers |  |"},
		{"plain", "", true, "0 of 1", "| *skipped*: needs numbers |  |"},
		{"long", "KEDGE_UPDATE=1", true, "0 of 1", "CI has a few; needs numbers | 0 of 1 (even 1); 0.5, of the short test | 0; 1 |"},
		{"long", "KEDGE_UPDATE=1 KEDGE_TORTURE=1", true, "0 of 1", "CI has a few; needs numbers | 0 of 1 (even 1); 0.5 | 0; 1 |"},
		{"long", "KEDGE_UPDATE=1", true, "which this is not", "CI has a few; needs numbers | 0 of 1 (even 1); 0.5 | 0; 1 |"},
	} {
		said, passed := stated(t, module, c.how, strings.Fields(c.env)...)
		f, err := board.Read(os.DirFS(module), "sums")
		if passed != c.passes || !strings.Contains(said, c.want) || (err == nil) != (c.line != "") || err == nil && !strings.Contains(f.Line(), c.line) {
			t.Errorf("%s %s: passed %v, want %v; want %q, said\n%s\nthe row is %s, want %s (%v)", c.env, c.how, passed, c.passes, c.want, said, f.Line(), c.line, err)
		}
	}
	t.Run("what was written by hand stays, and git is asked", func(t *testing.T) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "{", `{"keeps": ["P6"], "tests": ["T32"],`, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		head := ""
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "sums"}, {"rev-parse", "--short=12", "HEAD"}} {
			c := exec.Command("git", args...)
			c.Dir = module
			out, err := c.CombinedOutput()
			if err != nil {
				t.Skipf("git %v: %v: %s", args, err, out)
			}
			head = strings.TrimSpace(string(out))
		}
		figures := t.TempDir()
		for _, want := range []string{" | " + day + ", " + head + " |", " | " + day + ", " + head + " and changes |"} {
			said, passed := stated(t, module, "long", "KEDGE_UPDATE=1", "KEDGE_TORTURE=1", "KEDGE_FIGURES="+figures)
			f, err := board.Read(os.DirFS(module), "sums")
			if err != nil || !passed || !strings.HasPrefix(f.Line(), "| P6 T32 |") || !strings.Contains(f.Line(), want) {
				t.Errorf("%v: the row is %s, want %s; said %s", err, f.Line(), want, said)
			}
			if told, err := os.ReadFile(filepath.Join(figures, "sums.json")); err != nil || !strings.Contains(string(told), `"cases": 1`) {
				t.Errorf("KEDGE_FIGURES: %v, %s", err, told)
			}
			if err := os.WriteFile(filepath.Join(module, "sums", "new.go"), []byte("package sums\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/lab/study"
)

func TestStudiesAreListed(t *testing.T) {
	out, code := command(t, "study")
	for _, name := range study.Names() {
		if !strings.Contains(out, name) {
			t.Errorf("exit code %d, %s is not listed: %s", code, name, out)
		}
	}
	for _, s := range study.Statements() {
		if !strings.Contains(out, s.Name+" ") {
			t.Errorf("%s is not listed: %s", s.Name, out)
		}
	}
}

// A theorem of the paper is the name of the study that measures it, and the page and the terminal say its number.
func TestTheoremsNameStudies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	out, code := command(t, "study", "theorem-3", "--quick", "--trials", "2", "--out", dir)
	if title := "Lemma 2, Theorem 3 and Lemma 4: How far a run moves the crowd"; code != 0 || !strings.Contains(out, title) || !strings.Contains(readPage(t, dir), title) {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A study makes a sealed folder, and its report is made anew with the same bytes.
func TestStudyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if out, code := command(t, "study", "timescale", "--quick", "--out", dir); code != 0 || !strings.Contains(out, "report.html") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	page := readPage(t, dir)
	for _, want := range []string{"0.860453", "within the interval", "kedge study timescale --seed 1 --quick"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, name := range []string{"table.csv", "table.parquet", "critical.svg", "critical.png", "critical.pdf", "report.md", "manifest.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if out, code := command(t, "report", dir); code != 0 || readPage(t, dir) != page {
		t.Errorf("exit code %d, or another page: %s", code, out)
	}
	if out, code := command(t, "verify", dir); code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := command(t, "study", "timescale", "--quick", "--quiet", "--out", dir); code != 0 || out != "" || readPage(t, dir) != page {
		t.Errorf("again: exit code %d, or another page: %s", code, out)
	}
}

func readPage(t *testing.T, dir string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestStudyMistakes(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"rates"}, "the studies are shift, rate-expectation"},
		{[]string{"batch", "--trials", "1"}, "1 trials"},
		{[]string{"batch", "--out", full}, "not empty"},
		{[]string{"batch", "timescale"}, "usage: kedge study"},
	} {
		if out, code := command(t, append([]string{"study"}, c.args...)...); code != exitUsage || !strings.Contains(out, c.want) {
			t.Errorf("%q: exit code %d: %s", c.args, code, out)
		}
	}
}

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// smallRun makes a finished run and returns its folder.
func smallRun(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	out := filepath.Join(dir, "o")
	args := slices.Concat([]string{"run", "polarized", "--quiet", "--out", out}, tiny, flags)
	if text, code := command(t, args...); code != 0 {
		t.Fatal(text)
	}
	return out
}

// contents reads all files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// A report made anew from the folder has the bytes of the one that the run wrote, and a lost one comes back, once nobody else writes into the folder.
func TestReportIsMadeAnewFromItsFolder(t *testing.T) {
	dir := smallRun(t, t.TempDir())
	before := contents(t, dir)
	if err := os.Remove(filepath.Join(dir, "report.html")); err != nil {
		t.Fatal(err)
	}
	other, err := folder.KindRun.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, []string{"in use by another kedge"}, "report", dir)
	other.Release()
	if text, code := command(t, "report", dir); code != 0 || !strings.Contains(text, "report.html") {
		t.Fatal(text)
	}
	after := contents(t, dir)
	for name, data := range before {
		if after[name] != data {
			t.Errorf("%s differs", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files became %d", len(before), len(after))
	}
}

func TestReportComparesRuns(t *testing.T) {
	root := t.TempDir()
	a, b := smallRun(t, filepath.Join(root, "a")), smallRun(t, filepath.Join(root, "b"), "--set", "algorithms.composite.step=0.1")
	out := filepath.Join(root, "both")
	for range 2 { // the second time over the first
		if text, code := command(t, "report", a, b, "--out", out); code != 0 {
			t.Fatal(text)
		}
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil || !bytes.Contains(page, []byte("algorithms.composite.step")) {
		t.Errorf("the page does not say what differs: %v", err)
	}
	if text, code := command(t, "verify", out); code != 0 {
		t.Error(text)
	}
}

// Nothing is written where the data is not what the run wrote, or where something else is.
func TestReportRefuses(t *testing.T) {
	root := t.TempDir()
	dir := smallRun(t, root)
	full := filepath.Join(root, "full")
	if err := os.MkdirAll(full, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	changed := smallRun(t, filepath.Join(root, "changed"))
	if err := os.WriteFile(filepath.Join(changed, "series.csv"), []byte("no"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"no such file":       {filepath.Join(root, "nowhere")},
		"no finished result": {full},
		"holds no kedge":     {dir, dir, "--out", full},
		"holds a run":        {dir, dir, "--out", dir},
		"series.csv":         {changed},
	} {
		before := contents(t, full)
		text, code := command(t, append([]string{"report"}, args...)...)
		if code != exitUsage || !strings.Contains(text, want) {
			t.Errorf("%v: exit code %d, %s, want %q", args, code, text, want)
		}
		if len(contents(t, full)) != len(before) {
			t.Error("something was written")
		}
	}
}

func TestReportOfASweepIsMadeAnew(t *testing.T) {
	root := t.TempDir()
	file, out := filepath.Join(root, "s.yaml"), filepath.Join(root, "out")
	text := "base: polarized\nset: {iterations: 5, trials: 2, population.size: 20, population.dim: 3, optimum.starts: 1}\nover:\n  dynamics.lambda: [0.2, 0.3]\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, code := command(t, "sweep", file, "--quiet", "--out", out); code != 0 {
		t.Fatal(text)
	}
	files := []string{"report.html", "report.md", "manifest.json"}
	before := map[string][]byte{}
	for _, name := range files {
		before[name], _ = os.ReadFile(filepath.Join(out, name))
	}
	if text, code := command(t, "report", out); code != 0 {
		t.Fatal(text)
	}
	for _, name := range files {
		if after, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.Equal(after, before[name]) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

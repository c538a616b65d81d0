package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A comparison makes a sealed folder with the same bytes each time, and its report can be made anew.
func TestCompareFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "lq2", "--methods", "vanilla,composite,derivative-free", "--iterations", "2000", "--trials", "2", "--points", "3", "--out", dir}
	out, code := command(t, args...)
	for _, want := range []string{"✓ stable", "✓ optimal", "tried 3 steps from 0.251 to 0.0251", "composite ends nearest to the optimum", "report.html", "deployments", "people", "seconds"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q is not in %s", code, want, out)
		}
	}
	page := readPage(t, dir)
	for _, want := range []string{"kedge compare lq2 --methods vanilla,composite,derivative-free --iterations 2000 --trials 2 --tuning 2 --points 3", "The stable point is 0.0723837 away", "Settings and steps"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, name := range []string{"compare.json", "table.csv", "table.parquet", "times.json", "distance-lq2.svg", "distance-lq2.png", "distance-lq2.pdf", "report.md", "manifest.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if out, code := command(t, "report", dir); code != 0 || readPage(t, dir) != page {
		t.Errorf("exit code %d, or another page: %s", code, out)
	}
	sums := checksums(t, dir)
	if out, code := command(t, append(args, "--quiet", "--workers", "1")...); code != 0 || out != "" || checksums(t, dir) != sums {
		t.Errorf("again: exit code %d, or other bytes: %s", code, out)
	}
	if out, code := command(t, "verify", dir); code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// The table of the suite has a row a method and a column a problem, and says which problems cannot separate.
func TestCompareSuite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	out, code := command(t, "compare", "--suite", "classics", "--methods", "vanilla,composite", "--iterations", "1000", "--trials", "1", "--points", "5", "--out", dir)
	for _, want := range []string{
		"vanilla     ✓=   ✓S   ✓S   ✓S   ✓S   ✓S   ✓S   ✓=   ✓S   ✓=",
		"composite   ✓=   ✓O   ✓O   ✓O   ✓O   ✓O   ✓O   ✓=   ✓O   ✓=",
		"gaussian-mean   2                      2                             0.5  cannot separate",
		"mirror          0, 1",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q is not in\n%s", code, want, out)
		}
	}
	page := readPage(t, dir)
	for _, want := range []string{"✓O", "✓=", "✓\u00a0optimal", "kedge compare --suite classics --methods vanilla,composite", "Two people who polarize"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if out, code := command(t, "report", dir); code != 0 || readPage(t, dir) != page {
		t.Errorf("exit code %d, or another page: %s", code, out)
	}
}

// checksums is the manifest, which has those of all files but times.json.
func checksums(t *testing.T, dir string) string {
	t.Helper()
	m, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(m)
}

func TestCompareMistakes(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"lq3"}, "there is no case"},
		{[]string{"lq2", "--methods", "newton"}, "the methods are vanilla"},
		{[]string{"lq2", "--methods", "vanilla:speed=3"}, "speed"},
		{[]string{"lq2", "--points", "-1"}, "a grid of -1 steps"},
		{[]string{"lq2", "--trials", "-3"}, "-3 trials"},
		{[]string{"lq2", "--iterations", "0"}, "--iterations 0"},
		{[]string{"lq2", "--out", full}, "not empty"},
		{[]string{"polarized", "--set", "population.churn=0.1"}, "people change by themselves"},
		{[]string{}, "usage: kedge compare"},
		{[]string{"--suite", "modern"}, "the suite is classics"},
		{[]string{"lq2", "--suite", "classics"}, "usage: kedge compare"},
	} {
		out, code := command(t, append([]string{"compare"}, c.args...)...)
		if code != exitUsage || !strings.Contains(out, c.want) {
			t.Errorf("%q: exit code %d: %s", c.args, code, out)
		}
	}
}

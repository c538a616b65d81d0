package command

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/problem"
)

// resultsFile lists the SHA-256 of result files of small runs of everything, as they were before the packages were redesigned.
const resultsFile = "command/testdata/results.sha256"

// Results keep their bits: series, summaries, arrays, specs, tables and figures are what they were. A change that means to alter
// them writes the list anew with KEDGE_UPDATE=1 and gives its reason in its commit. Left out are files that carry versions or
// times, and pages and figures of sweeps, whose words and drawings change more often than numbers do.
func TestResultsKeepTheirBits(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	if b := folder.CurrentBuild(); b.GOARCH != "amd64" || b.GOAMD64 != "v1" || !b.FMA || heap.Race {
		t.Skipf("the list is of amd64 v1 with fused products, this is %s", b)
	}
	t.Chdir("..")
	out := t.TempDir()
	var got []string
	for _, one := range smallResults(t) {
		dir := filepath.Join(out, one.name)
		if text, code := command(t, append(one.args, "--out", dir)...); code != 0 {
			t.Fatalf("%s: exit code %d: %s", one.name, code, text)
		}
		got = append(got, hashes(t, dir, one.name)...)
	}
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(resultsFile, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(line string) bool { return slices.Contains(other, line) })
	}
	for _, line := range without(want, got) {
		t.Errorf("was %s", line)
	}
	for _, line := range without(got, want) {
		t.Errorf("is  %s", line)
	}
	if t.Failed() {
		t.Log("if that is meant, run KEDGE_UPDATE=1 go test -run ResultsKeepTheirBits ./command and say why in the commit")
	}
}

// smallResult is a command that writes a folder.
type smallResult struct {
	name string
	args []string
}

// fewer are the people of examples whose optimum would take seconds.
var fewer = map[string]string{"examples/classification.yaml": "60", "examples/polarized.yaml": "60"}

// smallResults are runs of all cases and examples, a sweep, a study and a comparison.
func smallResults(t *testing.T) (list []smallResult) {
	t.Helper()
	run := func(source string) []string {
		args := []string{"run", source, "--quiet", "--no-check", "--trials", "2", "--iterations", "20", "--set", "record.every=7", "--set", "optimum.starts=1"}
		if size := fewer[source]; size != "" {
			args = append(args, "--set", "population.size="+size)
		}
		return args
	}
	for _, name := range problem.Cases() {
		list = append(list, smallResult{"case-" + name, run(name)})
	}
	examples, err := fs.Glob(os.DirFS("."), "examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range examples {
		list = append(list, smallResult{"example-" + strings.TrimSuffix(path.Base(file), ".yaml"), run(file)})
	}
	return append(list,
		smallResult{"published", append(run("choice"), "--published")},
		smallResult{"sweep", []string{"sweep", "command/testdata/steps.yaml", "--quiet", "--set", "iterations=60", "--set", "trials=2"}},
		smallResult{"study", []string{"study", "batch", "--quick", "--quiet"}},
		smallResult{"comparison", []string{"compare", "lq2", "--quiet", "--methods", "vanilla,composite,two-point:hold=1", "--trials", "2", "--iterations", "100"}},
	)
}

// hashes returns a line for every file of a folder that carries neither version nor time, but for pages and figures of sweeps.
func hashes(t *testing.T, dir, name string) (lines []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(file string, e fs.DirEntry, err error) error {
		drawn := slices.Contains([]string{".svg", ".png", ".pdf"}, path.Ext(file))
		left := slices.Contains([]string{"manifest.json", "times.json", "report.html", "report.md"}, path.Base(file))
		if err != nil || e.IsDir() || left || name == "sweep" && drawn {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		lines = append(lines, fmt.Sprintf("%x  %s/%s", sha256.Sum256(text), name, file))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

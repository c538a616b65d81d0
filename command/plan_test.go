package command

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const planSweep = "base: lq2\nset: {trials: 1, iterations: 50}\nover:\n  hold: [1, 2]\n"

// A dry run says what would be run, writes nothing, and refuses what the command itself would refuse.
func TestDryRuns(t *testing.T) {
	slow, err := filepath.Abs(filepath.Join("..", "examples", "classification.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeFile(t, "sweep.yaml", []byte(planSweep))
	writeFile(t, "file", nil)
	if err := os.Mkdir("theirs", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "theirs/notes.txt", "mine")
	for args, words := range map[string]string{
		"run " + slow + " --set record.every=null --set population.size=501": "measured every 4 turns|One turn in 4 is measured|Set record.every: 1 to measure all",
		"run lq2":                                 "4 people|2 numbers to decide|20 000 turns, measured every 100 turns|derivative-free (derivative-free): 20 trials|runs/lq2, which holds nothing",
		"compare lq2 --methods vanilla":           "vanilla (vanilla): 20 trials|runs/compare-lq2",
		"sweep sweep.yaml":                        "2 cells, 2 to compute|50 turns|runs/sweep",
		"study batch":                             "runs/study-batch|(not measured)",
		"compare --suite classics --trials 1":     "scalar-pricing: |on 2 workers",
		"run polarized --set population.size=100": "100 people|memory  about |disk    about ",
	} {
		out, code := command(t, append(strings.Fields(args), "--dry-run", "--workers", "2")...)
		for _, word := range strings.Split(words+"|all three are estimates; nothing was run or written|time    ", "|") {
			if code != 0 || !strings.Contains(out, word) {
				t.Errorf("kedge %s --dry-run: exit code %d, no %q in\n%s", args, code, word, out)
			}
		}
		var told struct {
			Memory float64 `json:"memory_bytes"`
			Plan   *struct {
				Memory float64 `json:"memory_bytes"`
			} `json:"plan"`
		}
		out, code = command(t, append(strings.Fields(args), "--dry-run", "--json")...)
		if err := json.Unmarshal([]byte(out), &told); err != nil || code != 0 || told.Plan != nil == (told.Memory > 0) {
			t.Errorf("kedge %s --dry-run --json: exit code %d, %v: %s", args, code, err, out)
		}
		out, code = command(t, append(strings.Fields(args), "--dry-run", "--out", "file/below")...)
		if code != exitUsage || !strings.Contains(out, "file") {
			t.Errorf("kedge %s --dry-run into a file: exit code %d, %s", args, code, out)
		}
		out, code = command(t, append(strings.Fields(args), "--dry-run", "--out", "theirs", "--overwrite")...)
		if code != exitUsage || !strings.Contains(out, "holds no kedge result") {
			t.Errorf("kedge %s --dry-run into a folder of others: exit code %d, %s", args, code, out)
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 3 {
		t.Errorf("a dry run has written: %v", left)
	}
}

// Of a sweep that has begun, what is left is planned.
func TestDryRunsOfWhatIsLeft(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "sweep.yaml", []byte(planSweep))
	const dry = "sweep sweep.yaml --dry-run --out all"
	for _, c := range []struct{ before, then, says string }{
		{"sweep sweep.yaml --shard 2/2 --out all --quiet", dry, "2 cells, 1 to compute\n"},
		{"version", dry + " --shard 2/2", "2 cells, 0 to compute\n"},
		{"version", dry + " --fresh", "2 cells, 2 to compute, of which the first is\n"},
		{"sweep sweep.yaml --out all --quiet", dry, "nothing is left to compute"},
	} {
		succeeds(t, strings.Fields(c.before)...)
		if out, code := command(t, strings.Fields(c.then)...); code != 0 || !strings.Contains(out, c.says) {
			t.Errorf("kedge %s: exit code %d, %s", c.then, code, out)
		}
	}
}

// A command says what it is about to take before it begins, in one line apart from the result, which is the same for it.
func TestEstimatesComeFirst(t *testing.T) {
	moving, err := filepath.Abs(filepath.Join("..", "examples", "moving.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeFile(t, "sweep.yaml", []byte(planSweep))
	for _, args := range []string{
		"run lq2 --no-check --iterations 50 --trials 2", "run " + moving + " --no-check --iterations 10 --trials 1 --set population.size=40",
		"sweep sweep.yaml", "compare lq2 --no-tune --iterations 50 --trials 1", "study batch --quick --trials 2",
	} {
		told := saying(t, args+" --out told")
		if !strings.HasPrefix(told, "estimate: ") || !strings.Contains(told, " of memory, ") || !strings.Contains(told, " of disk\n") {
			t.Errorf("kedge %s begins with %q", args, told)
		}
		for _, silent := range []string{"quiet", "json"} {
			if told := saying(t, args+" --out "+silent+" --"+silent); strings.Contains(told, "estimate") {
				t.Errorf("kedge %s --%s says %q", args, silent, told)
			}
		}
		a, b := sealedTree(t, "told"), sealedTree(t, "quiet")
		if len(a) == 0 || !maps.Equal(a, b) {
			t.Errorf("kedge %s gives other bytes where it tells what it takes", args)
		}
		for _, dir := range []string{"told", "quiet", "json"} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sealedTree is all files of a result by their names in it, but for the times.
func sealedTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for path, text := range tree(t, dir) {
		if name, _ := filepath.Rel(dir, path); name != "times.json" {
			all[name] = text
		}
	}
	return all
}

// saying runs a command that succeeds and returns what it has written to stderr.
func saying(t *testing.T, args string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	was := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = was }()
	succeeds(t, strings.Fields(args)...)
	return read(t, file.Name())
}

package command

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is all files below a folder, with what they hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A folder that holds the result of something else is left as it is, with a word on what it holds, and what would be run here for hours is not
// begun, nor is a GPU looked for. The same again is fine, and so is what is asked for by --overwrite.
func TestOtherResultsAreSpared(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "people.csv", []byte("1,2\n3,4\n"))
	writeFile(t, "sweep.yaml", []byte("base: lq2\nset: {trials: 1, iterations: 5}\nover:\n  dynamics.noise: [0, 0.1]\n"))
	writeFile(t, "grown.yaml", []byte("base: lq2\nset: {trials: 1, iterations: 5}\nover:\n  dynamics.noise: [0, 0.1, 0.2]\n"))
	writeFile(t, "other.yaml", []byte("base: lq2\nset: {trials: 1, iterations: 6}\nover:\n  dynamics.noise: [0, 0.1]\n"))
	const people = " --set population={size:2,dim:2,law:file,file:people.csv}"
	run, compare, study := "run lq2 --no-check --iterations 5 --trials 1", "compare lq2 --no-tune --iterations 50 --trials 1", "study batch --quick --trials 2"
	for _, c := range []struct {
		first, same, other string
		says               string
	}{
		{run, run, run + " --seed 9 --device gpu:63", `says "seed: 1", this one "seed: 9"`},
		{run, run, "run polarized --iterations 1000000", "--overwrite"},
		{run + people, run + people, run + people, "people.csv held other bytes"},
		{compare, compare, compare + " --seed 9", "it came of kedge compare"},
		{study, study, study + " --seed 9", "seed 9"},
		{study, study, "study batch", "it was a quick one, this one is not"},
		{"sweep sweep.yaml", "sweep grown.yaml", "sweep other.yaml", "none of its cells"},
	} {
		dir := t.TempDir()
		into := " --quiet --out " + dir
		for _, args := range []string{c.first + into, c.same + into} {
			if out, code := command(t, strings.Fields(args)...); code != 0 {
				t.Fatalf("kedge %s: exit code %d, %s", args, code, out)
			}
		}
		if c.other == c.first {
			writeFile(t, "people.csv", []byte("1,2\n3,5\n"))
		}
		before := tree(t, dir)
		for _, dry := range []string{"", " --dry-run"} {
			out, code := command(t, strings.Fields(c.other+into+dry)...)
			if code != exitUsage || !strings.Contains(out, "holds a ") || !strings.Contains(out, c.says) || !strings.Contains(out, "--overwrite") {
				t.Errorf("kedge %s%s after %s: exit code %d, %s", c.other, dry, c.first, code, out)
			}
		}
		if !maps.Equal(before, tree(t, dir)) {
			t.Errorf("kedge %s has changed the folder of %s", c.other, c.first)
		}
	}
	for _, args := range []string{run + " --out r", run + " --seed 9 --out r --overwrite"} {
		if out, code := command(t, strings.Fields(args)...); code != 0 {
			t.Errorf("kedge %s: %s", args, out)
		}
	}
}

// What joins or shows other results is no exception: its folder may be made anew of the same, and of others when that is asked for.
func TestMergesAndReportsSpareOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "one.yaml", []byte("base: lq2\nset: {trials: 1, iterations: 5}\nover:\n  dynamics.noise: [0, 0.1]\n"))
	writeFile(t, "two.yaml", []byte("base: lq2\nset: {trials: 1, iterations: 6}\nover:\n  dynamics.noise: [0, 0.1]\n"))
	const run, compare = "run lq2 --quiet --no-check --trials 1 --iterations 5 --out ", "compare lq2 --quiet --no-tune --iterations 50 --trials 1 --out "
	for _, args := range []string{
		"sweep one.yaml --quiet --shard 1/2", "sweep one.yaml --quiet --shard 2/2", "sweep two.yaml --quiet --out two", "merge all runs/one-1of2 runs/one-2of2",
		run + "a", run + "b", run + "c", "report a b", compare + "met",
	} {
		succeeds(t, strings.Fields(args)...)
	}
	for _, c := range []struct{ same, other, dir, says string }{
		{"merge all runs/one-1of2 runs/one-2of2", "merge all two", "all", "all holds a sweep of one with seed 1, and none of its cells is one of this sweep; replace it with --overwrite, or choose another folder as OUT"},
		{"report a b", "report a c", "runs/compare", "runs/compare holds a report of a, b, and this is a report of a, c; replace it with --overwrite"},
		{compare + "met", "report a b --out met", "met", "met holds a comparison of lq2 with seed 1, and this is a report of a, b"},
		{"report a b", compare + "runs/compare", "runs/compare", "runs/compare holds a report of "},
		{run + "a", "report b c --out a", "a", "a holds a run, not a compare"},
		{run + "a", "plot b --out a/gap.svg", "a", "a/gap.svg: that file belongs to a run of lq2 with seed 1, and is left alone"},
	} {
		succeeds(t, strings.Fields(c.same)...)
		before := tree(t, c.dir)
		refuses(t, []string{c.says}, strings.Fields(c.other)...)
		if !maps.Equal(before, tree(t, c.dir)) {
			t.Errorf("kedge %s has changed %s", c.other, c.dir)
		}
		if strings.Contains(c.says, "a run") {
			continue // another kind is never replaced, and no file of a result
		}
		succeeds(t, append(strings.Fields(c.other), "--overwrite")...)
		if maps.Equal(before, tree(t, c.dir)) {
			t.Errorf("kedge %s --overwrite has left %s as it was", c.other, c.dir)
		}
		succeeds(t, append(strings.Fields(c.same), "--overwrite")...)
	}
}

package disktest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
)

// line is a tree in one line.
func (t Tree) line() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		list = append(list, strings.TrimSuffix(name+"="+t[name], "="))
	}
	return strings.Join(list, " ")
}

// taped are some steps in a folder, in the order of the names below.
func taped(t *testing.T, root string) *Tape {
	t.Helper()
	if err := (Tree{"d/x": "old", "e/": "", "f": "was"}).Write(root); err != nil {
		t.Fatal(err)
	}
	tape, err := Record(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := tape.Disk().Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	holds := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	for i, do := range []func() error{
		func() error { return dir.Make("n") }, func() error { return dir.Fill("n/a", holds("one")) }, func() error { return dir.Sync("n") }, func() error { return dir.Sync(".") },
		func() error { return dir.Rename("d/x", "e/y") }, func() error { return dir.Sync("e") }, func() error { return dir.Remove("n/a") }, func() error { return dir.Sync(".") }, func() error { return dir.Sync("n") },
		func() error { return dir.Fill("f", holds("two")) }, func() error { return dir.Rename("f", "d/f") }, func() error { return dir.Sync("d") },
	} {
		if err := do(); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	return tape
}

// Trees that are left, by hand, and what they are while the steps are taken.
const (
	begun   = "d/ d/x=old e/ f=was"
	made    = "d/ d/x=old e/ f=was n/"
	created = "d/ d/x=old e/ f=was n/ n/a"
	filled  = "d/ d/x=old e/ f=was n/ n/a=one"
	moved   = "d/ e/ e/y=old f=was n/ n/a=one"
	removed = "d/ e/ e/y=old f=was n/"
	without = "d/ e/ e/y=old n/"
	empty   = "d/ e/ e/y=old f n/"
	full    = "d/ e/ e/y=old f=two n/"
	over    = "d/ d/f=two e/ e/y=old n/"
	both    = "d/ d/f=two e/ e/y=old f=was n/" // that f is gone was never put on disk
)

// What is left before every step is as it must be, by hand: of a process that is killed, of a disk that has what it was told to put there, and of one that
// has all names.
func TestWhatStepsLeave(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, root := range []string{filepath.Join(dir, "a"), "."} {
		tape := taped(t, root)
		list := []struct{ step, killed, cut, eager string }{
			{"make n", begun, begun, begun}, {"create n/a", made, begun, made}, {"fill n/a", created, begun, created}, {"sync-file n/a", filled, begun, created}, {"sync-dir n", filled, begun, filled}, {"sync-dir .", filled, begun, filled},
			{"rename d/x", filled, filled, filled}, {"sync-dir e", moved, filled, moved}, {"remove n/a", moved, moved, moved}, {"sync-dir .", removed, moved, removed}, {"sync-dir n", removed, moved, removed},
			{"remove f", removed, removed, removed}, {"create f", without, removed, without}, {"fill f", empty, removed, empty}, {"sync-file f", full, removed, empty}, {"rename f", full, removed, full}, {"sync-dir d", over, removed, over}, {"", over, both, over},
		}
		if tape.Len() != len(list)-1 {
			t.Fatalf("%d steps, want %d", tape.Len(), len(list)-1)
		}
		if root == "." { // which holds the other folder as well
			maps.DeleteFunc(tape.first, func(name, _ string) bool { return strings.HasPrefix(name, "a/") })
		}
		for n, want := range list {
			if n < tape.Len() {
				if call, name := tape.Call(n); fmt.Sprint(call, " ", name) != want.step {
					t.Errorf("step %d is %s %s, want %s", n, call, name, want.step)
				}
			}
			if killed, cut, eager := tape.Killed(n).line(), tape.Cut(n, -1).line(), tape.Eager(n, -1).line(); killed != want.killed || cut != want.cut || eager != want.eager {
				t.Errorf("%s, before step %d: %s | %s | %s, want %+v", root, n, killed, cut, eager, want)
			}
		}
	}
}

// A step that is left out is missing, by hand.
func TestStepsThatAreLeftOut(t *testing.T) {
	tape := taped(t, t.TempDir())
	for _, x := range []struct {
		n, skip    int
		cut, eager string
	}{
		{6, 3, created, created}, {6, 4, made, filled}, {6, 5, begun, filled}, {8, 7, filled, moved}, {9, 8, moved, moved}, {11, 10, moved, removed}, {11, 9, removed, removed}, {17, 16, removed, over}, {17, 14, "d/ d/f e/ e/y=old f=was n/", "d/ d/f e/ e/y=old n/"}, {17, 7, both, over},
	} {
		if cut, eager := tape.Cut(x.n, x.skip).line(), tape.Eager(x.n, x.skip).line(); cut != x.cut || eager != x.eager {
			t.Errorf("before step %d without %d: %s | %s, want %s | %s", x.n, x.skip, cut, eager, x.cut, x.eager)
		}
	}
}

// Of names that were not put on disk any may be there, and of those that were all are: the trees that are left are these and no others, by hand.
func TestScrambledNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	tape := taped(t, ".") // by whose name nothing is renamed
	for _, x := range []struct {
		n, skip int
		want    []string
	}{
		{0, -1, []string{begun}}, {1, -1, []string{begun, made}}, {5, -1, []string{begun, filled}}, {4, -1, []string{begun, made, filled}}, {6, -1, []string{filled}}, {6, 4, []string{made, filled}}, {6, 5, []string{begun, filled}},
		{7, -1, []string{filled, moved}}, {8, -1, []string{moved}}, {8, 7, []string{filled, moved}}, {10, -1, []string{moved, removed}}, {10, 7, []string{made, filled, moved, removed}}, {11, -1, []string{removed}}, {11, 10, []string{moved, removed}}, {11, 8, []string{moved}},
		{16, -1, []string{removed, without, full, both, over}}, {17, -1, []string{both, over}}, {17, 7, []string{both, over}}, {17, 16, []string{removed, without, full, both, over}},
	} {
		if got, want := scrambled(tape, x.n, x.skip), slices.Sorted(slices.Values(x.want)); !slices.Equal(got, want) {
			t.Errorf("before step %d without %d:\n%s\nwant\n%s", x.n, x.skip, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// scrambled are all trees that a tape leaves at random, sorted.
func scrambled(tape *Tape, n, skip int) []string {
	left := map[string]bool{}
	for seed := range uint64(200) {
		left[tape.Scrambled(n, skip, rand.New(rand.NewPCG(seed, 1))).line()] = true
	}
	return slices.Sorted(maps.Keys(left))
}

// A folder that is renamed has not put the names in it on disk.
func TestFoldersThatAreRenamed(t *testing.T) {
	root := t.TempDir()
	tape, err := Record(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := tape.Disk().Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := errors.Join(dir.Make("p"), dir.Fill("p/q", func(io.Writer) error { return nil }), dir.Rename("p", "r")); err != nil {
		t.Fatal(err)
	}
	if got, want := scrambled(tape, tape.Len(), -1), []string{"", "p/", "p/ p/q", "r/", "r/ r/q"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What cannot be read is told, and nothing is remembered of it; folders and files are made for all to read.
func TestWhatCannotBeTaped(t *testing.T) {
	root := t.TempDir()
	if err := (Tree{"file": "", "in/deep/": "", "other/x": ""}).Write(filepath.Join(root, "made")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"made": 0o755, "made/in": 0o755, "made/in/deep": 0o755, "made/other": 0o755, "made/other/x": 0o644} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	tape, err := Record(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := tape.Disk().Before(disk.Step{Call: disk.Fill, Path: filepath.Join(root, "missing")}); !os.IsNotExist(err) || tape.Len() != 0 {
		t.Errorf("%d steps, %v", tape.Len(), err)
	}
	if _, err := Record(filepath.Join(root, "made", "file", "below")); err == nil {
		t.Error("a folder below a file is recorded")
	}
	if err := os.Symlink("nowhere", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(root); !os.IsNotExist(err) {
		t.Errorf("a link to nothing: %v", err)
	}
}

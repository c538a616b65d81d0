package folder

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kedge-opt/kedge/internal/disk"
)

// Indexes and failures tell a disk that is full at any write, and are by hand.
func TestIndexesTellErrors(t *testing.T) {
	r := &SweepResult{Name: "n", Keys: []string{"k"}, Cells: []CellResult{{ID: "a", Values: []string{"1"}, Err: "it failed"}, {ID: "b", Values: []string{"2"}}, {ID: "c", Values: []string{strings.Repeat("long ", 2000)}, Err: "again"}}}
	for name, write := range map[string]func(w io.Writer) error{"index": r.writeIndex, "failures": r.writeFailures, "no cells": (&SweepResult{}).writeIndex} {
		all := &tight{left: 1 << 20}
		if err := write(all); err != nil {
			t.Fatal(err)
		}
		for n := range 1<<20 - all.left {
			if err := write(&tight{left: n}); !errors.Is(err, errFull) {
				t.Errorf("%s: full after %d writes: %v", name, n, err)
			}
		}
	}
	var b bytes.Buffer
	if err := r.writeFailures(&b); err != nil || !strings.HasPrefix(b.String(), "[\n  {\n    \"cell\": \"a\",\n    \"values\": {\n      \"k\": \"1\"\n    },\n    \"error\": \"it failed\"\n  },\n  {\n    \"cell\": \"c\",") {
		t.Errorf("%.200s, %v", b.String(), err)
	}
	if r.Failed() != 2 {
		t.Error(r.Failed())
	}
}

// A program that cannot be read to its end has no sum, whether it fails in its first pages or behind them.
func TestProgramsThatCannotBeRead(t *testing.T) {
	for _, n := range []int{0, 100, firstPages, firstPages + 1000} {
		r := io.MultiReader(bytes.NewReader(make([]byte, n)), iotest.ErrReader(errFull))
		if sum, err := sumOfProgram(r); !errors.Is(err, errFull) || sum != "" {
			t.Errorf("of %d bytes: %q, %v", n, sum, err)
		}
	}
}

// summed is a manifest with a checksum that is right.
func summed(text string) []byte { return withSum([]byte(text)) }

// A checksum vouches for a text, not for what it says: each of these is refused with its reason.
func TestManifestsThatSayNothing(t *testing.T) {
	sum := strings.Repeat("0", 64)
	file := `"files": {"a": {"bytes": 1, "sha256": "` + sum + `"}}`
	for text, want := range map[string]string{
		"{\n  \"format\": 2,\n  \"kind\": \"run\",\n  " + file + "\n}\n":                    "",
		"{\n  \"format\": 2,\n  \"kind\": \"run\",\n  \"more\": 1,\n  " + file + "\n}\n":    "unknown field",
		"{\n  \"format\": 2,\n  " + file + "\n}\n":                                          "kind or files are missing",
		"{\n  \"format\": 2,\n  \"kind\": \"run\"\n}\n":                                     "kind or files are missing",
		"{\n  \"format\": 2,\n  \"kind\": \"run\",\n  \"files\": {\"a\": {}}\n}\n":          `"a" has no checksum`,
		"{\n  \"format\": 2,\n  \"kind\": \"run\",\n  \"files\": {\"times.json\": {}}\n}\n": "",
		"{\n  \"format\": 2,\n  \"kind\": \"run\",\n  \"files\": {\"../a\": {}}\n}\n":       `files names "../a"`,
		"{\n  \"format\": 3,\n  \"build\": {\"version\": \"9\"},\n  \"kind\": \"run\"\n}\n": "use the version that wrote it (9)",
		"{\n  \"format\": 2,\n  \"kind\": 7\n}\n":                                           "cannot unmarshal",
		"{\n  \"format\": 2,\n  \"kind\": \"run\",\n  \"seed\": -1,\n  " + file + "\n}\n":   "cannot unmarshal",
	} {
		_, err := parseManifest(summed(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{`{"format": 1, "kind": "run", "inputs": {}, ` + file + `}`: "has no code and no inputs", `{"format": 1, "kind": "run", "code": {"go": "1"}, ` + file + `}`: "has no code and no inputs", `{"format": 1, "kind": "run", ` + file + `}`: ""} {
		if _, err := parseManifest([]byte(text)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{"{\n  \"tags\": [\n    \"b\",\n    \"a\"\n  ]\n}\n": "not sorted", "{\n  \"tags\": [\n    \"-\"\n  ]\n}\n": "is no tag", "{\n  \"more\": 1\n}\n": "unknown field", "{\n  \"tags\": [\n    \"a\"\n  ]\n}\n": ""} {
		if _, err := parseTags(summed(text)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// acceptor is a folder of a sweep of the cells a and b, whose inputs are planned.
func acceptor(t *testing.T, inputs map[string]string) *SweepFolder {
	t.Helper()
	c, err := KindSweep.Take(filepath.Join(t.TempDir(), "grid"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	w := &SweepPlan{SweepResult: SweepResult{Name: "c", Cells: []CellResult{{ID: "a"}, {ID: "b"}}}, Is: func(int, []byte, map[string]string) bool { return true }, Inputs: inputs}
	f, err := OpenSweepFolder(t.Context(), c, w, false)
	if err == nil {
		err = f.Begin()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Files with a manifest that is theirs are still not a cell if their summary cannot be read, or is of another run; cells of other inputs are not mixed, and one that should be there and is not is told.
func TestCellsThatAreNotAccepted(t *testing.T) {
	of := func(inputs map[string]string, summary string) map[string][]byte {
		r := &Result{Case: "c", Seed: 1, Spec: "s", Optimum: Point{Decision: []float64{1}}, Identity: CurrentIdentity(inputs)}
		files, err := r.CellFiles()
		if err != nil {
			t.Fatal(err)
		}
		if summary != "" {
			m, _ := r.cell()
			files[summaryFile] = []byte(summary)
			m.Files = map[string]File{}
			for name, text := range files {
				if name != manifestFile {
					h := newSummer()
					h.Write(text)
					m.Files[name] = h.file()
				}
			}
			if files[manifestFile], err = m.text(); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	spec := func() string { return "s" }
	f := acceptor(t, nil)
	for summary, want := range map[string]string{"{": "summary.json: ", `{"case": "d", "seed": 1}`: "another run", `{"case": "c", "seed": 2}`: "another run", `{"case": "c", "seed": 1, "partial": true}`: "was stopped"} {
		var unsound *UnsoundError
		if _, err := f.Accept(0, spec, of(nil, summary), false); !errors.As(err, &unsound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", summary, err, want)
		}
	}
	if _, err := f.Accept(0, spec, of(nil, ""), true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a cell that should be there: %v", err)
	}
	if s, err := f.Accept(0, spec, of(nil, ""), false); err != nil || s.Case != "c" {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := f.Accept(0, spec, of(nil, ""), true); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if _, err := f.Accept(0, spec, of(nil, `{"case": "c", "seed": 1}`), true); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "other bytes came out in summary.json") {
		t.Errorf("another the second time: %v", err)
	}
	g := acceptor(t, map[string]string{"people.csv": "2"})
	old := CurrentIdentity(map[string]string{"people.csv": "1"})
	g.ident = &old
	if _, err := g.Accept(1, spec, of(map[string]string{"people.csv": "2"}, ""), false); !errors.Is(err, ErrOtherIdentity) {
		t.Errorf("of other inputs than the cells that are there: %v", err)
	}
	if _, err := g.Accept(1, spec, of(map[string]string{"people.csv": "3"}, ""), false); err == nil || !strings.Contains(err.Error(), "computed from another people.csv") {
		t.Errorf("of other inputs than planned: %v", err)
	}
}

// A result that was committed over a folder whose manifest cannot be read stays where it is, and everybody is told; so is a mark that says nothing.
func TestCommitsThatCannotSettle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	save := func(d disk.Disk) error {
		c, err := KindRun.TakeOn(d, dir)
		if err != nil {
			return err
		}
		defer c.Release()
		return (&Result{Case: "c", Spec: "s", Optimum: Point{Decision: []float64{1}}}).Save(c, nil)
	}
	stop, stopped := errors.New("stop"), false
	if err := save(disk.Disk{Before: func(s disk.Step) error {
		stopped = stopped || s.Call == disk.Rename && strings.Contains(s.Path, commitFolder)
		if stopped {
			return stop
		}
		return nil
	}}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	for _, text := range []string{"{", `{"format": 9}`} {
		if err := os.WriteFile(filepath.Join(dir, manifestFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := KindRun.Look(dir); err == nil || !strings.Contains(err.Error(), manifestFile) {
			t.Errorf("looked at: %v", err)
		}
		if err := save(disk.Disk{}); err == nil || !strings.Contains(err.Error(), manifestFile) || strings.Contains(err.Error(), "nobody knows") {
			t.Errorf("taken: %v", err)
		}
		if _, err := Open(t.Context(), dir, Verified); err == nil {
			t.Error("it is opened")
		}
	}
	if err := os.Remove(filepath.Join(dir, manifestFile)); err != nil {
		t.Fatal(err)
	}
	if r, err := Open(t.Context(), dir, Verified); err != nil || r.Case != "c" {
		t.Errorf("once it is gone: %v", err)
	}
	marked := t.TempDir()
	if err := os.WriteFile(filepath.Join(marked, unfinishedFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := KindSweep.Take(marked); err == nil || !strings.Contains(err.Error(), unfinishedFile) {
		t.Errorf("a mark that says nothing: %v", err)
	}
}

// Who takes no tags away that are none, and has none to add that are.
func TestTagsToTakeAway(t *testing.T) {
	if _, err := Retag(t.TempDir(), nil, []string{"no tag"}); err == nil || !strings.Contains(err.Error(), "is no tag") {
		t.Error(err)
	}
	if text, err := asBytesOf(AsJSON(map[string]float64{"a": math.Inf(1)})); err == nil {
		t.Errorf("%s", text)
	}
}

func asBytesOf(write func(io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b)
	return b.Bytes(), err
}

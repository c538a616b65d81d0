package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sound is a module of one row, with nothing wrong.
func sound() map[string]string {
	return map[string]string{
		"docs/reliability/sums.json": `{"promise": "sums add up", "keeps": ["P6"], "tests": ["T32"], "run": {"commit": "0123456789ab", "date": "2026-01-02", "seconds": 1}, "package": "./sums", "test": "TestSums", "whole": true, "cases": 3, "wrong": 0, "measured": [{"worst": 0.5, "bar": 1}]}`,
		"sums/sums_test.go":          "package sums\n\nfunc TestSums(t *testing.T) {\n\tevidence.For(t, evidence.Promise{Name: \"sums\"})\n}\n",
		File: "# Reliability\n\n<!-- totals of docs/reliability -->\n<!-- end of totals -->\n\n<!-- rows of docs/reliability: sums -->\n\n" +
			"| of | promise | test | figure | bar | measured |\n|---|---|---|---|---|---|\n" +
			"| P6 T32 | sums add up | `go test -v -run '^TestSums$' ./sums` | 0 of 3; 0.5 | 0; 1 | 2026-01-02, 0123456789ab |\n\n<!-- end of rows -->\n\n<!-- fuzz targets -->\n<!-- end of fuzz targets -->\n",
		"sums/fuzz_test.go":               "package sums\n\nfunc " + "FuzzSums(f *testing.F) {\n}\n",
		"sums/testdata/fuzz/FuzzSums/one": "go test fuzz v1\n",
		FuzzedFile:                        `{"./sums FuzzSums": {"tried": 1234, "run": {"date": "2026-01-02", "seconds": 60}}}`,
	}
}

// lay writes a module of one row, with its totals, in which something was changed.
func lay(t *testing.T, file, old, new string) (root string) {
	t.Helper()
	root = t.TempDir()
	files := sound()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if files[File], _, err = Page(os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{File, file} {
		text := files[name]
		if name == file {
			text = strings.Replace(text, old, new, 1)
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Whatever is wrong with the page or a file is said.
func TestFaultsOfThePageAreFound(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"nothing wrong", File, "", "", ""},
		{"another figure on the page", File, "0 of 3", "0 of 4", "docs/RELIABILITY.md has other rows than docs/reliability"},
		{"another figure in the file", "docs/reliability/sums.json", "0.5", "0.25", "docs/RELIABILITY.md has other rows than docs/reliability"},
		{"over the bar", "docs/reliability/sums.json", "0.5", "1.5", "1.5 is over its bar, 1"},
		{"wrong cases", "docs/reliability/sums.json", `"wrong": 0`, `"wrong": 2`, "2 of 3 are not as promised"},
		{"no figure", "docs/reliability/sums.json", `"cases": 3, "wrong": 0, "measured": [{"worst": 0.5, "bar": 1}]`, `"wrong": 0`, "no figure"},
		{"skipped without a reason", "docs/reliability/sums.json", `"whole": true`, `"whole": false, "skipped": true`, "nobody says what it needs"},
		{"another total", File, "3 cases tried", "4 cases tried", "has other rows than"},
		{"another day", "docs/reliability/sums.json", "2026-01-02", "2026-01-03", "has other rows than"},
		{"an unknown promise", "docs/reliability/sums.json", "P6", "P11", "there is no promise P11"},
		{"a test that is not of the programme", "docs/reliability/sums.json", "T32", "T47", "there is no test T47"},
		{"no such test", "sums/sums_test.go", "TestSums", "TestProducts", `./sums has no test TestSums that states "sums"`},
		{"a test that states no such row", "sums/sums_test.go", `"sums"`, `"products"`, `./sums has no test TestSums that states "sums"`},
		{"a row without a file", File, ": sums -->", ": sums products -->", "a row has no file"},
		{"a file without a row", File, ": sums -->", ": -->", "docs/reliability/sums.json is in no table"},
		{"a row twice", File, ": sums -->", ": sums sums -->", "has the row sums twice"},
		{"a table by hand", File, "# Reliability\n", "# Reliability\n\n| target | executions |\n", "comes from no file"},
		{"no such target", File, "# Reliability\n", "# Reliability\n\ngo test -fuzz FuzzProducts -fuzztime 10m ./sums\n", "./sums has no target FuzzProducts"},
		{"other inputs", FuzzedFile, "1234", "4321", "has other rows than"},
		{"inputs to a target that is gone", FuzzedFile, "FuzzSums", "FuzzProducts", "is about ./sums FuzzProducts, which is not there"},
		{"no corpus", "sums/fuzz_test.go", "FuzzSums", "FuzzProducts", "./sums FuzzProducts has no corpus"},
		{"inputs that cannot be read", FuzzedFile, "{", "", FuzzedFile + ": "},
		{"an unknown key", "docs/reliability/sums.json", `"whole"`, `"hole"`, "unknown field"},
	} {
		root := lay(t, c.file, c.old, c.new)
		_, faults, err := Page(os.DirFS(root))
		if said := strings.Join(faults, "\n"); err != nil || (c.want == "") != (said == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %v, said %q, want %q", c.name, err, said, c.want)
		}
	}
}

// The totals count each row once, and each promise and test with its rows; tests without a row are named.
func TestTotals(t *testing.T) {
	said := totals(map[string]Testimony{
		"a": {Keeps: []string{"P1", "P2"}, Tests: []string{"T01"}, Whole: true, Cases: 5, Run: &Occasion{Date: "2026-01-02"}},
		"b": {Keeps: []string{"P1"}, Tests: []string{"T01"}, Cases: 7, Wrong: 2},
		"c": {Needs: "root", Skipped: true},
		"d": {Tests: []string{"T20"}, Whole: true, Cases: 4},
		"e": {Tests: []string{"T32"}, Whole: true, Cases: 4, Package: "./set", Test: "TestWildNumbers"},
	})
	for _, want := range []string{
		"**5 rows: 20 cases tried, 2 not as promised.** Of the rows, 1 have the figure of a short test only and 1 were skipped; 4 were measured before",
		"| P1 | durable: what was acknowledged survives crashes and power cuts | 2 | 12 | 2 | 0 |\n", "| 1 | 5 | 0 | 0 |\n", "| T01 | kill -9 loses nothing | 2 | 12 | 2 | 0 |\n",
		"| T20 | simulated histories | 1 | 4 | 0 | 0 and its own |\n", "does no harm: T20 (ten bugs of the simulated disk).", "| T32 | hostile numbers | 1 | 4 | 0 | 1 |\n",
		"Without a row yet: P3 (", ", T02 (power cuts lose nothing), ", "Seen to otherwise: T17 (data races): the race detector",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the totals do not say %q:\n%s", want, said)
		}
	}
	if o := (&Occasion{Commit: "0123", Changed: true, Date: "2026-01-02"}).words(); o != "2026-01-02, 0123 and changes" {
		t.Error(o)
	}
	if o := (*Occasion)(nil).words(); o != "not kept" {
		t.Error(o)
	}
}

// Every test of the programme that has rows is one that a fault was planted for, or that plants one itself.
func TestEveryTestHasATwin(t *testing.T) {
	rows, err := ReadAll(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, f := range rows {
		for _, id := range f.Tests {
			has[id] = has[id] || len(f.twins()) > 0
		}
	}
	for _, n := range Tests() {
		if planted, isTried := has[n.ID]; isTried && !planted && n.Twin == "" {
			t.Errorf("%s, %s: no fault shows that its tests notice anything", n.ID, n.Words)
		}
	}
}

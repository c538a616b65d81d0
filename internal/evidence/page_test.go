package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tables of docs/RELIABILITY.md are what the files of docs/reliability say, and every file is what a test that is there has stated.
func TestPageIsOfTheFiles(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root, err := moduleOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, faults, err := page(root)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(filepath.Join(root, pageFile), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		_, faults, err = page(root)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	if err != nil {
		t.Error(err)
	}
}

// sound is a module of one row, with nothing wrong.
func sound() map[string]string {
	return map[string]string{
		"docs/reliability/sums.json": `{"promise": "sums add up", "package": "./sums", "test": "TestSums", "whole": true, "cases": 3, "wrong": 0, "measured": [{"worst": 0.5, "bar": 1}]}`,
		"sums/sums_test.go":          "package sums\n\nfunc TestSums(t *testing.T) {\n\tevidence.For(t, evidence.Promise{Name: \"sums\"})\n}\n",
		pageFile: "# Reliability\n\n<!-- rows of docs/reliability: sums -->\n\n| promise | test | figure | bar |\n|---|---|---|---|\n" +
			"| sums add up | `go test -v -run '^TestSums$' ./sums` | 0 of 3; 0.5 | 0; 1 |\n\n<!-- end of rows -->\n",
	}
}

// Whatever is wrong with the page or a file is said.
func TestFaultsOfThePageAreFound(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"nothing wrong", pageFile, "", "", ""},
		{"another figure on the page", pageFile, "0 of 3", "0 of 4", "docs/RELIABILITY.md has other rows than docs/reliability"},
		{"another figure in the file", "docs/reliability/sums.json", "0.5", "0.25", "docs/RELIABILITY.md has other rows than docs/reliability"},
		{"over the bar", "docs/reliability/sums.json", "0.5", "1.5", "1.5 is over its bar, 1"},
		{"wrong cases", "docs/reliability/sums.json", `"wrong": 0`, `"wrong": 2`, "2 of 3 are not as promised"},
		{"no figure", "docs/reliability/sums.json", `"cases": 3, "wrong": 0, "measured": [{"worst": 0.5, "bar": 1}]`, `"wrong": 0`, "no figure"},
		{"skipped without a reason", "docs/reliability/sums.json", `"whole": true`, `"whole": false, "skipped": true`, "nobody says what it needs"},
		{"no such test", "sums/sums_test.go", "TestSums", "TestProducts", `./sums has no test TestSums that states "sums"`},
		{"a test that states no such row", "sums/sums_test.go", `"sums"`, `"products"`, `./sums has no test TestSums that states "sums"`},
		{"a row without a file", pageFile, ": sums -->", ": sums products -->", "a row has no file"},
		{"a file without a row", pageFile, ": sums -->", ": -->", "docs/reliability/sums.json is in no table"},
		{"a row twice", pageFile, ": sums -->", ": sums sums -->", "has the row sums twice"},
		{"a table by hand", pageFile, "# Reliability\n", "# Reliability\n\n| target | executions |\n", "comes from no file"},
		{"no such target", pageFile, "# Reliability\n", "# Reliability\n\ngo test -fuzz FuzzSums -fuzztime 10m ./sums\n", "./sums has no target FuzzSums"},
		{"an unknown key", "docs/reliability/sums.json", `"whole"`, `"hole"`, "unknown field"},
	} {
		root := t.TempDir()
		for name, text := range sound() {
			if name == c.file {
				text = strings.Replace(text, c.old, c.new, 1)
			}
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, faults, err := page(root)
		if said := strings.Join(faults, "\n"); err != nil || (c.want == "") != (said == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %v, said %q, want %q", c.name, err, said, c.want)
		}
	}
}

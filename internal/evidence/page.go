package evidence

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pageFile is the page whose tables the rows are.
const pageFile = "docs/RELIABILITY.md"

// table finds a table of the page: the names of its rows in their order, then the rows.
var table = regexp.MustCompile(`(?s)<!-- rows of docs/reliability:(.*?)-->\n(.*?)<!-- end of rows -->`)

// fuzzing finds a command of the page that fuzzes.
var fuzzing = regexp.MustCompile(`go test -fuzz (\w+) .*(\./[a-z/]+)`)

// audit is a look at the page and the files of its rows.
type audit struct {
	root   string
	faults []string
	placed map[string]bool // rows that the page has
}

func (a *audit) say(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// page is the page with the tables that the files give, and what is wrong with them and it.
func page(root string) (want string, faults []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(pageFile)))
	if err != nil {
		return "", nil, err
	}
	a := &audit{root: root, placed: map[string]bool{}}
	want = table.ReplaceAllStringFunc(string(text), a.fill)
	if want != string(text) {
		a.say("%s has other rows than %s: run KEDGE_UPDATE=1 go test -run Page ./internal/evidence", pageFile, rowsDir)
	}
	for n, line := range strings.Split(table.ReplaceAllString(string(text), ""), "\n") {
		if strings.HasPrefix(line, "|") {
			a.say("%s: the row %.60s… (line %d without the tables) comes from no file: let a test state it", pageFile, line, n+1)
		}
	}
	for _, c := range fuzzing.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(testFiles(filepath.Join(root, filepath.FromSlash(c[2]))), "\nfunc "+c[1]+"(f *testing.F) {\n") {
			a.say("%s: %s has no target %s", pageFile, c[2], c[1])
		}
	}
	files, err := fs.Glob(os.DirFS(root), rowsDir+"/*.json")
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".json"); !a.placed[name] {
			a.say("%s is in no table of %s: name it in one, or remove the file", file, pageFile)
		}
	}
	return want, a.faults, err
}

// fill writes the rows of a table anew.
func (a *audit) fill(old string) string {
	names := table.FindStringSubmatch(old)[1]
	b := "<!-- rows of docs/reliability:" + names + "-->\n\n| promise | test | figure | bar |\n|---|---|---|---|\n"
	for _, name := range strings.Fields(names) {
		f, err := readRecord(a.root, name)
		if err != nil {
			a.say("a row has no file: %v", err)
			continue
		}
		if a.placed[name] {
			a.say("%s has the row %s twice", pageFile, name)
		}
		a.placed[name] = true
		if fault := f.fault(); fault != "" {
			a.say("%s/%s.json: %s", rowsDir, name, fault)
		}
		if !a.isStated(name, f) {
			a.say("%s/%s.json: %s has no test %s that states %q", rowsDir, name, f.Package, f.Test, name)
		}
		b += f.line()
	}
	return b + "\n<!-- end of rows -->"
}

// isStated tells whether the test of a row is there, and its package names the row.
func (a *audit) isStated(name string, f record) bool {
	tests := testFiles(filepath.Join(a.root, filepath.FromSlash(f.Package)))
	return strings.Contains(tests, "\nfunc "+f.Test+"(t *testing.T) {\n") && strings.Contains(tests, `"`+name+`"`)
}

// testFiles is the text of a package's tests.
func testFiles(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			all[file] = string(text)
		}
	}
	return strings.Join(slices.Sorted(maps.Values(all)), "\n")
}

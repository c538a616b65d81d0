package board

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// File is the page whose tables the rows are.
const File = "docs/RELIABILITY.md"

// table finds a table of the page: the names of its rows in their order, then the rows.
var table = regexp.MustCompile(`(?s)<!-- rows of docs/reliability:(.*?)-->\n(.*?)<!-- end of rows -->`)

// sum finds the page's totals.
var sum = regexp.MustCompile(`(?s)<!-- totals of docs/reliability -->\n(.*?)<!-- end of totals -->`)

// reader finds the table of the fuzz targets.
var reader = regexp.MustCompile(`(?s)<!-- fuzz targets -->\n(.*?)<!-- end of fuzz targets -->`)

// fuzzing finds a command of the page that fuzzes.
var fuzzing = regexp.MustCompile(`go test -fuzz (\w+) .*(\./[a-z/]+)`)

// audit is a look at the page and the files of its rows.
type audit struct {
	module fs.FS
	faults []string
	placed map[string]Testimony // rows that the page has
}

func (a *audit) say(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// Page is the page with the tables that the files give, and what is wrong with them and it.
func Page(module fs.FS) (want string, faults []string, err error) {
	text, err := fs.ReadFile(module, File)
	if err != nil {
		return "", nil, err
	}
	a := &audit{module: module, placed: map[string]Testimony{}}
	want = table.ReplaceAllStringFunc(string(text), a.fill)
	want = sum.ReplaceAllStringFunc(want, func(string) string {
		return "<!-- totals of docs/reliability -->\n\n" + totals(a.placed) + "\n<!-- end of totals -->"
	})
	want = reader.ReplaceAllStringFunc(want, func(string) string {
		rows, faults := fuzzedTable(module)
		a.faults = append(a.faults, faults...)
		return "<!-- fuzz targets -->\n\n" + rows + "\n<!-- end of fuzz targets -->"
	})
	if want != string(text) {
		a.say("%s has other rows than %s: run KEDGE_UPDATE=1 go test -run Page ./internal/evidence", File, Dir)
	}
	for n, line := range strings.Split(reader.ReplaceAllString(sum.ReplaceAllString(table.ReplaceAllString(string(text), ""), ""), ""), "\n") {
		if strings.HasPrefix(line, "|") {
			a.say("%s: the row %.60s… (line %d without the tables) comes from no file: let a test state it", File, line, n+1)
		}
	}
	for _, c := range fuzzing.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(testFiles(module, c[2]), "\nfunc "+c[1]+"(f *testing.F) {\n") {
			a.say("%s: %s has no target %s", File, c[2], c[1])
		}
	}
	files, err := fs.Glob(module, Dir+"/*.json")
	for _, file := range files {
		if _, placed := a.placed[strings.TrimSuffix(path.Base(file), ".json")]; !placed {
			a.say("%s is in no table of %s: name it in one, or remove the file", file, File)
		}
	}
	return want, a.faults, err
}

// fill writes the rows of a table anew.
func (a *audit) fill(old string) string {
	names := table.FindStringSubmatch(old)[1]
	b := "<!-- rows of docs/reliability:" + names + "-->\n\n| of | promise | test | figure | bar | measured |\n|---|---|---|---|---|---|\n"
	for _, name := range strings.Fields(names) {
		f, err := Read(a.module, name)
		if err != nil {
			a.say("a row has no file: %v", err)
			continue
		}
		if _, placed := a.placed[name]; placed {
			a.say("%s has the row %s twice", File, name)
		}
		a.placed[name] = f
		if fault := f.Fault(); fault != "" {
			a.say("%s/%s.json: %s", Dir, name, fault)
		}
		if !a.isStated(name, f) {
			a.say("%s/%s.json: %s has no test %s that states %q", Dir, name, f.Package, f.Test, name)
		}
		b += f.Line()
	}
	return b + "\n<!-- end of rows -->"
}

// isStated tells whether the test of a row is there, and its package names the row.
func (a *audit) isStated(name string, f Testimony) bool {
	return HasTest(a.module, f.Package, f.Test) && strings.Contains(testFiles(a.module, f.Package), `"`+name+`"`)
}

// HasTest tells whether a package, named as in ./store, has a test.
func HasTest(module fs.FS, pack, test string) bool {
	return strings.Contains(testFiles(module, pack), "\nfunc "+test+"(t *testing.T) {\n")
}

// testFiles is the text of a package's tests.
func testFiles(module fs.FS, pack string) string {
	files, _ := fs.Glob(module, path.Join(path.Clean(pack), "*_test.go"))
	var all strings.Builder
	for _, file := range files {
		text, _ := fs.ReadFile(module, file) // what cannot be read has no test
		all.WriteString(string(text) + "\n")
	}
	return all.String()
}

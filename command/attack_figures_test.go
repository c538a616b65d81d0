package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// isNothing tells whether a folder is not there or holds no finished result.
func isNothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, folder.ErrUnfinished)
}

// figures are what docs/RELIABILITY.md says of an attack. They come from its last whole run.
type figures struct {
	Promise string         `json:"promise"`
	Test    string         `json:"test"`  // words that name it after go test -run
	Short   string         `json:"short"` // what CI has of it
	Blows   int            `json:"blows"`
	Wrong   int            `json:"wrong"`
	Bar     int            `json:"bar"`
	Ended   map[string]int `json:"ended"` // blows, by how they ended
}

// figuresDir is where the files of figures lie.
const figuresDir = "../docs/reliability"

// report prints the figures, and after a whole attack writes them where KEDGE_UPDATE=1 asks for it.
func (a *attack) report(f figures) {
	a.t.Helper()
	f.Ended, f.Wrong = a.ended, a.wrong
	for _, n := range a.ended {
		f.Blows += n
	}
	a.t.Logf("%s: %s", f.Promise, f.figure())
	if !isWhole() || os.Getenv("KEDGE_UPDATE") == "" {
		return
	}
	if err := folder.WriteFile(filepath.Join(figuresDir, a.name+".json"), folder.AsJSON(f)); err != nil {
		a.t.Error(err)
	}
}

// figure is what came out, in words.
func (f figures) figure() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f.Ended)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, f.Ended[name]))
	}
	return fmt.Sprintf("%d of %d (%s)", f.Wrong, f.Blows, strings.Join(parts, ", "))
}

// row is the figures' line of the table.
func (f figures) row() string {
	return fmt.Sprintf("| %s | `KEDGE_TORTURE=1 go test -v -run %s ./command`; CI has %s | %s | %d |\n", f.Promise, f.Test, f.Short, f.figure(), f.Bar)
}

// The rows of attacks in docs/RELIABILITY.md are those of the files of figures.
func TestReliabilityRows(t *testing.T) {
	const page, begin, end = "../docs/RELIABILITY.md", "<!-- rows of docs/reliability, written by KEDGE_UPDATE=1 go test -run ReliabilityRows ./command -->\n", "<!-- end of rows -->\n"
	names, err := filepath.Glob(filepath.Join(figuresDir, "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files of figures: %v", err)
	}
	rows := "\n| attack | test | wrong | bar |\n|---|---|---|---|\n"
	for _, name := range names {
		var f figures
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err != nil || f.Wrong > f.Bar || f.Blows == 0 {
			t.Errorf("%s: %v, %s", name, err, f.figure())
		}
		rows += f.row()
	}
	rows += "\n"
	text, err := os.ReadFile(page)
	before, rest, found := strings.Cut(string(text), begin)
	there, after, ended := strings.Cut(rest, end)
	if err != nil || !found || !ended {
		t.Fatalf("%s has no place for the rows: %v", page, err)
	}
	if os.Getenv("KEDGE_UPDATE") != "" {
		there, err = rows, os.WriteFile(page, []byte(before+begin+rows+end+after), 0o644)
	}
	if err != nil || there != rows {
		t.Errorf("%s has other rows than docs/reliability (%v): run KEDGE_UPDATE=1 go test -run ReliabilityRows ./command", page, err)
	}
}

// Every test that docs/RELIABILITY.md names is there: where no test has a name, go test says ok.
func TestReliabilityNamesTests(t *testing.T) {
	text, err := os.ReadFile("../docs/RELIABILITY.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("go test (?:-v )?-(?:run|fuzz) ('[^']*'|[^ `]+)((?: -[a-z]+ [0-9a-z]+)*)((?: \\./[a-z/]+)+)").FindAllStringSubmatch(string(text), -1)
	if len(commands) < 40 {
		t.Errorf("only %d commands are understood", len(commands))
	}
	for _, c := range commands {
		name := regexp.MustCompile(strings.ReplaceAll(strings.Trim(c[1], "'"), `\|`, "|"))
		for _, dir := range strings.Fields(c[3]) {
			if !slices.ContainsFunc(testsIn(t, filepath.Join("..", dir)), name.MatchString) {
				t.Errorf("%s: %s has no such test", c[0], dir)
			}
		}
	}
}

// testsIn are the names of a package's tests.
func testsIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, f[1])
		}
	}
	return names
}

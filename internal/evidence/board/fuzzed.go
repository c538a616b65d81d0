package board

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// FuzzedFile has what the fuzz targets were given when they last ran to be counted.
const FuzzedFile = Dir + "/fuzz/targets.json"

// Fuzzed is a fuzz target of the module.
type Fuzzed struct {
	Pack, Name string // as in ./internal/npy, FuzzRead
}

// String is how a target is called in the file.
func (t Fuzzed) String() string { return t.Pack + " " + t.Name }

// Inputs is how many of them a target was given, all of which it took as promised.
type Inputs struct {
	Tried int      `json:"tried"`
	Run   Occasion `json:"run"`
}

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\) \{$`)

// Targets are all fuzz targets of the module.
func Targets(module fs.FS) (all []Fuzzed, err error) {
	err = fs.WalkDir(module, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(module, file)
		if err != nil {
			return err
		}
		for _, m := range fuzzTarget.FindAllStringSubmatch(string(text), -1) {
			all = append(all, Fuzzed{"./" + path.Dir(file), m[1]})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Fuzzed) int { return cmp.Compare(a.String(), b.String()) })
	return all, err
}

// ReadFuzzed reads what targets were given, by the target. Nothing was counted yet where there is no file.
func ReadFuzzed(module fs.FS) (all map[string]Inputs, err error) {
	all = map[string]Inputs{}
	if _, err := fs.Stat(module, FuzzedFile); err != nil {
		return all, nil
	}
	text, err := fs.ReadFile(module, FuzzedFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FuzzedFile, err)
	}
	return all, nil
}

// FuzzedText is the file of what targets were given.
func FuzzedText(all map[string]Inputs) ([]byte, error) { return textOf(all) }

// fuzzedTable is the table of the fuzz targets, and what is wrong with it. Each target has a corpus in the repository.
func fuzzedTable(module fs.FS) (text string, faults []string) {
	say := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	targets, err := Targets(module)
	if err != nil {
		say("%v", err)
	}
	given, err := ReadFuzzed(module)
	if err != nil {
		say("%v", err)
	}
	sum, ran, lines := 0, 0, ""
	for _, t := range targets {
		if corpus, _ := fs.Glob(module, path.Join(path.Clean(t.Pack), "testdata/fuzz", t.Name, "*")); len(corpus) == 0 {
			say("%s has no corpus under testdata/fuzz", t)
		}
		n, counted := given[t.String()]
		delete(given, t.String())
		if !counted {
			lines += fmt.Sprintf("| `%s` | not counted yet | | |\n", t)
			continue
		}
		sum, ran = sum+n.Tried, ran+1
		lines += fmt.Sprintf("| `%s` | %d | %.0f | %s |\n", t, n.Tried, n.Run.Seconds, n.Run.words())
	}
	for gone := range given {
		say("%s is about %s, which is not there", FuzzedFile, gone)
	}
	return fmt.Sprintf("**%d of %d targets were given %d inputs when they last ran, and took or refused each as promised.**\n\n| target | inputs | seconds | measured |\n|---|---|---|---|\n%s", ran, len(targets), sum, lines), faults
}

// Package board is docs/RELIABILITY.md: its rows, each a file of docs/reliability that a test has written, the programme that they belong to,
// the faults that are planted to see whether the tests notice, and the page that all this makes.
package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Dir is where the files of the rows lie in the module.
const Dir = "docs/reliability"

// Testimony is the file of a row. What it keeps and tests is written there by hand, and stays when a test writes the rest anew.
type Testimony struct {
	Promise  string         `json:"promise"`
	Keeps    []string       `json:"keeps,omitempty"` // promises of the programme, as P1
	Tests    []string       `json:"tests,omitempty"` // tests of the programme, as T02
	Package  string         `json:"package"`
	Test     string         `json:"test"`
	Needs    string         `json:"needs,omitempty"`
	Short    string         `json:"short,omitempty"`   // what there is of the test without KEDGE_TORTURE=1
	Whole    bool           `json:"whole"`             // the figure is that of the whole test
	Skipped  bool           `json:"skipped,omitempty"` // the machine lacked what the test needs
	Cases    int            `json:"cases,omitempty"`
	Wrong    int            `json:"wrong"`
	Ended    map[string]int `json:"ended,omitempty"` // cases, by how they ended
	Measured []Worst        `json:"measured,omitempty"`
	Run      *Occasion      `json:"run,omitempty"` // that gave the figure; none if that was before runs were kept
}

// Worst is a number with its bar.
type Worst struct {
	Name  string  `json:"name,omitempty"`
	Worst float64 `json:"worst"`
	Bar   float64 `json:"bar"`
}

// Occasion is the run that a figure comes from.
type Occasion struct {
	Commit  string  `json:"commit,omitempty"` // none where there was no git
	Changed bool    `json:"changed,omitempty"`
	Date    string  `json:"date"`
	Seconds float64 `json:"seconds"`
}

// Read reads the file of a row.
func Read(module fs.FS, name string) (f Testimony, err error) {
	file := path.Join(Dir, name+".json")
	text, err := fs.ReadFile(module, file)
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

// ReadAll reads the files of all rows, by name.
func ReadAll(module fs.FS) (map[string]Testimony, error) {
	files, err := fs.Glob(module, Dir+"/*.json")
	all := map[string]Testimony{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".json")
		if all[name], err = Read(module, name); err != nil {
			return nil, err
		}
	}
	return all, err
}

// Text is the file of a row.
func (f Testimony) Text() ([]byte, error) { return textOf(f) }

// textOf is a file of the board.
func textOf(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// Command is how the figure is had again.
func (f Testimony) Command() string {
	if f.Short == "" {
		return fmt.Sprintf("go test -v -run '^%s$' %s", f.Test, f.Package)
	}
	return fmt.Sprintf("KEDGE_TORTURE=1 go test -v -timeout 1h -run '^%s$' %s", f.Test, f.Package)
}

// Figure is what came out, in words.
func (f Testimony) Figure() string {
	var all []string
	if f.Cases > 0 {
		all = append(all, fmt.Sprintf("%d of %d", f.Wrong, f.Cases))
	}
	var ends []string
	for _, how := range slices.Sorted(maps.Keys(f.Ended)) {
		ends = append(ends, fmt.Sprintf("%s %d", how, f.Ended[how]))
	}
	if len(ends) > 0 {
		all[0] += " (" + strings.Join(ends, ", ") + ")"
	}
	for _, m := range f.Measured {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %.2g", m.Name, m.Worst)))
	}
	text := strings.Join(all, "; ")
	switch {
	case f.Skipped:
		return "*skipped*: needs " + f.Needs
	case !f.Whole:
		return text + ", of the short test"
	}
	return text
}

// Bar is what the figure may be at most, in words.
func (f Testimony) Bar() string {
	var all []string
	if f.Cases > 0 {
		all = append(all, "0")
	}
	for _, m := range f.Measured {
		all = append(all, fmt.Sprintf("%.3g", m.Bar))
	}
	return strings.Join(all, "; ")
}

// Line is the record's line of a table.
func (f Testimony) Line() string {
	test := "`" + f.Command() + "`"
	if f.Short != "" {
		test += "; CI has " + f.Short
	}
	if f.Needs != "" {
		test += "; needs " + f.Needs
	}
	if n := len(f.twins()); n > 0 {
		test += fmt.Sprintf("; planted faults: %d", n)
	}
	of := strings.Join(slices.Concat(f.Keeps, f.Tests), " ")
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", of, strings.ReplaceAll(f.Promise, "|", `\|`), test, f.Figure(), f.Bar(), f.Run.words())
}

// words say when a figure was measured.
func (o *Occasion) words() string {
	switch {
	case o == nil:
		return "not kept"
	case o.Commit == "":
		return o.Date
	case o.Changed:
		return o.Date + ", " + o.Commit + " and changes"
	}
	return o.Date + ", " + o.Commit
}

// twins are the faults that are planted for the test of a row.
func (f Testimony) twins() (own []Planted) {
	return slices.DeleteFunc(Faults(), func(p Planted) bool { return p.Pack != f.Package || p.Test != f.Test })
}

// Fault says why a record cannot stand, "" if it can: the figure is over its bar, there is none, or it is of a promise that nobody gave.
func (f Testimony) Fault() string {
	for _, m := range f.Measured {
		if !(m.Worst <= m.Bar) {
			return fmt.Sprintf("%s %g is over its bar, %g", m.Name, m.Worst, m.Bar)
		}
	}
	lacks := func(list []Clause) func(string) bool {
		return func(id string) bool { return !slices.ContainsFunc(list, func(n Clause) bool { return n.ID == id }) }
	}
	if i := slices.IndexFunc(f.Keeps, lacks(Promises())); i >= 0 {
		return fmt.Sprintf("there is no promise %s", f.Keeps[i])
	}
	if i := slices.IndexFunc(f.Tests, lacks(Tests())); i >= 0 {
		return fmt.Sprintf("there is no test %s", f.Tests[i])
	}
	switch {
	case f.Wrong > 0:
		return fmt.Sprintf("%d of %d are not as promised", f.Wrong, f.Cases)
	case f.Skipped && f.Needs == "":
		return "skipped, and nobody says what it needs"
	case !f.Skipped && f.Cases == 0 && len(f.Measured) == 0:
		return "no figure"
	}
	return ""
}

// IsOf tells whether a file is about what a test claims: the same words, and the same bars unless it could not measure. A short test may measure less than the
// whole one, whose figures the file has.
func (f Testimony) IsOf(claimed Testimony) bool {
	bars := func(r Testimony) map[string]float64 {
		all := map[string]float64{}
		for _, m := range r.Measured {
			all[m.Name] = m.Bar
		}
		return all
	}
	had, has := bars(f), bars(claimed)
	if f.Whole && !claimed.Whole {
		maps.DeleteFunc(had, func(name string, _ float64) bool { _, is := has[name]; return !is })
	}
	return f.Promise == claimed.Promise && f.Package == claimed.Package && f.Test == claimed.Test && f.Needs == claimed.Needs && f.Short == claimed.Short &&
		(f.Skipped || maps.Equal(had, has) && (f.Cases > 0) == (claimed.Cases > 0))
}

package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rowsDir is where the rows' files lie in the module.
const rowsDir = "docs/reliability"

// record is the file of a row.
type record struct {
	Promise  string         `json:"promise"`
	Package  string         `json:"package"`
	Test     string         `json:"test"`
	Needs    string         `json:"needs,omitempty"`
	Short    string         `json:"short,omitempty"`   // what there is of the test without KEDGE_TORTURE=1
	Whole    bool           `json:"whole"`             // the figure is that of the whole test
	Skipped  bool           `json:"skipped,omitempty"` // the machine lacked what the test needs
	Cases    int            `json:"cases,omitempty"`
	Wrong    int            `json:"wrong"`
	Ended    map[string]int `json:"ended,omitempty"` // cases, by how they ended
	Measured []measure      `json:"measured,omitempty"`
}

// measure is a number with its bar.
type measure struct {
	Name  string  `json:"name,omitempty"`
	Worst float64 `json:"worst"`
	Bar   float64 `json:"bar"`
}

func readRecord(root, name string) (f record, err error) {
	path := filepath.Join(root, filepath.FromSlash(rowsDir), name+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func (f record) write(root, name string) error {
	dir := filepath.Join(root, filepath.FromSlash(rowsDir))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".json"), b.Bytes(), 0o644)
}

// command is how the figure is had again.
func (f record) command() string {
	if f.Short == "" {
		return fmt.Sprintf("go test -v -run '^%s$' %s", f.Test, f.Package)
	}
	return fmt.Sprintf("KEDGE_TORTURE=1 go test -v -timeout 1h -run '^%s$' %s", f.Test, f.Package)
}

// figure is what came out, in words.
func (f record) figure() string {
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

// bar is what the figure may be at most, in words.
func (f record) bar() string {
	var all []string
	if f.Cases > 0 {
		all = append(all, "0")
	}
	for _, m := range f.Measured {
		all = append(all, fmt.Sprintf("%.3g", m.Bar))
	}
	return strings.Join(all, "; ")
}

// line is the record's line of a table.
func (f record) line() string {
	test := "`" + f.command() + "`"
	if f.Short != "" {
		test += "; CI has " + f.Short
	}
	if f.Needs != "" {
		test += "; needs " + f.Needs
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", strings.ReplaceAll(f.Promise, "|", `\|`), test, f.figure(), f.bar())
}

// fault says why a record cannot stand, "" if it can: the figure is over its bar, or there is none.
func (f record) fault() string {
	for _, m := range f.Measured {
		if !(m.Worst <= m.Bar) {
			return fmt.Sprintf("%s %g is over its bar, %g", m.Name, m.Worst, m.Bar)
		}
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

package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// CellFiles are the files of the folder that a result has as a cell of a sweep, by name, with its manifest.
func (r *Result) CellFiles() (map[string][]byte, error) {
	m, data := r.cell()
	files := map[string][]byte{}
	m.Files = map[string]File{}
	for _, name := range data.names() {
		var b bytes.Buffer
		if err := data[name](&b); err != nil {
			return nil, err
		}
		files[name], m.Files[name] = b.Bytes(), sumOfText(b.Bytes())
	}
	text, err := m.text()
	files[manifestFile] = text
	return files, err
}

// CellNames are the names of these files, sorted. A cell has all of them and no other.
func CellNames() []string { return []string{manifestFile, parquetFile, specFile, summaryFile} }

// UnsoundError says why the files of a cell that came from elsewhere are not taken.
type UnsoundError struct{ Cell, Why string }

func (e *UnsoundError) Error() string { return fmt.Sprintf("cell %s is not taken: %s", e.Cell, e.Why) }

// ErrDiffers says that two computations of one cell gave other bytes.
var ErrDiffers = errors.New("one of the machines does not compute as promised: nobody can tell which, so begin anew with --fresh on machines that agree")

// DiffersError is ErrDiffers of a cell.
type DiffersError struct {
	Cell  string
	What  string // in what they differ
	Who   string // who computed the second, "" if nobody knows
	Where string // where the second is kept, "" if it is not
}

func (e *DiffersError) Error() string {
	text := fmt.Sprintf("cell %s was computed twice, and %s", e.Cell, e.What)
	if e.Who != "" {
		text += ", the second time by " + e.Who
	}
	if e.Where != "" {
		text += " (kept in " + e.Where + ")"
	}
	return fmt.Sprintf("%s; %v", text, ErrDiffers)
}

func (e *DiffersError) Unwrap() error { return ErrDiffers }

// Accept keeps a cell of the plan that another process has computed: the files of its folder by name, of which nothing is believed. They are all there and no
// others, the manifest is what this program would write of them, the spec is that of the cell, and its origin that of the others. A cell that is
// there already must have the same bytes, or the error is ErrDiffers. Cells may be accepted at once, but not the same one.
func (f *SweepFolder) Accept(cell int, spec func() string, files map[string][]byte, isThere bool) (*Summary, error) {
	id := f.plan.Cells[cell].ID
	m, summary, err := f.sound(spec, files)
	if err != nil {
		return nil, &UnsoundError{id, err.Error()}
	}
	if err := f.agrees(m.Identity, "cell "+id); err != nil {
		return nil, err
	}
	if isThere {
		return summary, f.compare(id, m)
	}
	data := Contents{}.With(files)
	delete(data, manifestFile)
	return summary, f.put(id, m, data)
}

// sound looks at files that claim to be a cell with a spec.
func (f *SweepFolder) sound(spec func() string, files map[string][]byte) (*Manifest, *Summary, error) {
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, CellNames()) {
		return nil, nil, fmt.Errorf("it has the files %q, want %q", names, CellNames())
	}
	m, err := parseManifest(files[manifestFile])
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	sums := map[string]File{}
	for name, text := range files {
		if name != manifestFile {
			sums[name] = sumOfText(text)
		}
	}
	want := Manifest{Format: manifestFormat, Kind: KindRun, Case: f.plan.Name, Seed: m.Seed, Spec: specFile, Identity: m.Identity, Files: sums}
	text, err := want.text()
	switch {
	case err != nil:
		return nil, nil, err
	case !bytes.Equal(text, files[manifestFile]):
		return nil, nil, fmt.Errorf("%s is not that of the other files", manifestFile)
	case m.Build != CurrentBuild() || m.Code != CurrentCode():
		return nil, nil, fmt.Errorf("it is of another build, %v, %v", m.Build, m.Code)
	case string(files[specFile]) != spec():
		return nil, nil, fmt.Errorf("%s is that of another cell", specFile)
	}
	for name, sum := range m.Inputs {
		if planned := f.plan.Inputs[name]; planned != sum {
			return nil, nil, fmt.Errorf("it was computed from another %s (SHA-256 %.12s, want %.12s)", name, sum, planned)
		}
	}
	summary := new(Summary)
	if err := json.Unmarshal(files[summaryFile], summary); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", summaryFile, err)
	}
	if summary.Seed != m.Seed || summary.Case != m.Case || summary.Partial {
		return nil, nil, fmt.Errorf("%s is that of another run, or of one that was stopped", summaryFile)
	}
	return m, summary, nil
}

// compare wants the bytes of a cell that is there.
func (f *SweepFolder) compare(id string, m *Manifest) error {
	its, err := readManifest(f.dir, path.Join(f.where(id), manifestFile))
	if err != nil {
		return err
	}
	if maps.Equal(its.Files, m.Files) {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(m.Files)), func(name string) bool { return its.Files[name] == m.Files[name] })
	return &DiffersError{Cell: id, What: "other bytes came out in " + strings.Join(names, ", ")}
}

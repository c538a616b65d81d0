package folder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/intake"
)

// Kind is what a sealed folder holds.
type Kind string

// The kinds of folders.
const (
	KindRun     Kind = "run"
	KindSweep   Kind = "sweep"
	KindCompare Kind = "compare"
	KindStudy   Kind = "study"
)

// StudyFile is the file of a study's folder that its report is made of.
const StudyFile = "study.json"

// CompareFile is the file of a comparison's folder that its report is made of. A report of several runs has none.
const CompareFile = "compare.json"

const (
	manifestFile = "manifest.json"
	timesFile    = "times.json" // the only file that may differ between equal runs
	specFile     = "spec.yaml"
	summaryFile  = "summary.json"
	seriesFile   = "series.csv"
	parquetFile  = "series.parquet"
	arraysFile   = "arrays.npz"

	manifestFormat  = 2
	bareFormat      = 1 // without a checksum of its own, without code and inputs
	largestManifest = 256 << 20
)

// Manifest lists every file of a finished folder; docs/formats/manifest.md describes it. Its last field on disk is the checksum of the rest.
type Manifest struct {
	Format int    `json:"format"`
	Kind   Kind   `json:"kind"`
	Case   string `json:"case"`
	Seed   uint64 `json:"seed"`
	Spec   string `json:"spec,omitempty"` // the file that holds the spec
	Identity
	Files map[string]File `json:"files"` // by name, with slashes
}

// File is what a manifest knows of a file; times.json has no checksum here but in itself.
type File struct {
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// ErrUnfinished says that a folder has no manifest: whatever wrote it has not come to its end.
var ErrUnfinished = errors.New("no manifest.json, so the folder is no finished result; run its command again")

// ErrChanged says that a file is not what was written.
var ErrChanged = errors.New("not as it was written")

// IsBare tells whether the manifest is of the first format, which does not vouch for itself.
func (m *Manifest) IsBare() bool { return m.Format == bareFormat }

// covers tells whether a file is the manifest or one that it lists.
func (m *Manifest) covers(name string) bool {
	_, ok := m.Files[name]
	return ok || name == manifestFile
}

// About says in words what the folder holds.
func (m *Manifest) About() string {
	what := string(m.Kind)
	if _, ok := m.Files[CompareFile]; m.Kind == KindCompare && !ok {
		return "a report of " + cmp.Or(m.Case, "several folders")
	} else if ok {
		what = "comparison"
	}
	return fmt.Sprintf("a %s of %s with seed %d", what, m.Case, m.Seed)
}

// text is the manifest as it is written.
func (m *Manifest) text() ([]byte, error) {
	var b bytes.Buffer
	err := WriteJSON(&b, m)
	return withSum(b.Bytes()), err
}

// readManifest reads the manifest in a folder of results. Without one the error is fs.ErrNotExist.
func readManifest(dir *disk.Dir, name string) (*Manifest, error) {
	text, err := readAll(dir, name, largestManifest)
	if err != nil {
		return nil, err
	}
	return manifestIn(dir, name, text)
}

// manifestIn is the manifest whose text was read from a file.
func manifestIn(dir *disk.Dir, name string, text []byte) (*Manifest, error) {
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir.Path(name), err)
	}
	return m, nil
}

func parseManifest(text []byte) (*Manifest, error) {
	var head struct {
		Format int   `json:"format"`
		Build  Build `json:"build"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	switch head.Format {
	case manifestFormat:
		bare, ok := checkSum(text)
		if !ok {
			return nil, fmt.Errorf("%w: its checksum is that of another text", ErrChanged)
		}
		text = bare
	case bareFormat:
	default:
		return nil, fmt.Errorf("format is %d, this kedge reads %d and %d; use the version that wrote it (%s)", head.Format, bareFormat, manifestFormat, head.Build.Version)
	}
	m := new(Manifest)
	if err := intake.Decode(text, m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return m, m.check()
}

// check wants everything in a manifest that must be there, and nothing that cannot be.
func (m *Manifest) check() error {
	if len(m.Files) == 0 || m.Kind == "" {
		return fmt.Errorf("%w: kind or files are missing", ErrChanged)
	}
	if m.IsBare() && (m.Inputs != nil || m.Code != Code{}) {
		return fmt.Errorf("%w: format %d has no code and no inputs", ErrChanged, bareFormat)
	}
	for name, f := range m.Files {
		switch {
		case !isFileName(name):
			return fmt.Errorf("files names %q, want a file in the folder or the manifest of a cell", name)
		case len(f.SHA256) != 64 && name != timesFile:
			return fmt.Errorf("%w: %q has no checksum", ErrChanged, name)
		}
	}
	return nil
}

// isFileName tells whether a manifest can list a name: a file in the folder itself, or the manifest of a folder in its cells.
func isFileName(name string) bool {
	dir, base := path.Split(name)
	if dir == "" {
		return fs.ValidPath(name) && !strings.HasPrefix(name, ".") && name != manifestFile && !strings.Contains(name, `\`)
	}
	outer, id := path.Split(strings.TrimSuffix(dir, "/"))
	return base == manifestFile && outer == cellsFolder+"/" && isCellName(id)
}

// isCellName tells whether the folder of a cell can have a name.
func isCellName(id string) bool {
	return fs.ValidPath(id) && !strings.HasPrefix(id, ".") && !strings.ContainsAny(id, `/\`)
}

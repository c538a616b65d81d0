package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

	manifestFormat  = 1
	largestManifest = 256 << 20
)

// Manifest lists every file of a finished folder; docs/formats/manifest.md describes it.
type Manifest struct {
	Format int             `json:"format"`
	Kind   Kind            `json:"kind"`
	Case   string          `json:"case"`
	Seed   uint64          `json:"seed"`
	Spec   string          `json:"spec,omitempty"` // the file that holds the spec
	Build  Build           `json:"build"`
	Files  map[string]File `json:"files"` // by name, with slashes
}

// File is what a manifest knows of a file; a file that may differ between equal runs has no checksum.
type File struct {
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// ErrUnfinished says that a folder has no manifest: whatever wrote it has not come to its end.
var ErrUnfinished = errors.New("no manifest.json, so the folder is no finished result; run its command again")

// ReadManifest reads the manifest of a folder. Without one the error is ErrUnfinished.
func ReadManifest(dir string) (*Manifest, error) {
	m := new(Manifest)
	path := filepath.Join(dir, manifestFile)
	err := readJSON(path, largestManifest, m)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", dir, ErrUnfinished)
	}
	if err != nil {
		return nil, err
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("%s: format is %d, this kedge reads %d; use the version that wrote it (%s)", path, m.Format, manifestFormat, m.Build.Version)
	}
	for name := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s: files names %q, which is outside the folder", path, name)
		}
	}
	return m, nil
}

// readManifestOf reads the manifest of a folder that must hold a result of a kind.
func readManifestOf(dir string, kind Kind) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err == nil && m.Kind != kind {
		err = fmt.Errorf("%s holds a %s, not a %s", dir, m.Kind, kind)
	}
	return m, err
}

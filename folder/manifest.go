package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Seal writes the manifest of a folder, the last step of making it. Case, seed and build are those of its summary.json, if
// it has one; to give them, seal with Manifest.Seal.
func Seal(dir string, kind Kind) error {
	m := Manifest{Kind: kind, Build: CurrentBuild()}
	switch kind {
	case KindRun:
		m.Spec = specFile
	case KindSweep:
		m.Spec = SweepFile
	}
	s, err := readSummary(filepath.Join(dir, summaryFile))
	if err == nil {
		m.Case, m.Seed, m.Build = s.Case, s.Seed, s.Build
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return m.Seal(dir)
}

// Seal fills in the files of a folder and writes the manifest into it: everything is on disk before the manifest is.
func (m Manifest) Seal(dir string) error {
	var err error
	m.Format = manifestFormat
	if m.Files, err = inventory(dir); err != nil {
		return fmt.Errorf("seal %s: %w", dir, err)
	}
	if err := Flush(dir); err != nil {
		return fmt.Errorf("seal %s: %w", dir, err)
	}
	if err := (Contents{manifestFile: AsJSON(m)}).Write(dir); err != nil {
		return err
	}
	return errors.Join(Remove(dir, unfinishedFile), Flush(dir))
}

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

// inventory lists and hashes the files of a folder, but not those that were there before it was begun, nor hidden ones, nor a checkpoint. Of a
// sealed folder inside it lists the manifest alone, which vouches for the rest.
func inventory(dir string) (map[string]File, error) {
	foreign, err := readUnfinished(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := map[string]File{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return take(files, dir, filepath.ToSlash(name), e, foreign.holds(name))
	})
	return files, err
}

// take adds one entry of a folder to its files.
func take(files map[string]File, dir, name string, e fs.DirEntry, foreign bool) error {
	skip := foreign || strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{manifestFile, unfinishedFile, CheckpointDir}, name)
	switch {
	case skip && e.IsDir():
		return filepath.SkipDir
	case skip:
		return nil
	case e.IsDir():
		sealed := name + "/" + manifestFile
		sum, err := settled(filepath.Join(dir, sealed))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		files[sealed] = sum
		return filepath.SkipDir
	case e.Name() == timesFile:
		files[name] = File{}
		return nil
	}
	var err error
	files[name], err = settled(filepath.Join(dir, name))
	return err
}

// readJSON reads a file that must hold one JSON value and no more than so many bytes.
func readJSON(path string, most int64, v any) error {
	text, err := readAll(path, most)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readSized reads a file whose format must be told its size.
func readSized(path string, read func(f io.ReaderAt, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := read(f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readAll reads a file of at most so many bytes.
func readAll(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are read", path, info.Size(), most)
	}
	return os.ReadFile(path)
}
